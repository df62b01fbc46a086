//! Absence: when the game cannot be reached, announced or not.

use std::time::Duration;

use tokio::time::Instant;

use super::{GameServerState, InjectedFault, SimulatedGame, TICK_INTERVAL};

/// How long before a restart the game announces it.
const RESTART_NOTICE: Duration = Duration::from_secs(30);
/// The longest that the game is away for a restart, and for no reason that it gives.
const MAX_RESTART_TIME: Duration = Duration::from_secs(90);
const MAX_GAME_OUTAGE: Duration = Duration::from_secs(180);

/// A restart that was announced.
#[derive(Clone, Copy)]
pub(super) struct AnnouncedRestart {
    down: Instant,
    up: Instant,
}

impl SimulatedGame {
    /// Announces a restart, begins it, and ends it.
    pub(super) fn update_restart(&self, hall: &mut GameServerState) {
        let (now, chaos) = (Instant::now(), &self.0.chaos);
        match hall.restart {
            None if chaos.draw_fault(InjectedFault::GameRestart, 0.001) => {
                hall.frontend.warn_of_restart(RESTART_NOTICE.as_secs());
                let down = now + RESTART_NOTICE;
                let up = down + chaos.duration_between(TICK_INTERVAL, MAX_RESTART_TIME);
                hall.restart = Some(AnnouncedRestart { down, up });
            }
            Some(restart) if now >= restart.up => hall.restart = None,
            Some(restart) if now >= restart.down => {
                for connection in hall.forgotten + 1..=hall.connections {
                    let left = hall.frontend.disconnect(connection);
                    self.report_executed(&left);
                }
                hall.forgotten = hall.connections;
            }
            None | Some(_) => {}
        }
    }

    /// Whether nobody can reach it now.
    pub(super) fn is_away(&self) -> bool {
        let now = Instant::now();
        let restart = self.lock_state().restart;
        let restarts = restart.is_some_and(|restart| (restart.down..restart.up).contains(&now));
        let chaos = &self.0.chaos;
        restarts || chaos.draw_lasting_fault(InjectedFault::GameAway, 0.0005, MAX_GAME_OUTAGE)
    }
}

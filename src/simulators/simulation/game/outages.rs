//! Outages: times in which the game cannot be reached, with and without announcement.

use std::time::Duration;

use tokio::time::Instant;

use super::{GameServerState, InjectedFault, SimulatedGame, TICK_INTERVAL};

const RESTART_NOTICE: Duration = Duration::from_secs(30);
const MAX_RESTART_TIME: Duration = Duration::from_secs(90);
/// The longest outage without announcement.
const MAX_GAME_OUTAGE: Duration = Duration::from_secs(180);

#[derive(Clone, Copy)]
pub(super) struct AnnouncedRestart {
    down: Instant,
    up: Instant,
}

impl SimulatedGame {
    /// Announces a restart, begins it, and ends it.
    pub(super) fn update_restart(&self, state: &mut GameServerState) {
        let (now, chaos) = (Instant::now(), &self.0.chaos);
        match state.restart {
            None if chaos.draw_fault(InjectedFault::GameRestart, 0.001) => {
                state.frontend.warn_of_restart(RESTART_NOTICE.as_secs());
                let down = now + RESTART_NOTICE;
                let up = down + chaos.duration_between(TICK_INTERVAL, MAX_RESTART_TIME);
                state.restart = Some(AnnouncedRestart { down, up });
            }
            Some(restart) if now >= restart.up => state.restart = None,
            Some(restart) if now >= restart.down => {
                for connection in state.forgotten + 1..=state.connections {
                    let left = state.frontend.disconnect(connection);
                    self.report_executed(&left);
                }
                state.forgotten = state.connections;
            }
            None | Some(_) => {}
        }
    }

    /// Whether the game cannot be reached now.
    pub(super) fn is_away(&self) -> bool {
        let now = Instant::now();
        let restart = self.0.state.lock().restart;
        let restarts = restart.is_some_and(|restart| (restart.down..restart.up).contains(&now));
        let chaos = &self.0.chaos;
        restarts || chaos.draw_lasting_fault(InjectedFault::GameAway, 0.0005, MAX_GAME_OUTAGE)
    }
}

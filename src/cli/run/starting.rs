//! The parts of the start that may wait for the disk, and how a request to stop ends them.

use std::time::Duration;

use super::{Output, OwnServers, RunArgs, Signals};
use crate::wiring::{self, RunningSwarm};

/// How long a part of the start may go on after the program was asked to stop.
const START_GRACE: Duration = Duration::from_secs(2);

/// Gives the orders of a first start. Each of them waits until it is stored.
pub(super) async fn give_first_orders(
    args: &RunArgs,
    flight: &RunningSwarm,
    own: &OwnServers,
) -> anyhow::Result<()> {
    if args.needs_mission {
        wiring::give_first_mission(flight.swarm()).await?;
    }
    if let Some(offline) = &own.offline {
        offline.populate(flight.swarm()).await?;
    }
    flight.warn_about_descriptors(own.has_any()).await;
    Ok(())
}

/// Waits until the operator or a signal asks the program to stop.
pub(super) async fn stop_request(face: &Output, signals: &mut Signals) {
    // Cancel-safe: signals stay pending, and a request to quit is remembered.
    match face {
        Output::Lines(_) => signals.stop().await,
        Output::Screen { quit, .. } => tokio::select! {
            () = quit.cancelled() => {}
            () = signals.next_terminal_signal() => {}
        },
    }
}

/// Does a part of the start, and says whether the program was asked to stop meanwhile. A part may
/// wait for a disk that takes no writes, for as long as that lasts. So it has only a moment after
/// such a request; a part that is not done by then is given up. What was acknowledged is stored.
pub(super) async fn start_part<T>(
    part: impl Future<Output = T>,
    stop_request: impl Future<Output = ()>,
) -> (Option<T>, bool) {
    let mut part = std::pin::pin!(part);
    tokio::select! {
        done = &mut part => (Some(done), false),
        () = stop_request => (tokio::time::timeout(START_GRACE, part).await.ok(), true),
    }
}

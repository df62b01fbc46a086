//! The simulated game and the simulated model as servers of this program, where it is built with them: with the
//! feature `simulators`, which is on unless it is switched off.

#[cfg(feature = "simulators")]
mod linked;
#[cfg(not(feature = "simulators"))]
mod missing;

use futures::future::BoxFuture;

#[cfg(feature = "simulators")]
pub use linked::game_tools;
#[cfg(feature = "simulators")]
pub(super) use linked::{serve_game, serve_model};
#[cfg(not(feature = "simulators"))]
pub use missing::game_tools;
#[cfg(not(feature = "simulators"))]
pub(super) use missing::{serve_game, serve_model};

pub(super) struct ServedGame {
    pub(super) url: String,
    pub(super) seed: u64,
    /// Serves it until it is told to stop.
    pub(super) end: BoxFuture<'static, anyhow::Result<()>>,
}

//! What a galaxy can be told when it starts.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use super::{fault::GalaxyFault, frontend::SessionRules, limits::GalaxyLimits};

/// All options; the defaults are those of the real server.
#[derive(Clone, Debug)]
pub struct GalaxyOptions {
    /// Decides the galaxy and all chance in it. None: the data directory's own, else 1.
    pub seed: Option<u64>,
    /// How long a tick lasts.
    pub tick: Duration,
    /// Who lets ticks pass.
    pub pace: TickPace,
    /// Where everything that happens is kept. None: nothing is.
    pub data: Option<PathBuf>,
    /// A file that gets a line for every mutation that was carried out.
    pub ledger: Option<PathBuf>,
    /// What the server does wrong on purpose.
    pub faults: Vec<GalaxyFault>,
    /// What is allowed in how long.
    pub limits: GalaxyLimits,
    /// How sessions behave.
    pub sessions: SessionRules,
    /// How a request of an unknown MCP session is answered.
    pub unknown_session: UnknownSession,
    /// The one code that registers. None: any code of 1 to 64 characters.
    pub registration_code: Option<String>,
    /// What sessions, limits and faults take the time from.
    pub clock: GalaxyClock,
}

/// Who lets ticks pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickPace {
    /// A timer does, one every [`GalaxyOptions::tick`].
    Timer,
    /// Whoever holds the galaxy does, by [`super::Galaxy::tick`].
    ByHand,
}

/// The HTTP status that goes with JSON-RPC error -32600 `Session not initialized`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownSession {
    /// 200, as it is with most errors of the real server.
    Ok,
    /// 404, as the MCP specification has it.
    NotFound,
}

/// Time that has passed since some moment; it never goes back.
#[derive(Clone)]
pub struct GalaxyClock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl GalaxyClock {
    /// A clock that tells what this function says.
    pub fn new(tell: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// A clock that runs from now on.
    #[must_use]
    pub fn from_now() -> Self {
        let started = std::time::Instant::now();
        Self::new(move || started.elapsed())
    }

    /// What it says now.
    #[must_use]
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

impl fmt::Debug for GalaxyClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

impl Default for GalaxyOptions {
    fn default() -> Self {
        Self {
            seed: None,
            tick: Duration::from_secs(10),
            pace: TickPace::Timer,
            data: None,
            ledger: None,
            faults: Vec::new(),
            limits: GalaxyLimits::default(),
            sessions: SessionRules::default(),
            unknown_session: UnknownSession::Ok,
            registration_code: None,
            clock: GalaxyClock::from_now(),
        }
    }
}

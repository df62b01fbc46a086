//! The options of a galaxy.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::AUTHORIZATION};

use zoea_grammar::incident::Incident;

use super::{fault::GalaxyFault, frontend::SessionRules, limits::GalaxyLimits};

/// All options. The defaults are those of the real server.
#[derive(Clone, Debug)]
pub struct GalaxyOptions {
    /// The seed of the galaxy and of all chance in it. None: the data directory's own, else 1.
    pub seed: Option<u64>,
    pub tick: Duration,
    pub pace: TickPace,
    /// The data directory that keeps the world. None: nothing is kept.
    pub data: Option<PathBuf>,
    /// A file that gets a line for every mutation that was carried out.
    pub ledger: Option<PathBuf>,
    pub faults: Vec<GalaxyFault>,
    /// Incidents that are served again.
    pub replays: Vec<Incident>,
    pub limits: GalaxyLimits,
    pub sessions: SessionRules,
    pub unknown_session: UnknownSession,
    /// The one code with which accounts are registered. None: any code of 1 to 64 characters.
    pub registration_code: Option<String>,
    /// The trades, of all players, after which stations pay a tenth. None: never.
    pub prices_fall_after: Option<u64>,
    /// How requests without an MCP session are served (revision 2026-07-28), beside those with one.
    /// None: they are refused, as by the real server.
    pub stateless: Option<StatelessRules>,
    pub access: AccessRules,
    pub links: LinkRules,
    pub clock: GalaxyClock,
}

/// How requests without an MCP session are served.
#[derive(Clone, Copy, Debug)]
pub struct StatelessRules {
    pub list_ttl: Duration,
    /// Whether commands that take a tick are answered by tasks, where the client takes them.
    pub tasks: bool,
}

/// How a login by a link and a code goes. Nobody has captured the real server's figures.
#[derive(Clone, Copy, Debug)]
pub struct LinkRules {
    /// The pause between two questions of the client, in whole seconds.
    pub interval: Duration,
    /// How long a link is valid, in whole seconds.
    pub valid: Duration,
}

impl Default for LinkRules {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(5),
            valid: Duration::from_secs(600),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct AccessRules {
    /// The bearer token. Without it a request is answered by HTTP 401.
    pub token: Option<String>,
    /// A header with this value. Without it a request is answered by HTTP 403.
    pub header: Option<(HeaderName, HeaderValue)>,
}

impl AccessRules {
    /// The status of the refusal of a request with these headers; `None` if it is let in.
    pub(super) fn refusal(&self, headers: &HeaderMap) -> Option<StatusCode> {
        if let Some(token) = &self.token {
            let given = headers
                .get(AUTHORIZATION)
                .and_then(|value| value.to_str().ok());
            let given = given.and_then(|value| value.strip_prefix("Bearer "));
            if given != Some(token) {
                return Some(StatusCode::UNAUTHORIZED);
            }
        }
        let (name, value) = self.header.as_ref()?;
        (headers.get(name) != Some(value)).then_some(StatusCode::FORBIDDEN)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickPace {
    /// A timer, every [`GalaxyOptions::tick`].
    Timer,
    /// The holder of the galaxy, by [`super::Galaxy::tick`].
    ByHand,
}

/// The HTTP status that comes with the JSON-RPC error -32600 `Session not initialized`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownSession {
    /// 200, as it is with most errors of the real server.
    Ok,
    /// 404, as the MCP specification has it.
    NotFound,
}

/// The time that has passed since a fixed moment. It never goes back.
#[derive(Clone)]
pub struct GalaxyClock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl GalaxyClock {
    pub fn new(pause_of: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(pause_of))
    }

    /// A clock that starts at zero now.
    pub fn from_now() -> Self {
        let started = std::time::Instant::now();
        Self::new(move || started.elapsed())
    }

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
            replays: Vec::new(),
            limits: GalaxyLimits::default(),
            sessions: SessionRules::default(),
            unknown_session: UnknownSession::Ok,
            registration_code: None,
            prices_fall_after: None,
            stateless: None,
            access: AccessRules::default(),
            links: LinkRules::default(),
            clock: GalaxyClock::from_now(),
        }
    }
}

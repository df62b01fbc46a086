//! Faults that the server commits on purpose, so that clients can be tested against them.

mod spec;

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use serde_json::{Map, Value};

pub use self::spec::{FORMS, Fault, Kind};

/// How a request is to be spoilt; whatever has its own way of answering ends the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strike {
    Http500,
    Http429 { retry_after: u64 },
    Drop,
    Hang(Duration),
    Slow(Duration),
    McpSession,
    GameSession,
    Garbage,
    RestartWarning,
    Outage,
    ToolsMissing,
    RpcError,
}

/// What a fault may have to know about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Without a live session.
    Stranger,
    /// `tools/list` of a session.
    ToolsList,
    /// Anything else of a session.
    Session,
}

/// The faults of one server, and how often each has struck.
#[derive(Debug)]
pub(super) struct Faults {
    seed: u64,
    /// When the server started, by its own clock.
    started: Duration,
    requests: AtomicU64,
    faults: Vec<(Fault, AtomicU64)>,
}

impl Faults {
    pub(super) fn new(faults: Vec<Fault>, seed: u64, started: Duration) -> Self {
        let counted = |fault| (fault, AtomicU64::new(0));
        Self {
            seed,
            started,
            requests: AtomicU64::new(0),
            faults: faults.into_iter().map(counted).collect(),
        }
    }

    /// The strikes that this request meets, in the order in which the faults were given, up to the
    /// first that decides its answer. Which request is struck depends on the seed and on how many
    /// came before it.
    pub(super) fn strikes(&self, now: Duration, target: Target) -> Vec<Strike> {
        if self.faults.is_empty() {
            return Vec::new();
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let running = now.saturating_sub(self.started);
        let mut strikes = Vec::new();
        for ((fault, count), place) in self.faults.iter().zip(0..) {
            let Some(strike) = fault.kind.strike(running, target) else {
                continue;
            };
            let mut roll = fastrand::Rng::with_seed(self.seed ^ (number << 8) ^ place);
            if roll.f64() < fault.probability {
                count.fetch_add(1, Ordering::Relaxed);
                strikes.push(strike);
                if strike.decides() {
                    break;
                }
            }
        }
        strikes
    }

    /// How often each fault has struck, by its name.
    pub(super) fn tally(&self) -> Tally {
        let mut tally = Tally(Vec::new());
        for (fault, count) in &self.faults {
            let count = count.load(Ordering::Relaxed);
            let name = fault.kind.name();
            match tally.0.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += count,
                None => tally.0.push((name, count)),
            }
        }
        tally
    }
}

impl Strike {
    /// Whether nothing that strikes later could still matter.
    fn decides(self) -> bool {
        match self {
            Self::Slow(_) | Self::McpSession | Self::GameSession | Self::RestartWarning => false,
            Self::Http500
            | Self::Http429 { .. }
            | Self::Drop
            | Self::Hang(_)
            | Self::Garbage
            | Self::Outage
            | Self::ToolsMissing
            | Self::RpcError => true,
        }
    }
}

/// How often each kind of fault has struck.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(Vec<(&'static str, u64)>);

impl Tally {
    /// Names and counts, in the order in which the faults were given.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().copied()
    }

    /// As a JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let counts: Map<String, Value> = self
            .iter()
            .map(|(name, count)| (name.to_owned(), count.into()))
            .collect();
        counts.into()
    }
}

impl Kind {
    /// What this fault does to such a request when the server has run for so long.
    fn strike(self, running: Duration, target: Target) -> Option<Strike> {
        let has_session = target != Target::Stranger;
        match self {
            Self::Http500 => Some(Strike::Http500),
            Self::Http429 { retry_after } => Some(Strike::Http429 { retry_after }),
            Self::Drop => Some(Strike::Drop),
            Self::Hang(duration) => Some(Strike::Hang(duration)),
            Self::Slow(duration) => Some(Strike::Slow(duration)),
            Self::McpSession => has_session.then_some(Strike::McpSession),
            Self::GameSession => has_session.then_some(Strike::GameSession),
            Self::Garbage => Some(Strike::Garbage),
            Self::RestartWarning => Some(Strike::RestartWarning),
            Self::Outage { after, lasting } => (after..after.saturating_add(lasting))
                .contains(&running)
                .then_some(Strike::Outage),
            Self::ToolsMissing(lasting) => {
                (target == Target::ToolsList && running < lasting).then_some(Strike::ToolsMissing)
            }
            Self::RpcError => Some(Strike::RpcError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn faults(specs: &[&str], seed: u64) -> Faults {
        let faults = specs.iter().map(|spec| spec.parse().unwrap()).collect();
        Faults::new(faults, seed, SECOND)
    }

    #[test]
    fn the_same_seed_strikes_the_same_requests() {
        let struck = |seed| {
            let faults = faults(&["http-500@0.2", "drop@0.2"], seed);
            let strikes: Vec<_> = (0..500)
                .map(|_| faults.strikes(SECOND, Target::Session))
                .collect();
            let both: u64 = faults.tally().iter().map(|(_, count)| count).sum();
            assert_eq!(both, strikes.iter().flatten().count() as u64);
            assert!((140..260).contains(&both), "{both}");
            strikes
        };
        assert_eq!(struck(1), struck(1));
        assert_ne!(struck(1), struck(2));
    }

    #[test]
    fn only_strikes_that_matter_are_counted() {
        let faults = faults(&["mcp-session", "slow:1s", "http-500", "drop"], 1);
        let strikes = faults.strikes(SECOND, Target::Stranger);
        assert_eq!(strikes, [Strike::Slow(SECOND), Strike::Http500]);
        let counts: Vec<u64> = faults.tally().iter().map(|(_, count)| count).collect();
        assert_eq!(counts, [0, 1, 1, 0]);
    }

    #[test]
    fn outages_and_missing_tools_have_their_time() {
        let faults = faults(&["outage:60s,10s", "tools-missing:5s"], 1);
        let at = |seconds: u32, is_list| {
            let target = if is_list {
                Target::ToolsList
            } else {
                Target::Session
            };
            faults.strikes(SECOND + seconds * SECOND, target)
        };
        assert_eq!(at(0, true), [Strike::ToolsMissing]);
        assert_eq!(at(0, false), []);
        assert_eq!(at(5, true), []);
        assert_eq!(at(59, false), []);
        assert_eq!(at(60, false), [Strike::Outage]);
        assert_eq!(at(70, false), []);
        let tally = faults.tally();
        assert_eq!(
            tally.json(),
            serde_json::json!({ "outage": 1, "tools-missing": 1 })
        );
    }
}

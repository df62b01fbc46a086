//! Faults that the server commits on purpose, so that clients can be tested against them.

mod spec;

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use serde_json::{Map, Value};

pub use self::spec::{FORMS, GalaxyFault, GalaxyFaultKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultTarget {
    /// A request without a live session.
    Stranger,
    /// A `tools/list` request of a session.
    ToolsList,
    Session,
    /// A `tools/list` request to a server without sessions.
    StatelessToolsList,
    /// Any other request to a server without sessions. Its connection has no login to lose.
    Stateless,
}

impl FaultTarget {
    fn is_tools_list(self) -> bool {
        match self {
            Self::ToolsList | Self::StatelessToolsList => true,
            Self::Stranger | Self::Session | Self::Stateless => false,
        }
    }

    /// Whether the request belongs to a session in which somebody may have logged in.
    fn has_session(self) -> bool {
        match self {
            Self::ToolsList | Self::Session => true,
            Self::Stranger | Self::StatelessToolsList | Self::Stateless => false,
        }
    }
}

#[derive(Debug)]
pub(super) struct FaultInjector {
    seed: u64,
    /// When the server started, by its own clock.
    started: Duration,
    requests: AtomicU64,
    lists: AtomicU64,
    faults: Vec<(GalaxyFault, AtomicU64)>,
}

impl FaultInjector {
    pub(super) fn new(faults: Vec<GalaxyFault>, seed: u64, started: Duration) -> Self {
        let counted = |fault| (fault, AtomicU64::new(0));
        Self {
            seed,
            started,
            requests: AtomicU64::new(0),
            lists: AtomicU64::new(0),
            faults: faults.into_iter().map(counted).collect(),
        }
    }

    /// The faults that hit this request, in the order in which they were given, up to the first
    /// that decides the answer. The choice depends on the seed and on the number of requests before
    /// it.
    pub(super) fn draw(&self, now: Duration, target: FaultTarget) -> Vec<GalaxyFaultKind> {
        if self.faults.is_empty() {
            return Vec::new();
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let running = now.saturating_sub(self.started);
        let lists = match target.is_tools_list() {
            true => self.lists.fetch_add(1, Ordering::Relaxed),
            false => 0,
        };
        let mut drawn = Vec::new();
        for ((fault, count), place) in self.faults.iter().zip(0..) {
            if !fault.kind.can_hit(running, lists, target) {
                continue;
            }
            let mut roll = fastrand::Rng::with_seed(self.seed ^ (number << 8) ^ place);
            if roll.f64() < fault.probability {
                count.fetch_add(1, Ordering::Relaxed);
                drawn.push(fault.kind);
                if fault.kind.is_final() {
                    break;
                }
            }
        }
        drawn
    }

    pub(super) fn tally(&self) -> FaultTally {
        let mut tally = FaultTally(Vec::new());
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultTally(Vec<(&'static str, u64)>);

impl FaultTally {
    /// Names and counts, in the order in which the faults were given.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().copied()
    }

    pub fn json(&self) -> Value {
        let counts: Map<String, Value> = self
            .iter()
            .map(|(name, count)| (name.to_owned(), count.into()))
            .collect();
        counts.into()
    }
}

impl GalaxyFaultKind {
    /// Whether this fault decides the answer, so that later faults change nothing.
    fn is_final(self) -> bool {
        !matches!(
            self,
            Self::Slow(_) | Self::McpSession | Self::GameSession | Self::RestartWarning
        )
    }

    /// Whether this fault can hit such a request, `running` after the start of the server, and after
    /// so many lists of tools.
    fn can_hit(self, running: Duration, lists: u64, target: FaultTarget) -> bool {
        match self {
            Self::McpSession => target != FaultTarget::Stranger,
            Self::GameSession => target.has_session(),
            Self::Outage { after, lasting } => {
                (after..after.saturating_add(lasting)).contains(&running)
            }
            Self::ToolsMissing(lasting) => target.is_tools_list() && running < lasting,
            Self::ToolsChanged(after) => target.is_tools_list() && lists >= after,
            Self::Http500
            | Self::Http429 { .. }
            | Self::Drop
            | Self::Hang(_)
            | Self::Slow(_)
            | Self::Garbage
            | Self::RestartWarning
            | Self::RpcError => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn faults(specs: &[&str], seed: u64) -> FaultInjector {
        let faults = specs.iter().map(|spec| spec.parse().unwrap()).collect();
        FaultInjector::new(faults, seed, SECOND)
    }

    #[test]
    fn the_same_seed_hits_the_same_requests() {
        let struck = |seed| {
            let faults = faults(&["http-500@0.2", "drop@0.2"], seed);
            let effects: Vec<_> = (0..500)
                .map(|_| faults.draw(SECOND, FaultTarget::Session))
                .collect();
            let both: u64 = faults.tally().iter().map(|(_, count)| count).sum();
            assert_eq!(both, effects.iter().flatten().count() as u64);
            assert!((140..260).contains(&both), "{both}");
            effects
        };
        assert_eq!(struck(1), struck(1));
        assert_ne!(struck(1), struck(2));
    }

    #[test]
    fn only_effects_that_matter_are_counted() {
        let faults = faults(&["mcp-session", "slow:1s", "http-500", "drop"], 1);
        let effects = faults.draw(SECOND, FaultTarget::Stranger);
        assert_eq!(
            effects,
            [GalaxyFaultKind::Slow(SECOND), GalaxyFaultKind::Http500]
        );
        let counts: Vec<u64> = faults.tally().iter().map(|(_, count)| count).collect();
        assert_eq!(counts, [0, 1, 1, 0]);
    }

    #[test]
    fn without_a_session_there_is_no_login_to_lose() {
        let faults = faults(&["game-session", "tools-changed:0"], 1);
        let drawn = |target| faults.draw(SECOND, target);
        assert_eq!(drawn(FaultTarget::Stateless), []);
        let lists = drawn(FaultTarget::StatelessToolsList);
        assert_eq!(lists, [GalaxyFaultKind::ToolsChanged(0)]);
        assert_eq!(drawn(FaultTarget::Session), [GalaxyFaultKind::GameSession]);
        let counts: Vec<u64> = faults.tally().iter().map(|(_, count)| count).collect();
        assert_eq!(counts, [1, 1]);
    }

    #[test]
    fn outages_and_missing_tools_have_their_time() {
        let faults = faults(&["outage:60s,10s", "tools-missing:5s"], 1);
        let at = |seconds: u32, is_list| {
            let target = if is_list {
                FaultTarget::ToolsList
            } else {
                FaultTarget::Session
            };
            faults.draw(SECOND + seconds * SECOND, target)
        };
        assert_eq!(at(0, true), [GalaxyFaultKind::ToolsMissing(5 * SECOND)]);
        assert_eq!(at(0, false), []);
        assert_eq!(at(5, true), []);
        assert_eq!(at(59, false), []);
        let outage = GalaxyFaultKind::Outage {
            after: 60 * SECOND,
            lasting: 10 * SECOND,
        };
        assert_eq!(at(60, false), [outage]);
        assert_eq!(at(70, false), []);
        let tally = faults.tally();
        assert_eq!(
            tally.json(),
            serde_json::json!({ "outage": 1, "tools-missing": 1 })
        );
    }
}

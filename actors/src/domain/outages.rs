//! Outages: which servers are away, since when, and when the next trial call is due (decision 116).

use std::fmt;
use std::sync::Arc;

use super::ids::{Lane, Timestamp};
use zoea_text::trouble::Trouble;

/// The servers that are away, for watchers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerOutages(pub Vec<ServerOutage>);

/// A server that is away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerOutage {
    pub lane: Lane,
    /// The last failure.
    pub text: Arc<str>,
    /// When the outage became known.
    pub since: Timestamp,
    /// When the next trial call is due.
    pub next_try: Timestamp,
    /// Whether it only ends when the operator acts.
    pub needs_operator: bool,
}

impl ServerOutages {
    /// The need of the operator for a server that serves nobody until he acts; empty without one.
    /// It is one line for the whole swarm.
    #[must_use]
    pub fn need_text(&self) -> String {
        let needing = self.0.iter().filter(|away| away.needs_operator);
        let lines = needing.map(|away| {
            let trouble = Trouble {
                whom: &ServerLabel(&away.lane).to_string(),
                what: "serves no requests",
                chain: Some(&away.text),
                ..Trouble::default()
            };
            trouble.to_string()
        });
        lines.collect::<Vec<_>>().join("; ")
    }

    /// The outage of a lane's server; `None` if it is not away.
    #[must_use]
    pub fn of(&self, lane: &Lane) -> Option<&ServerOutage> {
        self.0.iter().find(|away| away.lane == *lane)
    }
}

impl ServerOutage {
    /// The seconds until the next trial call, rounded up.
    #[must_use]
    pub fn next_in(&self, now: Timestamp) -> u64 {
        self.next_try.since(now).div_ceil(1000)
    }

    /// The activity of a Mysis that waits for it, as `waiting for provider local, next try in 4 s`.
    #[must_use]
    pub fn waiting_text(&self, now: Timestamp) -> String {
        let whom = ServerLabel(&self.lane);
        match self.next_in(now) {
            0 => format!("waiting for {whom}, tried now"),
            seconds => format!("waiting for {whom}, next try in {seconds} s"),
        }
    }
}

/// The server that is waited for, in words.
#[derive(Clone, Copy, Debug)]
pub struct ServerLabel<'a>(pub &'a Lane);

impl fmt::Display for ServerLabel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Lane::Provider(name) => write!(f, "provider {name}"),
            Lane::Game | Lane::Logins => f.write_str("the game server"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_told_for_whom_and_how_long_at_most() {
        let away = ServerOutage {
            lane: Lane::Provider("local".into()),
            text: "HTTP 503".into(),
            since: Timestamp(0),
            next_try: Timestamp(10_000),
            needs_operator: false,
        };
        let told = |now| away.waiting_text(Timestamp(now));
        assert_eq!(told(6_001), "waiting for provider local, next try in 4 s");
        assert_eq!(told(10_000), "waiting for provider local, tried now");
        let outages = ServerOutages(vec![away.clone()]);
        assert_eq!(outages.of(&away.lane), Some(&away));
        assert_eq!(outages.of(&Lane::Game), None);
        assert_eq!(outages.need_text(), "");
        let needing = ServerOutages(vec![ServerOutage {
            needs_operator: true,
            ..away
        }]);
        let need = "provider local serves no requests: HTTP 503";
        assert_eq!(needing.need_text(), need);
    }
}

//! Outages: which servers are away or in trouble, since when, and when the next trial call is due
//! (decisions 116, 440). All that is shown, counted or told of a server comes from here.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use strum::IntoStaticStr;

use super::ids::{Lane, Timestamp};
use zoea_text::trouble::Trouble;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerOutages(pub Vec<ServerOutage>);

/// How sure it is that a server does not serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutageStage {
    /// A call takes far longer than calls do, or it refused once, which need not be its own.
    Doubtful,
    /// It refused or could not be reached, and is asked on.
    Failing,
    /// It gets trial calls alone.
    Away,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Light {
    Green,
    Amber,
    Red,
}

impl Light {
    /// The word in `status` and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl OutageStage {
    #[must_use]
    pub fn light(self) -> Light {
        match self {
            OutageStage::Doubtful => Light::Amber,
            OutageStage::Failing | OutageStage::Away => Light::Red,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerOutage {
    pub lane: Lane,
    pub text: Arc<str>,
    pub since: Timestamp,
    pub next_try: Timestamp,
    /// Whether it only ends when the operator acts.
    pub needs_operator: bool,
    pub stage: OutageStage,
}

impl ServerOutages {
    /// The servers that get trial calls alone.
    pub fn away(&self) -> impl Iterator<Item = &ServerOutage> {
        self.0.iter().filter(|it| it.stage == OutageStage::Away)
    }

    pub fn with_light(&self, light: Light) -> impl Iterator<Item = &ServerOutage> {
        self.0.iter().filter(move |it| it.stage.light() == light)
    }

    /// The worst that is known of the server behind a lane; `None` if nothing speaks against it.
    pub fn worst_of(&self, lane: &Lane) -> Option<&ServerOutage> {
        let of_server = self.0.iter().filter(|it| it.is_of_server(lane));
        of_server.max_by_key(|it| it.stage)
    }

    /// The need of the operator for a server that serves nobody until he acts; empty without one.
    /// It is one line for the whole swarm.
    pub fn need_text(&self) -> String {
        let needing = self.0.iter().filter(|away| away.needs_operator);
        let lines = needing.map(ServerOutage::describe);
        lines.collect::<Vec<_>>().join("; ")
    }

    /// How long the game lets nobody log in, because too many tried; `None` if it does.
    pub fn login_pause(&self, now: Timestamp) -> Option<Duration> {
        let pause = self.0.iter().find(|it| it.lane == Lane::Logins)?;
        Some(Duration::from_secs(pause.next_in(now)))
    }

    /// The outage of a lane's server; `None` if it is not away.
    pub fn of(&self, lane: &Lane) -> Option<&ServerOutage> {
        self.away().find(|away| away.lane == *lane)
    }
}

impl ServerOutage {
    /// Whether it is of the server behind this lane. Logins are with the game.
    pub fn is_of_server(&self, lane: &Lane) -> bool {
        let is_of_game = |lane: &Lane| matches!(lane, Lane::Game | Lane::Logins);
        self.lane == *lane || (is_of_game(&self.lane) && is_of_game(lane))
    }

    pub fn describe(&self) -> String {
        let trouble = Trouble {
            whom: &ServerLabel(&self.lane).to_string(),
            what: match self.stage.light() {
                Light::Green | Light::Amber => "may be in trouble",
                Light::Red => "serves no requests",
            },
            chain: Some(&self.text),
            ..Trouble::default()
        };
        trouble.to_string()
    }

    /// The seconds until the next trial call, rounded up.
    pub fn next_in(&self, now: Timestamp) -> u64 {
        self.next_try.since(now).div_ceil(1000)
    }

    /// The activity of a Mysis that waits for it, as `waiting for provider local, next try in 4 s`.
    pub fn waiting_text(&self, now: Timestamp) -> String {
        let whom = ServerLabel(&self.lane);
        match self.next_in(now) {
            0 => format!("waiting for {whom}, tried now"),
            seconds => format!("waiting for {whom}, next try in {seconds} s"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ServerLabel<'a>(pub &'a Lane);

impl fmt::Display for ServerLabel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Lane::Provider(name) => write!(f, "provider {name}"),
            Lane::Game | Lane::Logins => f.write_str("the tool server"),
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
            stage: OutageStage::Away,
        };
        let text_at = |now| away.waiting_text(Timestamp(now));
        assert_eq!(
            text_at(6_001),
            "waiting for provider local, next try in 4 s"
        );
        assert_eq!(text_at(10_000), "waiting for provider local, tried now");
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

//! The servers that the swarm depends on: the providers of its models and the game, and whether they answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::{Activity, LinkState};
use actors::domain::ids::{Lane, Timestamp};
use actors::domain::outages::{Light, ServerOutage, ServerOutages};
use actors::domain::state::LifeState;

use super::roster::Roster;
use super::text::figures;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLight {
    /// The provider's name; `None` for the game.
    pub provider: Option<Arc<str>>,
    /// The one model that its Myses use; `None` if they use several.
    pub model: Option<Arc<str>>,
    pub state: ServerState,
    /// The median of its Myses' last calls, in milliseconds.
    pub latency_ms: Option<u64>,
    pub myses: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// No running Mysis calls it.
    Unknown,
    /// It answers, or is being asked.
    Up,
    /// No running Mysis has a session with it, and some lost theirs or were refused one.
    Silent,
    /// A call takes far longer than calls do, or it refused once.
    Doubtful(ServerOutage),
    Away(ServerOutage),
}

impl ServerState {
    /// Whether nothing speaks against it: it answers, or is not in use.
    pub fn answers(&self) -> bool {
        matches!(self, ServerState::Unknown | ServerState::Up)
    }

    /// How bad it is, for an order.
    pub fn rank(&self) -> u8 {
        match self {
            ServerState::Unknown => 0,
            ServerState::Up => 1,
            ServerState::Silent => 2,
            ServerState::Doubtful(_) => 3,
            ServerState::Away(_) => 4,
        }
    }

    /// The state in words: `410ms`, or for how long it has been away and what comes next.
    pub fn text(&self, latency_ms: Option<u64>, now: Timestamp) -> String {
        match self {
            ServerState::Unknown => "not in use".to_string(),
            ServerState::Silent => "no session".to_string(),
            ServerState::Up => latency_ms.map(figures::span).unwrap_or_default(),
            ServerState::Doubtful(it) => format!("in doubt {}", figures::span(now.since(it.since))),
            ServerState::Away(away) => {
                let since = figures::span(now.since(away.since));
                let next = away.next_in(now);
                match (away.needs_operator, next) {
                    (true, _) => format!("needs you, for {since}"),
                    (false, 0) => format!("away {since}, tried now"),
                    (false, seconds) => {
                        let next = figures::stopwatch(seconds.saturating_mul(1_000));
                        format!("away {since}, next try {next}")
                    }
                }
            }
        }
    }
}

/// The providers that Myses use, those with most Myses first, then the game.
pub fn server_lights(roster: &Roster, outages: &ServerOutages) -> Vec<ServerLight> {
    let mut providers: BTreeMap<Arc<str>, ProviderUse> = BTreeMap::new();
    let mut links = Vec::new();
    for member in roster.members().values() {
        let status = &*member.status;
        let used = providers
            .entry(status.profile.provider.clone())
            .or_default();
        used.count(&status.model);
        if status.state == LifeState::Running {
            used.latencies.extend(status.last_call_ms);
            used.is_being_asked |= is_asking(&status.activity);
            links.push(status.link.clone());
        }
    }
    let mut lights: Vec<ServerLight> = providers
        .into_iter()
        .map(|(name, used)| used.into_light(name, outages))
        .collect();
    lights.sort_by_key(|light| std::cmp::Reverse(light.myses));
    let state = trouble(outages, &Lane::Game);
    let state = state.unwrap_or_else(|| game_state(&links));
    lights.push(ServerLight {
        provider: None,
        model: None,
        state,
        latency_ms: None,
        myses: roster.members().len(),
    });
    lights
}

/// Whether a Mysis waits for an answer of its provider, or receives it.
fn is_asking(activity: &Activity) -> bool {
    matches!(activity, Activity::CallingModel | Activity::Answering(_))
}

/// The state of the game while no outage of it is known, by the sessions of the running Myses.
fn game_state(links: &[LinkState]) -> ServerState {
    let is_lost = |link: &LinkState| !link.serves();
    if links.contains(&LinkState::Ok) {
        ServerState::Up
    } else if links.iter().any(is_lost) {
        ServerState::Silent
    } else {
        ServerState::Unknown
    }
}

fn trouble(outages: &ServerOutages, lane: &Lane) -> Option<ServerState> {
    let worst = outages.worst_of(lane)?.clone();
    match worst.stage.light() {
        Light::Green => None,
        Light::Amber => Some(ServerState::Doubtful(worst)),
        Light::Red => Some(ServerState::Away(worst)),
    }
}

#[derive(Default)]
struct ProviderUse {
    myses: usize,
    model: Option<Arc<str>>,
    has_other_models: bool,
    is_being_asked: bool,
    latencies: Vec<u64>,
}

impl ProviderUse {
    fn count(&mut self, model: &Arc<str>) {
        self.myses += 1;
        match &self.model {
            None => self.model = Some(model.clone()),
            Some(known) => self.has_other_models |= known != model,
        }
    }

    fn into_light(mut self, name: Arc<str>, outages: &ServerOutages) -> ServerLight {
        let middle = self.latencies.len() / 2;
        self.latencies.sort_unstable();
        let latency_ms = self.latencies.get(middle).copied();
        let quiet = if latency_ms.is_some() || self.is_being_asked {
            ServerState::Up
        } else {
            ServerState::Unknown
        };
        let state = trouble(outages, &Lane::Provider(name.clone())).unwrap_or(quiet);
        ServerLight {
            provider: Some(name),
            model: self.model.filter(|_| !self.has_other_models),
            state,
            latency_ms,
            myses: self.myses,
        }
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::event::MysisStatus;
    use actors::domain::outages::OutageStage;

    use super::*;
    use crate::dashboard::tests::status;

    fn roster(latencies: &[u64]) -> Roster {
        let mut roster = Roster::default();
        for (id, latency) in (1..).zip(latencies) {
            let mut one = MysisStatus::clone(&status(id, &format!("m{id}"), LifeState::Running));
            (one.last_call_ms, one.link) = (Some(*latency), LinkState::Ok);
            roster.update_member(&Arc::new(one));
        }
        roster
    }

    #[test]
    fn a_server_that_answers_has_the_latency_of_the_middle() {
        let lights = server_lights(&roster(&[100, 300, 9_000]), &ServerOutages::default());
        assert_eq!(lights.len(), 2);
        assert_eq!(lights[0].provider.as_deref(), Some("local"));
        assert_eq!(lights[0].latency_ms, Some(300));
        assert_eq!((&lights[0].state, lights[0].myses), (&ServerState::Up, 3));
        assert_eq!(lights[1].state, ServerState::Up);
        let lights = server_lights(&Roster::default(), &ServerOutages::default());
        assert_eq!(lights.len(), 1);
        assert_eq!(lights[0].state, ServerState::Unknown);
    }

    #[test]
    fn a_game_without_a_session_is_silent_until_one_mysis_has_one() {
        let state_of = |links: &[LinkState]| {
            let mut roster = Roster::default();
            for (id, link) in (1..).zip(links) {
                let mut one = MysisStatus::clone(&status(id, "m", LifeState::Running));
                one.link = link.clone();
                roster.update_member(&Arc::new(one));
            }
            let lights = server_lights(&roster, &ServerOutages::default());
            lights.into_iter().last().unwrap().state
        };
        use LinkState::{Down, Ok};
        assert_eq!(
            state_of(&[LinkState::None, LinkState::None]),
            ServerState::Unknown
        );
        assert_eq!(state_of(&[LinkState::None, Down]), ServerState::Silent);
        assert_eq!(state_of(&[LinkState::NoAccess]), ServerState::Silent);
        assert_eq!(state_of(&[Down, Ok, Down]), ServerState::Up);
    }

    #[test]
    fn a_provider_that_is_asked_for_the_first_time_is_in_use() {
        let state_of = |activity| {
            let mut one = MysisStatus::clone(&status(1, "m1", LifeState::Running));
            one.activity = activity;
            let mut roster = Roster::default();
            roster.update_member(&Arc::new(one));
            let lights = server_lights(&roster, &ServerOutages::default());
            lights[0].state.text(None, Timestamp(0))
        };
        assert_eq!(state_of(Activity::Connecting), "not in use");
        assert_eq!(state_of(Activity::CallingModel), "");
    }

    #[test]
    fn a_server_that_is_away_says_since_when_and_what_comes_next() {
        let outage = |needs_operator| ServerOutage {
            lane: Lane::Provider("local".into()),
            text: "HTTP 503".into(),
            since: Timestamp(0),
            next_try: Timestamp(141_000),
            needs_operator,
            stage: OutageStage::Away,
        };
        let state_text = |needs_operator, now| {
            let outages = ServerOutages(vec![outage(needs_operator)]);
            let lights = server_lights(&roster(&[100]), &outages);
            lights[0].state.text(lights[0].latency_ms, Timestamp(now))
        };
        assert_eq!(state_text(false, 120_000), "away 2m, next try 0:21");
        assert_eq!(state_text(false, 141_000), "away 2m, tried now");
        assert_eq!(state_text(true, 120_000), "needs you, for 2m");
    }
}

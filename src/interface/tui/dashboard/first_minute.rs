//! The first minute: what will be used and whether it answers, until a Mysis had a turn.

pub(crate) mod view;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::Moment;
use actors::domain::rules::Simulated;
use actors::domain::screen::{TerminalKind, UiEffect};
use actors::domain::swarm_setup::SwarmSetup;

use super::facts::Facts;
use super::input_event::{key_name, letter};
use super::keys::{Binding, bind};
use super::outbox::Outbox;
use super::table::keys::{TABLE_KEYS, TableAction};

/// How long after a failure servers are asked again.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// What a key does while there is no Mysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstStep {
    PlayOffline,
    SetUp,
}

/// The keys of a swarm without a Mysis. They go before those of the table, which has nothing to sort then.
#[rustfmt::skip]
pub const FIRST_KEYS: &[Binding<FirstStep>] = &[
    bind("offline", &[letter('o')], FirstStep::PlayOffline, "play offline", "play offline: no key, no account, no network"),
    bind("setup", &[letter('i')], FirstStep::SetUp, "set up", "set up a model server, a tool server and a daily cap"),
];

#[derive(Clone, Debug, Default)]
pub struct FirstMinute {
    /// When the servers were asked last.
    asked_at: Option<Moment>,
    pub(super) has_key: bool,
}

impl FirstMinute {
    /// Forgets the answers of the servers: others may be in use now.
    pub(super) fn invalidate(&mut self) {
        self.asked_at = None;
    }

    /// Asks what the swarm uses, and again while a server fails. While the swarm is frozen nothing
    /// leaves, and so no server is asked.
    pub(super) fn refresh(&mut self, facts: &Facts, outbox: &mut Outbox) {
        if !facts.is_first_minute() || facts.frozen_since.is_some() {
            return;
        }
        let is_due = match self.asked_at {
            None => true,
            Some(at) => awaits_servers(facts) && facts.moment.since(at) >= RETRY_INTERVAL,
        };
        if is_due {
            self.asked_at = Some(facts.moment);
            outbox.effects.push(UiEffect::CheckSetup);
        }
    }
}

/// Whether the servers will be asked again, so that a picture is due.
pub(super) fn awaits_servers(facts: &Facts) -> bool {
    let has_failure = (facts.setup.as_ref()).is_some_and(|setup| setup.has_failure());
    has_failure && facts.is_first_minute() && facts.frozen_since.is_none()
}

/// Takes what the swarm uses. While the servers are asked again, their answers of before stand.
pub(super) fn take_setup(facts: &mut Facts, setup: SwarmSetup) {
    let places = |setup: &SwarmSetup| -> Vec<Arc<str>> {
        setup.servers.iter().map(|it| it.address.clone()).collect()
    };
    let known = facts.setup.as_deref();
    let is_known = known.is_some_and(|known| places(known) == places(&setup));
    if !(setup.is_being_checked() && is_known) {
        facts.setup = Some(Arc::new(setup));
    }
}

/// Why a first step cannot be taken here; `None` if it can.
pub(super) fn obstacle(facts: &Facts, step: FirstStep) -> Option<&'static str> {
    let simulated = facts.rules.as_ref().map(|rules| rules.simulated);
    match (step, facts.kind, simulated) {
        (_, TerminalKind::Attached, _) => {
            Some("this terminal is attached to a swarm that runs elsewhere; quit it first")
        }
        (FirstStep::PlayOffline, TerminalKind::Own, Some(Simulated::GameAndModel)) => {
            Some("this swarm plays offline already")
        }
        (FirstStep::PlayOffline | FirstStep::SetUp, TerminalKind::Own, _) => None,
    }
}

/// The first steps that can be taken here: the key, a sentence and a word for each.
pub(super) fn first_steps(facts: &Facts) -> Vec<(String, &'static str, &'static str)> {
    let new = TABLE_KEYS.iter();
    let new = new.filter(|binding| binding.gesture == TableAction::New);
    let steps = FIRST_KEYS.iter();
    let steps = steps.filter(|binding| obstacle(facts, binding.gesture).is_none());
    let actions = new.map(|it| &it.action).chain(steps.map(|it| &it.action));
    let all = actions.filter_map(|action| {
        let key = facts.keymap.keys(action).first()?;
        Some((key_name(*key), action.help, action.hint))
    });
    all.collect()
}

//! The first minute: what will be used and whether it answers, until a Mysis had a turn.

pub mod keys;

pub(crate) mod view;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::MysisStatus;
use actors::domain::ids::Moment;
use actors::domain::rules::Simulated;
use actors::domain::screen::{Successor, TerminalKind, UiEffect};
use actors::domain::swarm_setup::SwarmSetup;

use super::Dashboard;
use super::table::keys::{TABLE_KEYS, TableAction};
use keys::{FIRST_KEYS, FirstStep};

/// How long after a failure servers are asked again.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// What the first minute shows.
#[derive(Clone, Debug, Default)]
pub struct FirstMinute {
    /// What is used, once it is known.
    setup: Option<Arc<SwarmSetup>>,
    /// When the servers were asked last.
    asked_at: Option<Moment>,
    /// Whether the operator has pressed a key.
    has_key: bool,
}

impl FirstMinute {
    /// Notes that the operator has pressed a key.
    pub(super) fn note_key(&mut self) {
        self.has_key = true;
    }

    /// Forgets the answers of the servers: others may be in use now.
    pub(super) fn invalidate(&mut self) {
        self.asked_at = None;
    }
}

impl Dashboard {
    /// Whether no Mysis has had a turn yet.
    #[must_use]
    pub fn is_first_minute(&self) -> bool {
        let had_none = |status: &MysisStatus| {
            let totals = &status.totals;
            totals.turns == 0 && totals.tokens_in == 0
        };
        let mut members = self.roster.members().values();
        self.rules.is_some()
            && self.closing.is_none()
            && members.all(|member| had_none(&member.status))
    }

    /// Whether the view offers the steps to a first Mysis: there is none.
    #[must_use]
    pub fn offers_first_steps(&self) -> bool {
        self.is_first_minute() && self.focus.is_none() && self.roster.members().is_empty()
    }

    /// Whether the line that tells a new operator where to begin is shown: until the first key.
    #[must_use]
    pub fn shows_first_hint(&self) -> bool {
        self.is_first_minute() && !self.first_minute.has_key && self.overlays.is_empty()
    }

    /// What the swarm uses; `None` until that is known.
    #[must_use]
    pub fn setup(&self) -> Option<&SwarmSetup> {
        self.first_minute.setup.as_deref()
    }

    /// Takes what the swarm uses. While the servers are asked again, their answers of before stand.
    pub fn on_setup(&mut self, setup: SwarmSetup) {
        let places = |setup: &SwarmSetup| -> Vec<Arc<str>> {
            setup.servers.iter().map(|it| it.address.clone()).collect()
        };
        let known = self.first_minute.setup.as_deref();
        let is_known = known.is_some_and(|known| places(known) == places(&setup));
        if !(setup.is_being_checked() && is_known) {
            self.first_minute.setup = Some(Arc::new(setup));
        }
    }

    /// Asks what the swarm uses, and again while a server fails. While the swarm is frozen nothing
    /// leaves, and so nobody is asked.
    pub(super) fn refresh_first_minute(&mut self) {
        if !self.is_first_minute() || self.frozen.is_some() {
            return;
        }
        let has_failure = self.setup().is_some_and(SwarmSetup::has_failure);
        let is_due = match self.first_minute.asked_at {
            None => true,
            Some(at) => has_failure && self.moment.since(at) >= RETRY_INTERVAL,
        };
        if is_due {
            self.first_minute.asked_at = Some(self.moment);
            self.effects.push(UiEffect::CheckSetup);
        }
    }

    /// Whether the servers will be asked again, so that a picture is due.
    pub(super) fn awaits_servers(&self) -> bool {
        let has_failure = self.setup().is_some_and(SwarmSetup::has_failure);
        has_failure && self.is_first_minute() && self.frozen.is_none()
    }

    /// Why a first step cannot be taken here; `None` if it can.
    fn obstacle(&self, step: FirstStep) -> Option<&'static str> {
        let simulated = self.rules().map(|rules| rules.simulated);
        match (step, self.kind, simulated) {
            (_, TerminalKind::Attached, _) => {
                Some("this terminal is attached to a swarm that runs elsewhere; quit it first")
            }
            (FirstStep::PlayOffline, TerminalKind::Own, Some(Simulated::GameAndModel)) => {
                Some("this swarm plays offline already")
            }
            (FirstStep::PlayOffline | FirstStep::SetUp, TerminalKind::Own, _) => None,
        }
    }

    /// Ends the program in good order, and lets another one take its place in this terminal.
    pub(super) fn run_first_step(&mut self, step: FirstStep) {
        if let Some(why) = self.obstacle(step) {
            return self.show_notice(why);
        }
        let successor = match step {
            FirstStep::PlayOffline => Successor::OfflinePlay,
            FirstStep::SetUp => Successor::Setup,
        };
        self.closing = Some(self.now);
        self.effects.push(UiEffect::QuitFor(successor));
    }

    /// The first steps that can be taken here: the key, a sentence and a word for each.
    pub(super) fn first_steps(&self) -> Vec<(String, &'static str, &'static str)> {
        let new = TABLE_KEYS
            .iter()
            .filter(|binding| binding.gesture == TableAction::New)
            .map(|binding| (binding.name, binding.keys, binding.help, binding.hint));
        let steps = FIRST_KEYS
            .iter()
            .filter(|binding| self.obstacle(binding.gesture).is_none())
            .map(|binding| (binding.name, binding.keys, binding.help, binding.hint));
        let all = new.chain(steps).filter_map(|(name, keys, help, hint)| {
            let key = self.keymap.keys(name, keys).first()?;
            Some((super::input_event::key_name(*key), help, hint))
        });
        all.collect()
    }

    pub(super) fn first_step_hints(&self) -> impl Iterator<Item = (String, &'static str)> {
        let steps = self.first_steps().into_iter();
        steps.map(|(key, _, hint)| (key, hint))
    }
}

//! What the operator writes: drafts, what was entered before, and texts whose orders are not answered yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::order::{MysisOrder, Order};
use actors::domain::screen::OrderId;

use super::Overlay;
use super::composer::{ComposeTarget, Composer};
use super::layers::Layers;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::facts::Facts;
use crate::dashboard::history::InputHistory;
use crate::dashboard::orders::{AnsweredOrder, BROADCAST};
use crate::dashboard::outbox::Outbox;

type SentText = (ComposeTarget, Arc<str>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Writing {
    drafts: Arc<BTreeMap<ComposeTarget, String>>,
    pub(crate) history: InputHistory,
    pub(crate) commands: InputHistory,
    /// Texts whose orders are not answered yet. A refused text goes back into its composer.
    sent: BTreeMap<OrderId, SentText>,
}

impl Writing {
    pub(crate) fn composer(&self, target: ComposeTarget) -> Composer {
        let draft = self.draft(&target).to_string();
        Composer::new(target, &draft)
    }

    /// What was written to a target and is not sent yet.
    pub(crate) fn draft(&self, target: &ComposeTarget) -> &str {
        self.drafts.get(target).map_or("", String::as_str)
    }

    pub(crate) fn keep_draft(&mut self, composer: &Composer) {
        self.keep(&composer.target, composer.field.text());
    }

    fn keep(&mut self, target: &ComposeTarget, text: &str) {
        if self.draft(target) == text {
            return;
        }
        let drafts = Arc::make_mut(&mut self.drafts);
        match text.is_empty() {
            true => drafts.remove(target),
            false => drafts.insert(target.clone(), text.to_string()),
        };
    }

    /// Adds a text to what was entered. The history file must not contain a secret.
    pub(crate) fn remember(&mut self, facts: &Facts, text: &str) {
        self.history.add(&facts.redactor.clean(text));
    }

    /// The drafts, which go into the history when the screen ends.
    pub(crate) fn unsent(&self, facts: &Facts) -> Vec<String> {
        let drafts = self.drafts.values();
        drafts
            .map(|draft| facts.redactor.clean(draft).into_owned())
            .collect()
    }

    /// Throws away what was written. In this run it comes back with the history.
    pub(crate) fn discard(&mut self, composer: &Composer, facts: &Facts, outbox: &mut Outbox) {
        self.keep(&composer.target, "");
        let text = composer.field.text();
        if !text.trim().is_empty() {
            self.remember(facts, text);
            outbox.say("the draft is discarded; ↑ in a new one brings it back");
        }
    }

    /// Sends a text. The store redacts it itself.
    pub(crate) fn send(
        &mut self,
        target: ComposeTarget,
        text: Arc<str>,
        facts: &Facts,
        outbox: &mut Outbox,
    ) {
        self.remember(facts, &text);
        let history = self.history.clone();
        outbox.actions.push(TerminalAction::KeepHistory(history));
        self.keep(&target, "");
        let ids = match &target {
            ComposeTarget::Swarm => {
                let order = Order::Broadcast {
                    text: text.to_string(),
                };
                outbox.order(facts, BROADCAST, order)
            }
            ComposeTarget::Myses(ids) => {
                outbox.order_myses(facts, "message", ids, &MysisOrder::Prompt(text.clone()))
            }
            ComposeTarget::Notes(ids) => {
                outbox.order_myses(facts, "note", ids, &MysisOrder::Note(text.clone()))
            }
        };
        for id in ids {
            self.sent.insert(id, (target.clone(), text.clone()));
        }
    }

    pub(crate) fn take_sent(&mut self, id: OrderId) -> Option<SentText> {
        self.sent.remove(&id)
    }

    /// Restores a refused text as a draft, so that the operator finds it on writing to the same
    /// target again.
    pub(crate) fn restore(
        &mut self,
        (target, text): SentText,
        outcome: &AnsweredOrder,
        facts: &Facts,
        layers: &mut Layers,
    ) {
        let target = match (target, facts.roster.find_by_name(&outcome.name)) {
            (ComposeTarget::Myses(_), Some(member)) => ComposeTarget::Myses(vec![member.status.id]),
            (ComposeTarget::Notes(_), Some(member)) => ComposeTarget::Notes(vec![member.status.id]),
            (target, _) => target,
        };
        let layers = layers.all.iter_mut();
        let mut composers = layers.filter_map(Overlay::try_as_compose_mut);
        match composers.find(|composer| composer.target == target) {
            Some(composer) if composer.field.is_empty() => composer.field.replace(&text),
            // The text that is being written now is not overwritten. The refused one is in the
            // history.
            Some(_) => {}
            None if self.draft(&target).is_empty() => self.keep(&target, &text),
            None => {}
        }
    }
}

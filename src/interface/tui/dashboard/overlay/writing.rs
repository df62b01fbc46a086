//! What the operator writes: drafts, what was entered before, and texts whose orders are not answered yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::order::{MysisOrder, Order};
use actors::domain::screen::OrderId;

use super::Overlay;
use super::composer::{ComposeTarget, Composer, Drafts};
use super::layers::Layers;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::facts::Facts;
use crate::dashboard::history::InputHistory;
use crate::dashboard::orders::{AnsweredOrder, BROADCAST};
use crate::dashboard::outbox::Outbox;

#[derive(Clone, Debug, Default)]
pub(crate) struct Writing {
    pub(crate) drafts: Drafts,
    pub(crate) history: InputHistory,
    pub(crate) commands: InputHistory,
    /// Texts whose orders are not answered yet. A refused text goes back into its composer.
    sent: BTreeMap<OrderId, (ComposeTarget, Arc<str>)>,
}

impl Writing {
    pub(crate) fn composer(&self, target: ComposeTarget) -> Composer {
        let draft = self.drafts.get(&target).to_string();
        Composer::new(target, &draft)
    }

    pub(crate) fn keep_draft(&mut self, composer: &Composer) {
        self.drafts.keep(&composer.target, composer.field.text());
    }

    /// Adds a text to what was entered. The history file must not contain a secret.
    pub(crate) fn remember(&mut self, facts: &Facts, text: &str) {
        self.history.add(&facts.redactor.clean(text));
    }

    /// Throws away what was written. In this run it comes back with the history.
    pub(crate) fn discard(&mut self, composer: &Composer, facts: &Facts, outbox: &mut Outbox) {
        self.drafts.keep(&composer.target, "");
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
        self.drafts.keep(&target, "");
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
        let (target, text) = self.sent.remove(&id)?;
        Some(SentText { target, text })
    }

    /// Restores a refused text as a draft, so that the operator finds it on writing to the same
    /// target again.
    pub(crate) fn restore(
        &mut self,
        sent: SentText,
        outcome: &AnsweredOrder,
        facts: &Facts,
        layers: &mut Layers,
    ) {
        let SentText { target, text } = sent;
        let target = match (target, facts.roster.find_by_name(&outcome.name)) {
            (ComposeTarget::Myses(_), Some(member)) => ComposeTarget::Myses(vec![member.status.id]),
            (ComposeTarget::Notes(_), Some(member)) => ComposeTarget::Notes(vec![member.status.id]),
            (target, _) => target,
        };
        let open = layers.all.iter_mut().find_map(|layer| {
            if let Overlay::Compose(composer) = layer {
                return (composer.target == target).then_some(composer);
            }
            None
        });
        match open {
            Some(composer) if composer.field.is_empty() => composer.field.replace(&text),
            // The text that is being written now is not overwritten. The refused one is in the
            // history.
            Some(_) => {}
            None if self.drafts.get(&target).is_empty() => self.drafts.keep(&target, &text),
            None => {}
        }
    }
}

pub(crate) struct SentText {
    target: ComposeTarget,
    text: Arc<str>,
}

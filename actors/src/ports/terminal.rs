//! The ports of a terminal: the screen that a Ui actor feeds, and the terminal that shows it.

use std::any::Any;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::domain::event::SwarmEvent;
use crate::domain::event_record::EventRecord;
use crate::domain::ids::{Now, Timestamp};
use crate::domain::order::OrderResult;
use crate::domain::rules::SwarmRules;
use crate::domain::screen::{
    AwaySummary, FileOrder, OrderId, ReadId, StoreAnswer, SwarmSnapshot, TerminalKind, UiEffect,
};
use crate::domain::swarm_setup::SwarmSetup;
use zoea_text::redact::Redactor;

/// An input at a terminal. Only the screen knows its type.
#[derive(Debug)]
pub struct TerminalInput(Box<dyn Any + Send>);

impl TerminalInput {
    pub fn new(input: impl Any + Send) -> TerminalInput {
        TerminalInput(Box::new(input))
    }

    #[must_use]
    pub fn into_inner<T: Any>(self) -> Option<T> {
        self.0.downcast().ok().map(|input| *input)
    }
}

/// The content of a terminal as a model that the Ui actor owns and feeds. No method blocks, so a
/// terminal that does not read delays nobody.
pub trait Screen: Send + Sync + 'static {
    /// Takes the state of the whole swarm. Facts that it does not contain are dropped.
    fn restore(&mut self, snapshot: SwarmSnapshot);

    fn set_rules(&mut self, rules: Arc<SwarmRules>, redactor: Arc<Redactor>);

    fn on_event(&mut self, event: &SwarmEvent);

    /// Takes what was just recorded of an event or an order.
    fn on_recorded(&mut self, record: &EventRecord);

    /// Takes the newest stored events, oldest first, or the error of the store.
    fn on_past_events(&mut self, read: Result<Vec<EventRecord>, String>);

    fn on_input(&mut self, input: TerminalInput);

    fn on_answer(&mut self, id: OrderId, answer: OrderResult);

    fn on_read(&mut self, id: ReadId, read: Result<StoreAnswer, String>);

    /// Takes what the swarm uses: first without answers of the servers, then with them.
    fn on_setup(&mut self, setup: SwarmSetup);

    fn on_export(&mut self, written: Result<String, String>);

    fn on_summed_up(&mut self, since: Timestamp, summary: AwaySummary);

    fn tick(&mut self, now: Now);

    /// Brings everything up to date that the next picture shows, and requests what is missing.
    fn prepare_frame(&mut self);

    /// Takes the effects for the Ui actor. The screen performs the terminal's own actions itself.
    fn take_effects(&mut self) -> Vec<UiEffect>;

    /// Shows the present state in place of any picture that waits.
    fn show(&mut self);

    /// When the picture changes without an event; `None` if it does not.
    fn next_change(&self) -> Option<Timestamp>;
}

/// A terminal. It outlives the Ui actors that use it.
pub trait Terminal: Send + Sync + 'static {
    fn open(&self, view: View) -> Box<dyn Screen>;

    fn kind(&self) -> TerminalKind;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The view that was shown last.
    Last,
    /// A new view, because the last one may have made its Ui actor crash.
    Fresh,
}

/// Knows what the swarm uses. Nothing that it asks the servers costs anything.
pub trait SetupInspector: Send + Sync + 'static {
    /// What the swarm uses now. No server is asked.
    fn list(&self) -> SwarmSetup;

    /// The same, with the answers of the servers.
    fn check(&self) -> BoxFuture<'static, SwarmSetup>;
}

/// Writes files of what is stored, and tells what happened in a time.
pub trait Archivist: Send + Sync + 'static {
    fn write(&self, order: FileOrder) -> BoxFuture<'static, Result<String, String>>;

    fn sum_up(&self, since: Timestamp) -> BoxFuture<'static, Result<AwaySummary, String>>;
}

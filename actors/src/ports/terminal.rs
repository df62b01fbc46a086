//! The ports of a terminal: the screen that a Ui actor feeds, and the terminal that shows it.

use std::any::Any;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::domain::event::SwarmEvent;
use crate::domain::event_record::EventRecord;
use crate::domain::fleet_process::FleetProcess;
use crate::domain::ids::{MysisId, Now, Timestamp};
use crate::domain::message::Row;
use crate::domain::order::OrderResult;
use crate::domain::reading::SearchHits;
use crate::domain::rules::SwarmRules;
use crate::domain::samples::SampleSeries;
use crate::domain::screen::{ExportFormat, OrderId, ReadId, SwarmSnapshot, TerminalKind, UiEffect};
use crate::domain::swarm_books::SwarmBooks;
use crate::domain::swarm_setup::SwarmSetup;
use crate::domain::system_map::SystemMap;
use zoea_text::redact::Redactor;

/// An input at a terminal. Only the screen knows its type.
#[derive(Debug)]
pub struct TerminalInput(Box<dyn Any + Send>);

impl TerminalInput {
    /// Wraps an input.
    #[must_use]
    pub fn new(input: impl Any + Send) -> TerminalInput {
        TerminalInput(Box::new(input))
    }

    /// The input, if it has this type.
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

    /// Takes new rules and known secrets.
    fn set_rules(&mut self, rules: Arc<SwarmRules>, redactor: Arc<Redactor>);

    /// Takes an event of the swarm.
    fn on_event(&mut self, event: &SwarmEvent);

    /// Takes what was just recorded of an event or an order.
    fn on_recorded(&mut self, record: &EventRecord);

    /// Takes the newest stored events, oldest first, or the error of the store.
    fn on_past_events(&mut self, read: Result<Vec<EventRecord>, String>);

    /// Takes a page of older events that was asked for, or the error of the store.
    fn on_older_events(&mut self, id: ReadId, read: Result<Vec<EventRecord>, String>);

    /// Takes an input of the operator.
    fn on_input(&mut self, input: TerminalInput);

    /// Takes the answer to an order.
    fn on_answer(&mut self, id: OrderId, answer: OrderResult);

    /// Takes a page of a conversation, or the error of the store.
    fn on_page(&mut self, id: ReadId, page: Result<Vec<Arc<Row>>, String>);

    /// Takes the result of a text search, or the error of the store.
    fn on_search(&mut self, id: ReadId, hits: Result<SearchHits, String>);

    /// Takes samples, or the error of the store.
    fn on_samples(&mut self, id: ReadId, read: Result<Vec<SampleSeries>, String>);

    /// Takes the books, or the error of the store.
    fn on_books(&mut self, id: ReadId, read: Result<SwarmBooks, String>);
    /// Takes the processes of the fleet, or the error of the store.
    fn on_processes(&mut self, id: ReadId, read: Result<Vec<FleetProcess>, String>);
    /// Takes the map of systems, or the error of the store.
    fn on_system_map(&mut self, id: ReadId, read: Result<SystemMap, String>);
    /// Takes what the swarm uses: first without answers of the servers, then with them.
    fn on_setup(&mut self, setup: SwarmSetup);

    /// Takes the result of an export as a message for the operator.
    fn on_export(&mut self, written: Result<String, String>);

    /// Sets the time.
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
    /// Opens a screen with the last view or with a new view of the same facts.
    fn open(&self, view: View) -> Box<dyn Screen>;

    /// Whether it is the program's own terminal or an attached one.
    fn kind(&self) -> TerminalKind;
}

/// The view of a new screen.
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

/// Exports conversations to files.
pub trait ConversationExporter: Send + Sync + 'static {
    /// Exports one. Returns a message for the operator.
    fn export(
        &self,
        mysis: MysisId,
        name: Arc<str>,
        format: ExportFormat,
    ) -> BoxFuture<'static, Result<String, String>>;
}

//! The ports of a terminal: the screen that the Ui actor feeds, and the terminal it is shown on.

use std::any::Any;
use std::sync::Arc;

use crate::domain::event::SwarmEvent;
use crate::domain::event_record::EventRecord;
use crate::domain::ids::{MysisId, Now, Timestamp};
use crate::domain::message::Row;
use crate::domain::order::OrderResult;
use crate::domain::redact::Redactor;
use crate::domain::rules::SwarmRules;
use crate::domain::screen::{OrderId, ReadId, SwarmSnapshot, TerminalKind, UiEffect};

/// Something that the operator did at a terminal. Only the screen knows what.
#[derive(Debug)]
pub struct TerminalInput(Box<dyn Any + Send>);

impl TerminalInput {
    /// Carries this to the screen.
    #[must_use]
    pub fn new(input: impl Any + Send) -> TerminalInput {
        TerminalInput(Box::new(input))
    }

    /// What it carries, where it is of this type.
    #[must_use]
    pub fn into_inner<T: Any>(self) -> Option<T> {
        self.0.downcast().ok().map(|input| *input)
    }
}

/// What a terminal shows, as a model that the Ui actor owns and feeds. None of this waits: a terminal
/// that stands still holds nobody up.
pub trait Screen: Send + Sync + 'static {
    /// Takes over how everything stands; whatever was known before and is not so any more is
    /// forgotten.
    fn restore(&mut self, snapshot: SwarmSnapshot);

    /// The rules or the known secrets changed.
    fn set_rules(&mut self, rules: Arc<SwarmRules>, redactor: Arc<Redactor>);

    /// Something happened in the swarm.
    fn on_event(&mut self, event: &SwarmEvent);

    /// What happened before the terminal was there was read.
    fn on_past_events(&mut self, records: &[EventRecord]);

    /// The operator did something.
    fn on_input(&mut self, input: TerminalInput);

    /// An order was carried out, or not.
    fn on_answer(&mut self, id: OrderId, answer: OrderResult);

    /// A piece of a conversation was read, or could not be.
    fn on_page(&mut self, id: ReadId, page: Result<Vec<Arc<Row>>, String>);

    /// A text was looked for, or could not be.
    fn on_search(&mut self, id: ReadId, rows: Result<Vec<(MysisId, Arc<Row>)>, String>);

    /// A conversation was written to a file, or could not be; in words for the operator.
    fn on_export(&mut self, written: Result<String, String>);

    /// Time goes on.
    fn tick(&mut self, now: Now);

    /// Gets ready to be shown: whatever depends on what is in sight is asked for.
    fn prepare_frame(&mut self);

    /// What is to be done, once; what only a terminal can do is done by itself.
    fn take_effects(&mut self) -> Vec<UiEffect>;

    /// Shows how everything is now, in place of whatever was to be shown before.
    fn show(&mut self);

    /// When what is shown changes by itself; `None`: it does not.
    fn next_change(&self) -> Option<Timestamp>;
}

/// A terminal, which outlives the Ui actors that show something on it.
pub trait Terminal: Send + Sync + 'static {
    /// A screen that takes up what was shown last, or a new view of the same facts.
    fn open(&self, view: View) -> Box<dyn Screen>;

    /// Whose it is.
    fn kind(&self) -> TerminalKind;
}

/// Which view a screen takes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The one that was shown last.
    Last,
    /// A new one: the last one may be what its Ui died of.
    Fresh,
}

//! The messages of the Ui.

use std::sync::Arc;

use crate::domain::event::SwarmEvent;
use crate::domain::event_record::EventRecord;
use crate::domain::fleet_process::FleetProcess;
use crate::domain::message::Row;
use crate::domain::order::OrderResult;
use crate::domain::reading::SearchHits;
use crate::domain::rules::SwarmRules;
use crate::domain::samples::SampleSeries;
use crate::domain::screen::{OrderId, ReadId};
use crate::domain::swarm_books::SwarmBooks;
use crate::domain::swarm_setup::SwarmSetup;
use crate::domain::system_map::SystemMap;
use crate::ports::TerminalInput;
use zoea_text::redact::Redactor;

/// A message to the Ui.
#[derive(Debug)]
pub enum UiMsg {
    /// An event of the swarm.
    Event(Arc<SwarmEvent>),
    /// New rules or secrets.
    RulesChanged {
        rules: Arc<SwarmRules>,
        /// Removes the known secrets from texts.
        redactor: Arc<Redactor>,
    },
    /// An input of the operator.
    Input(TerminalInput),
    /// The answer to an order.
    Answered(OrderId, OrderResult),
    /// A page of a conversation, or the error of the store.
    Paged(ReadId, Result<Vec<Arc<Row>>, String>),
    /// The result of a text search, or the error of the store.
    Searched(ReadId, Result<SearchHits, String>),
    /// Samples, or the error of the store.
    SamplesRead(ReadId, Result<Vec<SampleSeries>, String>),
    /// The books, or the error of the store.
    BooksRead(ReadId, Result<SwarmBooks, String>),
    /// The processes of the fleet, or the error of the store.
    ProcessesRead(ReadId, Result<Vec<FleetProcess>, String>),
    /// The map of systems, or the error of the store.
    SystemMapRead(ReadId, Result<SystemMap, String>),
    /// What the swarm uses.
    SetupChecked(SwarmSetup),
    /// The result of an export.
    Exported(Result<String, String>),
    /// What was just recorded of an event or an order.
    Recorded(Arc<EventRecord>),
    /// The newest stored events, or the error of the store.
    EventsRead(Result<Vec<EventRecord>, String>),
    /// Older events that the screen asked for, or the error of the store.
    OlderEventsRead(ReadId, Result<Vec<EventRecord>, String>),
    /// The next picture is due.
    Frame,
}

impl From<Arc<SwarmEvent>> for UiMsg {
    fn from(event: Arc<SwarmEvent>) -> Self {
        UiMsg::Event(event)
    }
}

/// A message of another type. Ractor's derived addresses require a conversion back, which can fail.
#[derive(Debug)]
pub struct WrongUiMsg;

impl TryFrom<UiMsg> for Arc<SwarmEvent> {
    type Error = WrongUiMsg;

    fn try_from(message: UiMsg) -> Result<Self, WrongUiMsg> {
        if let UiMsg::Event(event) = message {
            Ok(event)
        } else {
            Err(WrongUiMsg)
        }
    }
}

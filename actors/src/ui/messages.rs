//! The messages of the Ui.

use std::sync::Arc;

use crate::domain::event::SwarmEvent;
use crate::domain::event_record::EventRecord;
use crate::domain::ids::Timestamp;
use crate::domain::order::OrderResult;
use crate::domain::rules::SwarmRules;
use crate::domain::screen::{AwaySummary, OrderId, ReadId, StoreAnswer};
use crate::domain::swarm_setup::SwarmSetup;
use crate::ports::TerminalInput;
use zoea_text::redact::Redactor;

#[derive(Debug)]
pub enum UiMsg {
    Event(Arc<SwarmEvent>),
    RulesChanged {
        rules: Arc<SwarmRules>,
        redactor: Arc<Redactor>,
    },
    Input(TerminalInput),
    Answered(OrderId, OrderResult),
    Read(ReadId, Result<StoreAnswer, String>),
    SetupChecked(SwarmSetup),
    Exported(Result<String, String>),
    /// What happened since a time.
    SummedUp(Timestamp, AwaySummary),
    Recorded(Arc<EventRecord>),
    EventsRead(Result<Vec<EventRecord>, String>),
    Frame,
}

//! The JSON shapes of CONTRACT.md, on which scripts and other programs rely.
//!
//! Each shape is a type. [`to_value`] converts it to a value with sorted members.

mod conditions;
mod events;
mod held;
mod model_check;
mod mysis;
mod orders;
mod processes;
mod question;
mod rows;
mod samples;
mod selecting;
mod status;
mod units;

use serde::Serialize;
use serde_json::Value;

pub use conditions::{NeedJson, ProxiedServerJson, WarningJson};
pub use events::{EventJson, EventRecordJson, event_line};
pub use held::HeldTextJson;
pub use model_check::{
    CheckSpending, CheckVerdict, ModelCheckReport, ModelCheckStep, ProvenContext, ProvenSpeed,
    ReportedUsage,
};
pub use mysis::*;
pub use orders::{
    CompactedJson, ExportedJson, LostJson, MissionJson, OrderAnswerJson, OrderOutcome,
    OrderOutcomeJson, ReachJson, WaitedJson, imported_accounts, order_answer,
};
pub use processes::ProcessJson;
pub use question::{QuestionFieldJson, QuestionJson};
pub use rows::{CallJson, RowJson, RowMetadataJson, SearchHitJson};
pub use samples::{FiguresJson, GameFactsJson, SampleJson, SampleSeriesJson, SamplesJson};
pub use selecting::Conditions;
pub use status::{
    AccountJson, CostEntryJson, NumberJson, OutageJson, ProgramStatusJson, SpendingJson,
};

/// A shape of the contract as a value whose members are sorted by name.
#[must_use]
pub fn to_value(shape: &impl Serialize) -> Value {
    serde_json::to_value(shape).unwrap_or_else(|error| Value::String(error.to_string()))
}

#[cfg(test)]
mod tests;

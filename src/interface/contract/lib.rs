//! The JSON shapes of CONTRACT.md, on which scripts and other programs rely.
//!
//! Each shape is a type. [`to_value`] converts it to a value with sorted members.

mod conditions;
mod events;
mod held;
mod orders;
mod processes;
mod proof;
mod question;
mod reminders;
mod rows;
mod samples;
mod status;
mod units;

use serde::Serialize;
use serde_json::Value;

pub use conditions::{NeedJson, ProxiedServerJson, WarningJson};
pub use events::{EventJson, EventRecordJson};
pub use held::HeldTextJson;
pub use orders::{
    CompactedJson, CompletedOrderJson, ExportedJson, ImportedAccountsJson, MissionJson, ReachJson,
};
pub use processes::ProcessJson;
pub use proof::{
    ProofCheck, ProofReport, ProofSpending, ProofVerdict, ProvenContext, ProvenSpeed, ToldUsage,
};
pub use question::QuestionJson;
pub use reminders::ListedReminderJson;
pub use rows::{RowJson, RowMetadataJson, SearchHitJson};
pub use samples::{FiguresJson, SampleSeriesJson, SamplesJson};
pub use status::{
    AccountJson, CostEntryJson, MysisStatusJson, OutageJson, ProgramStatusJson, SpendingJson,
};

/// A shape of the contract as a value whose members are sorted by name.
#[must_use]
pub fn to_value(shape: &impl Serialize) -> Value {
    serde_json::to_value(shape).unwrap_or_else(|error| Value::String(error.to_string()))
}

#[cfg(test)]
mod tests;

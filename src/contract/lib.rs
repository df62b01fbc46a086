//! The JSON that scripts and other programs rely on, as CONTRACT.md has it.
//!
//! Each shape is a type; [`to_value`] gives it with its members in the order of their names.

mod events;
mod orders;
mod proof;
mod rows;
mod status;

use serde::Serialize;
use serde_json::Value;

pub use events::{EventJson, EventRecordJson};
pub use orders::{
    CompactedJson, CompletedOrderJson, ExportedJson, ImportedAccountsJson, MissionJson, ReachJson,
};
pub use proof::{
    ProofCheck, ProofReport, ProofSpending, ProofVerdict, ProvenContext, ProvenSpeed, ToldUsage,
};
pub use rows::{RowJson, RowMetadataJson, SearchHitJson};
pub use status::{
    AccountJson, CostEntryJson, MysisStatusJson, OutageJson, ProgramStatusJson, SpendingJson,
};

/// A shape of the contract as a value, which prints its members in the order of their names.
#[must_use]
pub fn to_value(shape: &impl Serialize) -> Value {
    serde_json::to_value(shape).unwrap_or_else(|error| Value::String(error.to_string()))
}

#[cfg(test)]
mod tests;

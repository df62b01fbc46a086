//! The JSON shapes of CONTRACT.md, on which scripts and other programs rely.
//!
//! Each shape is a type, which [`to_value`] converts to a value with sorted members. What an order is answered
//! with differs by order, and [`order_answer`] writes it.

mod conditions;
mod events;
mod held;
mod model_check;
mod mysis;
mod orders;
mod question;
mod rows;
mod samples;
mod selecting;
mod status;
mod units;

use serde::Serialize;
use serde_json::Value;

pub use conditions::*;
pub use events::*;
pub use held::*;
pub use model_check::*;
pub use mysis::*;
pub use orders::*;
pub use question::*;
pub use rows::*;
pub use samples::*;
pub use selecting::*;
pub use status::*;
pub use units::to_dollars;

/// A shape of the contract as a value whose members are sorted by name.
pub fn to_value(shape: &impl Serialize) -> Value {
    serde_json::to_value(shape).unwrap_or_else(|error| Value::String(error.to_string()))
}

#[cfg(test)]
mod tests;

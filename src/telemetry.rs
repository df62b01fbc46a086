//! What the program reports about itself to other programs and to its log: metrics, traces, alerts, health.

pub mod alerts;
pub mod health;
pub mod logging;
pub mod metrics;
pub mod observation;
pub mod operator;
pub mod readiness;
pub(crate) mod standstill;
pub mod traces;

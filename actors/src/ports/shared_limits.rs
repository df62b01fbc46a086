//! Limits that hold for all processes of one database together.

use std::time::Duration;

use futures::future::BoxFuture;

use super::ArchiveFault;
use crate::domain::books::Day;
use crate::domain::budget::SpentTogether;
use crate::domain::sharing::{LimitClaim, LimitPart};

/// The limits that this process shares with others through the database.
pub trait SharedLimits: Send + Sync + 'static {
    /// Says what this process uses and wants, and renews its parts. One step at a time.
    fn renew(&self, report: LimitReport) -> BoxFuture<'static, Result<LimitNews, ArchiveFault>>;

    /// How long the parts may be relied on, from the beginning of a step.
    fn safe_time(&self) -> Duration;
}

/// What a process says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitReport {
    pub claims: Vec<LimitClaim>,
    /// The day of whose spending it wants to know.
    pub day: Option<Day>,
}

/// What a process learns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitNews {
    /// Its parts, a claim after the other.
    pub parts: Vec<LimitPart>,
    /// What all processes spent on the day.
    pub spent: Option<SpentTogether>,
}

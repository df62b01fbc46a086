//! Limits that hold for all processes of one database together.

use std::time::Duration;

use futures::future::BoxFuture;

use super::ArchiveFault;
use crate::domain::books::Day;
use crate::domain::budget::SpentTogether;
use crate::domain::held::{HeldText, SharedTrial, TrialClaim};
use crate::domain::sharing::{LimitClaim, LimitPart, OutageReport, SharedOutage};

pub trait SharedLimits: Send + Sync + 'static {
    /// Says what this process uses and wants, and renews its parts. One step at a time.
    fn renew(&self, report: LimitReport) -> BoxFuture<'static, Result<LimitNews, ArchiveFault>>;

    /// How long the parts may be relied on, from the beginning of a step.
    fn safe_time(&self) -> Duration;
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitReport {
    pub claims: Vec<LimitClaim>,
    /// The day of whose spending it wants to know.
    pub day: Option<Day>,
    pub outages: Vec<OutageReport>,
    pub trials: Vec<TrialClaim>,
    /// What it knows of the texts that are held back.
    pub held_stamp: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitNews {
    /// Its parts, a claim after the other.
    pub parts: Vec<LimitPart>,
    pub spent: Option<SpentTogether>,
    pub outages: Vec<SharedOutage>,
    /// The trials of refusals in the last hour, of all.
    pub trials: Vec<SharedTrial>,
    /// The texts that are held back, and what stands for them, if that is news.
    pub held: Option<(i64, Vec<HeldText>)>,
}

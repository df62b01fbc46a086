//! Limits that hold for all processes of one database together.

use std::time::Duration;

use futures::future::BoxFuture;

use super::ArchiveFault;
use crate::domain::sharing::{LimitClaim, LimitPart};

/// The limits that this process shares with others through the database.
pub trait SharedLimits: Send + Sync + 'static {
    /// Says what this process uses and wants, and renews its parts. One step at a time.
    fn renew(
        &self,
        claims: Vec<LimitClaim>,
    ) -> BoxFuture<'static, Result<Vec<LimitPart>, ArchiveFault>>;

    /// How long the parts may be relied on, from the beginning of a step.
    fn safe_time(&self) -> Duration;
}

//! What the archive answers with, and how it fails.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use thiserror::Error;

use crate::domain::books::CostEntry;
use crate::domain::ids::MysisId;
use crate::domain::record::{Mission, MysisRecord};

pub type MysisNames = Vec<(MysisId, Arc<str>)>;

/// The store could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ArchiveFault(pub String);

pub type ArchiveRead<T> = BoxFuture<'static, Result<T, ArchiveFault>>;

/// The answer of an archive that does not keep this.
pub(super) fn kept_nowhere<T: Send + 'static>(what: &str) -> ArchiveRead<T> {
    let fault = ArchiveFault(format!("this archive keeps no {what}"));
    futures::future::ready(Err(fault)).boxed()
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwarmRecord {
    /// All Myses, in the order of their creation.
    pub myses: Vec<MysisRecord>,
    pub mission: Option<Mission>,
    /// The passwords of all game accounts, so that they can be redacted.
    pub passwords: Vec<Arc<str>>,
    /// The books of the newest day with any charge.
    pub books: Vec<CostEntry>,
}

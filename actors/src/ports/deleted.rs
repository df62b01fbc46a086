//! Copies of Myses that are deleted.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use crate::domain::ids::MysisId;
use crate::domain::record::MysisRecord;

/// Keeps copies of Myses that are deleted, for a day, and brings them back.
pub trait DeletedMyses: Send + Sync + 'static {
    /// Keeps a copy of all that is stored of a Mysis. It is durable when this returns.
    fn keep(&self, mysis: MysisId) -> BoxFuture<'static, Result<(), String>>;

    /// Stores the Mysis of the newest copy under this name again. It is at rest.
    fn bring_back(&self, name: &str) -> BoxFuture<'static, Result<MysisRecord, String>>;
}

pub struct NoCopies;

impl DeletedMyses for NoCopies {
    fn keep(&self, _mysis: MysisId) -> BoxFuture<'static, Result<(), String>> {
        ready(Ok(())).boxed()
    }

    fn bring_back(&self, name: &str) -> BoxFuture<'static, Result<MysisRecord, String>> {
        let why = format!("no copy of `{name}` is kept here");
        ready(Err(why)).boxed()
    }
}

pub type KeptCopies = Arc<dyn DeletedMyses>;

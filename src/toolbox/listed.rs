//! What one link knows of the list of its server's tools.

use std::sync::{Arc, Mutex, PoisonError};

use actors::domain::tool::Toolset;
use tokio::time::Instant;

use super::server::{DatedList, MIN_LIST_AGE, ToolList};

/// The last list of tools that a link got.
#[derive(Clone, Default)]
pub(super) struct ListedTools(Arc<Mutex<CurrentList>>);

#[derive(Default)]
struct CurrentList {
    list: Option<Arc<ToolList>>,
    valid_until: Option<Instant>,
    /// When it was taken.
    taken_at: Option<Instant>,
    /// Whether the server contradicted the list.
    is_doubtful: bool,
}

impl CurrentList {
    /// Whether the list is too young to be asked for again. Many servers refuse wrong arguments
    /// with the code for unknown tools, and a model may repeat such a call at once.
    fn is_young(&self) -> bool {
        self.taken_at.is_some_and(|at| at.elapsed() < MIN_LIST_AGE)
    }
}

impl ListedTools {
    /// The list.
    pub(super) fn list(&self) -> Option<Arc<ToolList>> {
        self.access(|listed| listed.list.clone())
    }

    /// Takes a newer list.
    pub(super) fn keep(&self, dated: DatedList) -> Arc<Toolset> {
        let tools = dated.list.tools.clone();
        self.access(|listed| {
            *listed = CurrentList {
                list: Some(dated.list),
                valid_until: dated.valid_until,
                taken_at: Some(Instant::now()),
                is_doubtful: false,
            };
        });
        tools
    }

    /// Notes that the server contradicts the list.
    pub(super) fn doubt(&self) {
        self.access(|listed| listed.is_doubtful = true);
    }

    /// Whether the server contradicted the list.
    pub(super) fn is_doubtful(&self) -> bool {
        self.access(|listed| listed.is_doubtful)
    }

    /// Whether the list is too young to be asked for again.
    pub(super) fn is_young(&self) -> bool {
        self.access(|listed| listed.is_young())
    }

    /// Whether the list is contradicted, or older than the server says it may become.
    pub(super) fn is_old(&self) -> bool {
        self.access(|listed| {
            let is_over = |until: Instant| until <= Instant::now();
            let is_doubtful = listed.is_doubtful && !listed.is_young();
            is_doubtful || listed.valid_until.is_some_and(is_over)
        })
    }

    /// Reads or changes what is known. The lock is never held across an await.
    fn access<T>(&self, access: impl FnOnce(&mut CurrentList) -> T) -> T {
        access(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

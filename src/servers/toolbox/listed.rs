//! What one link knows of the list of its server's tools.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::backoff::Backoff;
use actors::domain::tool::Toolset;
use tokio::time::Instant;

use super::server::{DatedList, KnownTools, MIN_LIST_AGE};

/// The longest time after which an empty list is asked for again. The first one is
/// [`MIN_LIST_AGE`].
const LONGEST_EMPTY_WAIT: Duration = Duration::from_secs(60);

#[derive(Clone, Default)]
pub(super) struct ListedTools(Arc<Mutex<CurrentList>>);

#[derive(Default)]
struct CurrentList {
    list: Option<Arc<KnownTools>>,
    valid_until: Option<Instant>,
    taken_at: Option<Instant>,
    /// Whether the server contradicted the list.
    is_doubtful: bool,
    /// The number of lists in a row without a tool. Some servers have their tools only a while after
    /// they have begun.
    empty: u32,
}

impl CurrentList {
    /// Whether the list is empty, and was taken long enough ago to be asked for again.
    fn may_be_filled(&self) -> bool {
        let waits = Backoff::new(MIN_LIST_AGE, LONGEST_EMPTY_WAIT);
        let wait = self
            .empty
            .checked_sub(1)
            .map(|before| waits.nth_wait(before));
        let age = self.taken_at.map(|at| at.elapsed());
        wait.zip(age).is_some_and(|(wait, age)| age >= wait)
    }

    /// Whether the list is too young to be asked for again. Many servers refuse wrong arguments
    /// with the code for unknown tools, and a model may repeat such a call at once.
    fn is_young(&self) -> bool {
        self.taken_at.is_some_and(|at| at.elapsed() < MIN_LIST_AGE)
    }
}

impl ListedTools {
    pub(super) fn list(&self) -> Option<Arc<KnownTools>> {
        self.access(|listed| listed.list.clone())
    }

    pub(super) fn keep(&self, dated: DatedList) -> Arc<Toolset> {
        let tools = dated.list.tools.clone();
        self.access(|listed| {
            *listed = CurrentList {
                empty: match dated.list.is_empty() {
                    true => listed.empty.saturating_add(1),
                    false => 0,
                },
                list: Some(dated.list),
                valid_until: dated.valid_until,
                taken_at: Some(Instant::now()),
                is_doubtful: false,
            };
        });
        tools
    }

    pub(super) fn doubt(&self) {
        self.access(|listed| listed.is_doubtful = true);
    }

    pub(super) fn is_doubtful(&self) -> bool {
        self.access(|listed| listed.is_doubtful)
    }

    /// Whether the list is too young to be asked for again.
    pub(super) fn is_young(&self) -> bool {
        self.access(|listed| listed.is_young())
    }

    /// Whether the list is empty, contradicted, or older than the server says it may become.
    pub(super) fn is_old(&self) -> bool {
        self.access(|listed| {
            let is_over = |until: Instant| until <= Instant::now();
            let is_doubtful = listed.is_doubtful && !listed.is_young();
            is_doubtful || listed.may_be_filled() || listed.valid_until.is_some_and(is_over)
        })
    }

    /// Reads or changes what is known. The lock is never held across an await.
    fn access<T>(&self, access: impl FnOnce(&mut CurrentList) -> T) -> T {
        access(&mut self.0.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::McpServer;

    #[tokio::test(start_paused = true)]
    async fn an_empty_list_is_asked_for_again_after_growing_waits() {
        let server = McpServer::new(None, None);
        let take = |names: &[&str]| {
            let listing = crate::server::tests::listing(names, false);
            DatedList {
                valid_until: None,
                ..server.take_listing(server.request_list(), &listing, None)
            }
        };
        let listed = ListedTools::default();
        let mut waits = Vec::new();
        for _ in 0..8 {
            listed.keep(take(&[]));
            let since = Instant::now();
            while !listed.is_old() {
                tokio::time::advance(Duration::from_secs(1)).await;
            }
            waits.push(since.elapsed().as_secs());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        listed.keep(take(&["mine"]));
        tokio::time::advance(Duration::from_secs(1000)).await;
        assert!(!listed.is_old());
    }
}

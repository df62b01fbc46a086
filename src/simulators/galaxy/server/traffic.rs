//! Traffic: how many requests a server got, and how many of them were mutations of the game.

use std::sync::atomic::{AtomicU64, Ordering};

/// The requests that reached a server since it started.
#[derive(Debug, Default)]
pub struct Traffic {
    requests: AtomicU64,
    mutations: AtomicU64,
}

impl Traffic {
    pub(super) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_mutations(&self, mutations: usize) {
        let mutations = u64::try_from(mutations).unwrap_or(u64::MAX);
        self.mutations.fetch_add(mutations, Ordering::Relaxed);
    }

    /// HTTP requests of any kind to the MCP endpoint.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    pub fn mutations(&self) -> u64 {
        self.mutations.load(Ordering::Relaxed)
    }
}

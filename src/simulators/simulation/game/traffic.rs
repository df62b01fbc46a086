//! Traffic: what the game was asked, and what the players have of it.

use std::sync::atomic::{AtomicU64, Ordering};

use zoea_galaxy::frontend::JournalRecord;
use zoea_galaxy::world::PlayerFunds;

use super::SimulatedGame;

#[derive(Debug, Default)]
pub(super) struct TrafficCounters {
    requests: AtomicU64,
    mutations: AtomicU64,
}

/// The traffic so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameTraffic {
    /// Requests of any kind that a server would have got.
    pub requests: u64,
    pub mutations: u64,
}

impl TrafficCounters {
    pub(super) fn count_requests(&self, requests: u64) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
    }

    /// Counts those of a tick's records that succeeded.
    pub(super) fn count_mutations(&self, records: &[JournalRecord]) {
        let done = records.iter().filter(|record| record.failed.is_none());
        self.mutations
            .fetch_add(done.count() as u64, Ordering::Relaxed);
    }
}

impl SimulatedGame {
    /// The traffic so far.
    pub fn traffic(&self) -> GameTraffic {
        let TrafficCounters {
            requests,
            mutations,
        } = &self.0.traffic;
        GameTraffic {
            requests: requests.load(Ordering::Relaxed),
            mutations: mutations.load(Ordering::Relaxed),
        }
    }

    /// What every player has earned and spent.
    pub fn funds(&self) -> Vec<PlayerFunds> {
        self.lock_state().frontend.world().funds().collect()
    }
}

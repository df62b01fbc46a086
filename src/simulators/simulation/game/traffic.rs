//! Traffic: what the game was asked, and what the players have of it.

use std::sync::atomic::{AtomicU64, Ordering};

use zoea_galaxy::world::{JournalRecord, PlayerFunds};

use super::SimulatedGame;

#[derive(Debug, Default)]
pub(super) struct TrafficCounters {
    requests: AtomicU64,
    mutations: AtomicU64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameTraffic {
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

    pub fn funds(&self) -> Vec<PlayerFunds> {
        self.0.state.lock().frontend.world().funds().collect()
    }
}

//! Keeps the exchanges that failed in the home: of equal failures one in ten seconds.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::Moment;
use actors::ports::Clock;
use zoea_grammar::incident::{Incident, IncidentKeeper, Keeping};
use zoea_system::clock::MachineClock;

use crate::host::home::Home;

/// After this time an equal failure is kept again, and after the shorter one any other.
const EQUAL_PAUSE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);
/// How long the call that failed waits for the disk.
const DISK_PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct HomeIncidents {
    home: Home,
    last: Arc<Mutex<LastIncident>>,
}

#[derive(Default)]
struct LastIncident {
    failure: String,
    at: Option<Moment>,
    is_being_written: bool,
}

impl HomeIncidents {
    pub(super) fn of(home: &Home) -> Arc<HomeIncidents> {
        Arc::new(HomeIncidents {
            home: home.clone(),
            last: Arc::default(),
        })
    }
}

impl LastIncident {
    fn begin(&mut self, failure: &str, now: Moment) -> bool {
        let pause = match self.failure == *failure {
            true => EQUAL_PAUSE,
            false => PAUSE,
        };
        let is_soon = self.at.is_some_and(|at| now.since(at) < pause);
        if is_soon || self.is_being_written {
            return false;
        }
        self.failure = failure.to_string();
        self.at = Some(now);
        self.is_being_written = true;
        true
    }
}

impl IncidentKeeper for HomeIncidents {
    fn keep(&self, mut incident: Incident) -> Keeping {
        let now = MachineClock.both_clocks();
        if !self.last.lock().begin(&incident.failure, now.moment) {
            return Box::pin(std::future::ready(()));
        }
        incident.at = now.wall.to_string();
        let (home, last) = (self.home.clone(), self.last.clone());
        let write = move || {
            if let Err(error) = home.keep_incident(now.wall.0, &incident.to_text()) {
                tracing::debug!(%error, "an incident is not kept");
            }
            last.lock().is_being_written = false;
        };
        Box::pin(async move {
            // A disk that does not answer keeps one thread, and nothing else is written meanwhile.
            let written = tokio::task::spawn_blocking(write);
            let _ = tokio::time::timeout(DISK_PATIENCE, written).await;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_failures_are_written_once_in_ten_seconds_and_one_at_a_time() {
        let mut last = LastIncident::default();
        assert!(last.begin("HTTP 400", Moment(0)));
        assert!(!last.begin("HTTP 500", Moment(5_000)), "the disk hangs");
        last.is_being_written = false;
        assert!(!last.begin("HTTP 400", Moment(9_999)));
        assert!(last.begin("HTTP 500", Moment(9_999)));
        last.is_being_written = false;
        assert!(!last.begin("HTTP 400", Moment(10_050)));
        assert!(last.begin("HTTP 400", Moment(10_100)));
    }
}

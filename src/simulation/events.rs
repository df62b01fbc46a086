//! Events: everything the swarm says, in order, as a digest that two runs can be compared by.

use std::sync::{Arc, Mutex, PoisonError};

use actors::domain::clean;
use actors::domain::event::SwarmEvent;

use actors::listener::EventHandler;
use zoea_contract::EventJson;
use zoea_system::out;

use super::verdict::InvariantMonitor;

/// The log of events.
#[derive(Clone)]
pub(super) struct EventLog {
    digest: Arc<Mutex<EventDigest>>,
    is_loud: bool,
}

/// What is kept of all events: how many bytes, and their FNV-1a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventDigest {
    /// How many events.
    pub events: u64,
    /// How many bytes, as JSON lines.
    pub bytes: u64,
    /// Their hash.
    pub hash: u64,
}

impl EventLog {
    pub(super) fn new(is_loud: bool) -> EventLog {
        let digest = EventDigest {
            events: 0,
            bytes: 0,
            hash: 0xcbf2_9ce4_8422_2325,
        };
        EventLog {
            digest: Arc::new(Mutex::new(digest)),
            is_loud,
        }
    }

    /// Writes down what is heard, and lets the watch hear it.
    pub(super) fn event_handler(&self, watch: Arc<InvariantMonitor>) -> EventHandler {
        let log = self.clone();
        Box::new(move |event| {
            watch.on_event(event);
            log.write_event(event);
        })
    }

    pub(super) fn digest(&self) -> EventDigest {
        *self.digest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_event(&self, event: &SwarmEvent) {
        let Some(line) = EventJson::of(event) else {
            return;
        };
        let line = zoea_contract::to_value(&line).to_string();
        if self.is_loud {
            // Nobody reads: then nobody misses it.
            let _ = out::line(&clean::clean_json(&line));
        }
        let mut digest = self.digest.lock().unwrap_or_else(PoisonError::into_inner);
        digest.events += 1;
        digest.bytes += line.len() as u64 + 1;
        for byte in line.bytes().chain(*b"\n") {
            digest.hash = (digest.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

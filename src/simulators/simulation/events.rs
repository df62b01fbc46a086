//! Events: a digest of all events of the swarm in their order, by which two runs are compared.

use parking_lot::Mutex;
use std::sync::Arc;

use actors::domain::event::SwarmEvent;
use zoea_text::clean;

use actors::listener::EventHandler;
use zoea_contract::EventJson;
use zoea_system::out;

#[derive(Clone)]
pub struct EventLog {
    digest: Arc<Mutex<EventDigest>>,
    is_loud: bool,
}

/// The digest of all events: their number, their bytes and their FNV-1a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventDigest {
    pub events: u64,
    /// The number of bytes, as JSON lines.
    pub bytes: u64,
    /// The hash of these bytes.
    pub hash: u64,
}

impl EventLog {
    pub fn new(is_loud: bool) -> EventLog {
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

    /// Handles an event: somebody else receives it first, then it is written down.
    pub fn event_handler(&self, mut first: EventHandler) -> EventHandler {
        let log = self.clone();
        Box::new(move |event| {
            first(event);
            log.write_event(event);
        })
    }

    pub fn digest(&self) -> EventDigest {
        *self.digest.lock()
    }

    fn write_event(&self, event: &SwarmEvent) {
        let Some(line) = EventJson::of(event) else {
            return;
        };
        let line = zoea_contract::to_value(&line).to_string();
        if self.is_loud {
            // A failed write means that nobody reads the output.
            let _ = out::line(&clean::clean_json(&line));
        }
        let mut digest = self.digest.lock();
        digest.events += 1;
        digest.bytes += line.len() as u64 + 1;
        for byte in line.bytes().chain(*b"\n") {
            digest.hash = (digest.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

//! MCP sessions: an id is made at `initialize` and ends when it has been idle for too long.

use parking_lot::Mutex;
use std::{collections::HashMap, time::Duration};

use super::super::frontend::ConnectionId;

/// All MCP sessions. Their ids are random and do not follow from the seed: an id from before a
/// restart must never belong to another client after it.
#[derive(Debug)]
pub(super) struct Connections {
    idle: Duration,
    table: Mutex<ConnectionTable>,
}

#[derive(Debug, Default)]
struct ConnectionTable {
    last: ConnectionId,
    by_id: HashMap<String, McpSessionState>,
}

#[derive(Debug)]
struct McpSessionState {
    connection: ConnectionId,
    used: Duration,
}

impl Connections {
    pub(super) fn new(idle: Duration) -> Self {
        Self {
            idle,
            table: Mutex::new(ConnectionTable::default()),
        }
    }

    pub(super) fn open(&self, now: Duration) -> (String, ConnectionId) {
        let id = uuid::Uuid::new_v4().to_string();
        let mut table = self.table.lock();
        table.last += 1;
        let connection = table.last;
        let session = McpSessionState {
            connection,
            used: now,
        };
        table.by_id.insert(id.clone(), session);
        (id, connection)
    }

    /// The connection of a live session. The lookup counts as a use of it.
    pub(super) fn find(&self, id: &str, now: Duration) -> Option<ConnectionId> {
        let mut table = self.table.lock();
        let session = table.by_id.get_mut(id)?;
        if now.saturating_sub(session.used) >= self.idle {
            return None;
        }
        session.used = now;
        Some(session.connection)
    }

    /// Ends a session. Returns its connection, if there was one.
    pub(super) fn close(&self, id: &str) -> Option<ConnectionId> {
        let session = self.table.lock().by_id.remove(id)?;
        Some(session.connection)
    }

    /// Forgets sessions that were idle for too long. Returns their connections.
    pub(super) fn sweep(&self, now: Duration) -> Vec<ConnectionId> {
        let idle = self.idle;
        let mut gone = Vec::new();
        self.table.lock().by_id.retain(|_, session| {
            let lives = now.saturating_sub(session.used) < idle;
            if !lives {
                gone.push(session.connection);
            }
            lives
        });
        // The table is a hash map; the world must not depend on its order.
        gone.sort_unstable();
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_live_as_long_as_they_are_used() {
        let minutes = |count: u64| Duration::from_secs(count * 60);
        let connections = Connections::new(minutes(30));
        let (ann, first) = connections.open(minutes(0));
        let (ben, second) = connections.open(minutes(0));
        assert_ne!(first, second);
        assert_eq!(connections.find(&ann, minutes(29)), Some(first));
        assert_eq!(connections.find(&ben, minutes(30)), None);
        assert_eq!(connections.sweep(minutes(31)), [second]);
        assert_eq!(connections.find(&ann, minutes(58)), Some(first));
        assert_eq!(connections.close(&ann), Some(first));
        assert_eq!(connections.find(&ann, minutes(58)), None);
        assert_eq!(connections.find("unknown", minutes(0)), None);
    }
}

//! Game sessions: which login a connection made, and which player a session id stands for.

use std::{collections::BTreeMap, time::Duration};

use super::{ConnectionId, PlayerId, STATELESS};

#[derive(Debug)]
struct LoginSession {
    id: String,
    connection: ConnectionId,
    used: Duration,
}

/// All live sessions, at most one per player.
#[derive(Debug)]
pub(super) struct Sessions {
    idle: Duration,
    by_player: BTreeMap<PlayerId, LoginSession>,
    by_id: BTreeMap<String, PlayerId>,
    /// The newest login of each connection, dead ones included.
    by_connection: BTreeMap<ConnectionId, String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum SessionLookup {
    Player(PlayerId),
    /// The session was idle for too long; the caller ends it.
    Expired(PlayerId),
    /// The call or its connection names a session that is not alive.
    Unknown,
    /// No session was named, and the connection has never had one.
    Nothing,
}

impl Sessions {
    pub(super) fn new(idle: Duration) -> Self {
        Self {
            idle,
            by_player: BTreeMap::new(),
            by_id: BTreeMap::new(),
            by_connection: BTreeMap::new(),
        }
    }

    /// Opens a session. An older session of the same player ends.
    pub(super) fn open(
        &mut self,
        id: String,
        player: PlayerId,
        connection: ConnectionId,
        now: Duration,
    ) {
        self.close(player);
        self.by_id.insert(id.clone(), player);
        if connection != STATELESS {
            self.by_connection.insert(connection, id.clone());
        }
        let session = LoginSession {
            id,
            connection,
            used: now,
        };
        self.by_player.insert(player, session);
    }

    /// Ends a player's session. Its connection remembers that it had one.
    pub(super) fn close(&mut self, player: PlayerId) {
        if let Some(session) = self.by_player.remove(&player) {
            self.by_id.remove(&session.id);
        }
    }

    /// Finds a session by its id. The lookup counts as a use of it.
    pub(super) fn find_by_id(&mut self, id: &str, now: Duration) -> SessionLookup {
        let session = self
            .by_id
            .get(id)
            .and_then(|player| Some((*player, self.by_player.get_mut(player)?)));
        let Some((player, session)) = session else {
            return SessionLookup::Unknown;
        };
        if now.saturating_sub(session.used) >= self.idle {
            return SessionLookup::Expired(player);
        }
        session.used = now;
        SessionLookup::Player(player)
    }

    /// Finds the session of a connection's login. The lookup counts as a use of it.
    pub(super) fn find_by_connection(
        &mut self,
        connection: ConnectionId,
        now: Duration,
    ) -> SessionLookup {
        match self.by_connection.get(&connection).cloned() {
            Some(id) => self.find_by_id(&id, now),
            None => SessionLookup::Nothing,
        }
    }

    /// Forgets a connection. Returns the player whose session this connection opened and still
    /// holds.
    pub(super) fn forget_connection(&mut self, connection: ConnectionId) -> Option<PlayerId> {
        let id = self.by_connection.remove(&connection)?;
        let player = *self.by_id.get(&id)?;
        let session = self.by_player.get(&player)?;
        (session.connection == connection).then_some(player)
    }

    /// Players whose session has been idle for too long.
    pub(super) fn expired_players(&self, now: Duration) -> Vec<PlayerId> {
        let idle = self.idle;
        let sessions = self.by_player.iter();
        sessions
            .filter(|(_, session)| now.saturating_sub(session.used) >= idle)
            .map(|(player, _)| *player)
            .collect()
    }
}

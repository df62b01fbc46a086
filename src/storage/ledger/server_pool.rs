//! The connections to a Postgres server, which are kept for their next use.
//!
//! The driver's own pool asks each connection that comes back whether it still answers, without a
//! limit, and frees its place only then: a connection that fell silent takes its place for good
//! (<https://github.com/launchbadge/sqlx/issues/4349>). Here none is asked when it comes back. Its
//! next user asks it, within its own limit of time.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Executor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// The settings of each session. The transaction of a writer that vanished or hangs ends before the
/// other writers' lock timeout. Acknowledged writes are on disk. A search's plan is made for its
/// own needle.
pub(super) const SESSION_SETUP: &str = "SET idle_in_transaction_session_timeout = '5s'; SET lock_timeout = '20s'; \
    SET default_transaction_isolation = 'read committed'; SET plan_cache_mode = 'force_custom_plan'; \
    SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') = 'off'";

/// How long a connection that nobody needs is kept beside a newer one.
const MAX_REST: Duration = Duration::from_secs(60);

/// How long a server that is just starting is tried.
const STARTING_TIME: Duration = Duration::from_secs(4);
const STARTING_PAUSE: Duration = Duration::from_millis(200);

/// At most so many connections. They are opened when they are needed.
pub(super) struct ServerPool {
    options: Box<PgConnectOptions>,
    size: u32,
    /// A connection that rested for longer is asked whether it still answers before it is used.
    asked_after: Duration,
    places: Arc<Semaphore>,
    kept: Arc<Mutex<Vec<KeptConnection>>>,
}

struct KeptConnection {
    connection: PgConnection,
    since: Instant,
}

/// A connection with its place. It is closed at its end unless it is kept.
pub(super) struct ServerConnection {
    /// There until it is kept.
    connection: Option<PgConnection>,
    kept: Arc<Mutex<Vec<KeptConnection>>>,
    _place: OwnedSemaphorePermit,
}

impl ServerPool {
    pub(super) fn new(options: PgConnectOptions, size: u32, asked_after: Duration) -> ServerPool {
        ServerPool {
            options: Box::new(options),
            size,
            asked_after,
            places: Arc::new(Semaphore::new(size as usize)),
            kept: Arc::default(),
        }
    }

    /// Waits for a place and for a connection that answers. The caller limits the time.
    pub(super) async fn take(&self) -> Result<ServerConnection, sqlx::Error> {
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|_| sqlx::Error::PoolClosed)?;
        let connection = match self.take_kept().await {
            Some(connection) => connection,
            None => self.open().await?,
        };
        Ok(ServerConnection {
            connection: Some(connection),
            kept: self.kept.clone(),
            _place: place,
        })
    }

    /// The newest connection that the server has not closed meanwhile. The others are dropped.
    async fn take_kept(&self) -> Option<PgConnection> {
        loop {
            let kept = self.kept.lock().pop()?;
            let mut connection = kept.connection;
            if kept.since.elapsed() < self.asked_after || connection.ping().await.is_ok() {
                return Some(connection);
            }
        }
    }

    async fn open(&self) -> Result<PgConnection, sqlx::Error> {
        let began = Instant::now();
        loop {
            match self.try_open().await {
                Err(error) if is_starting(&error) && began.elapsed() < STARTING_TIME => {
                    tokio::time::sleep(STARTING_PAUSE).await;
                }
                opened => return opened,
            }
        }
    }

    async fn try_open(&self) -> Result<PgConnection, sqlx::Error> {
        let mut connection = PgConnection::connect_with(&self.options).await?;
        connection.execute(SESSION_SETUP).await?;
        Ok(connection)
    }

    /// Closes all connections once they have come back. None is lent any more.
    pub(super) async fn close(&self) {
        // It fails only if they are closed already.
        let _all = self.places.acquire_many(self.size).await;
        self.places.close();
        let kept = std::mem::take(&mut *self.kept.lock());
        for one in kept {
            // Everything is stored, so an error here changes nothing.
            let _ = one.connection.close().await;
        }
    }
}

impl ServerConnection {
    pub(super) fn driver(&mut self) -> &mut PgConnection {
        let connection = self.connection.as_mut();
        connection.expect("a connection is kept at the end of its use")
    }

    /// Keeps it for its next use: everything that it was used for succeeded.
    pub(super) fn keep(&mut self) {
        let since = Instant::now();
        if let Some(connection) = self.connection.take() {
            let mut kept = self.kept.lock();
            kept.retain(|other| since.duration_since(other.since) < MAX_REST);
            kept.push(KeptConnection { connection, since });
        }
    }
}

/// Whether a server that starts, or is full for a moment, would say so.
fn is_starting(error: &sqlx::Error) -> bool {
    if let sqlx::Error::Io(error) = error {
        return error.kind() == std::io::ErrorKind::ConnectionRefused;
    }
    error
        .as_database_error()
        .is_some_and(|error| error.is_transient_in_connect_phase())
}

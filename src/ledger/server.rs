//! The server: how a Postgres database is reached, and what its sessions must be like.
//!
//! Who writes waits for its turn first, whichever process it is in: so rows get their numbers in
//! the order in which they become visible, as in a file.

use std::time::Duration;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, RuntimeErr};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor, Row};
use url::Url;

use super::OpenError;
use super::connection::READ_CONNECTIONS;

/// How long a server may take to answer when it is first asked.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection is waited for, later.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a transaction may take, waiting for its turn included.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// What each session is told first. A writer that vanished or stands still must not keep others
/// waiting: its transaction ends before their patience does. What was acknowledged must be on disk;
/// and a search's plan depends on what is looked for.
const SESSION_SETUP: &str = "SET idle_in_transaction_session_timeout = '5s'; SET lock_timeout = '20s'; \
    SET default_transaction_isolation = 'read committed'; SET plan_cache_mode = 'force_custom_plan'; \
    SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') = 'off'";

/// Waits until nobody else writes; the turn is over with the transaction. The number of this lock is
/// `zoea` and a one.
pub(super) const WAIT_FOR_TURN: &str = "SELECT pg_advisory_xact_lock(2053076321, 1)";

/// The number of the lock that whoever brings the schema up to date takes for its session.
const LOCK_SCHEMA: &str = "SELECT pg_advisory_lock(2053076321, 2)";
const UNLOCK_SCHEMA: &str = "SELECT pg_advisory_unlock(2053076321, 2)";

/// What a URL may say behind its question mark, as libpq calls it.
const KNOWN_PARAMETERS: [&str; 13] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
    "statement-cache-capacity",
];

/// The address of a Postgres database. Its password is shown nowhere.
#[derive(Clone)]
pub struct ServerAddress {
    options: PgConnectOptions,
    shown: String,
}

impl std::fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ServerAddress").field(&self.shown).finish()
    }
}

/// As an operator may see it: without the password, and without what else a URL may carry.
impl std::fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

impl ServerAddress {
    /// Reads a URL `postgres://user:password@host:port/database?sslmode=…`. What it leaves out is
    /// taken from libpq's variables and `~/.pgpass`.
    ///
    /// # Errors
    /// It is none; the text is not repeated.
    pub fn parse(url: &str) -> Result<ServerAddress, OpenError> {
        // What it does not know, the driver would write into the log with its value.
        let parsed = Url::parse(url).map_err(|_| OpenError::NoAddress)?;
        let unknown = parsed.query_pairs().find(|(key, _)| !is_known(key));
        if let Some((key, _)) = unknown {
            return Err(OpenError::UnknownParameter(key.into_owned()));
        }
        let options: PgConnectOptions = url.parse().map_err(|_| OpenError::NoAddress)?;
        let has_name = options.get_application_name().is_some();
        let options = if has_name {
            options
        } else {
            options.application_name("zoea")
        };
        let options = options.disable_statement_logging();
        let host = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => options.get_host().to_string(),
        };
        let user = options.get_username();
        let shown = format!(
            "postgres://{user}@{host}:{}/{}",
            options.get_port(),
            options.get_database().unwrap_or(user),
        );
        Ok(ServerAddress { options, shown })
    }

    /// Looks whether the database can be reached and keeps every letter.
    pub(super) async fn check_reachable(&self) -> Result<(), OpenError> {
        let asking = async {
            let mut connection = PgConnection::connect_with(&self.options).await?;
            let row = connection.fetch_one("SHOW server_encoding").await?;
            // What was asked was answered; a goodbye that is lost harms nobody.
            let _ = connection.close().await;
            row.try_get::<String, _>(0)
        };
        match tokio::time::timeout(CONNECT_TIMEOUT, asking).await {
            Ok(Ok(encoding)) if encoding == "UTF8" => Ok(()),
            Ok(Ok(encoding)) => Err(OpenError::Encoding {
                address: self.shown.clone(),
                encoding,
            }),
            Ok(Err(error)) => Err(self.unusable_error(server_error_text(&error))),
            Err(_) => Err(self.unusable_error(format!("no answer within {CONNECT_TIMEOUT:?}"))),
        }
    }

    /// The one connection that writes.
    pub(super) fn writer_pool(&self) -> PgPool {
        let pool = pool_options().max_connections(1).test_before_acquire(false);
        self.connect_lazily(pool.idle_timeout(None).max_lifetime(None))
    }

    /// The connections that only read.
    pub(super) fn open_readers(&self) -> DatabaseConnection {
        let pool = pool_options().max_connections(READ_CONNECTIONS);
        let pool = pool.idle_timeout(Duration::from_secs(60));
        self.connect_lazily(pool).into()
    }

    fn connect_lazily(&self, pool: PgPoolOptions) -> PgPool {
        pool.connect_lazy_with(self.options.clone())
    }

    pub(super) fn unusable_error(&self, why: String) -> OpenError {
        OpenError::Server {
            address: self.shown.clone(),
            why,
        }
    }
}

fn is_known(parameter: &str) -> bool {
    KNOWN_PARAMETERS.contains(&parameter) || parameter.starts_with("options[")
}

fn pool_options() -> PgPoolOptions {
    PgPoolOptions::new()
        .min_connections(0)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(|connection, _| {
            Box::pin(async move { connection.execute(SESSION_SETUP).await.map(|_| ()) })
        })
}

/// The server's own words, without the layers around them.
fn server_error_text(error: &sqlx::Error) -> String {
    match error.as_database_error() {
        Some(database) => database.message().to_string(),
        None => error.to_string(),
    }
}

/// The server took longer than [`WRITE_TIMEOUT`].
pub(super) fn no_answer() -> DbErr {
    let why = format!("the database server gave no answer within {WRITE_TIMEOUT:?}");
    DbErr::Conn(RuntimeErr::Internal(why))
}

/// Lets a transaction wait for its own process: what is taken over may be long in the reading.
pub(super) async fn extend_idle_timeout(tx: &impl ConnectionTrait) -> Result<(), DbErr> {
    let patient = "SET LOCAL idle_in_transaction_session_timeout = '10min'";
    tx.execute_unprepared(patient).await.map(|_| ())
}

/// Waits until nobody else brings the schema up to date.
pub(super) async fn lock_schema(writer: &DatabaseConnection) -> Result<(), DbErr> {
    writer.execute_unprepared(LOCK_SCHEMA).await.map(|_| ())
}

/// Lets others look at the schema.
pub(super) async fn unlock_schema(writer: &DatabaseConnection) -> Result<(), DbErr> {
    writer.execute_unprepared(UNLOCK_SCHEMA).await.map(|_| ())
}

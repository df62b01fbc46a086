//! The Postgres server: connects to it and configures its sessions.
//!
//! What its writers wait for is in `write_lock`.

use std::time::Duration;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement, Value};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor, Row};
use url::Url;

use super::OpenError;
use super::answer_time::ANSWER_TIMEOUT;
use super::connection::READ_CONNECTIONS;
use super::fault::{driver_error_text, error_text};
use super::server_pool::{SESSION_SETUP, ServerPool};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a query waits for a connection of the driver's pool, and its end for the last answer.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// A pause in which a server rarely closes a connection. After a longer one a writer asks first.
const SHORT_PAUSE: Duration = Duration::from_secs(1);

/// Waits until no other process changes the schema. The lock is held by the session.
pub(super) const LOCK_SCHEMA: &str = "SELECT pg_advisory_lock(2053076321, 2)";
pub(super) const UNLOCK_SCHEMA: &str = "SELECT pg_advisory_unlock(2053076321, 2)";

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

/// The address of a Postgres database. Its password is never shown.
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

/// Shows the address without the password and without the URL's parameters.
impl std::fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

impl ServerAddress {
    /// Parses a URL `postgres://user:password@host:port/database?sslmode=…`. Missing parts are
    /// taken from libpq's variables and `~/.pgpass`.
    ///
    /// # Errors
    /// The text is not such a URL. The error does not repeat the text.
    pub fn parse(url: &str) -> Result<ServerAddress, OpenError> {
        // The driver would log an unknown parameter with its value, so they are refused here.
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
        // Poolers refuse what they cannot set back, and servers since version 12 need no such setting.
        let options = options.disable_statement_logging().extra_float_digits(None);
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

    /// Checks that the database can be reached and stores all characters.
    pub(super) async fn check_reachable(&self) -> Result<(), OpenError> {
        let asking = async {
            let mut connection = PgConnection::connect_with(&self.options).await?;
            let row = connection.fetch_one("SHOW server_encoding").await?;
            let is_mixed = self.mixes_sessions(&mut connection).await?;
            // The answer is there, so an error here changes nothing.
            let _ = connection.close().await;
            Ok((row.try_get::<String, _>(0)?, is_mixed))
        };
        match tokio::time::timeout(CONNECT_TIMEOUT, asking).await {
            Ok(Ok((_, true))) => Err(OpenError::Pooled(self.shown.clone())),
            Ok(Ok((encoding, false))) if encoding == "UTF8" => Ok(()),
            Ok(Ok((encoding, false))) => Err(OpenError::Encoding {
                address: self.shown.clone(),
                encoding,
            }),
            Ok(Err(error)) if is_statement_pooling(&error) => {
                Err(OpenError::Pooled(self.shown.clone()))
            }
            Ok(Err(error)) => Err(self.unusable_error(driver_error_text(&error))),
            Err(_) => Err(self.unusable_error(format!("no answer within {CONNECT_TIMEOUT:?}"))),
        }
    }

    /// Whether a pooler gives the sessions of the server to its clients for a transaction each. The
    /// settings and locks of a session would be those of any client. Then the process at the other end
    /// of a connection changes, or a second connection gets it as well. Nothing is left behind.
    async fn mixes_sessions(&self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let first = backend(connection).await?;
        let again = backend(connection).await?;
        let mut other = PgConnection::connect_with(&self.options).await?;
        other.execute("BEGIN").await?;
        let held = backend(&mut other).await?;
        other.execute("ROLLBACK").await?;
        // The answer is there, so an error here changes nothing.
        let _ = other.close().await;
        Ok(first != again || held == again)
    }

    /// A pool of one.
    pub(super) fn writer_pool(&self) -> ServerPool {
        ServerPool::new(self.options.clone(), 1, SHORT_PAUSE)
    }

    /// The read-only connections.
    pub(super) fn reading_pool(&self) -> ServerPool {
        ServerPool::new(self.options.clone(), READ_CONNECTIONS, Duration::ZERO)
    }

    /// One connection of the driver's, for a look at the database or for its migration. It is to be
    /// closed by [`close_single`].
    pub(super) fn open_single(&self) -> DatabaseConnection {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .after_connect(|connection, _| {
                Box::pin(async move { connection.execute(SESSION_SETUP).await.map(|_| ()) })
            })
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None);
        pool.connect_lazy_with(self.options.clone()).into()
    }

    pub(super) fn unusable(&self, error: &DbErr) -> OpenError {
        self.unusable_error(error_text(error))
    }

    pub(super) fn silent(&self) -> OpenError {
        self.unusable_error(format!("no answer within {ANSWER_TIMEOUT:?}"))
    }

    fn unusable_error(&self, why: String) -> OpenError {
        OpenError::Server {
            address: self.shown.clone(),
            why,
        }
    }
}

fn is_known(parameter: &str) -> bool {
    KNOWN_PARAMETERS.contains(&parameter) || parameter.starts_with("options[")
}

/// Closes a connection of the driver's. The answer to its last statement may never come.
pub(super) async fn close_single(connection: DatabaseConnection) {
    // The answers are there already, so an error here changes nothing.
    let _ = tokio::time::timeout(ACQUIRE_TIMEOUT, connection.close()).await;
}

async fn backend(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    let row = connection.fetch_one("SELECT pg_backend_pid()").await?;
    row.try_get_unchecked::<i32, _>(0)
}

/// Whether a pooler allows no transactions.
fn is_statement_pooling(error: &sqlx::Error) -> bool {
    driver_error_text(error).contains("statement pooling")
}

/// Extends the time that a transaction may idle, because reading an import's source may take long.
pub(super) async fn extend_idle_timeout(tx: &impl ConnectionTrait) -> Result<(), DbErr> {
    let patient = "SET LOCAL idle_in_transaction_session_timeout = '10min'";
    tx.execute_unprepared(patient).await.map(|_| ())
}

pub(super) fn on_server(sql: &'static str, values: impl IntoIterator<Item = Value>) -> Statement {
    Statement::from_sql_and_values(DbBackend::Postgres, sql, values)
}

//! Why a database cannot be used, and what to do about it.

use thiserror::Error;

/// Why the database cannot be used. Each message says what to do about it.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Its schema has a newer version than this program.
    #[error(
        "the database {database} was written by a newer version of zoea (it has the step `{step}`); \
         run that version, or {elsewhere}"
    )]
    Newer {
        database: String,
        /// The first migration that this program does not know.
        step: String,
        /// What else can be done.
        elsewhere: &'static str,
    },
    /// It belongs to another program.
    #[error(
        "{database} is not a database of zoea's (it has the table `{table}`); {elsewhere}. The \
         database of a Zoea-Nova can be taken over with zoea import"
    )]
    Foreign {
        database: String,
        table: String,
        elsewhere: &'static str,
    },
    /// It must be migrated, but the copy that is made before cannot be written.
    #[error(
        "the database is of version {from} and must be brought up to date, but a copy of it cannot \
         be kept in {copy} first: {why}; free some space there, make the directory writable, or, if \
         the database is damaged, restore a backup"
    )]
    NoCopy {
        from: usize,
        copy: String,
        why: String,
    },
    /// It must be migrated before it can be read.
    #[error(
        "the database {path} is of version {from}, and this program's is {to}: start zoea in its \
         home once (zoea status will do), which keeps a copy and brings it up to date"
    )]
    Older {
        path: String,
        /// Its version; 0 if it has none.
        from: usize,
        /// The version of this program.
        to: usize,
    },
    /// It cannot be opened or migrated.
    #[error("open the database {path}: {why}; {advice}")]
    Unusable {
        path: String,
        why: String,
        /// What helps against just that. A sound database is not to be replaced by a copy.
        advice: String,
    },
    /// Going on could lose what was acknowledged.
    #[error("{0}")]
    Lost(String),
    /// `store.database_url` cannot be parsed.
    #[error(
        "store.database_url is not the URL of a Postgres database (it is not shown here); write \
         postgres://user:password@host:port/database"
    )]
    NoAddress,
    /// `store.database_url` has an unknown parameter.
    #[error("store.database_url has the unknown parameter `{0}`; remove it, or correct its name")]
    UnknownParameter(String),
    /// A server's database cannot be reached or migrated.
    #[error(
        "open the database {address}: {why}; check store.database_url, and that the server runs \
         and lets this user in"
    )]
    Server { address: String, why: String },
    /// A pooler between the server and this program mixes the sessions of its clients.
    #[error(
        "the database {0} is reached through a pooler in transaction mode (as pgbouncer's, or Supabase's \
         port 6543), which mixes the sessions of its clients; give the server's own address and port in \
         store.database_url (Supabase: port 5432), or let the pooler run in session mode"
    )]
    Pooled(String),
    /// A server's database has an encoding without all characters.
    #[error(
        "the database {address} keeps text as {encoding}; make one that keeps all letters: CREATE \
         DATABASE … ENCODING 'UTF8' TEMPLATE template0"
    )]
    Encoding { address: String, encoding: String },
    /// A server's database lacks the extension that searches need.
    #[error(
        "the database {address} has no extension pg_trgm, which searching needs, and this user \
         cannot create it: {why}; let an administrator of the server run CREATE EXTENSION pg_trgm \
         in that database, once"
    )]
    NoTrigrams { address: String, why: String },
}

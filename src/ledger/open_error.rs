//! Why a database cannot be used, and what to do about it.

use thiserror::Error;

/// Why the database cannot be used; each says what to do about it.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Its schema is of a version after ours.
    #[error(
        "the database {database} was written by a newer version of zoea (it has the step `{step}`); \
         run that version, or {elsewhere}"
    )]
    Newer {
        /// The database.
        database: String,
        /// The first step that we do not know.
        step: String,
        /// What else can be done.
        elsewhere: &'static str,
    },
    /// It is another program's.
    #[error(
        "{database} is no database of zoea's (it has the table `{table}`); {elsewhere}. The \
         database of a Zoea-Nova can be taken over with zoea import"
    )]
    Foreign {
        /// The database.
        database: String,
        /// One of its tables.
        table: String,
        /// What can be done.
        elsewhere: &'static str,
    },
    /// The copy that must be made before it is brought up to date cannot be made.
    #[error(
        "the database is of version {from} and must be brought up to date, but a copy of it cannot \
         be kept in {copy} first: {why}; free some space there, or make the directory writable"
    )]
    NoCopy {
        /// The version it has.
        from: usize,
        /// The copy.
        copy: String,
        /// The system's words.
        why: String,
    },
    /// It must be brought up to date before it can be looked at.
    #[error(
        "the database {path} is of version {from}, and this program's is {to}: start zoea in its \
         home once (zoea status will do), which keeps a copy and brings it up to date"
    )]
    Older {
        /// The database.
        path: String,
        /// The version it has; 0: none at all.
        from: usize,
        /// Ours.
        to: usize,
    },
    /// It cannot be opened or brought up to date.
    #[error(
        "open the database {path}: {why}; check the file and its directory, restore a copy, or \
         use another home with --home"
    )]
    Unusable {
        /// The database.
        path: String,
        /// What went wrong.
        why: String,
    },
    /// The text that should say where a server is does not.
    #[error(
        "store.database_url is no URL of a Postgres database (it is not shown here); write \
         postgres://user:password@host:port/database"
    )]
    NoAddress,
    /// That text says something that nobody knows.
    #[error("store.database_url has the unknown parameter `{0}`; remove it, or mend its name")]
    UnknownParameter(String),
    /// A server's database cannot be reached or brought up to date.
    #[error(
        "open the database {address}: {why}; check store.database_url, and that the server runs \
         and lets this user in"
    )]
    Server {
        /// The database.
        address: String,
        /// What went wrong.
        why: String,
    },
    /// A server's database keeps other letters than ours.
    #[error(
        "the database {address} keeps text as {encoding}; make one that keeps all letters: CREATE \
         DATABASE … ENCODING 'UTF8' TEMPLATE template0"
    )]
    Encoding {
        /// The database.
        address: String,
        /// What it keeps text as.
        encoding: String,
    },
    /// A server's database lacks what a search needs.
    #[error(
        "the database {address} has no extension pg_trgm, which searching needs, and this user \
         cannot create it: {why}; let an administrator of the server run CREATE EXTENSION pg_trgm \
         in that database, once"
    )]
    NoTrigrams {
        /// The database.
        address: String,
        /// The server's words.
        why: String,
    },
}

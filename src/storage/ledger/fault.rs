//! Faults: how a database error is classified and described.

use actors::ports::{ArchiveFault, LedgerFault};
use sea_orm::{DbErr, RuntimeErr};

use super::LedgerInner;

/// What SQLite says of two Myses with one name.
const SAME_NAME: &str = "UNIQUE constraint failed: mysis.name";
/// The rule against that on a server, which says it in its own language.
const NAME_RULE: &str = "mysis_name_key";

/// Why a process may not write any more for a Mysis that another one has taken.
pub(super) const LEASE_LOST: &str = "another zoea process runs this mysis now: this one held its lease for too long \
     without renewing it";

impl LedgerInner {
    /// Classifies a database error. A contradiction is final; any other error may pass.
    pub(super) fn to_ledger_fault(&self, error: &DbErr) -> LedgerFault {
        if is_fenced(error) {
            return LedgerFault::Fenced;
        }
        let text = error_text(error);
        let database = driver_error(error).and_then(|error| error.as_database_error());
        let rule = database.and_then(|error| error.constraint());
        if rule == Some(NAME_RULE) || text.contains(SAME_NAME) {
            return LedgerFault::NameTaken;
        }
        let is_contradiction = error.sql_err().is_some() || matches!(error, DbErr::Custom(_));
        if is_contradiction || self.dialect.is_final(error) {
            return LedgerFault::Refused(error_text(error));
        }
        LedgerFault::Unavailable(match &self.place {
            Some(file) => format!("{}: {text}{}", file.path().display(), remedy_of(&text)),
            None => text,
        })
    }
}

/// Whether the writer is no longer the one of its Mysis.
fn is_fenced(error: &DbErr) -> bool {
    let DbErr::Custom(why) = error else {
        return false;
    };
    *why == LEASE_LOST || *why == LedgerFault::Fenced.to_string()
}

/// What helps against an error of a file, as the end of a sentence; empty if that is not known.
fn remedy_of(text: &str) -> &'static str {
    match text.contains("is full") {
        true => "; free space on its disk: the swarm then continues by itself",
        false => "",
    }
}

pub(super) fn archive_fault(error: DbErr) -> ArchiveFault {
    ArchiveFault(error_text(&error))
}

/// The database's own message, without the layers around it.
pub(super) fn error_text(error: &DbErr) -> String {
    let Some(inner) = driver_error(error) else {
        return error.to_string();
    };
    driver_error_text(inner)
}

pub(super) fn driver_error_text(error: &sqlx::Error) -> String {
    match error.as_database_error() {
        Some(database) => database.message().to_string(),
        None => error.to_string(),
    }
}

fn driver_error(error: &DbErr) -> Option<&sqlx::Error> {
    let (DbErr::Exec(RuntimeErr::SqlxError(inner))
    | DbErr::Query(RuntimeErr::SqlxError(inner))
    | DbErr::Conn(RuntimeErr::SqlxError(inner))) = error
    else {
        return None;
    };
    Some(inner)
}

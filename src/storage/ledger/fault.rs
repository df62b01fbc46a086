//! Faults: how a database error is classified and described.

use actors::ports::LedgerFault;
use sea_orm::{DbErr, RuntimeErr};

use super::LedgerInner;

/// What databases call the rule that no two Myses have one name.
const NAMES: [&str; 2] = ["UNIQUE constraint failed: mysis.name", "\"mysis_name_key\""];

impl LedgerInner {
    /// Classifies a database error. A contradiction is final; any other error may pass.
    pub(super) fn to_ledger_fault(&self, error: &DbErr) -> LedgerFault {
        let text = error_text(error);
        if NAMES.iter().any(|name| text.contains(name)) {
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

/// What helps against an error of a file, as the end of a sentence; empty if that is not known.
fn remedy_of(text: &str) -> &'static str {
    match text.contains("is full") {
        true => "; free space on its disk: the swarm then continues by itself",
        false => "",
    }
}

/// The database's own message, without the layers around it.
pub(super) fn error_text(error: &DbErr) -> String {
    let (DbErr::Exec(RuntimeErr::SqlxError(inner))
    | DbErr::Query(RuntimeErr::SqlxError(inner))
    | DbErr::Conn(RuntimeErr::SqlxError(inner))) = error
    else {
        return error.to_string();
    };
    match inner.as_database_error() {
        Some(database) => database.message().to_string(),
        None => inner.to_string(),
    }
}

//! Imports conversations from a Zoea-Nova database or from an export of our own.
//!
//! A source is imported as a whole or not at all. Myses that exist stay as they are, so importing
//! again changes nothing. The source is opened read-only.

pub(crate) mod lines;
mod nova;
mod report;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::message::Row;
use actors::ports::LedgerFault;
use thiserror::Error;
use zoea_text::redact::Redactor;

use crate::mark::{FileState, state_of};
use crate::{BulkImport, SqlLedger};

pub use report::ImportReport;

#[derive(Debug, Error)]
pub enum ImportFault {
    /// The file cannot be read.
    #[error("read {}: {cause}", file.display())]
    Unreadable {
        file: PathBuf,
        cause: std::io::Error,
    },
    /// A database that is not of Zoea-Nova's known version.
    #[error("{0}")]
    NoNova(String),
    #[error("read the database: {0}")]
    Source(String),
    /// A line is not in the format of `zoea export`.
    #[error("line {number}: {why}; an export has one JSON object a line, as zoea export writes it")]
    Line {
        /// The line's number, from 1.
        number: usize,
        why: String,
    },
    #[error("write the database: {0}")]
    Ledger(#[from] LedgerFault),
}

/// Imports a file of either kind. `scratch` is a directory for a temporary copy.
///
/// # Errors
/// The file cannot be read or is of neither kind, or the ledger refuses it. Nothing was imported
/// then.
pub async fn import_file(
    ledger: &SqlLedger,
    file: &Path,
    scratch: &Path,
    secrets: Vec<Arc<str>>,
) -> Result<ImportReport, ImportFault> {
    let state = state_of(file).map_err(|cause| ImportFault::Unreadable {
        file: file.to_path_buf(),
        cause,
    })?;
    match state {
        FileState::Blank(_) | FileState::Filled(_) => {
            nova::import_database(ledger, file, scratch, secrets).await
        }
        FileState::None | FileState::Foreign => {
            lines::import_lines(ledger, file, &Redactor::new(secrets)).await
        }
    }
}

struct KnownMyses {
    ids: BTreeSet<MysisId>,
    names: BTreeSet<Arc<str>>,
}

impl KnownMyses {
    async fn read(bulk_import: &BulkImport) -> Result<KnownMyses, LedgerFault> {
        let myses = bulk_import.myses().await?;
        let (ids, names) = myses.into_iter().unzip();
        Ok(KnownMyses { ids, names })
    }

    /// The name under which a Mysis is imported; `None` if it is here already.
    fn admit(&mut self, id: MysisId, wanted: &str, report: &mut ImportReport) -> Option<String> {
        if self.ids.contains(&id) {
            report.known_myses += 1;
            return None;
        }
        report.myses += 1;
        let name = self.claim_name(id, wanted);
        if name != wanted {
            report.renamed.push((wanted.to_string(), name.clone()));
        }
        Some(name)
    }

    /// A valid and free name similar to this one.
    fn claim_name(&mut self, id: MysisId, wanted: &str) -> String {
        let mut name: String = wanted
            .chars()
            .map(|c| match c {
                '-' | '_' | '.' => c,
                letter if letter.is_alphanumeric() => letter,
                _other => '-',
            })
            .take(MAX_NAME_CHARS)
            .collect();
        if name.is_empty() || name.starts_with(['-', '.']) {
            name = format!("m{name}").chars().take(MAX_NAME_CHARS).collect();
        }
        let mut settled = name.clone();
        let mut number = 1;
        while self.names.contains(settled.as_str()) {
            number += 1;
            let ending = format!("-{number}");
            let kept: String = name.chars().take(MAX_NAME_CHARS - ending.len()).collect();
            settled = kept + &ending;
        }
        self.ids.insert(id);
        self.names.insert(settled.as_str().into());
        settled
    }
}

/// The limit of `domain::order::check_name`.
const MAX_NAME_CHARS: usize = 32;

/// A row without known secrets.
fn redact_row(redactor: &Redactor, mut row: Row) -> Row {
    row.body.for_each_text(|text| redactor.clean_in_place(text));
    row
}

#[cfg(test)]
mod tests {
    use actors::domain::order::check_name;

    use super::*;

    #[test]
    fn everybody_gets_a_name_that_will_do_and_that_nobody_has() {
        let mut residents = KnownMyses {
            ids: BTreeSet::new(),
            names: ["alpha".into()].into(),
        };
        let long = "x".repeat(40);
        for (wanted, settled) in [
            ("beta", "beta"),
            ("alpha", "alpha-2"),
            ("alpha", "alpha-3"),
            ("Crab Miner!", "Crab-Miner-"),
            ("", "m"),
            ("-x", "m-x"),
            (long.as_str(), &long[..32]),
            (long.as_str(), &format!("{}-2", &long[..30])),
        ] {
            assert_eq!(residents.claim_name(MysisId(1), wanted), settled);
            assert_eq!(check_name(settled), Ok(()));
        }
    }
}

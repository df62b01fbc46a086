//! The ledger: a file of every mutation that was carried out, for tests that compare.

use std::{fs::OpenOptions, io, os::unix::fs::OpenOptionsExt as _, path::Path};

use anyhow::Context as _;

use super::{JournalRecord, line::write_lines, tail::Tail};

/// An append-only file of JSON lines. The program never shortens it and never reads it.
#[derive(Debug)]
pub(crate) struct MutationLedger(Tail);

impl MutationLedger {
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)
            .and_then(Tail::of)
            .with_context(|| format!("open ledger {}", path.display()))?;
        Ok(Self(file))
    }

    pub(crate) fn append(&mut self, mutations: &[JournalRecord]) -> io::Result<()> {
        if mutations.is_empty() {
            return Ok(());
        }
        self.0.append(&write_lines(mutations))
    }
}

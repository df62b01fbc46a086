//! `[store]`: where conversations are kept, if not in the home directory, and how long.

use std::time::Duration;

use super::rule::{Age, DatabaseUrl, WholeNumber};
use super::secret::Secret;
use super::section::Section;

/// Thirty days.
const DEFAULT_KEEP: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Rows of one Mysis: with 200 Myses a database of some gigabytes, however long they play.
const DEFAULT_KEEP_ROWS: u64 = 25_000;

/// Where conversations are kept, and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSettings {
    /// A database's URL, which may hold a password; none: `zoea.db` in the home directory.
    pub database_url: Option<Secret>,
    /// Rows that are older go, unless something still needs them; none: rows of any age stay.
    pub keep: Option<Duration>,
    /// Of each Mysis, rows beyond so many go, the oldest first; 0: any number stays.
    pub keep_rows: u64,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            database_url: None,
            keep: Some(DEFAULT_KEEP),
            keep_rows: DEFAULT_KEEP_ROWS,
        }
    }
}

impl StoreSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let default = Self::default();
        Self {
            database_url: section.read("database_url", &DatabaseUrl),
            keep: section.read("keep", &Age).unwrap_or(default.keep),
            keep_rows: section
                .read("keep_rows", &WholeNumber::at_least(0))
                .unwrap_or(default.keep_rows),
        }
    }
}

//! `[store]`: where conversations are kept, if not in the home directory.

use super::rule::DatabaseUrl;
use super::secret::Secret;
use super::section::Section;

/// Where conversations are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Store {
    /// A database's URL, which may hold a password; none: `zoea.db` in the home directory.
    pub database_url: Option<Secret>,
}

impl Store {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            database_url: section.read("database_url", &DatabaseUrl),
        }
    }
}

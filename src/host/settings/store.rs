//! `[store]`: the database, if it is not in the home directory, and how long rows are kept.

use std::time::Duration;

use super::rule::{database_url, max_age, whole_number_from};
use super::secret::Secret;
use super::table::section;

section! {
    /// The database, and how long rows are kept.
    pub struct StoreSettings {
        optional database_url: Option<Secret> = "postgres://zoea@127.0.0.1/zoea", database_url(),
            "A database's URL, which may hold a password; none: `zoea.db` in the home directory.";
        /// Rows older than this are removed, but for those that something still needs: orders without an
        /// answer, notes, open calls, the newest 512 rows of each Mysis. Books, missions and accounts stay.
        /// "forever" keeps them all.
        default keep: Option<Duration> = "30d", max_age();
        /// Of each Mysis, at most about so many rows are kept, the newest; 0: any number.
        default keep_rows: u64 = 25000, whole_number_from(0..);
    }
}

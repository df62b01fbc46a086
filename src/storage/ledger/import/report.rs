//! The report of an import: what was imported, and what could not be imported unchanged.

use std::fmt;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    pub myses: usize,
    /// Myses that existed and stayed as they are.
    pub known_myses: usize,
    /// The old and the new name of Myses whose name was invalid or taken.
    pub renamed: Vec<(String, String)>,
    pub rows: usize,
    pub missions: usize,
    pub accounts: usize,
    /// Game accounts that existed and stayed as they are.
    pub known_accounts: usize,
    pub calls: usize,
    /// Imported tool calls whose result is not in the source.
    pub without_result: usize,
    /// Rows that became host notices: results without a call, unreadable calls, unknown roles.
    pub unpaired: usize,
    /// Unreadable times. The time of the row before was used instead.
    pub without_time: usize,
    pub imported_snapshots: usize,
    /// Skipped snapshots: of a Mysis that was not imported, without a time, or of a tool that is
    /// not a snapshot tool.
    pub skipped_snapshots: usize,
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "taken over: {} myses, {} rows, {} tool calls, {} missions, {} accounts",
            self.myses, self.rows, self.calls, self.missions, self.accounts
        )?;
        let counts = [
            (
                self.known_myses,
                "myses are here already and were not changed",
            ),
            (
                self.known_accounts,
                "accounts are here already and were not changed",
            ),
            (
                self.without_result,
                "calls have no result in the source: outcome unknown",
            ),
            (
                self.unpaired,
                "rows fit nothing and are kept as host notices",
            ),
            (
                self.without_time,
                "rows have no time that can be read: they have that of the row before",
            ),
            (
                self.imported_snapshots,
                "snapshots of the game, with the time at which they were made",
            ),
            (
                self.skipped_snapshots,
                "snapshots of the game were not imported: they belong to no Mysis, have no time, or are of a tool that is not a query",
            ),
        ];
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            writeln!(f, "{count} {what}")?;
        }
        for (old, new) in &self.renamed {
            writeln!(f, "{old:?} is called {new} here")?;
        }
        Ok(())
    }
}

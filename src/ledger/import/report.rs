//! The report of an import: what was taken over, and what could not be as it was.

use std::fmt;

/// Counts of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Myses that were taken over.
    pub myses: usize,
    /// Myses that are here already and were left as they are.
    pub known_myses: usize,
    /// Old name and new name of those whose name will not do here, or is taken.
    pub renamed: Vec<(String, String)>,
    /// Rows of conversations.
    pub rows: usize,
    /// Missions.
    pub missions: usize,
    /// Game accounts.
    pub accounts: usize,
    /// Game accounts that are here already and were left as they are.
    pub known_accounts: usize,
    /// Tool calls.
    pub calls: usize,
    /// Of these, calls whose result is not in the source.
    pub without_result: usize,
    /// Rows that fit nothing, kept as host notices: results without a call, calls that cannot be
    /// read, unknown roles.
    pub unpaired: usize,
    /// Moments that cannot be read; the row before lent its own.
    pub without_time: usize,
    /// What was seen of the game.
    pub sightings: usize,
    /// Game state snapshots that are left behind: of nobody who is taken over, without a time, or of
    /// a tool that is none of those that look.
    pub snapshots: usize,
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
                "myses are here already and were left as they are",
            ),
            (
                self.known_accounts,
                "accounts are here already and were left as they are",
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
                self.sightings,
                "sightings of the game, with the time at which they were made",
            ),
            (
                self.snapshots,
                "game state snapshots were left behind: they are nobody's, have no time, or are no looks",
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

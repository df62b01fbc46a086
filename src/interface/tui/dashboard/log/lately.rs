//! The newest events below the table.

use super::folding::fold_newest;
use super::rows::lately_row;
use crate::dashboard::Dashboard;
use crate::dashboard::text::tone::StyledLine;

/// The most events that are folded into lines.
const MAX_FOLDED: usize = 300;

/// The newest events as so many lines, newest first.
pub(crate) fn lately_lines(dashboard: &Dashboard, lines: usize, columns: u16) -> Vec<StyledLine> {
    if lines == 0 {
        return Vec::new();
    }
    let offset = dashboard.appearance().offset;
    let today = offset.day(dashboard.now());
    let folds = fold_newest(dashboard.log().messages(), MAX_FOLDED);
    let newest = folds.iter().rev().take(lines);
    let columns = usize::from(columns);
    newest
        .map(|events| lately_row(events, offset, &today, columns))
        .collect()
}

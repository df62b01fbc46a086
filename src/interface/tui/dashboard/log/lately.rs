//! The newest events below the table.

use super::folding::fold_newest;
use super::rows::lately_row;
use crate::dashboard::facts::Facts;
use crate::dashboard::text::tone::StyledLine;

const MAX_FOLDED: usize = 300;

/// The newest events as so many lines, newest first.
pub(crate) fn lately_lines(facts: &Facts, lines: usize, columns: u16) -> Vec<StyledLine> {
    if lines == 0 {
        return Vec::new();
    }
    let offset = facts.appearance.offset;
    let today = offset.day(facts.now);
    let folds = fold_newest(facts.log.messages(), MAX_FOLDED);
    let newest = folds.iter().rev().take(lines);
    let columns = usize::from(columns);
    newest
        .map(|events| lately_row(events, offset, &today, columns))
        .collect()
}

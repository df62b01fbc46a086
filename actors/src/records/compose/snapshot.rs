//! Snapshots: of several results of the same query only the newest matters (docs/design/requests.md).

use std::collections::BTreeSet;

use crate::snapshot_query::{SnapshotQuery, is_superseded};

use super::part::{Pair, RequestPart, SpokenPart};

const SUPERSEDED_TEXT: &str = "[superseded by a newer result of the same call]";

/// Removes or replaces results for which there are newer ones. An error never supersedes a good
/// result. Of the errors since the newest good result, only the newest is kept.
pub(super) fn supersede_results(parts: &mut Vec<RequestPart>) {
    let mut seen = BTreeSet::new();
    let newest = parts.iter().rposition(RequestPart::is_loop);
    for place in (0..parts.len()).rev() {
        let RequestPart::Spoken(said) = &mut parts[place] else {
            continue;
        };
        let stale = stale_pairs(said, &mut seen);
        if stale.is_empty() {
            continue;
        }
        let says_nothing_else = said.text.text().is_empty() && stale.len() == said.pairs.len();
        if says_nothing_else && Some(place) != newest {
            parts.remove(place);
        } else {
            stub_results(said, &stale);
        }
    }
}

/// The positions of a loop's pairs whose results are superseded, newest first.
fn stale_pairs(said: &SpokenPart, seen: &mut BTreeSet<(SnapshotQuery, bool)>) -> Vec<usize> {
    let mut stale = Vec::new();
    for (position, pair) in said.pairs.iter().enumerate().rev() {
        if let Some((look, is_error)) = look_of(pair)
            && is_superseded(seen, look, is_error)
        {
            stale.push(position);
        }
    }
    stale
}

fn stub_results(said: &mut SpokenPart, stale: &[usize]) {
    for position in stale {
        if let Some(result) = &mut said.pairs[*position].result {
            result.text.replace(SUPERSEDED_TEXT);
        }
    }
}

fn look_of(pair: &Pair) -> Option<(SnapshotQuery, bool)> {
    let result = pair.result.as_ref()?;
    let look = SnapshotQuery::of(result.game, &pair.tool, pair.arguments.text())?;
    Some((look, result.is_error))
}

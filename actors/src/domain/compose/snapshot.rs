//! Snapshots: of several looks at the same thing only the newest matters (DESIGN 5.4).

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::tool::is_snapshot;

use super::part::{LoopPart, Pair, Part};

/// What stands in place of a look that a newer one replaces.
const SUPERSEDED: &str = "[superseded by a newer result of the same call]";

/// Drops or stubs the results that newer ones replace. An error never replaces a good result, and
/// of several errors only those newer than the newest good result are kept, the newest of them.
pub(super) fn supersede(parts: &mut Vec<Part>) {
    let mut seen = BTreeSet::new();
    let newest = parts.iter().rposition(|part| matches!(part, Part::Loop(_)));
    for place in (0..parts.len()).rev() {
        let Part::Loop(found) = &mut parts[place] else {
            continue;
        };
        let stale = stale_pairs(found, &mut seen);
        if stale.is_empty() {
            continue;
        }
        let says_nothing_else = found.text.text().is_empty() && stale.len() == found.pairs.len();
        if says_nothing_else && Some(place) != newest {
            parts.remove(place);
        } else {
            stub(found, &stale);
        }
    }
}

/// The pairs of a loop whose results are replaced by later ones; newest first.
fn stale_pairs(found: &LoopPart, seen: &mut BTreeSet<Look>) -> Vec<usize> {
    let mut stale = Vec::new();
    for (position, pair) in found.pairs.iter().enumerate().rev() {
        let Some(look) = Look::of(pair) else {
            continue;
        };
        let good = Look {
            is_error: false,
            ..look.clone()
        };
        if seen.contains(&good) || !seen.insert(look) {
            stale.push(position);
        }
    }
    stale
}

fn stub(found: &mut LoopPart, stale: &[usize]) {
    for position in stale {
        if let Some(result) = &mut found.pairs[*position].result {
            result.text.replace(SUPERSEDED);
        }
    }
}

/// One look: a snapshot tool with its arguments, and whether it failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Look {
    tool: String,
    arguments: String,
    is_error: bool,
}

impl Look {
    fn of(pair: &Pair) -> Option<Look> {
        let result = pair.result.as_ref()?;
        is_snapshot(&pair.tool).then(|| Look {
            tool: pair.tool.to_string(),
            arguments: normalised(&pair.arguments),
            is_error: result.is_error,
        })
    }
}

/// Arguments with their keys in order, so that equal ones compare equal.
fn normalised(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => value.to_string(),
        Err(_) => arguments.to_string(),
    }
}

//! The budget: a request never grows past its size, and says what was left out (DESIGN 5.6).
//!
//! Steps, each only if the one before was not enough: long results are cut; the oldest loops and
//! replies go, as units; what is left is cut shorter; calls of the last loop go, oldest first;
//! orders between the owner and the newest go. The owner, the newest order and the last loop stay.

use super::part::{LoopPart, Part};
use super::wire;

/// The shortest that anything is cut to, in bytes.
pub(super) const SMALLEST: usize = 160;

/// Makes the parts fit into so many bytes.
pub(super) fn fit(parts: &mut Vec<Part>, budget: usize) {
    let mut cap = (budget / 4).max(SMALLEST);
    shorten(parts, cap, budget / 2);
    drop_oldest_words(parts, budget);
    while size(parts) > budget && cap > SMALLEST {
        cap = (cap / 2).max(SMALLEST);
        shorten(parts, cap, cap * 2);
    }
    while size(parts) > budget && drop_a_pair(parts) {}
    while size(parts) > budget && drop_a_middle_order(parts) {}
}

fn size(parts: &[Part]) -> usize {
    parts.iter().map(part_size).sum()
}

/// A part's bytes, with the comma before each of its messages.
fn part_size(part: &Part) -> usize {
    wire::render(part)
        .iter()
        .map(|message| wire::message_bytes(message) + 1)
        .sum()
}

/// Cuts results, words and arguments to one length and orders to another.
fn shorten(parts: &mut [Part], cap: usize, order_cap: usize) {
    for part in parts {
        match part {
            Part::Order(order) => order.text.shorten(order_cap, ""),
            Part::Reply(text) => text.shorten(cap, ""),
            Part::Loop(found) => shorten_loop(found, cap),
        }
    }
}

fn shorten_loop(found: &mut LoopPart, cap: usize) {
    found.text.shorten(cap, "");
    for pair in &mut found.pairs {
        if wire::escaped_len(&pair.arguments) > cap {
            let bytes = pair.arguments.len();
            pair.arguments = format!(r#"{{"_cut":"{bytes} bytes of arguments left out"}}"#).into();
        }
        if let Some(result) = &mut pair.result {
            result.text.shorten(cap, &reading_on(&pair.id));
        }
    }
}

/// Where the rest of a result can be had.
fn reading_on(call_id: &str) -> String {
    let id: String = call_id.chars().take(64).collect();
    format!(r#"; zoea_read_result {{"call_id":"{id}"}} reads on"#)
}

/// Drops loops and replies, oldest first, until the rest fits; the last loop stays.
fn drop_oldest_words(parts: &mut Vec<Part>, budget: usize) {
    let mut total = size(parts);
    let last_loop = parts.iter().rposition(|part| matches!(part, Part::Loop(_)));
    let mut kept = Vec::with_capacity(parts.len());
    for (place, part) in parts.drain(..).enumerate() {
        let is_droppable = match part {
            Part::Order(_) => false,
            Part::Reply(_) => true,
            Part::Loop(_) => Some(place) != last_loop,
        };
        if total > budget && is_droppable {
            total -= part_size(&part);
        } else {
            kept.push(part);
        }
    }
    *parts = kept;
}

/// Drops the oldest call of the last loop, with its result; false where only one is left.
fn drop_a_pair(parts: &mut [Part]) -> bool {
    for part in parts.iter_mut() {
        let Part::Loop(found) = part else {
            continue;
        };
        if found.pairs.len() > 1 {
            found.pairs.remove(0);
            return true;
        }
    }
    false
}

/// Drops the oldest order that neither owns the turn nor is the newest; false where none is left.
fn drop_a_middle_order(parts: &mut Vec<Part>) -> bool {
    let newest = parts
        .iter()
        .rposition(|part| matches!(part, Part::Order(_)));
    let middle = parts.iter().enumerate().position(|(place, part)| {
        matches!(part, Part::Order(order) if !order.is_owner) && Some(place) != newest
    });
    let Some(place) = middle else {
        return false;
    };
    parts.remove(place);
    true
}

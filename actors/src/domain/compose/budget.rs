//! The budget: a request never grows past its size, and says what was left out (DESIGN 5.6).
//!
//! Steps, each only if the one before was not enough: long results are cut; the oldest loops and
//! replies go, as units; what is left is cut shorter; calls of the last loop go, oldest first;
//! orders between the owner and the newest go; the owner is cut shorter. The owner, the newest
//! order and the last loop stay.

use crate::domain::ids::CallKey;

use super::part::{LoopPart, OrderPart, Part};
use super::wire;

/// The shortest that anything is cut to, in bytes.
pub(super) const SMALLEST: usize = 192;

/// Makes the parts fit into so many bytes.
pub(super) fn fit(parts: &mut Vec<Part>, budget: usize) {
    let mut caps = Caps {
        words: (budget / 4).max(SMALLEST),
        orders: (budget / 2).max(SMALLEST),
        owner: (budget / 2).max(SMALLEST),
    };
    caps.shorten(parts);
    drop_oldest_words(parts, budget);
    while size(parts) > budget && caps.words > SMALLEST {
        caps.words = (caps.words / 2).max(SMALLEST);
        caps.orders = caps.words.max(SMALLEST * 2);
        caps.shorten(parts);
    }
    while size(parts) > budget && drop_a_pair(parts) {}
    while size(parts) > budget && drop_a_middle_order(parts) {}
    while size(parts) > budget && caps.owner > SMALLEST {
        caps.owner = (caps.owner / 2).max(SMALLEST);
        caps.orders = caps.orders.min(caps.owner);
        caps.shorten(parts);
    }
}

fn size(parts: &[Part]) -> usize {
    parts.iter().map(wire::part_bytes).sum()
}

/// How long each kind of text may be, in bytes inside JSON.
struct Caps {
    words: usize,
    orders: usize,
    owner: usize,
}

impl Caps {
    fn shorten(&self, parts: &mut [Part]) {
        for part in parts {
            match part {
                Part::Order(order) => self.shorten_order(order),
                Part::Reply(text) => text.shorten(self.words, nowhere),
                Part::Loop(found) => self.shorten_loop(found),
            }
        }
    }

    fn shorten_order(&self, order: &mut OrderPart) {
        let cap = if order.is_owner {
            self.owner
        } else {
            self.orders
        };
        order.text.shorten(cap, nowhere);
    }

    fn shorten_loop(&self, found: &mut LoopPart) {
        found.text.shorten(self.words, nowhere);
        for pair in &mut found.pairs {
            if pair.arguments.size() > self.words {
                let bytes = pair.arguments.text().len();
                let stub = format!(r#"{{"_cut":"{bytes} bytes of arguments left out"}}"#);
                pair.arguments.replace(&stub);
            }
            if let Some(result) = &mut pair.result {
                let key = pair.key;
                result
                    .text
                    .shorten(self.words, |kept| reading_on(key, kept));
            }
        }
    }
}

/// The rest of words is in the store alone.
fn nowhere(_kept: usize) -> String {
    String::new()
}

/// Where the rest of a result can be had. The call is named by its key: a provider's id may be
/// repeated from one message to the next.
fn reading_on(call: CallKey, kept: usize) -> String {
    format!(r#"; zoea_read_result {{"call_id":"{call}","offset":{kept}}} reads on"#)
}

/// Drops loops and replies, oldest first, until the rest fits; the last loop stays.
fn drop_oldest_words(parts: &mut Vec<Part>, budget: usize) {
    let mut total = size(parts);
    if total <= budget {
        return;
    }
    let last_loop = parts.iter().rposition(|part| matches!(part, Part::Loop(_)));
    let mut kept = Vec::with_capacity(parts.len());
    for (place, part) in parts.drain(..).enumerate() {
        let is_droppable = match part {
            Part::Order(_) => false,
            Part::Reply(_) => true,
            Part::Loop(_) => Some(place) != last_loop,
        };
        if total > budget && is_droppable {
            total -= wire::part_bytes(&part);
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

//! The budget of a request: limits its size and says what was left out (DESIGN 5.6).
//!
//! Each step is taken only if the one before was not enough: cut long results; drop the oldest
//! loops and replies, each as a whole; drop what providers want back; cut the rest shorter; drop calls of the last loop, oldest
//! first; drop orders between the owner and the newest; cut the owner shorter. The owner, the
//! newest order and the last loop are never dropped.

use crate::ids::CallKey;

use super::part::{LoopPart, OrderPart, Pair, RequestPart};
use super::{render, wire};

/// The shortest length to which a text is cut, in bytes.
pub(super) const MIN_EXCERPT_BYTES: usize = 192;

/// A longer id is more than a name for a call.
const LONG_ID_BYTES: usize = 256;

/// Makes the parts fit into a limit of bytes.
pub(super) fn fit_parts(parts: &mut Vec<RequestPart>, budget: usize) {
    let mut caps = Caps {
        words: (budget / 4).max(MIN_EXCERPT_BYTES),
        orders: (budget / 2).max(MIN_EXCERPT_BYTES),
        owner: (budget / 2).max(MIN_EXCERPT_BYTES),
    };
    caps.shorten_parts(parts);
    drop_oldest_words(parts, budget);
    while total_bytes(parts) > budget && drop_an_echo(parts) {}
    while total_bytes(parts) > budget && caps.words > MIN_EXCERPT_BYTES {
        caps.words = (caps.words / 2).max(MIN_EXCERPT_BYTES);
        caps.orders = caps.words.max(MIN_EXCERPT_BYTES * 2);
        caps.shorten_parts(parts);
    }
    while total_bytes(parts) > budget && drop_a_pair(parts) {}
    while total_bytes(parts) > budget && drop_a_middle_order(parts) {}
    while total_bytes(parts) > budget && caps.owner > MIN_EXCERPT_BYTES {
        caps.owner = (caps.owner / 2).max(MIN_EXCERPT_BYTES);
        caps.orders = caps.orders.min(caps.owner);
        caps.shorten_parts(parts);
    }
}

fn total_bytes(parts: &[RequestPart]) -> usize {
    parts.iter().map(render::part_bytes).sum()
}

/// The longest length of each kind of text, in bytes inside JSON.
struct Caps {
    words: usize,
    orders: usize,
    owner: usize,
}

impl Caps {
    fn shorten_parts(&self, parts: &mut [RequestPart]) {
        for part in parts {
            match part {
                RequestPart::Order(order) => self.shorten_order(order),
                RequestPart::Reply(text, _) => text.shorten(self.words, no_hint),
                RequestPart::Loop(found) => self.shorten_loop(found),
            }
        }
    }

    fn shorten_order(&self, order: &mut OrderPart) {
        let cap = if order.is_owner {
            self.owner
        } else {
            self.orders
        };
        order.text.shorten(cap, no_hint);
    }

    fn shorten_loop(&self, found: &mut LoopPart) {
        found.text.shorten(self.words, no_hint);
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

/// A cut message gets no hint, because its rest is only in the store.
fn no_hint(_kept: usize) -> String {
    String::new()
}

/// The hint for reading on in a cut result. It names the call by its key, because a provider may
/// repeat its ids.
fn reading_on(call: CallKey, kept: usize) -> String {
    format!(r#"; zoea_read_result {{"call_id":"{call}","offset":{kept}}} reads on"#)
}

/// Drops loops and replies, oldest first, until the rest fits. The last loop stays.
fn drop_oldest_words(parts: &mut Vec<RequestPart>, budget: usize) {
    let mut total = total_bytes(parts);
    if total <= budget {
        return;
    }
    let last_loop = parts
        .iter()
        .rposition(|part| matches!(part, RequestPart::Loop(_)));
    let mut kept = Vec::with_capacity(parts.len());
    for (place, part) in parts.drain(..).enumerate() {
        let is_droppable = match part {
            RequestPart::Order(_) => false,
            RequestPart::Reply(..) => true,
            RequestPart::Loop(_) => Some(place) != last_loop,
        };
        if total > budget && is_droppable {
            total -= render::part_bytes(&part);
        } else {
            kept.push(part);
        }
    }
    *parts = kept;
}

/// Drops what a provider wants back with the oldest message that has it, and ids in which it may be
/// packed. Returns false if there is none.
fn drop_an_echo(parts: &mut [RequestPart]) -> bool {
    for part in parts.iter_mut() {
        match part {
            RequestPart::Order(_) => {}
            RequestPart::Reply(_, echo) => {
                if echo.take().is_some() {
                    return true;
                }
            }
            RequestPart::Loop(found) => {
                let has_echo = found.echo.take().is_some();
                let is_long = |pair: &&mut Pair| pair.id.len() > LONG_ID_BYTES;
                let mut long_ids = 0;
                for pair in found.pairs.iter_mut().filter(is_long) {
                    pair.id = wire::own_id(pair.key);
                    long_ids += 1;
                }
                found
                    .pairs
                    .iter_mut()
                    .for_each(|pair| pair.echo = "".into());
                if has_echo || long_ids > 0 {
                    return true;
                }
            }
        }
    }
    false
}

/// Drops the oldest call of the last loop with its result. Returns false if only one is left.
fn drop_a_pair(parts: &mut [RequestPart]) -> bool {
    for part in parts.iter_mut() {
        let RequestPart::Loop(found) = part else {
            continue;
        };
        if found.pairs.len() > 1 {
            found.pairs.remove(0);
            return true;
        }
    }
    false
}

/// Drops the oldest order that is neither the owner nor the newest. Returns false if there is none.
fn drop_a_middle_order(parts: &mut Vec<RequestPart>) -> bool {
    let newest = parts
        .iter()
        .rposition(|part| matches!(part, RequestPart::Order(_)));
    let middle = parts.iter().enumerate().position(|(place, part)| {
        matches!(part, RequestPart::Order(order) if !order.is_owner) && Some(place) != newest
    });
    let Some(place) = middle else {
        return false;
    };
    parts.remove(place);
    true
}

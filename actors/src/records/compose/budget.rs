//! The budget of a request: limits its size and says what was left out (docs/design/requests.md).
//!
//! Each step is taken only if the one before was not enough: cut long results; leave out results
//! for which there are newer ones; drop the oldest loops and replies, each as a whole and several
//! at once; drop what providers want back; cut the rest shorter; drop calls of the last loop, oldest
//! first; drop orders between the owner and the newest; cut the owner shorter. The owner, the
//! newest order and the last loop are never dropped.
//!
//! Within a turn each step changes what earlier requests began with, so that the provider's cache
//! is lost from there on. Limits are rounded, so that they stay the same.

use crate::ids::CallKey;

use super::excerpt::Excerpt;
use super::part::{OrderPart, Pair, RequestPart, SpokenPart};
use super::steady::{Block, first_kept, round_limit};
use super::{render, snapshot, wire};

/// The shortest length to which a text is cut, in bytes.
pub(super) const MIN_EXCERPT_BYTES: usize = 192;

const LONG_ID_BYTES: usize = 256;

/// Makes the parts fit into a limit of bytes.
pub(super) fn fit_parts(parts: &mut Vec<RequestPart>, budget: usize) {
    let mut caps = Caps::of_request(budget);
    caps.shorten_parts(parts);
    if total_bytes(parts) > budget {
        snapshot::supersede_results(parts);
    }
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

pub(super) fn total_bytes(parts: &[RequestPart]) -> usize {
    parts.iter().map(render::part_bytes).sum()
}

/// The longest length of each kind of text, in bytes inside JSON.
pub(super) struct Caps {
    words: usize,
    orders: usize,
    owner: usize,
}

impl Caps {
    pub(super) fn of_request(budget: usize) -> Caps {
        let share = |parts: usize| round_limit(budget / parts).max(MIN_EXCERPT_BYTES);
        Caps {
            words: share(4),
            orders: share(2),
            owner: share(2),
        }
    }

    /// The lengths in the earlier turns of a request, of which all together may have this many
    /// bytes.
    pub(super) fn of_earlier_turns(bytes: usize) -> Caps {
        let share = |parts: usize| (bytes / parts).max(MIN_EXCERPT_BYTES);
        Caps {
            words: share(16),
            orders: share(8),
            owner: share(8),
        }
    }

    pub(super) fn results(&self) -> usize {
        self.words
    }

    pub(super) fn shorten_result(&self, call: CallKey, text: &mut Excerpt) {
        text.shorten(self.words, |kept| reading_on(call, kept));
    }

    pub(super) fn shorten_parts(&self, parts: &mut [RequestPart]) {
        for part in parts {
            self.shorten_part(part);
        }
    }

    pub(super) fn shorten_part(&self, part: &mut RequestPart) {
        match part {
            RequestPart::Order(order) => self.shorten_order(order),
            RequestPart::Spoken(said) => self.shorten_spoken(said),
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

    fn shorten_spoken(&self, said: &mut SpokenPart) {
        said.text.shorten(self.words, no_hint);
        for pair in &mut said.pairs {
            if pair.arguments.size() > self.words {
                let bytes = pair.arguments.text().len();
                let stub = format!(r#"{{"_cut":"{bytes} bytes of arguments left out"}}"#);
                pair.arguments.replace(&stub);
            }
            if let Some(result) = &mut pair.result {
                self.shorten_result(pair.key, &mut result.text);
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

/// Drops the oldest loops and replies if not all parts fit, and so many of them that the next
/// requests need to drop none. The last loop stays.
fn drop_oldest_words(parts: &mut Vec<RequestPart>, budget: usize) {
    if total_bytes(parts) <= budget {
        return;
    }
    let last_loop = parts.iter().rposition(RequestPart::is_loop);
    let words: Vec<(usize, Block)> = (0..)
        .zip(&*parts)
        .filter(|(place, _)| Some(*place) != last_loop)
        .filter_map(|(place, part)| Some((place, word_block(part)?)))
        .collect();
    let blocks: Vec<Block> = words.iter().map(|(_, block)| *block).collect();
    let of_words: usize = blocks.iter().map(|block| block.bytes).sum();
    let fixed = total_bytes(parts) - of_words;
    let dropped = first_kept(&blocks, budget.saturating_sub(fixed));
    for (place, _) in words[..dropped].iter().rev() {
        parts.remove(*place);
    }
}

/// The row and the size of a loop or a reply; `None` for an order.
fn word_block(part: &RequestPart) -> Option<Block> {
    let RequestPart::Spoken(said) = part else {
        return None;
    };
    Some(Block {
        number: said.seq.0,
        bytes: render::part_bytes(part),
    })
}

/// Drops what a provider wants back with the oldest message that has it, and ids in which it may be
/// packed. Returns false if there is none.
fn drop_an_echo(parts: &mut [RequestPart]) -> bool {
    for part in parts.iter_mut() {
        let RequestPart::Spoken(said) = part else {
            continue;
        };
        // Reasoning has a limit of its own.
        let reasoning = said.echo.take_if(|echo| echo.bytes() == 0);
        let is_smaller = drop_echo(said);
        said.echo = reasoning;
        if is_smaller {
            return true;
        }
    }
    false
}

/// Drops what a provider wants back with a message. Returns false if there is nothing.
pub(super) fn drop_echo(said: &mut SpokenPart) -> bool {
    let has_echo = said.echo.take().is_some();
    let is_long = |pair: &&mut Pair| pair.id.len() > LONG_ID_BYTES;
    let mut long_ids = 0;
    for pair in said.pairs.iter_mut().filter(is_long) {
        pair.id = wire::own_id(pair.key);
        long_ids += 1;
    }
    let pairs = said.pairs.iter_mut();
    pairs.for_each(|pair| pair.echo = "".into());
    has_echo || long_ids > 0
}

/// Drops the oldest call of the last loop with its result. Returns false if only one is left.
fn drop_a_pair(parts: &mut [RequestPart]) -> bool {
    for part in parts.iter_mut() {
        let RequestPart::Spoken(said) = part else {
            continue;
        };
        if said.pairs.len() > 1 {
            said.pairs.remove(0);
            return true;
        }
    }
    false
}

/// Drops the oldest order that is neither the owner nor the newest. Returns false if there is none.
fn drop_a_middle_order(parts: &mut Vec<RequestPart>) -> bool {
    let newest = parts.iter().rposition(RequestPart::is_order);
    let middle = parts.iter().enumerate().position(|(place, part)| {
        matches!(part, RequestPart::Order(order) if !order.is_owner) && Some(place) != newest
    });
    let Some(place) = middle else {
        return false;
    };
    parts.remove(place);
    true
}

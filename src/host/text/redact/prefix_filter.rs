//! Rejects most places of a text at which no pattern begins. Prefixes are only ever added, so several
//! redactors may share a filter: one that knows more says `may` more often, and nothing else.

use std::sync::atomic::{AtomicU64, Ordering};

use super::PREFIX_BYTES;

/// The most words of a table, half a MiB. With more patterns than words, more places pass.
const MAX_WORDS: usize = 1 << 16;

/// The words with a bit for each pair of bytes.
const MAX_PAIR_WORDS: usize = 1 << 10;

/// Whether a pattern may begin with some bytes.
pub(super) struct PrefixFilter {
    /// How many patterns it was made for.
    room: usize,
    firsts: [AtomicU64; 4],
    /// Bits by the first two bytes, and by the hash of a whole prefix. Their number grows with that of the
    /// patterns, since every Mysis has a redactor of its own.
    pairs: Box<[AtomicU64]>,
    prefixes: Box<[AtomicU64]>,
}

impl Default for PrefixFilter {
    fn default() -> PrefixFilter {
        PrefixFilter::with_room_for(0)
    }
}

impl PrefixFilter {
    /// A filter that rejects all but about one of 64 places in a text that holds no pattern.
    pub(super) fn with_room_for(patterns: usize) -> PrefixFilter {
        let words = patterns.next_power_of_two();
        let table = |most: usize| (0..words.min(most)).map(|_| AtomicU64::new(0)).collect();
        PrefixFilter {
            room: if words >= MAX_WORDS {
                usize::MAX
            } else {
                words
            },
            firsts: Default::default(),
            pairs: table(MAX_PAIR_WORDS),
            prefixes: table(MAX_WORDS),
        }
    }

    /// Whether it is large enough for this many patterns, or as large as it gets.
    pub(super) fn has_room_for(&self, patterns: usize) -> bool {
        patterns <= self.room
    }

    pub(super) fn add_prefix(&self, prefix: [u8; PREFIX_BYTES]) {
        let pair = u16::from_le_bytes([prefix[0], prefix[1]]);
        set(&self.firsts, prefix[0].into());
        set(&self.pairs, hash(pair.into()));
        set(&self.prefixes, hash(u32::from_le_bytes(prefix)));
    }

    /// Whether a pattern may begin with these bytes.
    pub(super) fn may_begin(&self, read: &[u8]) -> bool {
        match read {
            [] => true,
            [first] => has(&self.firsts, (*first).into()),
            [first, second, ..] => {
                let pair = u16::from_le_bytes([*first, *second]);
                has(&self.pairs, hash(pair.into()))
            }
        }
    }

    /// Whether a pattern may begin with this prefix. Most are rejected by it as a whole, and most of the
    /// others by its first two bytes.
    pub(super) fn may_be(&self, prefix: [u8; PREFIX_BYTES]) -> bool {
        has(&self.prefixes, hash(u32::from_le_bytes(prefix))) && self.may_begin(&prefix)
    }
}

/// The upper bits of a product depend on all bits of the key.
fn hash(key: u32) -> u64 {
    u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// The place of a key's bit in a table, whose length is a power of two.
fn bit_of(table: &[AtomicU64], key: u64) -> (usize, u64) {
    ((key >> 6) as usize & (table.len() - 1), 1 << (key & 63))
}

// Whoever reads a bit got the redactor from whoever set it, which orders the two.

fn set(table: &[AtomicU64], key: u64) {
    let (place, bit) = bit_of(table, key);
    table[place].fetch_or(bit, Ordering::Relaxed);
}

fn has(table: &[AtomicU64], key: u64) -> bool {
    let (place, bit) = bit_of(table, key);
    table[place].load(Ordering::Relaxed) & bit != 0
}

//! The cache of prompts, as servers of models keep one: what a request shares with an earlier one
//! from its first byte on is read from it.
//!
//! It counts as OpenAI's does. A prompt is the tools, then the messages. The longest prefix that was
//! seen lately counts, in whole blocks of 128 tokens and from 1,024 tokens on. What nobody repeats
//! is forgotten. Only hashes are kept.

use std::collections::HashMap;
use std::time::Duration;

use super::answer::{TOKEN_BYTES, count_tokens};
use super::chance::Mix;

/// The bytes of a block: 128 tokens.
const BLOCK_BYTES: usize = 128 * TOKEN_BYTES;
/// The fewest tokens that are read from the cache.
const MIN_TOKENS: u64 = 1024;
/// How long a prefix is kept after it was last seen: the shortest time that servers state.
const EXPIRY: Duration = Duration::from_secs(300);
/// The most blocks that are kept: prompts of 16 million tokens that share nothing.
const MAX_BLOCKS: usize = 1 << 17;

#[derive(Debug, Default)]
pub struct PromptCache {
    seen: HashMap<u64, Duration>,
}

impl PromptCache {
    /// How many tokens of this prompt come from the cache. The prompt is remembered from now on.
    /// Times are counted from any beginning, and never go back.
    pub fn read_through(&mut self, prompt: &[&str], now: Duration) -> u64 {
        self.make_room(now);
        let mut hash = Mix::new(0);
        let mut known = 0;
        let mut is_known = true;
        for_each_block(prompt, |block| {
            hash = hash.with_bytes(block);
            let before = self.seen.insert(hash.bits(), now);
            is_known &= before.is_some_and(|before| now.saturating_sub(before) <= EXPIRY);
            known += u64::from(is_known) * count_tokens(block.len());
        });
        if known < MIN_TOKENS { 0 } else { known }
    }

    /// Forgets what has expired, and everything where that does not suffice.
    fn make_room(&mut self, now: Duration) {
        if self.seen.len() < MAX_BLOCKS {
            return;
        }
        self.seen
            .retain(|_, before| now.saturating_sub(*before) <= EXPIRY);
        if self.seen.len() >= MAX_BLOCKS / 2 {
            self.seen.clear();
        }
    }
}

/// Passes on the whole blocks of texts that stand one behind the other.
fn for_each_block(texts: &[&str], mut take: impl FnMut(&[u8])) {
    let mut begun: Vec<u8> = Vec::with_capacity(BLOCK_BYTES);
    for text in texts {
        let mut rest = text.as_bytes();
        if !begun.is_empty() {
            let (head, behind) = rest.split_at(rest.len().min(BLOCK_BYTES - begun.len()));
            begun.extend_from_slice(head);
            rest = behind;
            if begun.len() < BLOCK_BYTES {
                continue;
            }
            take(&begun);
            begun.clear();
        }
        let mut blocks = rest.chunks_exact(BLOCK_BYTES);
        blocks.by_ref().for_each(&mut take);
        begun.extend_from_slice(blocks.remainder());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1000);

    /// A text of so many tokens that differs from one of another name in every block.
    fn text(name: u8, tokens: usize) -> String {
        char::from(name).to_string().repeat(tokens * TOKEN_BYTES)
    }

    fn read(cache: &mut PromptCache, texts: &[&str]) -> u64 {
        cache.read_through(texts, NOW)
    }

    #[test]
    fn a_prefix_counts_in_whole_blocks_from_the_smallest_size_on() {
        let mut cache = PromptCache::default();
        let (a, b) = (text(b'a', 1100), text(b'b', 500));
        assert_eq!(read(&mut cache, &[&a, &b]), 0, "nothing was seen before");
        // 1,600 tokens are twelve blocks and a piece.
        assert_eq!(read(&mut cache, &[&a, &b]), 1536);
        // 1,100 tokens are eight blocks and a piece.
        assert_eq!(read(&mut cache, &[&a, &text(b'c', 500)]), 1024);
        assert_eq!(read(&mut cache, &[&b, &a]), 0, "it is no prefix");
        let small = text(b'd', 1023);
        for _ in 0..2 {
            assert_eq!(read(&mut cache, &[&small]), 0, "it is too short");
        }
    }

    #[test]
    fn where_a_text_ends_makes_no_difference() {
        let mut cache = PromptCache::default();
        let whole = text(b'a', 1500);
        read(&mut cache, &[&whole]);
        for at in [1, 511, 512, 513, 3000, 6000] {
            let (head, tail) = whole.split_at(at);
            assert_eq!(read(&mut cache, &[head, "", tail]), 1408, "{at}");
        }
        let grown = format!("{whole}{}", text(b'b', 200));
        assert_eq!(read(&mut cache, &[&grown]), 1408);
    }

    #[test]
    fn what_nobody_repeats_is_forgotten() {
        let mut cache = PromptCache::default();
        let prompt = text(b'a', 1024);
        let mut ask = |seconds| cache.read_through(&[&prompt], Duration::from_secs(seconds));
        assert_eq!(ask(0), 0);
        assert_eq!(ask(300), 1024);
        assert_eq!(ask(600), 1024, "each use keeps it");
        assert_eq!(ask(901), 0);
        assert_eq!(ask(902), 1024, "it was written again");
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut cache = PromptCache::default();
        let mut largest = 0;
        for number in 0..3000 {
            let prompt = format!("{number:08}").repeat(100 * 64);
            cache.read_through(&[&prompt], NOW);
            largest = largest.max(cache.seen.len());
        }
        assert!(largest > MAX_BLOCKS / 2, "{largest}");
        assert!(largest < MAX_BLOCKS + 200, "{largest}");
    }
}

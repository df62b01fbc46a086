//! Notices an answer in which nothing new comes any more: line breaks, the same words for ever, long
//! cycles, also with counters in them. Its model has lost itself, and every byte is paid.

use std::collections::HashSet;

/// The bytes that are new or not. Shorter ones come again in any text.
const SHINGLE_BYTES: u32 = 12;
/// So much without anything new, in bytes and in pieces, ends an answer that repeats a short text.
const MAX_STALE_BYTES: usize = 2 << 10;
const MAX_STALE_PIECES: usize = 256;
/// The same of a text with numbers, which are not compared: a list of numbers is no cycle.
const MAX_STALE_BYTES_OF_NUMBERS: usize = 16 << 10;
/// So often at least such a short text must have come. What is said twice may be a draft.
const MIN_REPEATS: usize = 8;
/// So much without anything new ends any answer.
const MAX_STALE_BYTES_OF_ALL: usize = 32 << 10;
/// What is known of a longer answer is forgotten, so that it takes no more memory.
const MAX_KNOWN: usize = 256 << 10;

/// Measures how much of a text is new. Numbers are all the same, and so is white space.
#[derive(Debug, Default)]
pub(super) struct NoveltyMeter {
    /// The last bytes.
    window: u128,
    known: HashSet<u32>,
    /// What has come since anything was new.
    stale: HashSet<u32>,
    stale_bytes: usize,
    stale_pieces: usize,
    has_numbers: bool,
    is_stale: bool,
}

impl NoveltyMeter {
    pub(super) fn add(&mut self, piece: &str) {
        if piece.is_empty() || self.is_stale {
            return;
        }
        self.stale_pieces += 1;
        for byte in piece.bytes() {
            self.stale_bytes += 1;
            self.has_numbers |= byte.is_ascii_digit();
            self.take(byte);
        }
        let is_long = match self.has_numbers {
            true => self.stale_bytes >= MAX_STALE_BYTES_OF_NUMBERS,
            false => self.stale_bytes >= MAX_STALE_BYTES || self.stale_pieces >= MAX_STALE_PIECES,
        };
        let is_often = self.stale_bytes >= MIN_REPEATS * self.stale.len();
        self.is_stale = (is_long && is_often) || self.stale_bytes >= MAX_STALE_BYTES_OF_ALL;
    }

    fn take(&mut self, byte: u8) {
        const ALL: u128 = (1 << (8 * SHINGLE_BYTES)) - 1;
        let byte = match byte {
            b'0'..=b'9' => b'0',
            byte if byte.is_ascii_whitespace() => b' ',
            byte => byte,
        };
        let is_again = u128::from(byte) == (self.window & 0xff) && matches!(byte, b'0' | b' ');
        if is_again {
            return;
        }
        self.window = (self.window << 8 | u128::from(byte)) & ALL;
        let shingle = mixed(self.window);
        if self.known.insert(shingle) {
            self.stale.clear();
            (self.stale_bytes, self.stale_pieces, self.has_numbers) = (0, 0, false);
            if self.known.len() > MAX_KNOWN {
                self.known.clear();
            }
        } else {
            self.stale.insert(shingle);
        }
    }

    /// Whether nothing new has come for so long that nothing will.
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// The bytes at the end of the text that brought nothing new.
    pub(super) fn stale_bytes(&self) -> usize {
        self.stale_bytes
    }
}

/// A number for some bytes. Two different ones seldom have the same, which changes nothing much.
fn mixed(window: u128) -> u32 {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    (window.wrapping_mul(ODD) >> 96) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes after which a text is stale; `None` if it never is.
    fn stale_after(pieces: impl Iterator<Item = String>, most: usize) -> Option<usize> {
        let (mut meter, mut bytes) = (NoveltyMeter::default(), 0);
        for piece in pieces {
            bytes += piece.len();
            meter.add(&piece);
            if meter.is_stale() {
                return Some(bytes);
            }
            if bytes > most {
                break;
            }
        }
        None
    }

    /// Words without end that are never the same for long.
    fn prose(words: usize) -> String {
        let mut seed = 7_u64;
        let word = |_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            [
                "ore ", "ship ", "sol ", "dock ", "sell ", "fuel ", "mine ", "jump ", "hold ",
                "buy ",
            ][(seed >> 33) as usize % 10]
        };
        (0..words).map(word).collect()
    }

    #[test]
    fn what_brings_nothing_new_is_noticed_soon_however_it_repeats() {
        let short =
            |text: &str| stale_after(std::iter::repeat_n(text.to_string(), 100_000), 1 << 20);
        for (text, most) in [
            ("\n", 300),
            (" \t", 600),
            ("the same words ", 4 << 10),
            ("{\"a\":1},", 20 << 10),
            ("a", 300),
            ("é", 600),
        ] {
            let after = short(text).expect(text);
            assert!(after <= most, "{text:?}: {after}");
        }
        // In one piece, after other words.
        let long = prose(500) + &"\n\n".repeat(4 << 10);
        assert!(stale_after([long].into_iter(), 0).is_some());
        // With counters.
        let counted = (0..).map(|number| format!("{number}. I mine ore.\n"));
        let after = stale_after(counted, 1 << 20).expect("counters");
        assert!(after <= 20 << 10, "{after}");
        // Long cycles, in pieces as tokens come.
        for words in [300, 3_000, 25_000] {
            let cycle = prose(words);
            let pieces =
                std::iter::repeat(cycle.as_str()).flat_map(|cycle| cycle.split_inclusive(' '));
            let after = stale_after(pieces.map(str::to_string), 1 << 20).expect("a cycle");
            assert!(after <= 256 << 10, "{words} words: {after}");
        }
    }

    #[test]
    fn what_an_answer_may_hold_is_no_cycle() {
        let list: Vec<String> = (0..1500)
            .map(|number| format!("{{\"x\":{number}}}"))
            .collect();
        let draft = prose(1500);
        let code = include_str!("stream.rs");
        for text in [
            "-".repeat(200),
            list.join(","),
            format!("{draft}\nSo I say:\n{draft}"),
            format!("{code}{code}"),
            format!("{}x{}", " ".repeat(200), "\n".repeat(200)),
            "{\"name\":\"mine\",\"arguments\":{}}\n".repeat(40),
        ] {
            let pieces = text.as_bytes().chunks(64);
            let pieces = pieces.map(|piece| String::from_utf8_lossy(piece).into_owned());
            assert_eq!(stale_after(pieces, 1 << 20), None, "{}", &text[..40]);
        }
    }
}

//! Decoding: the notations of a single character, which may be nested.
//!
//! They are JSON's escapes in both cases (and their variants in Python, JavaScript and Markdown),
//! percent codes, `+` for a space, and HTML entities. A text may mix them.

use std::ops::RangeInclusive;

use super::entities;

/// How deep notations may be nested, such as JSON within JSON.
const MAX_DECODE_DEPTH: usize = 4;

/// The bytes in which codes are looked for at once.
const BLOCK_BYTES: usize = 32;

/// A decoded character, or one byte of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecodedLetter {
    bytes: [u8; 4],
    len: u8,
    /// The position after it.
    pub(super) next: usize,
}

impl DecodedLetter {
    fn from_byte(byte: u8, next: usize) -> DecodedLetter {
        let bytes = [byte, 0, 0, 0];
        DecodedLetter {
            bytes,
            len: 1,
            next,
        }
    }

    fn from_letter(letter: char, next: usize) -> DecodedLetter {
        let mut bytes = [0; 4];
        let len = letter.encode_utf8(&mut bytes).len();
        // A character has at most four bytes.
        let len = u8::try_from(len).unwrap_or(4);
        DecodedLetter { bytes, len, next }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    fn single_byte(&self) -> Option<u8> {
        (self.len == 1).then_some(self.bytes[0])
    }
}

/// Whether this byte can begin a code.
pub(super) fn begins_a_code(byte: u8) -> bool {
    matches!(byte, b'\\' | b'%' | b'&' | b'+')
}

pub(super) fn next_code(text: &[u8], from: usize) -> usize {
    // A block without a code, as most are, is looked at as a whole.
    let has_code = |block: &[u8]| {
        let codes = block.iter().map(|byte| begins_a_code(*byte));
        codes.fold(false, |has_one, is_one| has_one | is_one)
    };
    let Some(block) = text[from..].chunks(BLOCK_BYTES).position(has_code) else {
        return text.len();
    };
    let start = from + block * BLOCK_BYTES;
    let next = text[start..].iter().position(|byte| begins_a_code(*byte));
    next.map_or(text.len(), |next| start + next)
}

/// All readings of the text at a position, the plain one first.
pub(super) fn readings_at(text: &[u8], place: usize) -> impl Iterator<Item = DecodedLetter> {
    let plain = text
        .get(place)
        .map(|byte| DecodedLetter::from_byte(*byte, place + 1));
    let mut depth = 0;
    std::iter::successors(plain, move |before| {
        let mut now = *before;
        // A reading that is the same one level deeper is returned once.
        while now == *before {
            depth += 1;
            let is_over =
                depth > MAX_DECODE_DEPTH || !before.single_byte().is_some_and(begins_a_code);
            if is_over {
                return None;
            }
            now = decode_once(text, now, depth - 1);
        }
        Some(now)
    })
}

fn read_decoded(text: &[u8], place: usize, depth: usize) -> Option<DecodedLetter> {
    let mut spelt = DecodedLetter::from_byte(*text.get(place)?, place + 1);
    for depth in 0..depth {
        if !spelt.single_byte().is_some_and(begins_a_code) {
            break;
        }
        spelt = decode_once(text, spelt, depth);
    }
    Some(spelt)
}

/// Decodes one more level, if the character begins a code.
fn decode_once(text: &[u8], first: DecodedLetter, depth: usize) -> DecodedLetter {
    let letter = match first.single_byte() {
        Some(b'\\') => decode_backslash(text, first.next, depth),
        Some(b'%') => decode_percent(text, first.next, depth),
        Some(b'&') => decode_entity(text, first.next, depth),
        Some(b'+') => Some(DecodedLetter::from_byte(b' ', first.next)),
        Some(_) | None => None,
    };
    letter.unwrap_or(first)
}

fn decode_backslash(text: &[u8], place: usize, depth: usize) -> Option<DecodedLetter> {
    let second = read_decoded(text, place, depth)?;
    let byte = second.single_byte()?;
    let next = second.next;
    match byte {
        b'n' => Some(DecodedLetter::from_byte(b'\n', next)),
        b'r' => Some(DecodedLetter::from_byte(b'\r', next)),
        b't' => Some(DecodedLetter::from_byte(b'\t', next)),
        b'b' => Some(DecodedLetter::from_byte(8, next)),
        b'f' => Some(DecodedLetter::from_byte(12, next)),
        b'x' => letter_of_code(read_hex(text, next, 2, depth)?),
        b'U' => letter_of_code(read_hex(text, next, 8, depth)?),
        b'u' => match skip_sign(text, next, b'{', depth) {
            Some(open) => {
                let (number, end) = read_digits(text, open, 16, 1..=6, depth)?;
                letter_of_code((number, skip_sign(text, end, b'}', depth)?))
            }
            None => decode_utf16(text, next, depth),
        },
        _ if byte.is_ascii_punctuation() => Some(DecodedLetter::from_byte(byte, next)),
        _ => None,
    }
}

/// Decodes four digits after `\u`. For a character beyond them, a second code follows.
fn decode_utf16(text: &[u8], place: usize, depth: usize) -> Option<DecodedLetter> {
    let (high, next) = read_hex(text, place, 4, depth)?;
    if !(0xd800..0xdc00).contains(&high) {
        return letter_of_code((high, next));
    }
    let u = skip_sign(text, skip_sign(text, next, b'\\', depth)?, b'u', depth)?;
    let (low, end) = read_hex(text, u, 4, depth)?;
    let is_low = (0xdc00..0xe000).contains(&low);
    let both = is_low.then(|| 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    letter_of_code((both, end))
}

/// Decodes a percent code: a byte, or a character in the form of JavaScript's `escape`.
fn decode_percent(text: &[u8], place: usize, depth: usize) -> Option<DecodedLetter> {
    let u = skip_sign(text, place, b'u', depth).or_else(|| skip_sign(text, place, b'U', depth));
    if let Some(u) = u {
        return letter_of_code(read_hex(text, u, 4, depth)?);
    }
    let (byte, end) = read_hex(text, place, 2, depth)?;
    Some(DecodedLetter::from_byte(u8::try_from(byte).ok()?, end))
}

fn decode_entity(text: &[u8], place: usize, depth: usize) -> Option<DecodedLetter> {
    if let Some(place) = skip_sign(text, place, b'#', depth) {
        let x = skip_sign(text, place, b'x', depth).or_else(|| skip_sign(text, place, b'X', depth));
        let (number, end) = match x {
            Some(x) => read_digits(text, x, 16, 1..=8, depth)?,
            None => read_digits(text, place, 10, 1..=8, depth)?,
        };
        let end = skip_sign(text, end, b';', depth).unwrap_or(end);
        return letter_of_code((number, end));
    }
    let mut name = String::new();
    let mut place = place;
    while name.len() <= entities::MAX_ENTITY_NAME_BYTES {
        let spelt = read_decoded(text, place, depth)?;
        place = spelt.next;
        match char::from(spelt.single_byte()?) {
            ';' => {
                return entities::entity_letter(&name)
                    .map(|letter| DecodedLetter::from_letter(letter, place));
            }
            letter if letter.is_ascii_alphanumeric() => name.push(letter),
            _ => return None,
        }
    }
    None
}

fn letter_of_code((number, next): (u32, usize)) -> Option<DecodedLetter> {
    char::from_u32(number).map(|letter| DecodedLetter::from_letter(letter, next))
}

/// The position after a character, if it is at this position.
fn skip_sign(text: &[u8], place: usize, sign: u8, depth: usize) -> Option<usize> {
    let read = read_decoded(text, place, depth)?;
    (read.single_byte() == Some(sign)).then_some(read.next)
}

/// A hexadecimal number with this many digits, and the position after it.
fn read_hex(text: &[u8], place: usize, count: usize, depth: usize) -> Option<(u32, usize)> {
    read_digits(text, place, 16, count..=count, depth)
}

fn read_digits(
    text: &[u8],
    mut place: usize,
    radix: u32,
    count: RangeInclusive<usize>,
    depth: usize,
) -> Option<(u32, usize)> {
    let mut number: u32 = 0;
    let mut found = 0;
    while found < *count.end()
        && let Some(read) = read_decoded(text, place, depth)
        && let Some(byte) = read.single_byte()
        && let Some(digit) = char::from(byte).to_digit(radix)
    {
        number = number.checked_mul(radix)?.checked_add(digit)?;
        place = read.next;
        found += 1;
    }
    count.contains(&found).then_some((number, place))
}

/// Whether a word continues before a position. The end of a code is not part of a word.
pub(super) fn goes_on_before(text: &[u8], place: usize) -> bool {
    let before = &text[..place];
    let Some(last) = before.last().filter(|last| last.is_ascii_alphanumeric()) else {
        return false;
    };
    let is_code = |length: usize, begin: &[u8]| {
        before.len() >= length && before[before.len() - length..].starts_with(begin)
    };
    let is_escape = matches!(last, b'n' | b'r' | b't' | b'b' | b'f') && is_code(2, b"\\");
    !(is_escape || is_code(3, b"%") || is_code(6, b"\\u"))
}

pub(super) fn goes_on_behind(text: &[u8], place: usize) -> bool {
    text.get(place).is_some_and(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<(String, usize)> {
        readings_at(text.as_bytes(), 0)
            .map(|spelt| {
                (
                    String::from_utf8_lossy(spelt.bytes()).into_owned(),
                    spelt.next,
                )
            })
            .collect()
    }

    #[test]
    fn one_letter_is_read_in_every_way_in_which_it_is_written() {
        for text in [
            "\\u00e4",
            "\\u00E4",
            "\\xe4",
            "\\u{e4}",
            "\\U000000e4",
            "%u00E4",
            "&auml;",
            "&#228;",
            "&#xe4;",
            "&#XE4;",
            "\\\\u00e4",
            "&amp;auml;",
            "&#38;#228;",
            "%5Cu00e4",
            "\\u0026auml;",
            "\\\\\\\\u00E4",
            "%26auml;",
            "%2526auml;",
        ] {
            let read = readings(text);
            assert!(
                read.contains(&("ä".to_string(), text.len())),
                "{text}: {read:?}"
            );
        }
        for (text, meant) in [
            ("\\\"", "\""),
            ("\\/", "/"),
            ("\\\\\\\"", "\""),
            ("\\&quot;", "\""),
            ("%22", "\""),
            ("%2522", "\""),
            ("&quot;", "\""),
            ("+", " "),
            ("\\n", "\n"),
            ("\\u000A", "\n"),
            ("&lt;", "<"),
            ("\\ud83d\\ude80", "🚀"),
            ("\\\\uD83D\\\\uDE80", "🚀"),
            ("&#128640;", "🚀"),
        ] {
            let read = readings(text);
            assert!(
                read.contains(&(meant.to_string(), text.len())),
                "{text}: {read:?}"
            );
        }
    }

    #[test]
    fn what_is_no_code_is_read_as_it_stands() {
        for text in [
            "a", "\\", "\\q", "%", "%2", "%zz", "&", "&;", "&nosuch;", "\\u12", "\\ud800",
        ] {
            let first = text[..1].to_string();
            assert_eq!(readings(text), [(first, 1)], "{text}");
        }
    }
}

//! The size of texts inside JSON strings.

/// The size of a text in bytes inside a JSON string.
#[must_use]
pub fn escaped_len(text: &str) -> usize {
    // The sum of a small chunk fits into a byte, which lets the compiler use wide instructions.
    let extra: usize = text
        .as_bytes()
        .chunks(CHUNK_BYTES)
        .map(|chunk| usize::from(chunk.iter().map(|byte| extra_bytes(*byte)).sum::<u8>()))
        .sum();
    text.len() + extra
}

/// A byte adds at most five, and 51 of these stay below 256.
const CHUNK_BYTES: usize = 48;

/// The additional bytes of a byte inside a JSON string.
fn extra_bytes(byte: u8) -> u8 {
    let is_marked = (byte == b'"') | (byte == b'\\');
    let is_control = byte < 32;
    let is_short = (byte == 8) | (byte == 9) | (byte == 10) | (byte == 12) | (byte == 13);
    u8::from(is_marked) + 5 * u8::from(is_control) - 4 * u8::from(is_short)
}

/// The bytes of a byte inside a JSON string.
#[must_use]
pub fn escaped_byte(byte: u8) -> usize {
    1 + usize::from(extra_bytes(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_inside_json_is_what_json_says() {
        for text in ["", "plain", "\"\\/\n\t\u{1}\u{7f}é🚀", "\u{0}\u{8}\u{c}\r"] {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(escaped_len(text), json.len() - 2, "{text:?}");
        }
    }
}

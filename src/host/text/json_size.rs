//! The size of texts inside JSON strings.

/// The size of a text in bytes inside a JSON string.
pub fn escaped_len(text: &str) -> usize {
    // A table, since the archive's program is built for size, and has no wide instructions where a loop compares. Four
    // at a time take two thirds of the time.
    let extra = |byte: &u8| usize::from(EXTRA_BYTES[usize::from(*byte)]);
    let (fours, rest) = text.as_bytes().as_chunks::<4>();
    let of_fours = fours
        .iter()
        .map(|[a, b, c, d]| extra(a) + extra(b) + extra(c) + extra(d));
    text.len() + of_fours.sum::<usize>() + rest.iter().map(extra).sum::<usize>()
}

/// The additional bytes of each byte inside a JSON string.
const EXTRA_BYTES: [u8; 256] = {
    let mut extra = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        extra[byte] = match byte as u8 {
            b'"' | b'\\' | 8 | 9 | 10 | 12 | 13 => 1,
            0..32 => 5,
            _ => 0,
        };
        byte += 1;
    }
    extra
};

/// The bytes of a byte inside a JSON string.
pub fn escaped_byte(byte: u8) -> usize {
    1 + usize::from(EXTRA_BYTES[usize::from(byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_inside_json_is_what_json_says() {
        let each = (0..128).map(|byte| char::from(byte).to_string().repeat(7));
        let some = ["", "plain", "\"\\/\n\t\u{1}\u{7f}é🚀", "\u{0}\u{8}\u{c}\r"];
        for text in each.chain(some.map(Into::into)) {
            let json = serde_json::to_string(&text).unwrap();
            assert_eq!(escaped_len(&text), json.len() - 2, "{text:?}");
        }
    }
}

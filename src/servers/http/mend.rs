//! Mends JSON texts that programs write and strict readers refuse: halves of surrogate pairs, line
//! breaks inside of texts, and numbers that are none.

use std::borrow::Cow;

const REPLACEMENT: &str = "\\ufffd";
/// The bytes of one escaped half of a surrogate pair.
const ESCAPE_BYTES: usize = 6;

/// The same JSON, as every reader takes it. A half of a surrogate pair alone becomes U+FFFD, a
/// control character in a text becomes its escape or a space, and what Python writes for a number
/// that is none becomes `null`. Other mistakes stay.
pub fn mend_json(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut mended = String::new();
    let (mut at, mut copied, mut is_in_text) = (0, 0, false);
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let (length, instead) = match (is_in_text, byte) {
            (_, b'"') => {
                is_in_text = !is_in_text;
                (1, None)
            }
            (true, b'\\') => escape(rest),
            (true, b'\n') => (1, Some("\\n")),
            (true, b'\r') => (1, Some("\\r")),
            (true, b'\t') => (1, Some("\\t")),
            (true, 0..0x20) => (1, Some(" ")),
            (false, b'N' | b'I' | b'-') => no_number(rest),
            (true | false, _) => (1, None),
        };
        if let Some(instead) = instead {
            mended.push_str(&text[copied..at]);
            mended.push_str(instead);
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    mended.push_str(&text[copied..]);
    Cow::Owned(mended)
}

/// The length of an escape, and what stands in its place if it is no character.
fn escape(rest: &[u8]) -> (usize, Option<&'static str>) {
    match code_unit(rest) {
        Some(0xd800..0xdc00) => match rest.get(ESCAPE_BYTES..).and_then(code_unit) {
            Some(0xdc00..0xe000) => (2 * ESCAPE_BYTES, None),
            Some(_) | None => (ESCAPE_BYTES, Some(REPLACEMENT)),
        },
        Some(0xdc00..0xe000) => (ESCAPE_BYTES, Some(REPLACEMENT)),
        Some(_) => (ESCAPE_BYTES, None),
        // A character follows the backslash, which may be longer than a byte.
        None => (rest.len().min(2), None),
    }
}

/// The number in an escape `\u1234` at the beginning.
fn code_unit(rest: &[u8]) -> Option<u16> {
    let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
    let digits = str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

fn no_number(rest: &[u8]) -> (usize, Option<&'static str>) {
    let written = ["NaN", "Infinity", "-Infinity", "-NaN"];
    let found = written
        .into_iter()
        .find(|name| rest.starts_with(name.as_bytes()));
    found.map_or((1, None), |name| (name.len(), Some("null")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_reader_takes_is_mended_and_all_else_stays() {
        for (text, mended) in [
            (r#""pilot \ud83d!""#, r#""pilot \ufffd!""#),
            (
                r#""\ude80\ud83d\ude80\uD83D""#,
                r#""\ufffd\ud83d\ude80\ufffd""#,
            ),
            (r#""\ud83dA""#, r#""\ufffdA""#),
            (r#""\\ud83d é \" \ud""#, r#""\\ud83d é \" \ud""#),
            (
                "{\"a\":\"b\nc\u{1}\",\n\"d\":NaN}",
                "{\"a\":\"b\\nc \",\n\"d\":null}",
            ),
            ("[-Infinity,Infinity,-1,\"NaN\"]", "[null,null,-1,\"NaN\"]"),
            ("{\"a\":\"\\é", "{\"a\":\"\\é"),
            ("\"\\", "\"\\"),
        ] {
            assert_eq!(mend_json(text), mended);
        }
        assert!(matches!(
            mend_json(r#"{"a":"\ud83d\ude80"}"#),
            Cow::Borrowed(_)
        ));
    }
}

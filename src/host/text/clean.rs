//! Cleaning: makes text from anywhere safe to show on a screen.
//!
//! Models, tools and other players may write anything: escape sequences, control characters, marks
//! that reverse the direction of writing, towers of combining marks. None of it must reach a
//! terminal. The screen, every line of a command and every file for reading use these functions;
//! requests to a model's server use [`printable_text`].

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use unicode_width::UnicodeWidthChar;

/// The most zero-width marks on one character.
const MAX_MARKS_PER_LETTER: u32 = 4;

/// The text with visible characters and line ends only.
pub fn clean_text(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte == b'\n' || (0x20..0x7f).contains(&byte);
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut marks = 0;
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\n' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            '\r' => {
                if rest.peek() != Some(&'\n') {
                    clean.push('\n');
                }
            }
            '\t' => clean.push_str("    "),
            '\u{1b}' => skip_escape(&mut rest),
            letter if letter.is_control() => clean.push('·'),
            letter if is_hidden(letter) => {}
            '\u{200c}' | '\u{200d}' => {
                if joins_letters(&clean, rest.peek().copied()) {
                    clean.push(letter);
                }
            }
            letter => {
                let is_mark = letter.width() == Some(0);
                marks = if is_mark { marks + 1 } else { 0 };
                if marks <= MAX_MARKS_PER_LETTER {
                    clean.push(letter);
                }
            }
        }
    }
    Cow::Owned(clean)
}

/// The text as one line. Line ends become spaces, and runs of spaces become one.
pub fn one_line(text: &str) -> String {
    let clean = clean_text(text);
    let mut line = String::with_capacity(clean.len());
    for word in clean.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Skips what follows an escape character: a control sequence, a string up to its end, or one
/// character.
fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.next() {
        Some('[') => while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
        Some(']' | 'P' | '_' | '^' | 'X') => skip_string(rest),
        Some(_) | None => {}
    }
}

fn skip_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(letter) = rest.next() {
        if letter == '\u{7}' || letter == '\u{9c}' {
            return;
        }
        if letter == '\u{1b}' {
            rest.next_if_eq(&'\\');
            return;
        }
    }
}

/// JSON in which every character that could do harm on a screen is escaped. Its value stays the
/// same.
pub fn clean_json(json: &str) -> Cow<'_, str> {
    let is_harmful = |letter: char| letter.is_control() || is_hidden(letter) || is_joiner(letter);
    if json.is_ascii() && !json.bytes().any(|byte| byte.is_ascii_control()) {
        return Cow::Borrowed(json);
    }
    let mut clean = String::with_capacity(json.len());
    for letter in json.chars() {
        if is_harmful(letter) || matches!(letter, '\u{2028}' | '\u{2029}') {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                clean.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            clean.push(letter);
        }
    }
    Cow::Owned(clean)
}

fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}')
}

/// Whether a joiner belongs to a word or to an emoji. It does so only between characters that need
/// it.
fn joins_letters(before: &str, behind: Option<char>) -> bool {
    let needs_one = |letter: Option<char>| {
        letter.is_some_and(|letter| !letter.is_ascii() && !is_hidden(letter) && !is_joiner(letter))
    };
    needs_one(before.chars().next_back()) && needs_one(behind)
}

/// Invisible characters that can do harm: direction marks, tags, byte order marks, fillers, and
/// others that hide a text inside of another.
pub fn is_hidden(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0d}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The text with control characters replaced, except for line ends and tabs. Some servers refuse
/// them and no model can read them. The row keeps them. Positions in the text do not change.
pub fn printable_text(text: Arc<str>) -> Arc<str> {
    let is_odd = |byte: u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t');
    // The loop has no early exit, so that the compiler can check many bytes at a time.
    if !text.bytes().fold(false, |any, byte| any | is_odd(byte)) {
        return text;
    }
    let is_odd_letter = |c: char| u8::try_from(c).is_ok_and(is_odd);
    text.replace(is_odd_letter, "?").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_touched() {
        assert!(matches!(clean_text("hello\nworld"), Cow::Borrowed(_)));
        assert_eq!(clean_text("grüße, 世界 👩‍🚀"), "grüße, 世界 👩‍🚀");
    }

    #[test]
    fn escape_sequences_and_control_characters_do_not_reach_the_screen() {
        assert_eq!(clean_text("\u{1b}[31mred\u{1b}[0m"), "red");
        assert_eq!(clean_text("\u{1b}]0;title\u{7}after"), "after");
        assert_eq!(clean_text("\u{1b}]8;;http://x\u{1b}\\link"), "link");
        assert_eq!(clean_text("a\u{0}b\u{7f}c\u{9b}d"), "a·b·c·d");
        assert_eq!(clean_text("cut \u{1b}[3"), "cut ");
    }

    #[test]
    fn line_ends_of_every_kind_are_one() {
        assert_eq!(clean_text("a\r\nb\rc\u{2028}d\te"), "a\nb\nc\nd    e");
    }

    #[test]
    fn towers_of_marks_are_cut_down() {
        let tower = format!("z{}", "\u{301}".repeat(50));
        assert_eq!(clean_text(&tower).chars().count(), 5);
    }

    #[test]
    fn direction_marks_and_hidden_tags_are_dropped() {
        assert_eq!(clean_text("a\u{202e}b\u{2066}c\u{e0041}d"), "abcd");
        assert_eq!(
            clean_text("ig\u{200d}nore\u{200c} \u{200d}\u{e0101}x"),
            "ignore x"
        );
        assert_eq!(
            clean_text("می\u{200c}خواهم 👩\u{200d}🚀"),
            "می\u{200c}خواهم 👩\u{200d}🚀"
        );
    }

    #[test]
    fn one_line_has_no_line_ends() {
        assert_eq!(one_line("  a \n\n b\tc  "), "a b c");
    }

    #[test]
    fn json_keeps_its_value_and_hides_nothing() {
        let hostile: String = (0..=0x10_ffff)
            .filter_map(char::from_u32)
            .filter(|letter| letter.is_control() || is_hidden(*letter) || is_joiner(*letter))
            .collect();
        let text = serde_json::to_string(&[hostile.as_str(), "grüße", "\u{2028}"]).unwrap();
        let clean = clean_json(&text);
        let read: Vec<String> = serde_json::from_str(&clean).unwrap();
        assert_eq!(read, [hostile.as_str(), "grüße", "\u{2028}"]);
        let is_bad = |letter: char| letter.is_control() || is_hidden(letter) || is_joiner(letter);
        assert!(!clean.contains(is_bad));
        assert!(matches!(clean_json("[\"plain\"]"), Cow::Borrowed(_)));
    }

    #[test]
    fn letters_that_no_server_takes_are_replaced_and_line_ends_stay() {
        let ascii: String = (0..=127_u8).map(char::from).collect();
        let printable: String = ascii
            .chars()
            .map(|c| match c {
                '\n' | '\r' | '\t' | ' '..='~' => c,
                _ => '?',
            })
            .collect();
        assert_eq!(*printable_text(ascii.as_str().into()), *printable);
        for (place, letter) in ascii.char_indices() {
            let alone: Arc<str> = letter.to_string().into();
            assert_eq!(
                *printable_text(alone),
                printable[place..=place],
                "{letter:?}"
            );
        }
        let plain: Arc<str> = "é🚀\u{80} a\r\n\tb".into();
        assert!(
            Arc::ptr_eq(&plain, &printable_text(plain.clone())),
            "it stays as it is"
        );
    }
}

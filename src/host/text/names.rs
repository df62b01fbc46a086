//! Names of many on one line, and the word for one or for many.

use std::borrow::Cow;

use crate::clean::one_line;

const MAX_NAMES: usize = 12;
/// The most letters of a name that is quoted: twice as many as a name can have.
const MAX_QUOTED: usize = 64;

/// A word that should have been a name, as an error quotes it: on one line, cut where it is no name any more.
pub fn quoted(word: &str) -> String {
    format!("`{}`", beginning(&one_line(word), MAX_QUOTED))
}

/// At most so many characters of a text, and a sign where more follow.
pub fn beginning(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Names on one line: the first twelve, and how many others there are.
pub fn listed(names: &[impl AsRef<str>]) -> String {
    listed_up_to(names, MAX_NAMES)
}

/// The same with so many names at most.
pub fn listed_up_to(names: &[impl AsRef<str>], most: usize) -> String {
    let shown = names.iter().take(most);
    let shown: Vec<&str> = shown.map(AsRef::as_ref).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The word for so many things whose name takes an `s`: `call` for one, `calls` for any other number.
pub fn plural(count: u64, one: &str) -> Cow<'_, str> {
    match count {
        1 => Cow::Borrowed(one),
        _ => Cow::Owned(format!("{one}s")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_twelve_names_the_others_are_counted() {
        let names: Vec<String> = (1..=14).map(|number| format!("m{number}")).collect();
        assert_eq!(listed(&names[..2]), "m1, m2");
        assert!(listed(&names[..12]).ends_with("m11, m12"));
        assert!(listed(&names).ends_with("m11, m12 and 2 more"));
        assert_eq!(listed(&[] as &[&str]), "");
    }

    #[test]
    fn a_quoted_word_is_a_short_clean_line() {
        assert_eq!(quoted("alpha"), "`alpha`");
        assert_eq!(quoted("a\u{202e}b\nc\u{1b}[31m"), "`ab c`");
        let long = quoted(&"漢".repeat(10_000));
        assert_eq!(long, format!("`{}…`", "漢".repeat(64)));
    }

    #[test]
    fn one_of_a_thing_has_no_s() {
        let words = [0, 1, 2].map(|count| plural(count, "call"));
        assert_eq!(words, ["calls", "call", "calls"]);
    }
}

//! Texts of others inside Markdown: no part of them is markup, a link, an image or HTML.

use super::clean::one_line;

/// What may begin markup inside a line.
const MARKUP: [char; 13] = [
    '\\', '`', '*', '[', ']', '<', '>', '&', '|', '~', '!', '#', '@',
];

/// Schemes of addresses that carry what is executed or shown.
const SCHEMES: [&str; 3] = ["javascript", "vbscript", "data"];

/// A text as one line of Markdown that reads as the text does. Addresses are no links, either:
/// readers make some of what merely looks like one.
pub fn plain_line(text: &str) -> String {
    let text = one_line(text);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(letter) = rest.chars().next() {
        let next = &rest[letter.len_utf8()..];
        let follows = |word: &str| plain.to_ascii_lowercase().ends_with(word);
        let is_address = match letter {
            ':' => next.starts_with("//") || SCHEMES.iter().any(|scheme| follows(scheme)),
            '.' => follows("www"),
            _ => false,
        };
        if MARKUP.contains(&letter) || is_address {
            plain.push('\\');
        }
        plain.push(letter);
        rest = next;
    }
    plain
}

/// A text in a code fence that is longer than any fence in the text.
pub fn fenced(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fenced("a"), "```text\na\n```");
        assert_eq!(fenced("a ```` b"), "`````text\na ```` b\n`````");
    }

    #[test]
    fn nothing_in_a_line_is_markup_a_link_or_html() {
        for (text, plain) in [
            (
                "scout-12 mines at 18:42 (3.5)",
                "scout-12 mines at 18:42 (3.5)",
            ),
            ("<b onclick=x>", "\\<b onclick=x\\>"),
            ("![a](http://x.y)", "\\!\\[a\\](http\\://x.y)"),
            ("see www.x.y or a@b.c", "see www\\.x.y or a\\@b.c"),
            ("javascript:alert(1)", "javascript\\:alert(1)"),
            (
                "&lt;i&gt; `x` *y* a|b",
                "\\&lt;i\\&gt; \\`x\\` \\*y\\* a\\|b",
            ),
            ("one\ntwo", "one two"),
        ] {
            assert_eq!(plain_line(text), plain, "{text}");
        }
    }
}

//! Lines: what any text says first, on one line that is safe for a terminal.

use zoea_text::clean::one_line;

pub const MAX_LINE_CHARS: usize = 200;
/// The most lines in brackets before a result. A host marks results with such lines.
const MAX_HEADINGS: usize = 4;
/// The beginning of a refused call's text.
const ERROR_MARKS: [&str; 2] = ["Error:", "error:"];

/// The text without the lines in brackets with which a host marks it.
pub fn without_headings(text: &str) -> &str {
    let mut text = text.trim();
    for _ in 0..MAX_HEADINGS {
        match text.split_once('\n') {
            Some((line, rest)) if line.starts_with('[') && line.trim_end().ends_with(']') => {
                text = rest.trim_start();
            }
            Some(_) | None => return text,
        }
    }
    text
}

/// A text without the marks of an error before it. Servers and clients each put one there.
pub fn without_error_mark(body: &str) -> &str {
    let mut body = body.trim();
    while let Some(rest) = ERROR_MARKS.iter().find_map(|mark| body.strip_prefix(mark)) {
        body = rest.trim_start();
    }
    body
}

/// The first line of any text, without what only marks it as an error; empty if it has none.
pub fn first_words(text: &str) -> String {
    let body = without_error_mark(without_headings(text));
    let line = body.lines().map(str::trim).find(|line| !line.is_empty());
    short_line(line.unwrap_or_default())
}

/// One line without anything that a terminal would obey, cut at [`MAX_LINE_CHARS`].
pub fn short_line(words: &str) -> String {
    // What is shown begins within so many bytes, whatever they are.
    let start = &words[..words.floor_char_boundary(MAX_LINE_CHARS * 16)];
    let line = one_line(start);
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

//! The width of text in columns, and cutting and wrapping to a width.

use std::borrow::Cow;

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

/// The width of one grapheme, in columns.
pub fn of_grapheme(grapheme: &str) -> usize {
    if grapheme.len() == 1 {
        return usize::from(!grapheme.as_bytes()[0].is_ascii_control());
    }
    usize::from(grapheme.cell_width())
}

/// The width of a line, in columns.
pub fn of(line: &str) -> usize {
    if line.is_ascii() {
        return line.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    line.graphemes(true).map(of_grapheme).sum()
}

/// The line, cut to this width. A cut line ends in `…`.
pub fn clip(line: &str, columns: usize) -> Cow<'_, str> {
    if line.len() <= columns || of(line) <= columns {
        return Cow::Borrowed(line);
    }
    match columns {
        0 => Cow::Borrowed(""),
        columns => Cow::Owned(format!("{}…", start(line, columns - 1))),
    }
}

/// A name, cut to this width. A cut one keeps its end, which may be all that tells it from others: `frontie…-01`.
pub fn clip_middle(name: &str, columns: usize) -> String {
    if of(name) <= columns {
        return name.to_string();
    }
    let end = end(name, columns.saturating_sub(1) / 3);
    format!("{}{end}", clip(name, columns - of(end)))
}

/// The longest beginning of a line that fits.
pub fn start(line: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (at, grapheme) in line.grapheme_indices(true) {
        taken += of_grapheme(grapheme);
        if taken > columns {
            return &line[..at];
        }
    }
    line
}

/// The longest end of a line that fits.
pub fn end(line: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (at, grapheme) in line.grapheme_indices(true).rev() {
        taken += of_grapheme(grapheme);
        if taken > columns {
            return &line[at + grapheme.len()..];
        }
    }
    line
}

/// The line, cut or padded with spaces to exactly this width.
pub fn fit(line: &str, columns: usize) -> String {
    let clipped = clip(line, columns);
    let missing = columns.saturating_sub(of(&clipped));
    format!("{clipped}{}", " ".repeat(missing))
}

/// Wraps a text, between words if possible. A line exceeds `columns` only if a single grapheme
/// does.
pub fn wrap(text: &str, columns: usize) -> Wrapped<'_> {
    Wrapped {
        rest: Some(text),
        columns: columns.max(1),
    }
}

/// The iterator of [`wrap`].
#[derive(Clone, Debug)]
pub struct Wrapped<'a> {
    rest: Option<&'a str>,
    columns: usize,
}

impl<'a> Wrapped<'a> {
    /// The text that has not been returned yet.
    pub fn rest(&self) -> &'a str {
        self.rest.unwrap_or_default()
    }

    /// So many lines at most, of which the last one is all that is left.
    pub fn at_most(mut self, most: usize) -> impl Iterator<Item = &'a str> {
        (1..=most).map_while(move |place| {
            let rest = self.rest();
            let line = self.next()?;
            Some(if place == most { rest } else { line })
        })
    }
}

impl<'a> Iterator for Wrapped<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest?;
        let end = text.find('\n').unwrap_or(text.len());
        let paragraph = &text[..end];
        let cut = cut_point(paragraph, self.columns);
        if cut < paragraph.len() {
            let (line, rest) = text.split_at(cut);
            // The space at a line break belongs to neither line.
            self.rest = Some(rest.strip_prefix(' ').unwrap_or(rest));
            return Some(line.trim_end_matches(' '));
        }
        self.rest = text.get(end + 1..);
        Some(paragraph)
    }
}

/// The byte offset where a paragraph has to be cut to fit.
fn cut_point(paragraph: &str, columns: usize) -> usize {
    if paragraph.len() <= columns {
        return paragraph.len();
    }
    let mut taken = 0;
    let mut last_space = None;
    for (at, grapheme) in paragraph.grapheme_indices(true) {
        taken += of_grapheme(grapheme);
        if taken > columns && at > 0 {
            let is_space = grapheme == " ";
            return match last_space {
                _ if is_space => at,
                Some(space) if !paragraph[..space].trim().is_empty() => space,
                Some(_) | None => at,
            };
        }
        if grapheme == " " {
            last_space = Some(at);
        }
    }
    paragraph.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str, columns: usize) -> Vec<&str> {
        wrap(text, columns).collect()
    }

    #[test]
    fn wide_letters_take_two_columns_and_marks_none() {
        assert_eq!(of("abc"), 3);
        assert_eq!(of("世界"), 4);
        assert_eq!(of("e\u{301}"), 1);
        assert_eq!(of("👩‍🚀"), 2);
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        assert_eq!(clip("hello", 5), "hello");
        assert_eq!(clip("hello", 4), "hel…");
        assert_eq!(clip("世界", 3), "世…");
        assert_eq!(clip("世界", 2), "…");
        assert_eq!(clip("x", 0), "");
        assert_eq!(fit("世界", 6), "世界  ");
    }

    #[test]
    fn a_cut_name_keeps_its_end() {
        assert_eq!(clip_middle("frontier-miner-01", 17), "frontier-miner-01");
        assert_eq!(clip_middle("frontier-miner-01", 11), "frontie…-01");
        assert_eq!(clip_middle("世界世界", 5), "世界…");
        assert_eq!(clip_middle("世界世界", 7), "世界…界");
        assert_eq!(clip_middle("frontier", 1), "…");
        assert_eq!(clip_middle("frontier", 0), "");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(lines("mine the belt", 8), ["mine the", "belt"]);
        assert_eq!(lines("mine the belt", 9), ["mine the", "belt"]);
        assert_eq!(
            lines("incomprehensible", 5),
            ["incom", "prehe", "nsibl", "e"]
        );
        assert_eq!(lines("a\n\nb\n", 5), ["a", "", "b", ""]);
        assert_eq!(
            lines("  - indented words", 10),
            ["  -", "indented", "words"]
        );
        assert_eq!(lines("世界世界", 5), ["世界", "世界"]);
        assert_eq!(lines("", 5), [""]);
    }

    proptest! {
        #[test]
        fn no_wrapped_line_is_too_wide_and_no_letter_is_lost(
            text in "[a-z 世é\n]{0,80}",
            columns in 2_usize..20,
        ) {
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
            let wrapped = lines(&text, columns);
            for line in &wrapped {
                prop_assert!(of(line) <= columns, "{line:?}");
            }
            prop_assert_eq!(letters(&wrapped.concat()), letters(&text));
        }

        #[test]
        fn a_fitted_line_has_exactly_so_many_columns(text in "\\PC{0,40}", columns in 0_usize..30) {
            prop_assert_eq!(of(&fit(&text, columns)), columns);
        }
    }
}

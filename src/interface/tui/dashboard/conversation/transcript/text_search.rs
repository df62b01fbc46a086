//! Text search: a text that is searched in a conversation, and the rows that contain it.

use crate::dashboard::text::tone::{StyledLine, StyledSpan, Tone};
use actors::domain::ids::Seq;
use actors::domain::message::Row;
use actors::domain::reading::{SearchIn, SearchQuery};
use zoea_text::clean::one_line;

/// A text search. It is case-sensitive if the text has a capital letter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSearch {
    text: String,
    is_case_sensitive: bool,
    /// The rows that contain the text and are known so far, in order.
    places: Vec<Seq>,
    /// The hit that the operator was taken to.
    pub current: Option<Seq>,
}

impl TextSearch {
    pub fn of(text: &str) -> TextSearch {
        let is_case_sensitive = text.chars().any(char::is_uppercase);
        TextSearch {
            text: if is_case_sensitive {
                text.to_string()
            } else {
                text.to_lowercase()
            },
            is_case_sensitive,
            ..TextSearch::default()
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The query for so many of its hits in all conversations.
    pub fn query(&self, within: SearchIn, limit: usize) -> SearchQuery {
        SearchQuery {
            text: self.text.clone(),
            mysis: None,
            within,
            case_sensitive: self.is_case_sensitive,
            sendable_only: false,
            until: None,
            limit,
        }
    }

    pub fn is_case_sensitive(&self) -> bool {
        self.is_case_sensitive
    }

    pub fn places(&self) -> &[Seq] {
        &self.places
    }

    /// Checks a row and notes it if it contains the text.
    pub fn check_row(&mut self, row: &Row) {
        if !self.is_in(row) {
            return;
        }
        if let Err(place) = self.places.binary_search(&row.seq) {
            self.places.insert(place, row.seq);
        }
    }

    /// The next hit after a row or the last one before it. It wraps around at the ends.
    pub fn next(&self, from: Option<Seq>, way: Direction) -> Option<Seq> {
        let mut places = self.places.iter();
        let next = match way {
            Direction::Forth => places.find(|place| from.is_none_or(|from| **place > from)),
            Direction::Back => places.rfind(|place| from.is_none_or(|from| **place < from)),
        };
        let round = match way {
            Direction::Forth => self.places.first(),
            Direction::Back => self.places.last(),
        };
        next.or(round).copied()
    }

    pub fn is_within(&self, text: &str) -> bool {
        self.first_in(text).is_some()
    }

    pub fn is_in(&self, row: &Row) -> bool {
        let reasoning = row.utterance().and_then(|words| words.reasoning.as_ref());
        self.is_within(row.text())
            || reasoning.is_some_and(|text| self.is_within(text))
            || row
                .calls()
                .iter()
                .any(|call| self.is_within(&call.arguments) || self.is_within(&call.name))
    }

    /// The first hit in a text, with as many characters around it at most.
    pub fn excerpt(&self, text: &str, around: usize) -> Option<Excerpt> {
        let (from, to) = self.first_in(text)?;
        let before = text[..from].chars().rev().take(around);
        let start = from - before.map(char::len_utf8).sum::<usize>();
        let after = text[to..].chars().take(around);
        let end = to + after.map(char::len_utf8).sum::<usize>();
        let found: String = text[from..to].chars().take(around).collect();
        let mark = |is_cut| if is_cut { "…" } else { "" };
        Some(Excerpt {
            before: format!("{}{}", mark(start > 0), piece_of_line(&text[start..from])).into(),
            found: piece_of_line(&found).into(),
            after: format!(
                "{}{}",
                piece_of_line(&text[to..end]),
                mark(end < text.len())
            )
            .into(),
        })
    }

    /// The byte range of the first hit in a text.
    fn first_in(&self, text: &str) -> Option<(usize, usize)> {
        if self.text.is_empty() {
            return None;
        }
        if self.is_case_sensitive {
            let at = text.find(&self.text)?;
            return Some((at, at + self.text.len()));
        }
        text.char_indices().find_map(|(at, _)| {
            let length = length_if_begins(&text[at..], &self.text)?;
            Some((at, at + length))
        })
    }

    pub fn mark(&self, lines: &mut [StyledLine]) {
        for line in lines {
            if line.spans.iter().any(|span| self.is_within(&span.text)) {
                let spans = line.spans.iter();
                line.spans = spans.flat_map(|span| self.highlight_span(span)).collect();
            }
        }
    }

    fn highlight_span(&self, span: &StyledSpan) -> Vec<StyledSpan> {
        let mut pieces = Vec::new();
        let mut rest = &*span.text;
        while let Some((from, to)) = self.first_in(rest) {
            if from > 0 {
                pieces.push(StyledSpan::new(&rest[..from], span.tone));
            }
            pieces.push(StyledSpan::new(&rest[from..to], Tone::Found));
            rest = &rest[to..];
        }
        if !rest.is_empty() {
            pieces.push(StyledSpan::new(rest, span.tone));
        }
        pieces
    }
}

/// What is searched for, to be written anew.
pub fn text_of(known: Option<&TextSearch>) -> String {
    known.map_or_else(String::new, |known| known.text.clone())
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The text before it. It begins with `…` if it was cut.
    pub before: Box<str>,
    pub found: Box<str>,
    /// The text after it. It ends with `…` if it was cut.
    pub after: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the beginning.
    Back,
    /// Towards the end.
    Forth,
}

/// A piece of a text in one line. It is still apart from its neighbours where it was.
fn piece_of_line(text: &str) -> String {
    let blank = |is_apart| if is_apart { " " } else { "" };
    let line = one_line(text);
    if line.is_empty() {
        return blank(!text.is_empty()).to_string();
    }
    let first = blank(text.starts_with(char::is_whitespace));
    let last = blank(text.ends_with(char::is_whitespace));
    format!("{first}{line}{last}")
}

/// The length in bytes of `wanted` at the beginning of a text, ignoring case; `None` if the text
/// does not begin with it.
fn length_if_begins(text: &str, wanted: &str) -> Option<usize> {
    let mut rest = wanted.chars();
    let mut next = rest.next();
    for (at, letter) in text.char_indices() {
        if next.is_none() {
            return Some(at);
        }
        for small in letter.to_lowercase() {
            match next {
                // A capital whose lower case has several characters counts as found when `wanted`
                // ends within it.
                None => break,
                Some(expected) if expected == small => next = rest.next(),
                Some(_) => return None,
            }
        }
    }
    next.is_none().then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_find_capitals_and_capitals_find_themselves() {
        let marked = |wanted: &str, text: &str| {
            let mut lines = [StyledLine::of(text, Tone::Text)];
            TextSearch::of(wanted).mark(&mut lines);
            let [line] = lines;
            let found: Vec<String> = line
                .spans
                .iter()
                .filter(|span| span.tone == Tone::Found)
                .map(|span| span.text.to_string())
                .collect();
            found
        };
        assert_eq!(marked("iron", "Iron, iron ore"), ["Iron", "iron"]);
        assert_eq!(marked("Iron", "Iron, iron ore"), ["Iron"]);
        assert_eq!(marked("İ", "İstanbul"), ["İ"]);
        assert_eq!(marked("i", "İstanbul"), ["İ"]);
        assert_eq!(marked("世", "世界"), ["世"]);
        assert!(marked("", "x").is_empty());
    }

    #[test]
    fn an_excerpt_is_one_line_around_the_place_and_says_what_is_cut() {
        let of = |wanted: &str, text: &str, around| {
            let found = TextSearch::of(wanted).excerpt(text, around);
            found.map(|it| format!("{}[{}]{}", it.before, it.found, it.after))
        };
        let text = "sold\nsome  GOLD ore\tat a station";
        assert_eq!(of("gold", text, 8).unwrap(), "…d some [GOLD] ore at …");
        assert_eq!(
            of("gold", text, 99).unwrap(),
            "sold some [GOLD] ore at a station"
        );
        assert_eq!(
            of("gold ore", "x\u{1b}[31mgold ore", 99).unwrap(),
            "x[gold ore]"
        );
        assert_eq!(of("İi", "ä世İix", 1).unwrap(), "…世[İ]x");
        assert_eq!(of("Gold", text, 9), None);
    }

    #[test]
    fn going_on_at_the_end_begins_at_the_other_end() {
        let mut text_search = TextSearch::of("x");
        text_search.places = vec![Seq(2), Seq(5)];
        assert_eq!(
            text_search.next(Some(Seq(2)), Direction::Forth),
            Some(Seq(5))
        );
        assert_eq!(
            text_search.next(Some(Seq(5)), Direction::Forth),
            Some(Seq(2))
        );
        assert_eq!(text_search.next(None, Direction::Back), Some(Seq(5)));
        assert_eq!(
            text_search.next(Some(Seq(2)), Direction::Back),
            Some(Seq(5))
        );
    }
}

//! Queries of the store.

use std::sync::Arc;

use super::ids::{EventId, MysisId, Seq, Timestamp};
use super::message::{Row, RowKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    pub mysis: MysisId,
    pub from: PageFrom,
    pub limit: usize,
    /// The kinds of rows; empty for all.
    pub kinds: Vec<RowKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFrom {
    Newest,
    /// The newest rows before this one.
    Before(Seq),
    /// The oldest rows after this one.
    After(Seq),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventQuery {
    /// The event after the page; `None` for the newest ones.
    pub before: Option<EventId>,
    pub limit: usize,
}

/// The most events that a screen reads at once.
pub const EVENT_PAGE: usize = 500;
pub const MAX_EVENTS: usize = 10_000;

impl EventQuery {
    pub fn newest(limit: usize) -> EventQuery {
        EventQuery {
            before: None,
            limit,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuery {
    /// The text. `%` and `_` have no special meaning.
    pub text: String,
    /// The Mysis whose rows are searched; `None` for all.
    pub mysis: Option<MysisId>,
    pub within: SearchIn,
    pub case_sensitive: bool,
    /// Whether only rows count that may be sent to a model. A Mysis' own searches set it, because
    /// its model reads the hits.
    pub sendable_only: bool,
    /// The time of the newest rows that count; `None` for all. A search that is made again with more hits finds
    /// those of before among them.
    pub until: Option<Timestamp>,
    /// The most hits.
    pub limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchIn {
    /// The text of every row except missions.
    Messages,
    Reasoning,
    Missions,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultQuery {
    pub mysis: MysisId,
    /// The call: its key, as `12.0`, or the provider's id, or the id of ours that replaced it. Of
    /// several calls with one id, the newest.
    pub call_id: String,
    /// The first byte.
    pub offset: u64,
    /// The most bytes.
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultPiece {
    /// The text. It begins and ends between two characters.
    pub text: String,
    /// The byte offset of its beginning.
    pub offset: u64,
    /// The bytes of the whole result.
    pub whole: u64,
}

impl ResultPiece {
    /// A part from bytes that were cut out anywhere, the first of them at `offset`. Incomplete
    /// characters at the ends are left out.
    #[must_use]
    pub fn of_bytes(bytes: &[u8], offset: u64, whole: u64) -> ResultPiece {
        // A character has at most three bytes after its first.
        let skipped = bytes
            .iter()
            .take(3)
            .take_while(|byte| **byte & 0xc0 == 0x80)
            .count();
        let mut rest = &bytes[skipped..];
        if let Err(error) = std::str::from_utf8(rest)
            && error.error_len().is_none()
        {
            rest = &rest[..error.valid_up_to()];
        }
        ResultPiece {
            text: String::from_utf8_lossy(rest).into_owned(),
            offset: offset + skipped as u64,
            whole,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchHits {
    pub rows: Vec<(MysisId, Arc<Row>)>,
    /// If nothing was found in a case-sensitive search: the number of hits when case is ignored.
    pub ignoring_case: usize,
    /// The time of the newest row that retention removed from the searched rows. There may have
    /// been hits before that time.
    pub removed_before: Option<Timestamp>,
    /// Whether the search ended at its limits, so that there may be older hits.
    pub may_have_more: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_begins_and_ends_between_two_letters() {
        let whole = "aé採🚀b";
        let bytes = whole.as_bytes();
        for start in 0..bytes.len() {
            for end in start..=bytes.len() {
                let piece =
                    ResultPiece::of_bytes(&bytes[start..end], start as u64, bytes.len() as u64);
                let from = usize::try_from(piece.offset).unwrap();
                assert!(from <= start + 3, "{start} {end}");
                let is_there = || whole[from..].starts_with(&piece.text);
                assert!(
                    piece.text.is_empty() || is_there(),
                    "{start} {end} {piece:?}"
                );
            }
        }
        let all = ResultPiece::of_bytes(bytes, 0, bytes.len() as u64);
        assert_eq!(all.text, whole);
    }
}

//! Reading: what can be asked of what is stored.

use std::sync::Arc;

use super::ids::{MysisId, Seq, Timestamp};
use super::message::{Row, RowKind};

/// Which piece of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    /// Whose.
    pub mysis: MysisId,
    /// Which end, and from where.
    pub from: PageFrom,
    /// At most so many rows.
    pub limit: usize,
    /// Only rows of these kinds; empty: of every kind.
    pub kinds: Vec<RowKind>,
}

/// Where a piece of a conversation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFrom {
    /// The newest rows.
    Newest,
    /// The newest rows before this one.
    Before(Seq),
    /// The oldest rows after this one.
    After(Seq),
}

/// What to look for, literally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuery {
    /// The text; `%` and `_` mean themselves.
    pub text: String,
    /// Whose rows; absent: everybody's.
    pub mysis: Option<MysisId>,
    /// Where.
    pub within: SearchIn,
    /// Whether capital letters matter.
    pub case_sensitive: bool,
    /// Whether only rows count that may be sent to a model: what a Mysis finds, its model reads.
    pub sendable_only: bool,
    /// At most so many.
    pub limit: usize,
}

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchIn {
    /// What was said: every row but missions.
    Messages,
    /// What the model thought.
    Reasoning,
    /// The operator's missions.
    Missions,
}

/// Which piece of a call's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultQuery {
    /// Whose call.
    pub mysis: MysisId,
    /// The call: by its key, as `12.0`, else by the provider's id or the one of ours that stood in
    /// its place. Of several with one id, the newest.
    pub call_id: String,
    /// The byte to begin at.
    pub offset: u64,
    /// At most so many bytes.
    pub limit: usize,
}

/// A piece of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultPiece {
    /// The text; it begins and ends between two letters.
    pub text: String,
    /// The byte where it begins.
    pub offset: u64,
    /// Bytes of the whole result.
    pub whole: u64,
}

impl ResultPiece {
    /// Makes a piece of bytes that were cut out anywhere, the first of them at `offset`: letters
    /// that were cut through are left out.
    #[must_use]
    pub fn of_bytes(bytes: &[u8], offset: u64, whole: u64) -> ResultPiece {
        // No letter has more than three bytes behind its first.
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

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchHits {
    /// Whose row, and the row; the oldest first.
    pub rows: Vec<(MysisId, Arc<Row>)>,
    /// Where nothing was found and capital letters mattered: how many there are if they do not.
    pub ignoring_case: usize,
    /// Old rows were removed from what was searched: the newest of them was said then. Before that
    /// moment there may have been more than is found.
    pub removed_before: Option<Timestamp>,
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

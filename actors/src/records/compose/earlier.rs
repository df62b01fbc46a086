//! Earlier turns of a mission, as they stand before the turn (docs/design/requests.md).
//!
//! They are shortened once, when another turn is over, and by rules that know nothing of later
//! turns. So they stay the same in every request, and a provider's cache keeps them.

use std::collections::HashSet;
use std::sync::Arc;

use crate::held::MIN_CUT_BYTES;
use crate::ids::{Seq, TurnNumber};
use crate::message::Row;
use crate::snapshot_query::SnapshotQuery;

use super::budget::{self, Caps};
use super::part::{Pair, PairResult, RequestPart, Results, Unit, result_excerpt};
use super::render;
use super::steady::{Block, first_kept, first_within};

/// The most rows of earlier turns. A Mysis recalls more than that when it starts, so that it finds
/// the same turns.
const MAX_ROWS: usize = 128;

/// The row with what earlier turns show of its result, if they may have so many bytes. Requests then
/// share its text.
pub fn row_in_earlier_turns(row: &Arc<Row>, bytes: usize) -> Arc<Row> {
    let Some((call, text, meta)) = row.result() else {
        return row.clone();
    };
    let mut shown = result_excerpt(text, meta);
    let caps = Caps::of_earlier_turns(bytes);
    caps.shorten_result(call, &mut shown);
    let Some(own) = shown.own_part() else {
        return row.clone();
    };
    // A text that is held back is known by its own words. Where requests show others, or too few, these stay.
    if own.len() < MIN_CUT_BYTES || !text.starts_with(own) {
        return row.with_beginning(caps.results());
    }
    let kept = u32::try_from(own.len()).ok();
    match kept == meta.kept {
        true => row.clone(),
        false => row.with_result(shown.text().clone(), kept),
    }
}

pub(super) struct SentPart<'a> {
    pub(super) unit: Unit<'a>,
    pub(super) part: RequestPart,
}

/// The earlier turns that may stand in a request, oldest first.
pub(super) struct EarlierTurns<'a> {
    turns: Vec<EarlierTurn<'a>>,
    /// The most bytes of all of them.
    share: usize,
}

struct EarlierTurn<'a> {
    number: TurnNumber,
    first_row: Seq,
    rows: usize,
    bytes: usize,
    sent: Vec<SentPart<'a>>,
}

impl<'a> EarlierTurns<'a> {
    /// Shortens these rows. `go_on_bytes` is the size of the text between two turns.
    pub(super) fn shorten(
        units: &[Unit<'a>],
        results: &Results<'_>,
        share: usize,
        go_on_bytes: usize,
    ) -> EarlierTurns<'a> {
        let mut turns: Vec<EarlierTurn<'a>> = Vec::new();
        let caps = Caps::of_earlier_turns(share);
        for unit in units {
            let is_of_last = |last: &&mut EarlierTurn<'_>| last.number == unit.turn();
            if turns.last_mut().filter(is_of_last).is_none() {
                turns.push(EarlierTurn {
                    number: unit.turn(),
                    first_row: unit.row.seq,
                    rows: 0,
                    bytes: go_on_bytes,
                    sent: Vec::new(),
                });
            }
            if let Some(turn) = turns.last_mut() {
                turn.add(*unit, shortened_part(*unit, results, &caps), go_on_bytes);
            }
        }
        EarlierTurns { turns, share }
    }

    /// The parts of the turns that stand in a request with this much room for them. If they are
    /// more than their share, or than the room, the oldest turns are left out, each as a whole. Of
    /// turns of the same words alone the first one stands for all.
    pub(super) fn keep(mut self, room: usize) -> Vec<SentPart<'a>> {
        let first = first_kept(&self.blocks(), self.share.min(room));
        let mut said = HashSet::new();
        let kept = self.turns.drain(first..);
        kept.filter(|turn| turn.words_alone().is_none_or(|words| said.insert(words)))
            .flat_map(|turn| turn.sent)
            .collect()
    }

    /// The first row that has to stay in memory, so that requests of later turns find the same
    /// earlier turns: the first one of the newest turn that has no room any more.
    pub(super) fn first_row(&self) -> Option<Seq> {
        let first = first_within(&self.blocks(), self.share);
        let needed = self.turns.iter().skip(first.saturating_sub(1));
        needed.map(|turn| turn.first_row).min()
    }

    fn blocks(&self) -> Vec<Block> {
        // As many rows as there may be take the whole share.
        let row_bytes = self.share.div_ceil(MAX_ROWS);
        let mut said = HashSet::new();
        // The same words stand once. The newest turn that has them pays, so that what was forgotten
        // changes nothing.
        let block = |turn: &EarlierTurn<'a>| {
            let stands = turn.words_alone().is_none_or(|words| said.insert(words));
            let bytes = if stands { turn.bytes } else { 0 };
            Block {
                number: turn.number.0,
                bytes: bytes.max(turn.rows.saturating_mul(row_bytes)),
            }
        };
        let mut blocks: Vec<Block> = self.turns.iter().rev().map(block).collect();
        blocks.reverse();
        blocks
    }
}

impl<'a> EarlierTurn<'a> {
    /// Its words, if it stands in a request with nothing else.
    fn words_alone(&self) -> Option<&'a str> {
        match &self.sent[..] {
            [one] if one.part.is_words() => Some(one.unit.row.text().trim()),
            [] | [_] | [_, _, ..] => None,
        }
    }

    fn add(&mut self, unit: Unit<'a>, part: Option<RequestPart>, go_on_bytes: usize) {
        self.rows += unit.rows();
        self.first_row = self.first_row.min(unit.row.seq);
        if let Some(part) = part {
            let sent = SentPart { unit, part };
            // Words may be followed by the model's next message.
            let go_on = if sent.part.is_words() { go_on_bytes } else { 0 };
            self.bytes += render::part_bytes(&sent.part) + go_on;
            self.sent.push(sent);
        }
    }
}

/// A part of an earlier turn: without snapshots, which are old and of which the runtime note tells
/// the newest, without what a provider wants back, and with long texts cut.
fn shortened_part(unit: Unit<'_>, results: &Results<'_>, caps: &Caps) -> Option<RequestPart> {
    let mut part = results.part_of_unit(unit, false)?;
    if let RequestPart::Spoken(said) = &mut part {
        budget::drop_echo(said);
        said.pairs.retain(|pair| !is_snapshot(pair));
        if said.pairs.is_empty() && said.text.text().is_empty() {
            return None;
        }
    }
    caps.shorten_part(&mut part);
    Some(part)
}

fn is_snapshot(pair: &Pair) -> bool {
    let look =
        |result: &PairResult| SnapshotQuery::of(result.game, &pair.tool, pair.arguments.text());
    pair.result.as_ref().and_then(look).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::held::HeldText;
    use crate::held::test_texts::{held_text, result_row};

    use super::super::runtime_note::RUNTIME_NOTE_LINE;

    fn result(text: &str) -> Arc<Row> {
        Arc::new(result_row(text))
    }

    /// What requests show of a row whose turn is over, where earlier turns may have so many bytes.
    fn shown_of(row: &Row, bytes: usize) -> Arc<str> {
        let (call, text, meta) = row.result().expect("a result");
        let mut shown = result_excerpt(text, meta);
        Caps::of_earlier_turns(bytes).shorten_result(call, &mut shown);
        shown.text().clone()
    }

    #[test]
    fn a_result_is_cut_once_and_then_shared_and_known_by_its_own_words() {
        let whole = result(&"\"ore\" and more ".repeat(400));
        let cut = row_in_earlier_turns(&whole, 16 << 10);
        assert!(cut.text().len() <= 1024, "{}", cut.text().len());
        assert!(cut.text().ends_with(" reads on]"), "{}", cut.text());
        let again = row_in_earlier_turns(&cut, 16 << 10);
        assert!(Arc::ptr_eq(&again, &cut), "it is not cut anew");
        assert!(Arc::ptr_eq(&shown_of(&cut, 16 << 10), cut.text()));
        for bytes in [16 << 10, 8 << 10, 1] {
            let of_whole = shown_of(&whole, bytes);
            assert_eq!(shown_of(&cut, bytes), of_whole, "with {bytes} bytes");
        }
        let own = cut.words();
        assert!(own.len() > 500 && whole.text().starts_with(&*own), "{own}");
    }

    #[test]
    fn a_result_of_which_requests_show_little_is_known_by_what_memory_has() {
        for letter in ["x", "\"", "é", "採", "🚀"] {
            let whole = result(&letter.repeat(3000));
            let cut = row_in_earlier_turns(&whole, 1);
            assert!(cut.text().len() <= 192 && cut.text().len() < whole.text().len());
            let key = HeldText::key(whole.text());
            assert!(held_text(key).is(&cut.words()), "{letter}: {}", cut.words());
            assert_eq!(shown_of(&cut, 1), shown_of(&whole, 1));
        }
    }

    #[test]
    fn a_result_that_requests_show_in_other_words_keeps_its_own() {
        for odd in ["\u{1}", RUNTIME_NOTE_LINE] {
            let whole = result(&format!("ore {odd} and more ").repeat(200));
            let cut = row_in_earlier_turns(&whole, 16 << 10);
            assert!(cut.text().len() <= 1024 && whole.text().starts_with(&*cut.words()));
            let again = row_in_earlier_turns(&cut, 16 << 10);
            assert!(Arc::ptr_eq(&again, &cut), "it is not cut anew");
            assert_eq!(shown_of(&cut, 16 << 10), shown_of(&whole, 16 << 10));
        }
    }

    #[test]
    fn a_result_that_fits_stays_the_same_row() {
        let short = result("ore");
        assert!(Arc::ptr_eq(&row_in_earlier_turns(&short, 16 << 10), &short));
    }
}

//! Streams that are cut: whose they are. What only one conversation gets is its own.

use parking_lot::Mutex;
use std::collections::BTreeMap;

use actors::domain::ids::MysisId;

/// After this many incomplete streams in a row, something between us and the model does not support
/// streaming.
pub(super) const MAX_CUT_STREAMS: u32 = 3;
/// So many conversations that get no other streams show that all would.
const MANY: usize = 2;
/// The most Myses of which it is known. What is dropped is learnt again.
const MAX_KNOWN: usize = 1024;

/// How many streams in a row were cut, for each asker.
#[derive(Debug, Default)]
pub(super) struct CutStreams(Mutex<BTreeMap<Option<MysisId>, u32>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndedStreaming {
    ForOne,
    ForAll,
}

impl CutStreams {
    pub(super) fn end_streaming_of(&self, asker: Option<MysisId>) -> bool {
        let cuts = self.0.lock();
        cuts.get(&asker)
            .is_some_and(|cuts| *cuts >= MAX_CUT_STREAMS)
    }

    /// Notes a cut stream. Returns whose streaming ends with it, if any does. Who is no Mysis asks for all.
    pub(super) fn note_cut(&self, asker: Option<MysisId>) -> Option<EndedStreaming> {
        let mut cuts = self.0.lock();
        if cuts.len() >= MAX_KNOWN && !cuts.contains_key(&asker) {
            cuts.pop_first();
        }
        let own = cuts.entry(asker).or_default();
        *own = own.saturating_add(1);
        if *own < MAX_CUT_STREAMS {
            return None;
        }
        let ended = cuts.values().filter(|cuts| **cuts >= MAX_CUT_STREAMS);
        Some(match asker.is_none() || ended.count() >= MANY {
            true => EndedStreaming::ForAll,
            false => EndedStreaming::ForOne,
        })
    }

    pub(super) fn note_whole(&self, asker: Option<MysisId>) {
        let mut cuts = self.0.lock();
        cuts.remove(&asker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_conversation_gets_ends_its_own_streaming_and_what_two_get_that_of_all() {
        let cuts = CutStreams::default();
        let [one, other] = [1, 2].map(|number| Some(MysisId(number)));
        for expected in [None, None, Some(EndedStreaming::ForOne)] {
            assert_eq!(cuts.note_cut(one), expected);
        }
        assert!(cuts.end_streaming_of(one) && !cuts.end_streaming_of(other));
        cuts.note_cut(other);
        cuts.note_cut(other);
        cuts.note_whole(other);
        for expected in [None, None, Some(EndedStreaming::ForAll)] {
            assert_eq!(cuts.note_cut(other), expected);
        }
        for number in 0..10_000 {
            cuts.note_cut(Some(MysisId(number)));
        }
        assert!(cuts.0.lock().len() <= MAX_KNOWN);
    }
}

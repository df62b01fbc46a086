//! Recent activity: the last words and calls of a Mysis in short, and how long its trips take; for
//! display only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use zoea_game::Deed;
use zoea_text::names::beginning;

use crate::conversation::Conversation;
use crate::event::{Gist, LastToolCall};
use crate::game::{GameReading, GameRef};
use crate::ids::Timestamp;
use crate::message::{CallRecord, CallStatus};

/// The most characters of words that are kept.
const MAX_WORDS_CHARS: usize = 200;
/// After this many calls, words are no longer news.
const MAX_CALLS_SINCE_WORDS: u32 = 20;
/// The most trips that are remembered. Beyond that all are forgotten.
const MAX_TRIPS: usize = 16;

#[derive(Debug, Default)]
pub(super) struct RecentActivity {
    /// The last words on one line, while they are news.
    pub(super) words: Arc<str>,
    /// The number of calls since the words.
    calls: u32,
    /// The call that returned after the last words.
    pub(super) last: Option<Arc<LastToolCall>>,
    /// The duration of trips in milliseconds. The game only tells it at the end of a trip.
    trips: BTreeMap<Trip, u64>,
    /// The destination of the last trip.
    place: Option<Arc<str>>,
}

/// Origin, tool and destination. Places are named as in the calls' arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trip {
    from: Option<Arc<str>>,
    tool: Arc<str>,
    to: Arc<str>,
}

/// Whether a tool moves the Mysis and answers when it has arrived.
fn is_trip(game: GameRef, tool: &str) -> bool {
    game.deed(tool) == Some(Deed::Travels)
}

impl RecentActivity {
    pub(super) fn from_conversation(conversation: &Conversation) -> RecentActivity {
        let mut recent_activity = RecentActivity::default();
        let mut calls = BTreeMap::new();
        for row in conversation.rows() {
            if row.utterance().is_some() {
                recent_activity.record_words(row.text());
            }
            calls.extend(row.keyed_calls());
            if let Some((key, text, meta)) = row.result()
                && let Some(call) = calls.remove(&key)
            {
                let reading = GameReading::of(meta.game, text);
                recent_activity.record_call(call, (meta.status, meta.ms), (text, &reading));
            }
        }
        recent_activity
    }

    /// Takes words of the model. Empty ones are ignored.
    pub(super) fn record_words(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.words = first_line(text);
            self.calls = 0;
            self.last = None;
        }
    }

    pub(super) fn record_call(
        &mut self,
        call: &CallRecord,
        (status, ms): (CallStatus, Option<u64>),
        (text, reading): (&Arc<str>, &GameReading<'_>),
    ) {
        let is_done = status == CallStatus::Done;
        self.calls = self.calls.saturating_add(1);
        if self.calls > MAX_CALLS_SINCE_WORDS {
            self.words = Arc::default();
        }
        let command = call.command();
        self.last = Some(Arc::new(LastToolCall {
            gist: Gist::of_result(command.clone(), status, text, reading),
            is_error: !is_done,
            tool: command.clone(),
        }));
        if is_done && is_trip(reading.game(), &command) {
            let trip = self.trip(call);
            if self.trips.len() >= MAX_TRIPS {
                self.trips.clear();
            }
            self.place = Some(trip.to.clone());
            if let Some(ms) = ms {
                self.trips.insert(trip, ms);
            }
        }
    }

    /// When a call that is sent now will probably return. It assumes the duration of the last such
    /// trip.
    pub(super) fn expected_end(
        &self,
        game: GameRef,
        call: &CallRecord,
        now: Timestamp,
    ) -> Option<Timestamp> {
        if !is_trip(game, &call.command()) {
            return None;
        }
        let took = self.trips.get(&self.trip(call))?;
        Some(now.plus(Duration::from_millis(*took)))
    }

    fn trip(&self, call: &CallRecord) -> Trip {
        Trip {
            from: self.place.clone(),
            tool: call.command(),
            to: call.arguments.clone(),
        }
    }
}

/// The first line of a text that is not blank, at most 200 characters.
fn first_line(text: &str) -> Arc<str> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    beginning(line.unwrap_or_default(), MAX_WORDS_CHARS).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(
        recent_activity: &mut RecentActivity,
        call: &CallRecord,
        (status, ms): (CallStatus, u64),
        text: &str,
    ) {
        let text: Arc<str> = text.into();
        let reading = GameReading::of(GAME, &text);
        recent_activity.record_call(call, (status, Some(ms)), (&text, &reading));
    }

    const GAME: GameRef = GameRef::SpaceMolt;

    fn call(name: &str, arguments: &str) -> CallRecord {
        CallRecord {
            id: "c".into(),
            name: name.into(),
            arguments: arguments.into(),
            read_only: false,
            status: CallStatus::Done,
            routine: None,
        }
    }

    #[test]
    fn what_was_done_counts_until_something_is_said() {
        let mut recent_activity = RecentActivity::default();
        recent_activity.record_words("\n off to the belt\nnow");
        assert_eq!(&*recent_activity.words, "off to the belt");
        record(
            &mut recent_activity,
            &call("mine", "{}"),
            (CallStatus::Done, 1_000),
            r#"{"resource_id":"iron_ore","quantity":3}"#,
        );
        let deed = recent_activity.last.clone().unwrap();
        assert_eq!((&*deed.tool, deed.is_error), ("mine", false));
        assert_eq!(&*deed.gist, "mined 3 iron ore");
        recent_activity.record_words("  ");
        assert!(recent_activity.last.is_some(), "nothing was said");
        record(
            &mut recent_activity,
            &call("dock", "{}"),
            (CallStatus::Failed, 5),
            "Error: not_here",
        );
        assert!(recent_activity.last.clone().unwrap().is_error);
        recent_activity.record_words("docked?");
        assert_eq!(recent_activity.last, None);
        for _ in 0..=MAX_CALLS_SINCE_WORDS {
            assert_eq!(&*recent_activity.words, "docked?");
            record(
                &mut recent_activity,
                &call("mine", "{}"),
                (CallStatus::Done, 1),
                "",
            );
        }
        assert_eq!(&*recent_activity.words, "", "that was long ago");
    }

    #[test]
    fn a_trip_takes_as_long_as_the_last_time() {
        let mut recent_activity = RecentActivity::default();
        let now = Timestamp(0);
        let (out, home) = (
            call("travel", r#"{"to":"belt"}"#),
            call("travel", r#"{"to":"home"}"#),
        );
        assert_eq!(recent_activity.expected_end(GAME, &out, now), None);
        for _ in 0..2 {
            record(&mut recent_activity, &out, (CallStatus::Done, 20_000), "");
            record(&mut recent_activity, &home, (CallStatus::Done, 40_000), "");
        }
        assert_eq!(
            recent_activity.expected_end(GAME, &out, now),
            Some(Timestamp(20_000))
        );
        record(&mut recent_activity, &out, (CallStatus::Failed, 1), "");
        assert_eq!(
            recent_activity.expected_end(GAME, &out, now),
            Some(Timestamp(20_000))
        );
        record(&mut recent_activity, &out, (CallStatus::Done, 21_000), "");
        assert_eq!(
            recent_activity.expected_end(GAME, &home, now),
            Some(Timestamp(40_000))
        );
        assert_eq!(
            recent_activity.expected_end(GAME, &out, now),
            None,
            "never from there to there"
        );
        assert_eq!(
            recent_activity.expected_end(GAME, &call("mine", "{}"), now),
            None
        );
    }

    #[test]
    fn long_words_are_cut_with_a_sign() {
        let text = "ä".repeat(MAX_WORDS_CHARS + 1);
        assert_eq!(first_line(&text).chars().count(), MAX_WORDS_CHARS + 1);
        assert!(first_line(&text).ends_with('…'));
        assert!(!first_line(&text[..text.len() - 2]).ends_with('…'));
    }
}

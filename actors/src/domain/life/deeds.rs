//! Deeds: what a Mysis said and did last, in short, and how long its trips take; for display only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::conversation::Conversation;
use crate::domain::event::LastToolCall;
use crate::domain::game_state;
use crate::domain::ids::{CallKey, Timestamp};
use crate::domain::message::{Call, CallStatus};
use crate::domain::tool::WORDS_OF_OTHERS_LINE;

/// Characters of words that are kept.
const WORDS: usize = 200;
/// Larger results are told by their first words: they come often, and nobody may look.
const READ: usize = 8 << 10;
/// Calls after which words are no news any more.
const STALE: u32 = 20;
/// Trips that are known; beyond, it begins to learn anew.
const TRIPS: usize = 16;

/// What a Mysis said and did last.
#[derive(Debug, Default)]
pub(super) struct RecentActivity {
    words: Arc<str>,
    /// Calls that came back since.
    calls: u32,
    /// The last one of them.
    last: Option<Arc<LastToolCall>>,
    /// How long trips took, in milliseconds. The game does not say how long one takes before its end.
    trips: BTreeMap<Trip, u64>,
    /// Where the last trip led.
    place: Option<Arc<str>>,
}

/// From where, by what tool, to where; places as the arguments of the calls name them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trip {
    from: Option<Arc<str>>,
    tool: Arc<str>,
    to: Arc<str>,
}

/// Whether a tool moves the ship and answers when it has arrived.
pub(super) fn is_trip(tool: &str) -> bool {
    matches!(tool, "travel" | "jump")
}

impl RecentActivity {
    /// What is known of it from the conversation.
    pub(super) fn recalled(conversation: &Conversation) -> RecentActivity {
        let mut deeds = RecentActivity::default();
        let mut calls: BTreeMap<CallKey, &Call> = BTreeMap::new();
        for row in conversation.rows() {
            if row.utterance().is_some() {
                deeds.said(row.text());
            }
            for (position, call) in (0..).zip(row.calls()) {
                calls.insert(
                    CallKey {
                        seq: row.seq,
                        position,
                    },
                    call,
                );
            }
            if let Some((key, text, meta)) = row.result()
                && let Some(call) = calls.remove(&key)
            {
                deeds.did(call, meta.status, meta.ms, text);
            }
        }
        deeds
    }

    /// Something was said; nothing is nothing new.
    pub(super) fn said(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.words = first_line(text);
            self.calls = 0;
            self.last = None;
        }
    }

    /// A call came back.
    pub(super) fn did(&mut self, call: &Call, status: CallStatus, ms: u64, text: &str) {
        let is_done = status == CallStatus::Done;
        self.calls = self.calls.saturating_add(1);
        if self.calls > STALE {
            self.words = Arc::default();
        }
        self.last = Some(Arc::new(LastToolCall {
            tool: call.name.clone(),
            is_error: !is_done,
            gist: gist(text).into(),
        }));
        if is_done && is_trip(&call.name) {
            let trip = self.trip(call);
            if self.trips.len() >= TRIPS {
                self.trips.clear();
            }
            self.place = Some(trip.to.clone());
            self.trips.insert(trip, ms);
        }
    }

    /// When a call that leaves now will probably be back: the same trip took so long the last time.
    pub(super) fn until(&self, call: &Call, now: Timestamp) -> Option<Timestamp> {
        if !is_trip(&call.name) {
            return None;
        }
        let took = self.trips.get(&self.trip(call))?;
        Some(now.plus(Duration::from_millis(*took)))
    }

    fn trip(&self, call: &Call) -> Trip {
        Trip {
            from: self.place.clone(),
            tool: call.name.clone(),
            to: call.arguments.clone(),
        }
    }

    /// The last thing it said, while that is news; one line.
    pub(super) fn words(&self) -> Arc<str> {
        self.words.clone()
    }

    /// What came back after that.
    pub(super) fn last(&self) -> Option<Arc<LastToolCall>> {
        self.last.clone()
    }
}

/// What a result says, in at most 200 characters of one line.
fn gist(text: &str) -> String {
    let text = text.strip_prefix(WORDS_OF_OTHERS_LINE).unwrap_or(text);
    let value = (text.len() <= READ).then(|| serde_json::from_str(text).ok());
    match value.flatten() {
        Some(value) => cut(&game_state::gist(&value)),
        None => first_line(text).to_string(),
    }
}

/// The first line of a text that says something, at most 200 characters of it.
fn first_line(text: &str) -> Arc<str> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    cut(line.unwrap_or_default()).into()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> Call {
        Call {
            id: "c".into(),
            name: name.into(),
            arguments: arguments.into(),
            read_only: false,
            status: CallStatus::Done,
        }
    }

    #[test]
    fn what_was_done_counts_until_something_is_said() {
        let mut deeds = RecentActivity::default();
        deeds.said("\n off to the belt\nnow");
        assert_eq!(&*deeds.words(), "off to the belt");
        deeds.did(
            &call("mine", "{}"),
            CallStatus::Done,
            1_000,
            r#"{"action":"mined","quantity":3}"#,
        );
        let deed = deeds.last().unwrap();
        assert_eq!((&*deed.tool, deed.is_error), ("mine", false));
        assert!(deed.gist.contains("mined"), "{}", deed.gist);
        deeds.said("  ");
        assert!(deeds.last().is_some(), "nothing was said");
        deeds.did(
            &call("dock", "{}"),
            CallStatus::Failed,
            5,
            "Error: not_here",
        );
        assert!(deeds.last().unwrap().is_error);
        deeds.said("docked?");
        assert_eq!(deeds.last(), None);
        for _ in 0..=STALE {
            assert_eq!(&*deeds.words(), "docked?");
            deeds.did(&call("mine", "{}"), CallStatus::Done, 1, "");
        }
        assert_eq!(&*deeds.words(), "", "that was long ago");
    }

    #[test]
    fn a_trip_takes_as_long_as_the_last_time() {
        let mut deeds = RecentActivity::default();
        let now = Timestamp(0);
        let (out, home) = (
            call("travel", r#"{"to":"belt"}"#),
            call("travel", r#"{"to":"home"}"#),
        );
        assert_eq!(deeds.until(&out, now), None);
        for _ in 0..2 {
            deeds.did(&out, CallStatus::Done, 20_000, "");
            deeds.did(&home, CallStatus::Done, 40_000, "");
        }
        assert_eq!(deeds.until(&out, now), Some(Timestamp(20_000)));
        deeds.did(&out, CallStatus::Failed, 1, "");
        assert_eq!(deeds.until(&out, now), Some(Timestamp(20_000)));
        deeds.did(&out, CallStatus::Done, 21_000, "");
        assert_eq!(deeds.until(&home, now), Some(Timestamp(40_000)));
        assert_eq!(deeds.until(&out, now), None, "never from there to there");
        assert_eq!(deeds.until(&call("mine", "{}"), now), None);
    }

    #[test]
    fn long_words_are_cut_with_a_sign() {
        let text = "ä".repeat(WORDS + 1);
        assert_eq!(first_line(&text).chars().count(), WORDS + 1);
        assert!(first_line(&text).ends_with('…'));
        assert!(!first_line(&text[..text.len() - 2]).ends_with('…'));
    }
}

//! Memos: what of a watch is stored, so that a restart does not begin to count anew.

use serde_json::{Value, json};

use crate::domain::ids::{Seq, Timestamp};

use super::habit::{Ailment, Habit};
use super::outcome::Outcomes;
use super::stretch::Stretch;
use super::{MEMO_EVERY, Rung, Watch};

/// Places that a memo holds, the newest.
const PLACES: usize = 16;

impl Watch {
    /// The memo to store, where it is time for one.
    pub fn due_memo(&mut self) -> Option<String> {
        if !self.is_urgent && self.unsaved < MEMO_EVERY {
            return None;
        }
        self.is_urgent = false;
        self.unsaved = 0;
        Some(self.memo())
    }

    pub(super) fn memo(&self) -> String {
        let (since, counts, calls) = self.stretch.counts();
        let outcomes = &self.outcomes;
        let places = outcomes.places.len().saturating_sub(PLACES);
        let places: Vec<u32> = outcomes.places.iter().skip(places).copied().collect();
        let ailments = self.habit.ailments().iter().map(|ailment| {
            json!([
                &*ailment.tool,
                &*ailment.code,
                ailment.times,
                ailment.first.0,
                ailment.last.0
            ])
        });
        let rung = Rung::ALL.iter().position(|rung| *rung == self.rung);
        json!({
            "rung": rung,
            "taken": [self.taken.0, self.taken.1.0],
            "afresh": self.afresh.0,
            "since": since.0,
            "counts": counts,
            "calls": [calls.0, calls.1],
            "credits": outcomes.credits,
            "cargo": outcomes.cargo,
            "skills": outcomes.skills,
            "explored": outcomes.explored,
            "missions": outcomes.missions,
            "ship": outcomes.ship,
            "places": places,
            "place": outcomes.place.as_deref(),
            "ailments": ailments.collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// Takes up what a memo says; nothing where it makes no sense.
    #[must_use]
    pub fn recalled(memo: &str) -> Watch {
        let Ok(memo) = serde_json::from_str::<Value>(memo) else {
            return Watch::default();
        };
        let whole = |value: &Value| value.as_i64().unwrap_or_default();
        let small = |value: &Value| u32::try_from(whole(value)).unwrap_or_default();
        let large = |value: &Value| u64::try_from(whole(value)).unwrap_or_default();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let marked = |value: &Value| value.as_u64().and_then(|mark| u32::try_from(mark).ok());
        let rung = usize::try_from(whole(&memo["rung"])).unwrap_or_default();
        let counts = [0, 1, 2, 3].map(|place| small(&memo["counts"][place]));
        let calls = (large(&memo["calls"][0]), large(&memo["calls"][1]));
        let ailments = list(&memo["ailments"]).into_iter().map(|ailment| Ailment {
            tool: ailment[0].as_str().unwrap_or_default().into(),
            code: ailment[1].as_str().unwrap_or_default().into(),
            times: small(&ailment[2]),
            first: Timestamp(whole(&ailment[3])),
            last: Timestamp(whole(&ailment[4])),
        });
        Watch {
            outcomes: Outcomes {
                credits: memo["credits"].as_i64(),
                cargo: memo["cargo"].as_i64(),
                skills: memo["skills"].as_i64(),
                explored: memo["explored"].as_i64(),
                missions: marked(&memo["missions"]),
                ship: marked(&memo["ship"]),
                places: list(&memo["places"]).iter().filter_map(marked).collect(),
                place: memo["place"].as_str().map(Into::into),
                ..Outcomes::default()
            },
            habit: Habit::recalled(ailments.collect()),
            stretch: Stretch::recalled(Timestamp(whole(&memo["since"])), counts, calls),
            rung: Rung::ALL.get(rung).copied().unwrap_or_default(),
            taken: (
                small(&memo["taken"][0]),
                Timestamp(whole(&memo["taken"][1])),
            ),
            afresh: Seq(whole(&memo["afresh"])),
            ..Watch::default()
        }
    }
}

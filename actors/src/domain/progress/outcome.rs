//! Outcomes: what a Mysis owns and reaches in the game, according to its calls' results.
//!
//! The reading of a result tells them. An answer in a form that is not known, or of a server of no game,
//! cannot be judged. It never counts as "no gain".

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use zoea_game::reading::Reached;
use zoea_text::figures::group_digits;

use super::call_pattern::hash_texts;
use crate::game::GameReading;

/// The most places that are remembered. A place that was left longer ago counts as new.
const MAX_PLACES: usize = 48;
/// The most states of missions, and of the ship, that are remembered.
pub(super) const MAX_STATES: usize = 16;
const MAX_ANSWERS: usize = 48;

/// A checkpoint has what is not skipped.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(super) struct Outcomes {
    pub(super) credits: Option<i64>,
    pub(super) cargo: Option<i64>,
    pub(super) skills: Option<i64>,
    pub(super) explored: Option<i64>,
    /// Hashes of the states of its missions and of its ship, newest last. One state has a hash for
    /// each form in which the game answers.
    pub(super) missions: VecDeque<u32>,
    pub(super) ship: VecDeque<u32>,
    /// A hash of what runs by itself, such as a trip or a job.
    #[serde(skip)]
    pub(super) runs: Option<u32>,
    /// Hashes of the places it was at, newest last.
    pub(super) places: VecDeque<u32>,
    pub(super) place: Option<Arc<str>>,
    /// Whether money was spent since some was last earned. Cargo that was paid for is not a gain.
    #[serde(skip)]
    pub(super) has_paid: bool,
    #[serde(skip)]
    pub(super) answers: VecDeque<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gains {
    /// Whether anything got better or is going to.
    pub(super) any: bool,
    /// Whether there is a gain that a cycle does not bring: goods, a skill, a place, a mission, a
    /// running job.
    pub(super) lasting: bool,
    /// Credits earned minus credits spent, according to the result.
    pub(super) net: i64,
    /// Whether the answer is unlike all recent ones.
    pub(super) is_novel: bool,
    /// Whether outcomes can be read from the answer's form; `None` if the answer is no indication.
    pub(super) is_readable: Option<bool>,
}

impl Outcomes {
    /// Whether outcomes can be read from this server's answers.
    pub(super) fn is_known(&self) -> bool {
        self.credits.is_some() || self.cargo.is_some() || !self.places.is_empty()
    }

    /// Takes a good result of which nothing can be read but whether it is new.
    pub(super) fn take_unreadable(&mut self, tool: &str, text: &str) -> Gains {
        Gains {
            is_readable: Some(false),
            is_novel: remember_mark(&mut self.answers, MAX_ANSWERS, hash_texts([tool, text])),
            ..Gains::default()
        }
    }

    pub(super) fn read_result(
        &mut self,
        tool: &str,
        read_only: bool,
        reading: &GameReading<'_>,
    ) -> Gains {
        let mut gains = self.take_unreadable(tool, reading.text());
        // A long one is a table of the game such as the map or the catalog.
        if !reading.is_short() || tool.starts_with("zoea_") {
            gains.is_readable = None;
            return gains;
        }
        let Some(facts) = reading.facts() else {
            return gains;
        };
        gains.is_readable = Some(true);
        let reached = facts.reached(tool, read_only);
        self.take_deal(&reached, &mut gains);
        self.take_figures(&reached, &mut gains);
        self.take_states(&reached, &mut gains);
        for place in &reached.places {
            self.visit_place(place, &mut gains);
        }
        gains.any |= gains.lasting;
        gains
    }

    fn take_deal(&mut self, reached: &Reached<'_>, gains: &mut Gains) {
        let deal = reached.deal();
        gains.net = deal.net();
        gains.any |= deal.earned > 0;
        if deal.earned > 0 {
            self.has_paid = false;
        }
        self.has_paid |= deal.spent > 0;
        gains.lasting |= reached.has_made || reached.has_learnt;
    }

    fn take_figures(&mut self, reached: &Reached<'_>, gains: &mut Gains) {
        if let Some(credits) = reached.standing.credits {
            gains.any |= record_rise(&mut self.credits, credits);
        }
        if let Some(used) = reached.standing.cargo.now {
            let has_more = record_rise(&mut self.cargo, used.into());
            gains.any |= has_more && !self.has_paid;
        }
        if let Some(count) = reached.explored {
            gains.lasting |= record_highest(&mut self.explored, count);
        }
        if let Some(levels) = reached.skills {
            gains.lasting |= record_highest(&mut self.skills, levels);
        }
    }

    fn take_states(&mut self, reached: &Reached<'_>, gains: &mut Gains) {
        if let Some(ship) = &reached.ship {
            let it = hash_texts(ship.iter().map(String::as_str));
            gains.lasting |= record_state(&mut self.ship, it);
        }
        if let Some(missions) = &reached.missions {
            let it = hash_texts(missions.iter().map(String::as_str));
            gains.lasting |= record_state(&mut self.missions, it);
        }
        match reached.running.as_deref() {
            Some([]) => self.runs = None,
            Some(figures) => {
                let it = hash_texts(figures.iter().map(String::as_str));
                gains.lasting |= self.runs.replace(it).is_some_and(|known| known != it);
            }
            None => {}
        }
    }

    /// Notes the present place. A new one is a gain, except for the first.
    fn visit_place(&mut self, place: &str, gains: &mut Gains) {
        let is_first = self.places.len() < 3;
        let is_new = remember_mark(&mut self.places, MAX_PLACES, hash_texts([place]));
        gains.lasting |= is_new && !is_first;
        if self.place.as_deref() != Some(place) {
            self.place = Some(place.chars().take(60).collect::<String>().into());
        }
    }

    pub(super) fn describe_figures(&self) -> Vec<String> {
        let credits = self.credits.and_then(|credits| u64::try_from(credits).ok());
        let reports = [
            credits.map(|credits| format!("credits {}", group_digits(credits))),
            self.cargo.map(|used| format!("cargo {used}")),
            self.skills.map(|levels| format!("skill levels {levels}")),
            (!self.missions.is_empty()).then(|| "missions as they were".to_string()),
            self.place.as_ref().map(|place| format!("last at {place}")),
        ];
        reports.into_iter().flatten().collect()
    }
}

/// Stores a figure. Returns whether it rose. The first one does not count as risen.
fn record_rise(known: &mut Option<i64>, figure: i64) -> bool {
    known.replace(figure).is_some_and(|before| figure > before)
}

/// Stores a figure that never falls. One form of an answer may tell less of it than another, so it
/// has risen only above all that was told before.
fn record_highest(known: &mut Option<i64>, figure: i64) -> bool {
    let highest = known.map_or(figure, |before| before.max(figure));
    known.replace(highest).is_some_and(|before| figure > before)
}

/// Stores a state. Returns whether it is unlike all remembered ones. The first one is no change.
fn record_state(known: &mut VecDeque<u32>, it: u32) -> bool {
    let had_one = !known.is_empty();
    remember_mark(known, MAX_STATES, it) && had_one
}

/// Adds a hash to a bounded memory. Returns whether it is new there.
fn remember_mark(known: &mut VecDeque<u32>, most: usize, it: u32) -> bool {
    if known.contains(&it) {
        return false;
    }
    if known.len() >= most {
        known.pop_front();
    }
    known.push_back(it);
    true
}

/// Formats milliseconds for people.
pub(super) fn format_millis(millis: u64) -> String {
    match millis / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

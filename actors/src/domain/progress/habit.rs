//! Habits: circles of calls, and failures that come again for days.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::ids::Moment;
use crate::domain::message::CallStatus;

use super::Called;

/// The longest circle that is recognised, in calls.
const LONGEST: usize = 8;
/// How often a circle must have been gone round.
const ROUNDS: usize = 6;
/// Calls that are remembered.
const REMEMBERED: usize = LONGEST * ROUNDS;
/// Failures that are counted; of more, the ones longest ago go.
const AILMENTS: usize = 8;
/// So often at least, and for so long, must one failure come before it is told.
const OFTEN: u32 = 24;
const LONG: Duration = Duration::from_secs(23 * 3600);
/// Failures that come as seldom as this are kept one by one.
const SLOW: Duration = Duration::from_secs(600);

/// What was called lately, and what fails for days.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallPattern {
    /// The newest calls, the newest last.
    calls: VecDeque<Trace>,
    ailments: Vec<StallKind>,
    /// What is to be told at the end of the turn.
    due: Option<String>,
}

/// A call in so few bytes that many can be kept.
#[derive(Clone, Debug, PartialEq)]
struct Trace {
    mark: u32,
    tool: Arc<str>,
    /// Whether it only read, and was answered.
    is_harmless: bool,
}

/// A failure that was not followed by a success of the same tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StallKind {
    pub(super) tool: Arc<str>,
    /// The error's code, or how it begins.
    pub(super) code: Arc<str>,
    pub(super) times: u32,
    pub(super) first: Moment,
    pub(super) last: Moment,
}

impl CallPattern {
    /// A call came back. Gives whether it failed as it did long ago, which is to be kept.
    pub(super) fn called(&mut self, call: &Called<'_>, now: Moment) -> bool {
        let is_done = call.status == CallStatus::Done;
        if self.calls.len() >= REMEMBERED {
            self.calls.pop_front();
        }
        let how = if is_done { "+" } else { "-" };
        self.calls.push_back(Trace {
            mark: mark([&**call.tool, &**call.arguments, how]),
            tool: call.tool.clone(),
            // Also a queue that reading empties: looking into it is no deed.
            is_harmless: is_done && (call.read_only || call.tool.starts_with("get_")),
        });
        match call.status {
            CallStatus::Done => {
                self.ailments.retain(|ailment| ailment.tool != *call.tool);
                false
            }
            CallStatus::Failed => self.failed(call, now),
            // That it was not made, or that nobody knows, says nothing of the Mysis.
            CallStatus::Recorded
            | CallStatus::Sent
            | CallStatus::Unknown
            | CallStatus::NotExecuted => false,
        }
    }

    fn failed(&mut self, call: &Called<'_>, now: Moment) -> bool {
        let code = code(call.text);
        let same = |ailment: &&mut StallKind| ailment.tool == *call.tool && *ailment.code == *code;
        if let Some(ailment) = self.ailments.iter_mut().find(same) {
            ailment.times = ailment.times.saturating_add(1);
            let is_slow = now.since(ailment.last) >= SLOW;
            ailment.last = now;
            let (times, lasted) = (ailment.times, now.since(ailment.first));
            let rounds = times / OFTEN;
            if lasted >= LONG && times.is_multiple_of(OFTEN) && rounds.is_power_of_two() {
                self.due = Some(told(ailment, now));
            }
            return is_slow;
        }
        if self.ailments.len() >= AILMENTS {
            let oldest = self.ailments.iter().enumerate();
            let oldest = oldest.min_by_key(|(_, ailment)| ailment.last);
            if let Some((place, _)) = oldest {
                self.ailments.remove(place);
            }
        }
        self.ailments.push(StallKind {
            tool: call.tool.clone(),
            code: code.into(),
            times: 1,
            first: now,
            last: now,
        });
        false
    }

    /// A failure that has come for days, where it is time to tell of it.
    pub(super) fn ailment(&mut self) -> Option<String> {
        self.due.take()
    }

    /// How many calls the circle has that the newest calls go in; 0 where they go in none.
    fn period(&self) -> usize {
        let marks = || self.calls.iter().rev().map(|trace| trace.mark);
        (1..=LONGEST)
            .find(|period| {
                let length = period * ROUNDS;
                self.calls.len() >= length
                    && marks()
                        .take(length - period)
                        .eq(marks().skip(*period).take(length - period))
            })
            .unwrap_or(0)
    }

    pub(super) fn is_circling(&self) -> bool {
        self.period() > 0
    }

    /// Whether the newest calls only read, and were answered.
    pub(super) fn is_harmless(&self) -> bool {
        let mut newest = self.calls.iter().rev().take(LONGEST);
        newest.all(|trace| trace.is_harmless)
    }

    /// The tools of the circle, in their order.
    pub(super) fn circle(&self) -> Vec<&str> {
        let newest = self.calls.iter().rev().take(self.period());
        let mut names: Vec<&str> = newest.map(|trace| &*trace.tool).collect();
        names.reverse();
        names
    }

    pub(super) fn ailments(&self) -> &[StallKind] {
        &self.ailments
    }

    pub(super) fn recalled(mut ailments: Vec<StallKind>) -> CallPattern {
        ailments.truncate(AILMENTS);
        CallPattern {
            ailments,
            ..CallPattern::default()
        }
    }
}

/// The failure, as a clause.
fn told(ailment: &StallKind, now: Moment) -> String {
    let StallKind {
        tool, code, times, ..
    } = ailment;
    let hours = now.since(ailment.first).as_secs() / 3600;
    format!("{hours} hours: {tool} failed {times} times with {code}, and never succeeded")
}

/// The code of a failed call, else how its text begins: figures in it do not make it another one.
fn code(text: &str) -> String {
    let text = text.trim_start().trim_start_matches("Error: ");
    let code = text.split([':', '\n']).next().unwrap_or_default();
    code.chars()
        .filter(|c| !c.is_ascii_digit())
        .take(40)
        .collect()
}

/// A mark of texts: equal texts have equal marks, in every process and version (FNV-1a).
pub(super) fn mark<'a>(texts: impl IntoIterator<Item = &'a str>) -> u32 {
    let bytes = texts
        .into_iter()
        .flat_map(|text| text.bytes().chain(std::iter::once(0)));
    bytes.fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

//! Call patterns: cycles of calls, and failures that recur for days.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::ids::Moment;
use crate::message::CallStatus;

use super::FinishedCall;

const MAX_CYCLE_CALLS: usize = 8;
/// How often a cycle must be repeated.
const MIN_CYCLE_ROUNDS: usize = 6;
const MAX_REMEMBERED_CALLS: usize = MAX_CYCLE_CALLS * MIN_CYCLE_ROUNDS;
/// The most failures that are counted. Beyond that the oldest are dropped.
const MAX_RECURRING_FAILURES: usize = 8;
/// How often, and over which time, a failure must recur before it is reported.
const MIN_FAILURE_COUNT: u32 = 24;
const MIN_FAILURE_SPAN: Duration = Duration::from_secs(23 * 3600);
const SLOW_FAILURE_INTERVAL: Duration = Duration::from_secs(600);

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallPattern {
    /// The newest calls, newest last.
    calls: VecDeque<CallTrace>,
    pub(super) recurring_failures: Vec<RecurringFailure>,
    /// The report about a failure that has recurred for days, due at the end of the turn.
    pub(super) due: Option<String>,
}

/// A call in a few bytes, so that many can be kept.
#[derive(Clone, Debug, PartialEq)]
struct CallTrace {
    mark: u32,
    tool: Arc<str>,
    /// Whether it only read, and was answered.
    is_harmless: bool,
}

/// A failure that no success of the same tool has followed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecurringFailure {
    pub(super) tool: Arc<str>,
    /// The error's code, or the beginning of its text.
    pub(super) code: Arc<str>,
    pub(super) times: u32,
    pub(super) first: Moment,
    pub(super) last: Moment,
}

impl CallPattern {
    /// Takes a call. Returns whether it is a failure with a long interval, which has to be stored.
    pub(super) fn on_call(&mut self, call: &FinishedCall<'_>, now: Moment) -> bool {
        let is_done = call.status == CallStatus::Done;
        if self.calls.len() >= MAX_REMEMBERED_CALLS {
            self.calls.pop_front();
        }
        let how = if is_done { "+" } else { "-" };
        self.calls.push_back(CallTrace {
            mark: hash_texts([&**call.tool, &**call.arguments, how]),
            tool: call.tool.clone(),
            // A queue that reading empties counts, too, because reading it is no action in the
            // game.
            is_harmless: is_done && (call.read_only || call.tool.starts_with("get_")),
        });
        match call.status {
            CallStatus::Done => {
                self.recurring_failures
                    .retain(|ailment| ailment.tool != *call.tool);
                false
            }
            CallStatus::Failed => self.on_failure(call, now),
            // A call that was not made or whose result is unknown says nothing about the Mysis.
            CallStatus::Recorded
            | CallStatus::Sent
            | CallStatus::Unknown
            | CallStatus::NotExecuted => false,
        }
    }

    fn on_failure(&mut self, call: &FinishedCall<'_>, now: Moment) -> bool {
        let code = failure_code(call.reading.text());
        let same =
            |ailment: &&mut RecurringFailure| ailment.tool == *call.tool && *ailment.code == *code;
        if let Some(ailment) = self.recurring_failures.iter_mut().find(same) {
            ailment.times = ailment.times.saturating_add(1);
            let is_slow = now.since(ailment.last) >= SLOW_FAILURE_INTERVAL;
            ailment.last = now;
            let (times, lasted) = (ailment.times, now.since(ailment.first));
            let rounds = times / MIN_FAILURE_COUNT;
            if lasted >= MIN_FAILURE_SPAN
                && times.is_multiple_of(MIN_FAILURE_COUNT)
                && rounds.is_power_of_two()
            {
                self.due = Some(describe_failure(ailment, now));
            }
            return is_slow;
        }
        if self.recurring_failures.len() >= MAX_RECURRING_FAILURES {
            let oldest = self.recurring_failures.iter().enumerate();
            let oldest = oldest.min_by_key(|(_, ailment)| ailment.last);
            if let Some((place, _)) = oldest {
                self.recurring_failures.remove(place);
            }
        }
        self.recurring_failures.push(RecurringFailure {
            tool: call.tool.clone(),
            code: code.into(),
            times: 1,
            first: now,
            last: now,
        });
        false
    }

    /// The length in calls of the cycle that the newest calls form; 0 if they form none.
    fn cycle_length(&self) -> usize {
        let marks = || self.calls.iter().rev().map(|trace| trace.mark);
        (1..=MAX_CYCLE_CALLS)
            .find(|period| {
                let length = period * MIN_CYCLE_ROUNDS;
                self.calls.len() >= length
                    && marks()
                        .take(length - period)
                        .eq(marks().skip(*period).take(length - period))
            })
            .unwrap_or(0)
    }

    pub(super) fn is_circling(&self) -> bool {
        self.cycle_length() > 0
    }

    /// Whether the newest calls only read, and were answered.
    pub(super) fn is_harmless(&self) -> bool {
        let mut newest = self.calls.iter().rev().take(MAX_CYCLE_CALLS);
        newest.all(|trace| trace.is_harmless)
    }

    pub(super) fn cycle_tools(&self) -> Vec<&str> {
        let newest = self.calls.iter().rev().take(self.cycle_length());
        let mut names: Vec<&str> = newest.map(|trace| &*trace.tool).collect();
        names.reverse();
        names
    }

    pub(super) fn restore(mut recurring_failures: Vec<RecurringFailure>) -> CallPattern {
        recurring_failures.truncate(MAX_RECURRING_FAILURES);
        CallPattern {
            recurring_failures,
            ..CallPattern::default()
        }
    }
}

fn describe_failure(ailment: &RecurringFailure, now: Moment) -> String {
    let RecurringFailure {
        tool, code, times, ..
    } = ailment;
    let hours = now.since(ailment.first).as_secs() / 3600;
    format!("{hours} hours: {tool} failed {times} times with {code}, and never succeeded")
}

/// The code of a failed call, or the beginning of its text without numbers, so that equal failures
/// get equal codes.
fn failure_code(text: &str) -> String {
    let text = text.trim_start().trim_start_matches("Error: ");
    let code = text.split([':', '\n']).next().unwrap_or_default();
    code.chars()
        .filter(|c| !c.is_ascii_digit())
        .take(40)
        .collect()
}

/// A hash of texts that is the same in every process and version (FNV-1a).
pub(super) fn hash_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> u32 {
    let bytes = texts
        .into_iter()
        .flat_map(|text| text.bytes().chain(std::iter::once(0)));
    bytes.fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

//! Calls under way: for how long each has given no sign of life, and how long such calls take as a rule.
//!
//! Slow is not late: a call is late when it takes far longer than the last ones of its model or tool did.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::ids::{Lane, Moment, MysisId};

/// A call is not late before this.
pub const LEAST_LIMIT: Duration = Duration::from_secs(15);
/// The limit as long as too few calls are known.
const UNKNOWN_LIMIT: Duration = Duration::from_secs(60);
const MIN_KNOWN: usize = 10;
/// The newest calls that count.
const MAX_KNOWN: usize = 50;
/// How many times the usual time a call may take.
const LATE_FACTOR: u32 = 3;
/// The most models and tools whose calls are known.
const MAX_KINDS: usize = 512;
/// For this long nothing may move before that is told.
pub const LEAST_STANDSTILL: Duration = Duration::from_secs(30);

/// What a call asks: a model of a provider, or a tool of the game.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKind {
    pub lane: Lane,
    pub name: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenCallId(u64);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    pub kind: CallKind,
    pub mysis: MysisId,
    /// When it last gave a sign of life, or began.
    pub last_sign: Moment,
    is_alive: bool,
}

#[derive(Debug, Default)]
pub struct OpenCalls {
    begun: u64,
    open: BTreeMap<OpenCallId, OpenCall>,
    /// The times to the first sign of life, in milliseconds.
    usual: BTreeMap<CallKind, VecDeque<u64>>,
    /// When a call last ended or gave a sign of life.
    moved: Option<Moment>,
}

impl OpenCalls {
    pub fn begin(&mut self, kind: CallKind, mysis: MysisId, now: Moment) -> OpenCallId {
        self.begun += 1;
        let id = OpenCallId(self.begun);
        let call = OpenCall {
            kind,
            mysis,
            last_sign: now,
            is_alive: false,
        };
        self.open.insert(id, call);
        id
    }

    pub fn note_sign_of_life(&mut self, id: OpenCallId, now: Moment) {
        let Some(call) = self.open.get_mut(&id) else {
            return;
        };
        let took = now.millis_since(call.last_sign);
        let is_first = !std::mem::replace(&mut call.is_alive, true);
        call.last_sign = now;
        self.moved = Some(now);
        if is_first {
            let kind = call.kind.clone();
            self.learn(kind, took);
        }
    }

    /// A call ended. An answer is a sign of life; an end without one says nothing about the time.
    pub fn end(&mut self, id: OpenCallId, is_answered: bool, now: Moment) {
        if is_answered {
            self.note_sign_of_life(id, now);
        }
        self.open.remove(&id);
        self.moved = Some(now);
    }

    fn learn(&mut self, kind: CallKind, took: u64) {
        if self.usual.len() >= MAX_KINDS && !self.usual.contains_key(&kind) {
            self.usual.pop_first();
        }
        let known = self.usual.entry(kind).or_default();
        known.push_back(took);
        if known.len() > MAX_KNOWN {
            known.pop_front();
        }
    }

    /// How long such a call takes to its first sign of life as a rule: the 95th percentile of the last ones;
    /// `None` as long as too few are known.
    pub fn usual(&self, kind: &CallKind) -> Option<Duration> {
        let known = self.usual.get(kind)?;
        if known.len() < MIN_KNOWN {
            return None;
        }
        let mut times: Vec<u64> = known.iter().copied().collect();
        times.sort_unstable();
        let place = (times.len() * 95).div_ceil(100) - 1;
        times.get(place).copied().map(Duration::from_millis)
    }

    /// For how long such a call may give no sign of life.
    pub fn limit(&self, kind: &CallKind) -> Duration {
        self.usual(kind).map_or(UNKNOWN_LIMIT, |usual| {
            usual.saturating_mul(LATE_FACTOR).max(LEAST_LIMIT)
        })
    }

    /// The calls under way of those who do not wait on purpose, and the limit of each.
    fn awaited(
        &self,
        waits_on_purpose: impl Fn(MysisId) -> bool,
    ) -> impl Iterator<Item = (&OpenCall, Duration)> {
        let mut limits: BTreeMap<&CallKind, Duration> = BTreeMap::new();
        let calls = self.open.values();
        calls
            .filter(move |call| !waits_on_purpose(call.mysis))
            .map(move |call| {
                let limit = limits.entry(&call.kind);
                (call, *limit.or_insert_with(|| self.limit(&call.kind)))
            })
    }

    /// The oldest late call of each server.
    pub fn late(
        &self,
        now: Moment,
        waits_on_purpose: impl Fn(MysisId) -> bool,
    ) -> BTreeMap<&Lane, &OpenCall> {
        let mut late: BTreeMap<&Lane, &OpenCall> = BTreeMap::new();
        for (call, limit) in self.awaited(waits_on_purpose) {
            if now.since(call.last_sign) <= limit {
                continue;
            }
            let oldest = late.entry(&call.kind.lane).or_insert(call);
            if call.last_sign < oldest.last_sign {
                *oldest = call;
            }
        }
        late
    }

    /// The calls that are waited for while nothing moves, and since when that is so; none as long as a call
    /// ended within the limit of each.
    pub fn stuck(
        &self,
        now: Moment,
        waits_on_purpose: impl Fn(MysisId) -> bool,
    ) -> (Vec<&OpenCall>, Moment) {
        let moved = self.moved.unwrap_or(Moment(i64::MIN));
        let mut since = now;
        let mut stuck = Vec::new();
        for (call, limit) in self.awaited(waits_on_purpose) {
            let begun = call.last_sign.max(moved);
            if now.since(begun) > limit.max(LEAST_STANDSTILL) {
                since = since.min(begun);
                stuck.push(call);
            }
        }
        (stuck, since)
    }

    /// When a call last ended or gave a sign of life.
    pub fn moved(&self) -> Option<Moment> {
        self.moved
    }

    pub fn callers(&self) -> impl Iterator<Item = MysisId> {
        self.open.values().map(|call| call.mysis)
    }

    /// When a call becomes late next, if none ends before.
    pub fn next_late(&self, now: Moment) -> Option<Moment> {
        let due = self
            .awaited(|_| false)
            .map(|(call, limit)| call.last_sign.plus(limit));
        due.filter(|at| *at >= now).min()
    }

    /// The whole process stood still for this long: no call could give a sign of life.
    pub fn stood_still(&mut self, by: Duration) {
        for call in self.open.values_mut() {
            call.last_sign = call.last_sign.plus(by);
        }
        self.moved = self.moved.map(|moved| moved.plus(by));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSIS: MysisId = MysisId(1);

    fn model() -> CallKind {
        CallKind {
            lane: Lane::Provider("local".into()),
            name: "qwen3:8b".into(),
        }
    }

    fn tool(name: &str) -> CallKind {
        CallKind {
            lane: Lane::Game,
            name: name.into(),
        }
    }

    /// Calls that each gave their first sign of life after so many seconds.
    fn after(seconds: &[i64]) -> OpenCalls {
        let mut calls = OpenCalls::default();
        for took in seconds {
            let id = calls.begin(model(), MYSIS, Moment(0));
            calls.end(id, true, Moment(took * 1000));
        }
        calls.moved = None;
        calls
    }

    fn is_late(calls: &OpenCalls, now: i64) -> bool {
        !calls.late(Moment(now), |_| false).is_empty()
    }

    #[test]
    fn the_limit_is_three_times_what_is_usual_and_a_minute_as_long_as_that_is_not_known() {
        let limit = |seconds: &[i64]| after(seconds).limit(&model()).as_secs();
        assert_eq!(limit(&[]), 60);
        assert_eq!(limit(&[1; 9]), 60);
        assert_eq!(limit(&[1; 10]), 15, "at least");
        assert_eq!(limit(&[40; 10]), 120);
        // 95 of 100 are quicker: one of fifty that was slow changes nothing.
        let mut times = vec![8; 49];
        times.push(500);
        assert_eq!(limit(&times), 24);
        // Only the last fifty count.
        let slow = [vec![100; 50], vec![10; 50]].concat();
        assert_eq!(limit(&slow), 30);
    }

    #[test]
    fn a_call_is_late_by_its_last_sign_of_life_and_on_time_again_with_the_next_one() {
        let mut calls = after(&[2; 10]);
        let id = calls.begin(model(), MYSIS, Moment(0));
        assert_eq!(calls.next_late(Moment(0)), Some(Moment(15_000)));
        assert!(!is_late(&calls, 15_000));
        assert!(is_late(&calls, 15_001));
        assert_eq!(calls.late(Moment(15_001), |_| true).len(), 0, "on purpose");
        calls.note_sign_of_life(id, Moment(16_000));
        assert!(!is_late(&calls, 31_000), "it may be slower from now on");
        calls.end(id, false, Moment(32_000));
        assert!(!is_late(&calls, 99_000));
        let id = calls.begin(tool("mine"), MYSIS, Moment(0));
        calls.note_sign_of_life(id, Moment(50_000));
        assert!(!is_late(&calls, 110_000));
        assert!(is_late(&calls, 110_001), "it stopped in the middle");
    }

    #[test]
    fn an_end_without_an_answer_says_nothing_about_the_usual_time() {
        let mut calls = after(&[2; 10]);
        for _ in 0..50 {
            let id = calls.begin(model(), MYSIS, Moment(0));
            calls.end(id, false, Moment(1));
        }
        assert_eq!(calls.usual(&model()), Some(Duration::from_secs(2)));
    }

    #[test]
    fn nothing_moves_where_no_call_ends_for_longer_than_each_may_take() {
        let mut calls = after(&[2; 10]);
        let hung = calls.begin(model(), MYSIS, Moment(0));
        calls.begin(tool("mine"), MysisId(2), Moment(0));
        let stuck = |calls: &OpenCalls, now| {
            let (stuck, since) = calls.stuck(Moment(now), |_| false);
            let names = stuck.iter().map(|call| call.kind.name.to_string());
            (names.collect::<Vec<_>>(), since.0)
        };
        assert_eq!(stuck(&calls, 30_000).0, [""; 0]);
        assert_eq!(stuck(&calls, 30_001), (vec!["qwen3:8b".into()], 0));
        let both = vec!["qwen3:8b".into(), "mine".into()];
        assert_eq!(stuck(&calls, 60_001), (both, 0));
        // Another one's call ends: something moves.
        let other = calls.begin(model(), MysisId(3), Moment(59_000));
        calls.end(other, true, Moment(61_000));
        assert_eq!(stuck(&calls, 91_000).0, [""; 0]);
        assert_eq!(stuck(&calls, 91_001), (vec!["qwen3:8b".into()], 61_000));
        calls.end(hung, true, Moment(92_000));
        assert_eq!(stuck(&calls, 99_000).0, [""; 0]);
    }

    #[test]
    fn while_the_process_stood_still_no_call_grew_older() {
        let mut calls = after(&[2; 10]);
        calls.begin(model(), MYSIS, Moment(0));
        calls.stood_still(Duration::from_secs(600));
        assert!(!is_late(&calls, 610_000));
        assert!(is_late(&calls, 616_000));
    }

    #[test]
    fn what_is_known_of_calls_is_bounded() {
        let mut calls = OpenCalls::default();
        for number in 0..2 * MAX_KINDS {
            let id = calls.begin(tool(&format!("tool_{number}")), MYSIS, Moment(0));
            calls.end(id, true, Moment(1));
        }
        assert_eq!((calls.usual.len(), calls.open.len()), (MAX_KINDS, 0));
    }
}

//! Tokens: those that the models were sent within a minute, and those that are spent of the day's
//! budget, counted where the models are.

use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::books::Day;

const MINUTE: Duration = Duration::from_secs(60);
/// How long a process may ask on once the stored books of a day reach the budget: until its part of
/// the other limits expires, with what was admitted then.
const MAX_NOTICE_TIME: Duration = Duration::from_secs(15);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TokenLimits {
    pub(super) a_minute: Option<u64>,
    /// Those of all in a day.
    pub(super) budget: Option<u64>,
    /// The most requests in flight. So many may have been admitted before the minute and begin within
    /// it.
    pub(super) in_flight: u64,
}

#[derive(Default)]
pub(super) struct TokenWatch {
    limits: TokenLimits,
    seen: Mutex<SeenTokens>,
}

#[derive(Default)]
struct SeenTokens {
    /// The requests of the last minute, by provider.
    sent: BTreeMap<Arc<str>, VecDeque<CountedRequest>>,
    largest: u64,
    /// Since when the stored books of a day have reached the budget.
    spent_since: BTreeMap<Day, Duration>,
    most_a_minute: u64,
    most_spent: u64,
    budgets_are_over: bool,
}

struct CountedRequest {
    number: u64,
    at: Duration,
    owner: Arc<str>,
    tokens: u64,
    /// Whether the gate that admitted it is gone, or has lost its part of the limit since.
    is_uncounted: bool,
}

#[derive(Clone, Copy)]
pub(super) struct BeginningRequest<'a> {
    pub(super) number: u64,
    pub(super) provider: &'a Arc<str>,
    pub(super) owner: &'a Arc<str>,
    pub(super) tokens: u64,
    /// The day by the clock of its process.
    pub(super) day: Day,
    /// Whether its process has lost its parts of limits.
    pub(super) is_late: bool,
}

impl TokenWatch {
    pub(super) fn new(limits: TokenLimits) -> TokenWatch {
        TokenWatch {
            limits,
            seen: Mutex::default(),
        }
    }

    /// Counts a request that begins. Returns what is wrong with it.
    pub(super) fn on_request(&self, request: BeginningRequest<'_>, now: Duration) -> Vec<String> {
        let mut seen = self.seen.lock();
        let SeenTokens { sent, largest, .. } = &mut *seen;
        *largest = request.tokens.max(*largest);
        let sent = sent.entry(request.provider.clone()).or_default();
        while sent.front().is_some_and(|first| first.at + MINUTE <= now) {
            sent.pop_front();
        }
        sent.push_back(CountedRequest {
            number: request.number,
            at: now,
            owner: request.owner.clone(),
            tokens: request.tokens,
            is_uncounted: request.is_late,
        });
        let counted = sent.iter().filter(|sent| !sent.is_uncounted);
        let in_minute: u64 = counted.map(|sent| sent.tokens).sum();
        let most = self
            .limits
            .a_minute
            .map(|limit| self.most_of(limit, *largest));
        seen.most_a_minute = seen.most_a_minute.max(in_minute);
        let since = seen.spent_since.get(&request.day).copied();
        drop(seen);
        let at = now.as_secs_f64();
        let mut wrong = Vec::new();
        if let Some(most) = most.filter(|most| in_minute > *most) {
            wrong.push(format!(
                "{at:.1} s: {in_minute} tokens in a minute of {most}"
            ));
        }
        let since = since.filter(|since| *since + MAX_NOTICE_TIME < now && !request.is_late);
        if let Some(since) = since {
            let (owner, since) = (request.owner, since.as_secs_f64());
            wrong.push(format!(
                "{at:.1} s: {owner} asks, and the budget of its day is spent since {since:.1} s"
            ));
        }
        wrong
    }

    /// The most tokens that may be counted in a minute: the limit, with what was admitted before the
    /// minute, and where the answers of what is in flight are not known yet.
    fn most_of(&self, limit: u64, largest: u64) -> u64 {
        limit + self.limits.in_flight * largest
    }

    /// Notes that a request failed. A server does not count its tokens.
    pub(super) fn on_failed(&self, number: u64) {
        let mut seen = self.seen.lock();
        let mut all = seen.sent.values_mut().flatten();
        if let Some(sent) = all.find(|sent| sent.number == number) {
            sent.tokens = 0;
        }
    }

    /// Notes which processes have lost their parts. What these sent exceeds the limit, once.
    pub(super) fn on_parts_looked_at(&self, has_part: impl Fn(&Arc<str>, &Arc<str>) -> bool) {
        for (provider, sent) in &mut self.seen.lock().sent {
            for sent in sent {
                sent.is_uncounted |= !has_part(provider, &sent.owner);
            }
        }
    }

    /// Notes that the gate of a process was killed. Its successor does not know what it admitted.
    pub(super) fn on_gate_killed(&self, owner: &Arc<str>) {
        for sent in self.seen.lock().sent.values_mut().flatten() {
            sent.is_uncounted |= sent.owner == *owner;
        }
    }

    pub(super) fn on_books(&self, books: BTreeMap<Day, u64>, now: Duration) {
        let mut seen = self.seen.lock();
        if seen.budgets_are_over {
            return;
        }
        for (day, spent) in books {
            seen.most_spent = seen.most_spent.max(spent);
            if self.limits.budget.is_some_and(|budget| spent >= budget) {
                seen.spent_since.entry(day).or_insert(now);
            }
        }
    }

    pub(super) fn end_budgets(&self) {
        let mut seen = self.seen.lock();
        seen.spent_since.clear();
        seen.budgets_are_over = true;
    }

    pub(super) fn words(&self) -> String {
        let seen = self.seen.lock();
        let of = |limit: Option<u64>| limit.map_or("any".to_string(), |limit| limit.to_string());
        let most = self
            .limits
            .a_minute
            .map(|limit| self.most_of(limit, seen.largest));
        format!(
            "at most {} tokens in a minute of {}, {} stored of a day's budget of {}",
            seen.most_a_minute,
            of(most),
            seen.most_spent,
            of(self.limits.budget)
        )
    }
}

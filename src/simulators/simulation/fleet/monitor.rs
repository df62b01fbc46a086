//! What a fleet promises beyond one process, checked while it runs: one life acts for each Mysis,
//! limits hold for all together, whoever lost its process runs elsewhere soon, and orders are answered.

mod requests;

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{Incarnation, MysisId};

use super::super::fleet_figures::FleetFigures;
use super::super::verdict::{InvariantMonitor, Promise};
use super::frozen::FrozenHomes;
use super::population::Population;
use super::tokens::{TokenLimits, TokenWatch};
use requests::AskedProvider;

/// How long a Mysis may be without a process that runs it, while one is there that could.
const MAX_ORPHAN_TIME: Duration = Duration::from_secs(45);
/// The window of limits by the minute.
const MINUTE: Duration = Duration::from_secs(60);
/// How long a part of a limit may outlast its process, with what was on its way then.
const MAX_PART_TIME: Duration = Duration::from_secs(15);
const MAX_ANSWER_TIME: Duration = Duration::from_secs(240);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FleetLimits {
    pub(super) in_flight: usize,
    /// With what a whole burst adds.
    pub(super) requests_a_minute: Option<usize>,
    /// With what a whole burst adds.
    pub(super) logins_a_minute: usize,
    pub(super) tokens: TokenLimits,
}

pub(super) struct FleetMonitor {
    watch: Arc<InvariantMonitor>,
    limits: FleetLimits,
    pub(super) population: Population,
    pub(super) frozen: FrozenHomes,
    pub(super) tokens: TokenWatch,
    seen: Mutex<SeenOfFleet>,
}

#[derive(Default)]
struct SeenOfFleet {
    now: Duration,
    /// The process of each life.
    lives: BTreeMap<(MysisId, Incarnation), Arc<str>>,
    newest: BTreeMap<MysisId, (Incarnation, Arc<str>)>,
    in_flight: BTreeMap<u64, AskedProvider>,
    asked: u64,
    /// How many requests a process began since its part of a limit expired.
    late: BTreeMap<Arc<str>, usize>,
    requests: BTreeMap<Arc<str>, VecDeque<Duration>>,
    logins: VecDeque<Duration>,
    /// When something last happened after which Myses may be without a process.
    disturbed: Duration,
    /// Since when no process runs a Mysis that could.
    orphans: BTreeMap<MysisId, Duration>,
    /// Since when processes are gone that still hold parts of limits.
    left_parts: BTreeMap<Arc<str>, Duration>,
    /// When each unanswered order was given.
    waiting: BTreeMap<u64, Duration>,
    orders: u64,
    without_commander: BTreeSet<Arc<str>>,
    figures: FleetFigures,
}

impl FleetMonitor {
    pub(super) fn new(watch: Arc<InvariantMonitor>, limits: FleetLimits) -> FleetMonitor {
        FleetMonitor {
            watch,
            limits,
            population: Population::default(),
            frozen: FrozenHomes::default(),
            tokens: TokenWatch::new(limits.tokens),
            seen: Mutex::default(),
        }
    }

    fn break_promise(&self, promise: Promise, text: String) {
        self.watch.add_violation(promise, text);
    }

    pub(super) fn set_now(&self, now: Duration) {
        self.seen.lock().now = now;
    }

    pub(super) fn now(&self) -> Duration {
        self.seen.lock().now
    }

    /// The second of the server's clock.
    pub(super) fn server_second(&self) -> u64 {
        self.seen.lock().now.as_secs()
    }

    pub(super) fn figure(&self, change: impl FnOnce(&mut FleetFigures)) {
        change(&mut self.seen.lock().figures);
    }

    pub(super) fn figures(&self) -> FleetFigures {
        self.seen.lock().figures.clone()
    }

    /// Notes that the Commander of a process was killed, which may strike while the process ends in good order.
    pub(super) fn on_commander_killed(&self, owner: &Arc<str>) {
        self.seen.lock().without_commander.insert(owner.clone());
    }

    pub(super) fn has_killed_commander(&self, owner: &str) -> bool {
        self.seen.lock().without_commander.contains(owner)
    }

    pub(super) fn on_life(&self, mysis: MysisId, incarnation: Incarnation, owner: &Arc<str>) {
        let mut seen = self.seen.lock();
        let life = seen.lives.entry((mysis, incarnation));
        let first = life.or_insert_with(|| owner.clone()).clone();
        let newest = seen.newest.get(&mysis).cloned();
        if newest.is_none_or(|(newest, _)| newest < incarnation) {
            seen.newest.insert(mysis, (incarnation, owner.clone()));
        }
        drop(seen);
        if first != *owner {
            let text = format!(
                "life {} of {mysis} is one of {first} and of {owner}",
                incarnation.0
            );
            self.break_promise(Promise::OneLife, text);
        }
        self.check_deletion(mysis, owner, "stored something");
    }

    /// Checks that nobody does anything for a Mysis that was deleted.
    fn check_deletion(&self, mysis: MysisId, owner: &Arc<str>, what: &str) {
        if let Some(objection) = self.population.objection(mysis) {
            let at = self.now().as_secs_f64();
            let text = format!("{at:.1} s: {owner} {what} for {mysis}: {objection}");
            self.break_promise(Promise::Deletions, text);
        }
    }

    /// Checks that nothing leaves a frozen home.
    pub(super) fn on_leaves(&self, home: &Arc<str>, what: &str) {
        self.object(self.frozen.objection(home), home, what);
    }

    /// Checks that nobody takes what a frozen home holds.
    pub(super) fn on_taken(&self, before: &Arc<str>, home: &Arc<str>, mysis: MysisId) {
        if before != home {
            let objection = self.frozen.objection_to_taking(before);
            self.object(objection, home, &format!("took {mysis} of {before}"));
        }
    }

    fn object(&self, objection: Option<String>, home: &Arc<str>, what: &str) {
        if let Some(objection) = objection {
            let at = self.now().as_secs_f64();
            let text = format!("{at:.1} s: {home} {what}, and {objection}");
            self.break_promise(Promise::Frozen, text);
        }
    }

    /// Checks that who asks a server for a Mysis is the one that holds it.
    pub(super) fn on_acts(
        &self,
        holder: Option<Arc<str>>,
        mysis: MysisId,
        owner: &Arc<str>,
        what: &str,
    ) {
        self.check_deletion(mysis, owner, what);
        if holder.as_ref() == Some(owner) {
            return;
        }
        let at = self.seen.lock().now.as_secs_f64();
        let holder = holder.as_deref().unwrap_or("nobody");
        let text = format!("{at:.1} s: {owner} {what} for {mysis}, which {holder} holds");
        self.break_promise(Promise::OneLife, text);
    }

    pub(super) fn count_login(&self) {
        let mut seen = self.seen.lock();
        let now = seen.now;
        let in_minute = count_in_minute(&mut seen.logins, now);
        seen.figures.most_logins = seen.figures.most_logins.max(in_minute);
        drop(seen);
        if in_minute > self.limits.logins_a_minute {
            let limit = self.limits.logins_a_minute;
            let text = format!("{in_minute} logins in a minute of {limit}");
            self.break_promise(Promise::Limits, text);
        }
    }

    /// Notes that something happened after which Myses may be without a process.
    pub(super) fn on_disturbed(&self) {
        let mut seen = self.seen.lock();
        seen.disturbed = seen.now;
    }

    /// Checks that some process runs each running Mysis, or will soon. `able` are the processes that
    /// run and reach the database.
    pub(super) fn check_orphans(
        &self,
        running: Vec<(MysisId, Option<Arc<str>>)>,
        able: &BTreeSet<Arc<str>>,
    ) {
        let mut overdue = Vec::new();
        let mut seen = self.seen.lock();
        let (now, disturbed) = (seen.now, seen.disturbed);
        // Who is not wanted to run any more, as in a home that is frozen, begins to wait anew afterwards.
        let mut before = std::mem::take(&mut seen.orphans);
        let mut orphans = BTreeMap::new();
        for (mysis, owner) in running {
            let lives_in = seen.newest.get(&mysis).map(|(_, owner)| owner);
            let is_run = owner.as_ref().is_some_and(|owner| able.contains(owner))
                && owner.as_ref() == lives_in;
            if is_run || able.is_empty() {
                if let Some(since) = before.remove(&mysis) {
                    let waited = now.saturating_sub(since.max(disturbed));
                    let longest = &mut seen.figures.longest_orphan;
                    *longest = waited.max(*longest);
                    seen.figures.taken_over += 1;
                }
                continue;
            }
            let known = before.remove(&mysis);
            let since = orphans.entry(mysis).or_insert(known.unwrap_or(now));
            if now.saturating_sub((*since).max(disturbed)) > MAX_ORPHAN_TIME {
                overdue.push((mysis, owner));
                *since = now;
            }
        }
        seen.orphans = orphans;
        drop(seen);
        for (mysis, owner) in overdue {
            let owner = owner.as_deref().unwrap_or("nobody");
            let at = now.as_secs();
            let text =
                format!("{at} s: {mysis} of {owner} runs nowhere for 45 s, and {able:?} could");
            self.break_promise(Promise::TakenOver, text);
        }
    }

    /// Checks that what dead processes held of limits comes back.
    pub(super) fn check_parts(&self, held_by_dead: BTreeSet<Arc<str>>) {
        let mut seen = self.seen.lock();
        let now = seen.now;
        seen.left_parts
            .retain(|owner, _| held_by_dead.contains(owner));
        let mut kept = Vec::new();
        for owner in held_by_dead {
            let since = seen.left_parts.entry(owner.clone()).or_insert(now);
            if now.saturating_sub(*since) > MAX_PART_TIME {
                *since = now;
                kept.push(owner);
            }
        }
        drop(seen);
        for owner in kept {
            let at = now.as_secs();
            let text = format!("{at} s: {owner} is gone and still holds parts of limits");
            self.break_promise(Promise::Limits, text);
        }
    }

    /// Notes an order. Returns its number.
    pub(super) fn on_order_given(&self) -> u64 {
        let mut seen = self.seen.lock();
        seen.orders += 1;
        let (number, now) = (seen.orders, seen.now);
        seen.waiting.insert(number, now);
        number
    }

    pub(super) fn on_order_over(&self, number: u64) {
        self.seen.lock().waiting.remove(&number);
    }

    /// Checks that no order waits for too long.
    pub(super) fn check_answers(&self) {
        let mut seen = self.seen.lock();
        let now = seen.now;
        let is_late = |since: &Duration| now.saturating_sub(*since) > MAX_ANSWER_TIME;
        let late: Vec<u64> = seen
            .waiting
            .iter()
            .filter(|(_, since)| is_late(since))
            .map(|of| *of.0)
            .collect();
        seen.waiting.retain(|number, _| !late.contains(number));
        drop(seen);
        for number in late {
            let text = format!("{} s: order {number} has no answer", now.as_secs());
            self.break_promise(Promise::Answered, text);
        }
    }
}

/// Counts an event at this time, and returns how many there were within a minute.
fn count_in_minute(events: &mut VecDeque<Duration>, now: Duration) -> usize {
    while events.front().is_some_and(|at| *at + MINUTE <= now) {
        events.pop_front();
    }
    events.push_back(now);
    events.len()
}

//! Chaos: what goes wrong and when, all of it from one seed, and counted by kind.
//!
//! A seed draws which faults strike at all: where every fault always strikes, what needs one of them
//! to be absent is never seen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InjectedFault {
    /// The whole process ends, as by `kill -9`.
    ProcessKill,
    /// The Commander alone is killed, and the process ends with it.
    CommanderKill,
    /// An actor is killed: a Mysis, the Store or the gate.
    ActorKill,
    /// A commit takes seconds.
    SlowCommit,
    /// The ledger does not take a group, now.
    CommitRefused,
    /// The ledger takes a group and says that it did not.
    CommitAnswerLost,
    /// Two commits in a row fail, each before or after the group was taken.
    CommitFailsTwice,
    /// Three commits in a row fail, each before or after the group was taken.
    CommitFailsThrice,
    /// The ledger takes nothing for seconds.
    StoreAway,
    /// The ledger panics before it takes a group.
    CommitPanic,
    /// What is stored cannot be read, now.
    ReadFault,
    /// The model's server answers 429.
    ModelLimited,
    /// The model's server fails in a way worth another try.
    ModelTransient,
    /// The model's server refuses for good.
    ModelPermanent,
    /// The model's server fails for minutes.
    ModelAway,
    /// The model takes minutes.
    ModelSlow,
    /// The model says nothing at all.
    ModelMute,
    /// The code that asks the model panics.
    ModelPanic,
    /// The game cannot be reached.
    GameUnreachable,
    /// The game cannot be reached for minutes.
    GameAway,
    /// The game announces a restart, forgets all sessions, and is away for a while.
    GameRestart,
    /// The game's list of tools is another one from now on.
    GameToolsChange,
    /// The game lets one Mysis get nowhere for minutes.
    GameHindrance,
    /// A call is carried out and its answer is lost.
    GameAnswerLost,
    /// A call is lost before it is carried out, and nobody can know that.
    GameRequestLost,
    /// The game forgets the MCP session.
    GameSessionLost,
    /// The game forgets the login.
    GameLoginLost,
    /// The game limits logins.
    GameLimited,
    /// The game lists no tools.
    GameNoTools,
    /// The code that calls the game panics.
    GamePanic,
    /// The wall clock is set seconds back or forward.
    ClockBySeconds,
    /// The wall clock is set hours back or forward.
    ClockByHours,
    /// The wall clock is set years back or forward.
    ClockByYears,
}

impl InjectedFault {
    /// All of them.
    pub const ALL: [InjectedFault; 33] = [
        InjectedFault::ProcessKill,
        InjectedFault::CommanderKill,
        InjectedFault::ActorKill,
        InjectedFault::SlowCommit,
        InjectedFault::CommitRefused,
        InjectedFault::CommitAnswerLost,
        InjectedFault::CommitFailsTwice,
        InjectedFault::CommitFailsThrice,
        InjectedFault::StoreAway,
        InjectedFault::CommitPanic,
        InjectedFault::ReadFault,
        InjectedFault::ModelLimited,
        InjectedFault::ModelTransient,
        InjectedFault::ModelPermanent,
        InjectedFault::ModelAway,
        InjectedFault::ModelSlow,
        InjectedFault::ModelMute,
        InjectedFault::ModelPanic,
        InjectedFault::GameUnreachable,
        InjectedFault::GameAway,
        InjectedFault::GameRestart,
        InjectedFault::GameToolsChange,
        InjectedFault::GameHindrance,
        InjectedFault::GameAnswerLost,
        InjectedFault::GameRequestLost,
        InjectedFault::GameSessionLost,
        InjectedFault::GameLoginLost,
        InjectedFault::GameLimited,
        InjectedFault::GameNoTools,
        InjectedFault::GamePanic,
        InjectedFault::ClockBySeconds,
        InjectedFault::ClockByHours,
        InjectedFault::ClockByYears,
    ];
}

/// The words by which simulated panics are known, so that they are not printed.
pub(super) const PANIC: &str = "a simulated panic";

/// The source of all chance.
#[derive(Debug)]
pub(super) struct Chaos {
    inside: Mutex<ChaosState>,
    wildness: f64,
    /// What strikes at all.
    drawn: BTreeSet<InjectedFault>,
}

#[derive(Debug)]
struct ChaosState {
    dice: fastrand::Rng,
    is_calm: bool,
    clock_offset_ms: i64,
    /// What goes on, and until when.
    lasting: BTreeMap<InjectedFault, Instant>,
    struck: BTreeMap<InjectedFault, u64>,
}

impl Chaos {
    /// Strikes with those faults that the seed draws, or with all.
    pub(super) fn new(seed: u64, wildness: f64, with_all: bool) -> Chaos {
        let mut dice = fastrand::Rng::with_seed(seed);
        // A few faults, about half of them, or nearly all.
        let share = [0.25, 0.5, 0.85][dice.usize(..3)];
        let mut drawn = BTreeSet::from(InjectedFault::ALL);
        drawn.retain(|_| with_all || dice.f64() < share);
        Chaos {
            inside: Mutex::new(ChaosState {
                dice,
                is_calm: false,
                clock_offset_ms: 0,
                lasting: BTreeMap::new(),
                struck: BTreeMap::new(),
            }),
            wildness,
            drawn,
        }
    }

    /// What strikes at all.
    pub(super) fn drawn_faults(&self) -> &BTreeSet<InjectedFault> {
        &self.drawn
    }

    fn lock_state(&self) -> MutexGuard<'_, ChaosState> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins or ends a time in which nothing goes wrong.
    pub(super) fn set_calm(&self, is_calm: bool) {
        let mut inside = self.lock_state();
        inside.is_calm = is_calm;
        inside.lasting.clear();
    }

    /// Whether nothing goes wrong now.
    pub(super) fn is_calm(&self) -> bool {
        self.lock_state().is_calm
    }

    /// Whether this goes wrong now.
    pub(super) fn draw_fault(&self, strike: InjectedFault, probability: f64) -> bool {
        let mut inside = self.lock_state();
        let may = !inside.is_calm && self.drawn.contains(&strike);
        if !may || inside.dice.f64() >= probability * self.wildness {
            return false;
        }
        *inside.struck.entry(strike).or_default() += 1;
        true
    }

    /// Whether this goes wrong for a while, this moment included; where it does not, it may begin.
    pub(super) fn draw_lasting_fault(
        &self,
        strike: InjectedFault,
        probability: f64,
        most: Duration,
    ) -> bool {
        let now = Instant::now();
        let goes_on = self
            .lock_state()
            .lasting
            .get(&strike)
            .is_some_and(|until| now < *until);
        if goes_on {
            return true;
        }
        let begins = self.draw_fault(strike, probability);
        if begins {
            let until = now + self.duration_between(most / 20, most);
            self.lock_state().lasting.insert(strike, until);
        }
        begins
    }

    /// Counts what went wrong by another hand.
    pub(super) fn count_fault(&self, strike: InjectedFault) {
        *self.lock_state().struck.entry(strike).or_default() += 1;
    }

    /// A time between these two.
    pub(super) fn duration_between(&self, least: Duration, most: Duration) -> Duration {
        least + (most - least).mul_f64(self.lock_state().dice.f64())
    }

    /// A whole number below this one.
    pub(super) fn number_below(&self, bound: usize) -> usize {
        self.lock_state().dice.usize(..bound.max(1))
    }

    /// Another seed.
    pub(super) fn next_seed(&self) -> u64 {
        self.lock_state().dice.u64(..)
    }

    /// How long a process lives before it is killed: minutes as well as half a day.
    pub(super) fn process_lifetime(&self) -> Duration {
        if self.wildness <= 0.0 || !self.drawn.contains(&InjectedFault::ProcessKill) {
            return Duration::MAX;
        }
        let dice = self.lock_state().dice.f64();
        Duration::from_secs_f64(43_200.0 * dice * dice * dice / self.wildness + 0.01)
    }

    /// So many milliseconds the wall clock is wrong by.
    pub(super) fn clock_offset_ms(&self) -> i64 {
        self.lock_state().clock_offset_ms
    }

    /// Sets the wall clock up to so far back or forward.
    pub(super) fn set_clock(&self, most: Duration) {
        let most = i64::try_from(most.as_millis()).unwrap_or(i64::MAX);
        let mut inside = self.lock_state();
        inside.clock_offset_ms = inside.dice.i64(-most..most);
    }

    /// What went wrong so far, by kind.
    pub(super) fn fault_counts(&self) -> BTreeMap<InjectedFault, u64> {
        self.lock_state().struck.clone()
    }
}

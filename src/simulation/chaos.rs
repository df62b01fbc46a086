//! Chaos: what goes wrong and when, all of it from one seed, and counted by kind.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strike {
    /// The whole process ends, as by `kill -9`.
    ProcessKill,
    /// An actor is killed: a Mysis, the Store or the gate.
    ActorKill,
    /// A commit takes seconds.
    SlowCommit,
    /// The ledger does not take a group, now.
    CommitRefused,
    /// The ledger takes a group and says that it did not.
    CommitAnswerLost,
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
    /// The model takes minutes.
    ModelSlow,
    /// The model says nothing at all.
    ModelMute,
    /// The code that asks the model panics.
    ModelPanic,
    /// The game cannot be reached.
    GameUnreachable,
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
    /// The clock of the machine jumps.
    ClockJump,
}

/// The words by which simulated panics are known, so that they are not printed.
pub(super) const PANIC: &str = "a simulated panic";

/// The source of all chance.
#[derive(Debug)]
pub(super) struct Chaos {
    inside: Mutex<Inside>,
    wildness: f64,
}

#[derive(Debug)]
struct Inside {
    dice: fastrand::Rng,
    is_calm: bool,
    clock_is_off_by: i64,
    struck: BTreeMap<Strike, u64>,
}

impl Chaos {
    pub(super) fn new(seed: u64, wildness: f64) -> Chaos {
        Chaos {
            inside: Mutex::new(Inside {
                dice: fastrand::Rng::with_seed(seed),
                is_calm: false,
                clock_is_off_by: 0,
                struck: BTreeMap::new(),
            }),
            wildness,
        }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins or ends a time in which nothing goes wrong.
    pub(super) fn be_calm(&self, is_calm: bool) {
        self.inside().is_calm = is_calm;
    }

    /// Whether this goes wrong now.
    pub(super) fn strikes(&self, strike: Strike, probability: f64) -> bool {
        let mut inside = self.inside();
        if inside.is_calm || inside.dice.f64() >= probability * self.wildness {
            return false;
        }
        *inside.struck.entry(strike).or_default() += 1;
        true
    }

    /// Counts what went wrong by another hand.
    pub(super) fn note(&self, strike: Strike) {
        *self.inside().struck.entry(strike).or_default() += 1;
    }

    /// A time between these two.
    pub(super) fn between(&self, least: Duration, most: Duration) -> Duration {
        least + (most - least).mul_f64(self.inside().dice.f64())
    }

    /// A whole number below this one.
    pub(super) fn below(&self, bound: usize) -> usize {
        self.inside().dice.usize(..bound.max(1))
    }

    /// Another seed.
    pub(super) fn seed(&self) -> u64 {
        self.inside().dice.u64(..)
    }

    /// How long a process lives before it is killed: minutes as well as half a day.
    pub(super) fn length_of_a_process(&self) -> Duration {
        if self.wildness <= 0.0 {
            return Duration::MAX;
        }
        let dice = self.inside().dice.f64();
        Duration::from_secs_f64(43_200.0 * dice * dice * dice / self.wildness + 0.01)
    }

    /// So many milliseconds the clock is wrong by.
    pub(super) fn clock_is_off_by(&self) -> i64 {
        self.inside().clock_is_off_by
    }

    /// Lets the clock jump up to ten minutes to either side.
    pub(super) fn jump(&self) {
        let mut inside = self.inside();
        inside.clock_is_off_by = inside.dice.i64(-600_000..600_000);
    }

    /// What went wrong so far, by kind.
    pub(super) fn struck(&self) -> BTreeMap<Strike, u64> {
        self.inside().struck.clone()
    }
}

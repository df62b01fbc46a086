//! Chaos: decides which faults happen and when, all from one seed, and counts them by kind.
//!
//! A seed draws the set of faults that can happen at all. If every fault always happened, behaviour
//! that needs one of them to be absent would never be seen.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use strum::{Display, EnumCount, VariantArray};
use tokio::time::Instant;

use super::poison::{self, PoisonShape};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumCount, VariantArray)]
pub enum InjectedFault {
    /// The whole process ends, as by `kill -9`.
    #[strum(serialize = "process killed")]
    ProcessKill,
    /// The Commander alone is killed, and the process ends with it.
    #[strum(serialize = "Commander killed")]
    CommanderKill,
    /// An actor is killed: a Mysis, the Store or the gate.
    #[strum(serialize = "Mysis, Store or gate killed")]
    ActorKill,
    #[strum(serialize = "commit took seconds")]
    SlowCommit,
    #[strum(serialize = "commit refused")]
    CommitRefused,
    /// The ledger stores a group of writes and reports a failure.
    #[strum(serialize = "commit stored but reported as failed")]
    CommitAnswerLost,
    /// Two commits in a row fail, each before or after the group was stored.
    #[strum(serialize = "two commits in a row failed")]
    CommitFailsTwice,
    /// Three commits in a row fail, each before or after the group was stored.
    #[strum(serialize = "three commits in a row failed")]
    CommitFailsThrice,
    /// The ledger accepts nothing for seconds.
    #[strum(serialize = "database away")]
    StoreAway,
    /// The ledger panics before it stores a group.
    #[strum(serialize = "commit panicked")]
    CommitPanic,
    #[strum(serialize = "read failed")]
    ReadFault,
    #[strum(serialize = "model server answered 429")]
    ModelLimited,
    /// The model's server fails in a way that is worth a retry.
    #[strum(serialize = "model server failed for a moment")]
    ModelTransient,
    #[strum(serialize = "model server refused a request for good")]
    ModelPermanent,
    #[strum(serialize = "model server away")]
    ModelAway,
    #[strum(serialize = "order that the model server refuses")]
    PoisonedOrder,
    #[strum(serialize = "tool result that the model server refuses")]
    PoisonedResult,
    #[strum(serialize = "player's words that the model server refuses")]
    PoisonedWords,
    #[strum(serialize = "model answered after minutes")]
    ModelSlow,
    #[strum(serialize = "model gave an empty answer")]
    ModelMute,
    #[strum(serialize = "model call panicked")]
    ModelPanic,
    #[strum(serialize = "game unreachable once")]
    GameUnreachable,
    #[strum(serialize = "game away for minutes")]
    GameAway,
    /// The game announces a restart, forgets all sessions, and is away for a while.
    #[strum(serialize = "game restarted")]
    GameRestart,
    #[strum(serialize = "game changed its tools")]
    GameToolsChange,
    /// The game keeps one Mysis from any progress for minutes.
    #[strum(serialize = "game kept a Mysis from progress")]
    GameHindrance,
    #[strum(serialize = "answer of a tool call lost")]
    GameAnswerLost,
    /// A call is lost before it is carried out. The caller cannot know that.
    #[strum(serialize = "tool call lost on its way")]
    GameRequestLost,
    #[strum(serialize = "game session lost")]
    GameSessionLost,
    #[strum(serialize = "game login lost")]
    GameLoginLost,
    /// The game refuses logins for a while, as too many.
    #[strum(serialize = "login refused as too many")]
    GameLimited,
    #[strum(serialize = "game listed none of its tools")]
    GameNoTools,
    #[strum(serialize = "tool call panicked")]
    GamePanic,
    /// The wall clock is set back or forward.
    #[strum(serialize = "clock set by seconds")]
    ClockBySeconds,
    #[strum(serialize = "clock set by hours")]
    ClockByHours,
    #[strum(serialize = "clock set by years")]
    ClockByYears,
}

impl InjectedFault {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");
}

/// Texts that the model's server refuses: they strike where all faults may.
pub const POISON: [InjectedFault; 3] = [
    InjectedFault::PoisonedOrder,
    InjectedFault::PoisonedResult,
    InjectedFault::PoisonedWords,
];

/// The message of simulated panics. The panic hook recognises it and prints nothing.
pub const PANIC: &str = "a simulated panic";

#[derive(Debug)]
pub struct Chaos {
    state: Mutex<ChaosState>,
    seed: u64,
    wildness: f64,
    drawn: BTreeSet<InjectedFault>,
}

#[derive(Debug)]
struct ChaosState {
    dice: fastrand::Rng,
    is_calm: bool,
    clock_offset_ms: i64,
    lasting: BTreeMap<InjectedFault, Instant>,
    injected: BTreeMap<InjectedFault, u64>,
    are_dice_parted: bool,
    /// The chance of each Mysis, where these are parted.
    own_dice: BTreeMap<String, fastrand::Rng>,
    marks: u64,
}

impl Chaos {
    /// Draws the set of faults from the seed, or takes all of them.
    pub fn new(seed: u64, wildness: f64, with_all: bool) -> Chaos {
        let mut dice = fastrand::Rng::with_seed(seed);
        // A few faults, about half of them, or nearly all.
        let share = [0.25, 0.5, 0.85][dice.usize(..3)];
        let mut drawn = BTreeSet::from(InjectedFault::ALL);
        drawn.retain(|fault| with_all || (!POISON.contains(fault) && dice.f64() < share));
        Chaos {
            state: Mutex::new(ChaosState {
                dice,
                is_calm: false,
                clock_offset_ms: 0,
                lasting: BTreeMap::new(),
                injected: BTreeMap::new(),
                are_dice_parted: false,
                own_dice: BTreeMap::new(),
                marks: 0,
            }),
            seed,
            wildness,
            drawn,
        }
    }

    /// The same without texts that the model's server refuses: what one process finds out about them, the others
    /// know from their next start on.
    pub fn without_poison(mut self) -> Chaos {
        self.drawn.retain(|fault| !POISON.contains(fault));
        self
    }

    pub fn drawn_faults(&self) -> &BTreeSet<InjectedFault> {
        &self.drawn
    }

    /// Begins or ends a time without faults.
    pub fn set_calm(&self, is_calm: bool) {
        let mut state = self.state.lock();
        state.is_calm = is_calm;
        state.lasting.clear();
    }

    /// Whether no faults happen now.
    pub fn is_calm(&self) -> bool {
        self.state.lock().is_calm
    }

    pub fn draw_fault(&self, fault: InjectedFault, probability: f64) -> bool {
        let mut state = self.state.lock();
        let may = !state.is_calm && self.drawn.contains(&fault);
        if !may || state.dice.f64() >= probability * self.wildness {
            return false;
        }
        *state.injected.entry(fault).or_default() += 1;
        true
    }

    /// Whether this lasting fault is going on now. If it is not, it may begin here.
    pub fn draw_lasting_fault(
        &self,
        fault: InjectedFault,
        probability: f64,
        most: Duration,
    ) -> bool {
        let now = Instant::now();
        let goes_on = self
            .state
            .lock()
            .lasting
            .get(&fault)
            .is_some_and(|until| now < *until);
        if goes_on {
            return true;
        }
        let begins = self.draw_fault(fault, probability);
        if begins {
            let until = now + self.duration_between(most / 20, most);
            self.state.lock().lasting.insert(fault, until);
        }
        begins
    }

    pub fn is_going_on(&self, fault: InjectedFault) -> bool {
        let now = Instant::now();
        let state = self.state.lock();
        state.lasting.get(&fault).is_some_and(|until| now < *until)
    }

    pub fn count_fault(&self, fault: InjectedFault) {
        *self.state.lock().injected.entry(fault).or_default() += 1;
    }

    pub fn duration_between(&self, least: Duration, most: Duration) -> Duration {
        least + (most - least).mul_f64(self.state.lock().dice.f64())
    }

    /// Gives each Mysis a chance of its own, so that what befalls one changes no time of another.
    pub fn part_dice(&self) {
        self.state.lock().are_dice_parted = true;
    }

    pub fn duration_of(&self, who: &str, least: Duration, most: Duration) -> Duration {
        if !self.state.lock().are_dice_parted {
            return self.duration_between(least, most);
        }
        let mut state = self.state.lock();
        if !state.own_dice.contains_key(who) {
            let name = who.bytes().fold(self.seed, |seed, byte| {
                seed.wrapping_mul(31).wrapping_add(u64::from(byte))
            });
            let dice = fastrand::Rng::with_seed(name);
            state.own_dice.insert(who.to_string(), dice);
        }
        let share = state.own_dice.get_mut(who).map_or(0.0, fastrand::Rng::f64);
        least + (most - least).mul_f64(share)
    }

    /// A new mark of a text that the model's server refuses.
    pub fn new_mark(&self) -> String {
        let shape = PoisonShape::ALL[self.number_below(PoisonShape::ALL.len())];
        let mut state = self.state.lock();
        state.marks += 1;
        poison::mark(shape, state.marks)
    }

    /// A text of the operator, with poison in it if the seed has that fault now.
    pub fn order_text(&self, text: String) -> String {
        match self.draw_fault(InjectedFault::PoisonedOrder, 0.02) {
            true => format!("{text} {}", self.new_mark()),
            false => text,
        }
    }

    pub fn number_below(&self, bound: usize) -> usize {
        self.state.lock().dice.usize(..bound.max(1))
    }

    pub fn next_seed(&self) -> u64 {
        self.state.lock().dice.u64(..)
    }

    /// The time that a process lives before it is killed: from minutes to half a day.
    pub fn process_lifetime(&self) -> Duration {
        if self.wildness <= 0.0 || !self.drawn.contains(&InjectedFault::ProcessKill) {
            return Duration::MAX;
        }
        let dice = self.state.lock().dice.f64();
        Duration::from_secs_f64(43_200.0 * dice * dice * dice / self.wildness + 0.01)
    }

    /// The error of the wall clock in milliseconds.
    pub fn clock_offset_ms(&self) -> i64 {
        self.state.lock().clock_offset_ms
    }

    /// Sets the wall clock back or forward by up to `most`.
    pub fn set_clock(&self, most: Duration) {
        let most = i64::try_from(most.as_millis()).unwrap_or(i64::MAX);
        let mut state = self.state.lock();
        state.clock_offset_ms = state.dice.i64(-most..most);
    }

    pub fn fault_counts(&self) -> BTreeMap<InjectedFault, u64> {
        self.state.lock().injected.clone()
    }
}

//! Progress: whether a Mysis gets anywhere, and what is done about one that does not.
//!
//! A pure state machine over what a Mysis has durable: its calls and their results, turn by turn.
//! Two things are watched: outcomes (credits, cargo, places, missions, skills, the ship) and
//! repetition (failing calls, circles of calls, words alone). Whoever gets nowhere climbs a ladder,
//! a rung at a time: told so, begun afresh, asked elsewhere, parked. A gain climbs down a rung.
//!
//! Bounded: some two KiB a Mysis, whatever happens. What of it survives a restart is its memo.

mod errand;
mod habit;
mod memo;
mod outcome;
mod rung;
mod stretch;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::ids::{Moment, Now, Seq, Timestamp};
use super::message::CallStatus;
use super::rules::ProgressRules;

use habit::CallPattern;
use outcome::{Outcomes, grouped, minutes};
use stretch::{CycleWindow, StallWindow, Turned};

pub use errand::{NO_GAIN_LINE, OrderIntent, expecting_gains, expecting_no_gain, suggests_no_gain};
pub use rung::{EscalationStep, Means};

/// Turns between two memos where nothing important changed.
const MEMO_EVERY: u32 = 8;

/// How a Mysis gets nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It calls no tool.
    Talks,
    /// One identical call fails again and again.
    Repeats,
    /// All its calls fail.
    Fails,
    /// The same calls in the same order, and nothing gained by them.
    Circles,
    /// It acts, and no outcome gets better.
    Idles,
    /// One failure comes again for days, between other things.
    Ails,
}

impl Way {
    /// A word for it, in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Way::Talks => "talks",
            Way::Repeats => "repeats",
            Way::Fails => "fails",
            Way::Circles => "circles",
            Way::Idles => "idles",
            Way::Ails => "ails",
        }
    }
}

/// What the watch says after a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How it gets nowhere.
    pub way: Way,
    /// The facts, as a clause: `for 40 turns: credits 1,203 unchanged, …`.
    pub facts: String,
    /// The rung that it is taken to now; absent: it is only told again.
    pub rung: Option<EscalationStep>,
}

/// One that gets nowhere, for those who watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Since when that is known.
    pub since: Timestamp,
    /// How many turns.
    pub turns: u32,
    /// How.
    pub way: Way,
    /// The call that fails, where it is one.
    pub tool: Option<Arc<str>>,
}

/// A tool call that came back.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// The tool.
    pub tool: &'a Arc<str>,
    /// Its arguments.
    pub arguments: &'a Arc<str>,
    /// Whether it only reads.
    pub read_only: bool,
    /// How it ended.
    pub status: CallStatus,
    /// Its result.
    pub text: &'a str,
}

/// The watch on one Mysis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StallDetector {
    outcomes: Outcomes,
    habit: CallPattern,
    stretch: StallWindow,
    lap: CycleWindow,
    rung: EscalationStep,
    /// The turns of the stretch when the rung was taken, and the moment.
    taken: (u32, Moment),
    /// Since when it is known to get nowhere, by the wall clock, and how.
    known: Option<(Timestamp, Way)>,
    /// What the model is told, until something gets better.
    notice: Option<String>,
    /// Rows before this one are not sent any more.
    afresh: Seq,
    /// Turns in a row whose answers nobody can judge.
    unjudged: u32,
    /// Whether that was told.
    is_unjudged_told: bool,
    /// Turns since the last memo.
    unsaved: u32,
    is_urgent: bool,
}

impl StallDetector {
    /// A call of the turn under way came back.
    pub fn called(&mut self, call: Called<'_>, now: Moment) {
        let is_done = call.status == CallStatus::Done;
        let gains = if is_done {
            self.outcomes.read(call.tool, call.read_only, call.text)
        } else {
            outcome::Gains::default()
        };
        self.stretch.called(&call, gains);
        self.lap.called(gains);
        if self.habit.called(&call, now) {
            self.is_urgent = true;
        }
    }

    /// A turn is over. `blatant` is after how many turns of words alone, or of one failing call,
    /// it is told.
    pub fn turn_ended(
        &mut self,
        rules: &ProgressRules,
        blatant: u32,
        errand: OrderIntent,
        means: Means,
        now: Now,
    ) -> Option<Verdict> {
        let Now { wall, moment: now } = now;
        self.unsaved += 1;
        let turned = self.stretch.end_turn(self.outcomes.is_known(), now);
        self.lap.end_turn(&self.habit, turned, now);
        self.count_unjudged(turned);
        if !rules.is_on {
            return None;
        }
        if let Some(facts) = self.habit.ailment() {
            self.is_urgent = true;
            self.notice.get_or_insert_with(|| told(&facts));
            return Some(Verdict {
                way: Way::Ails,
                facts,
                rung: None,
            });
        }
        // What a circle earns on its way round, it loses again.
        let gained = matches!(turned, Turned::Gained | Turned::Unjudged);
        if gained && !self.circles(rules, blatant, errand, now) {
            self.climb_down(now);
            return None;
        }
        let Some(way) = self.way(rules, blatant, errand, now) else {
            if self
                .known
                .is_some_and(|(_, way)| way != Way::Idles && way != Way::Circles)
            {
                // What was blatant has ended; whether anything comes of it shows in time.
                self.known = None;
                self.notice = None;
            }
            return None;
        };
        self.judge(way, rules, blatant, means, Now { wall, moment: now })
    }

    /// Counts the turns that nobody can judge.
    fn count_unjudged(&mut self, turned: Turned) {
        match turned {
            Turned::Unjudged | Turned::Repeated => {
                self.unjudged = self.unjudged.saturating_add(1);
            }
            Turned::Gained => {
                self.unjudged = 0;
                self.is_unjudged_told = false;
            }
            Turned::Nothing => {}
        }
    }

    /// What the operator is told, once, where answers cannot be judged: that only repetition and
    /// failures are watched.
    pub fn take_unjudged_notice(&mut self, rules: &ProgressRules) -> Option<String> {
        if !rules.is_on || self.is_unjudged_told || self.unjudged < rules.turns {
            return None;
        }
        self.is_unjudged_told = true;
        self.is_urgent = true;
        Some(format!(
            "the watch on progress cannot read from the answers of the last {} turns whether \
             anything is gained; it looks at repetition and failures alone",
            self.unjudged
        ))
    }

    /// How it gets nowhere, where it does.
    fn way(
        &self,
        rules: &ProgressRules,
        blatant: u32,
        errand: OrderIntent,
        now: Moment,
    ) -> Option<Way> {
        let stretch = &self.stretch;
        let waits = errand == OrderIntent::Waits;
        let lasts = |since: Moment| now.since(since) >= rules.at_least;
        if stretch.same_failure() >= blatant {
            return Some(Way::Repeats);
        }
        if stretch.quiet() >= blatant && !waits {
            return Some(Way::Talks);
        }
        if stretch.failing() >= rules.turns / 2 && lasts(stretch.since()) {
            return Some(Way::Fails);
        }
        if self.circles(rules, blatant, errand, now) {
            return Some(Way::Circles);
        }
        let idles = stretch.turns() >= rules.turns && lasts(stretch.since());
        (idles && !waits).then_some(Way::Idles)
    }

    /// Whether it makes the same calls in the same order, and has nothing of it in the end.
    fn circles(
        &self,
        rules: &ProgressRules,
        blatant: u32,
        errand: OrderIntent,
        now: Moment,
    ) -> bool {
        let is_allowed = errand == OrderIntent::Waits && self.lap.is_harmless();
        self.lap.is_futile(blatant.saturating_mul(2))
            && now.since(self.lap.since()) >= rules.at_least
            && !is_allowed
    }

    /// Takes the next rung where it is time to, or tells again.
    fn judge(
        &mut self,
        way: Way,
        rules: &ProgressRules,
        blatant: u32,
        means: Means,
        now: Now,
    ) -> Option<Verdict> {
        let Now { wall, moment: now } = now;
        let turns = self.turns_of(way);
        let (since, _) = *self.known.get_or_insert((wall, way));
        self.known = Some((since, way));
        let facts = self.facts(way, now);
        let (at, when) = self.taken;
        let is_first = self.rung == EscalationStep::Ground;
        let waited = self.stretch.all_turns().saturating_sub(at) >= rules.turns / 2;
        let is_due = is_first || (waited && now.since(when) >= rules.at_least);
        let next = self.rung.next(means).filter(|_| is_due);
        if let Some(rung) = next {
            self.rung = rung;
            self.taken = (self.stretch.all_turns(), now);
            self.is_urgent = true;
        } else if !(turns.is_multiple_of(blatant) && (turns / blatant).is_power_of_two()) {
            // Told when it was found out, then after twice as many turns, and so on.
            return None;
        }
        self.notice = Some(told(&facts));
        Some(Verdict {
            way,
            facts,
            rung: next,
        })
    }

    /// Something got better.
    fn climb_down(&mut self, now: Moment) {
        if self.rung > EscalationStep::Ground {
            self.rung = self.rung.below();
            self.taken = (self.stretch.all_turns(), now);
            self.is_urgent = true;
        }
        self.known = None;
        self.notice = None;
    }

    /// An order of the operator begins a new count. What fails for days goes on to be counted.
    pub fn ordered(&mut self, now: Moment) {
        self.stretch = StallWindow::default();
        self.lap = CycleWindow::default();
        self.known = None;
        self.notice = None;
        self.is_urgent |= self.rung > EscalationStep::Ground;
        self.rung = EscalationStep::Ground;
        self.taken = (0, now);
    }

    /// One that gets nowhere, as those who watch see it.
    #[must_use]
    pub fn stuck(&self) -> Option<Stuck> {
        let (since, way) = self.known?;
        Some(Stuck {
            since,
            turns: self.turns_of(way),
            way,
            tool: match way {
                Way::Repeats => self.stretch.failing_tool(),
                Way::Talks | Way::Fails | Way::Circles | Way::Idles | Way::Ails => None,
            },
        })
    }

    /// What the model is told about it, until something gets better.
    #[must_use]
    pub fn notice(&self) -> Option<&String> {
        self.notice.as_ref()
    }

    /// How far it was taken.
    #[must_use]
    pub fn rung(&self) -> EscalationStep {
        self.rung
    }

    /// Rows before this one are not sent any more.
    #[must_use]
    pub fn context_reset(&self) -> Seq {
        self.afresh
    }

    /// The conversation begins at this row.
    pub fn begin_afresh(&mut self, at: Seq) {
        self.afresh = at;
        self.is_urgent = true;
    }

    fn turns_of(&self, way: Way) -> u32 {
        match way {
            Way::Talks => self.stretch.quiet(),
            Way::Repeats => self.stretch.same_failure(),
            Way::Fails => self.stretch.failing(),
            Way::Circles => self.lap.turns(),
            Way::Idles | Way::Ails => self.stretch.turns(),
        }
    }

    /// The facts, as a clause.
    fn facts(&self, way: Way, now: Moment) -> String {
        let turns = self.turns_of(way);
        let what = match way {
            Way::Talks => "no tool was called".to_string(),
            Way::Repeats => self.stretch.failure(),
            Way::Fails => format!("every call failed, the last one {}", self.stretch.failure()),
            Way::Circles => {
                let names = self.habit.circle();
                format!("the same calls in the same order: {}", names.join(", "))
            }
            Way::Idles | Way::Ails => {
                let (calls, failed) = self.stretch.calls();
                format!("{} calls, {failed} of them failed", grouped(calls))
            }
        };
        let since = match way {
            Way::Circles => self.lap.since(),
            Way::Talks | Way::Repeats | Way::Fails | Way::Idles | Way::Ails => self.stretch.since(),
        };
        let mut facts = format!(
            "{turns} turns ({}): {what}",
            minutes(now.millis_since(since))
        );
        let unchanged = self.outcomes.told();
        if !unchanged.is_empty() {
            facts.push_str(&format!("; nothing gained: {}", unchanged.join(", ")));
        }
        facts
    }
}

/// What the model is told.
fn told(facts: &str) -> String {
    format!(
        "No progress in your last {facts}. Do something else: look at your situation with a tool, \
         choose another step towards your order, and take it."
    )
}

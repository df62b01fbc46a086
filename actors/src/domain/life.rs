//! The life of a Mysis: a state machine that takes what happened and says what to do (DESIGN 2, 3).
//!
//! Pure: the actor carries the effects out, in their order. The order is the contract: what is
//! recorded stands before the effect whose loss it covers. Everything that answers carries a name,
//! and an answer to something that is no longer waited for is dropped.

mod asking;
mod calling;
mod deeds;
mod failing;
mod holding;
mod input;
mod orders;
mod progress;
mod recall;
mod record;
mod secrecy;
mod sighting;
mod turn;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::compose::Owner;
use super::conversation::{Conversation, OpenCall};
use super::event::{Activity, EventKind, LinkState, MysisStatus, State, Totals};
use super::fault::Fault;
use super::game_state::GameState;
use super::ids::{Incarnation, Moment, MysisId, Now, Seq, Timestamp, TurnNumber};
use super::progress::StallDetector;
use super::redact::Redactor;
use super::rules::{ProviderRules, SwarmRules};
use super::tokens::TokenGauge;
use super::tool::Toolset;
use super::write::{Mission, Profile};

pub use input::{
    Alarm, Ask, CallOrder, Effect, Input, MysisOrder, ReplyId, Route, TaskId, ToolOutcome, WriteId,
};
pub use recall::Past;

use deeds::RecentActivity;
use input::CurrentActivity;
use record::Pending;

/// One Mysis, as rules see it.
#[derive(Debug)]
pub struct Life {
    id: MysisId,
    incarnation: Incarnation,
    profile: Profile,
    rules: Arc<SwarmRules>,
    redactor: Arc<Redactor>,
    stage: Stage,
    reason: Option<Arc<str>>,
    conversation: Conversation,
    /// The turn under way, else the last one.
    turn: TurnNumber,
    nudges: u32,
    totals: Totals,
    mission: Option<Mission>,
    account: Option<Arc<str>>,
    tools: Arc<Toolset>,
    link: LinkState,
    link_since: Timestamp,
    tick: Option<i64>,
    game: GameState,
    gauge: TokenGauge,
    watch: StallDetector,
    /// Whether it was told that it waits for a provider that is away.
    told_away: bool,
    /// Whether it was told that this machine has no descriptor left for it.
    told_no_descriptor: bool,
    /// What the model was told about the runtime in the last request, by code.
    noticed: BTreeSet<&'static str>,
    doing: CurrentActivity,
    /// The pause that the operator was told of last, by its end.
    told_held: Option<Timestamp>,
    /// What a request's messages may take at most, where the model refused a longer one.
    most_bytes: Option<usize>,
    deeds: RecentActivity,
    last_call_ms: Option<u64>,
    last_activity_at: Timestamp,
    pending: BTreeMap<WriteId, Pending>,
    stamps: u64,
    mode: Mode,
    effects: Vec<Effect>,
    /// By the wall clock.
    now: Timestamp,
    /// By the clock that waits go by.
    moment: Moment,
}

/// What a Mysis may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Everything.
    Live,
    /// Take orders and keep them for the next flight: no swarm is running.
    QueueOnly,
    /// Finish what has left: the program is closing.
    Draining,
}

/// Where in its life a Mysis is; each stage holds what only it has.
#[derive(Debug)]
enum Stage {
    Idle,
    /// Running, between two turns.
    Pausing {
        alarm: Alarm,
    },
    /// Running, in a turn.
    InTurn {
        turn: Turn,
        step: Step,
    },
    Stopped,
    Errored(Fault),
}

/// A turn under way.
#[derive(Clone, Debug)]
struct Turn {
    owner: Owner,
    began: Began,
    model_calls: u32,
    /// What the messages of the last question took, in bytes.
    asked_bytes: usize,
    /// The model call that was asked again since it was too long.
    shortened_at: Option<u32>,
    called_tools: bool,
    /// What follows a bare reply in this turn.
    continuation: Arc<str>,
    /// Calls still to be made, the one under way first.
    calls: VecDeque<OpenCall>,
}

/// What set a turn going; decides whether it counts as nudged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Began {
    Ordered,
    Continued,
    Nudged,
}

/// What a turn waits for.
#[derive(Debug)]
enum Step {
    /// The model's answer.
    Asking {
        work: TaskId,
        attempt: u32,
        horizon: Seq,
        /// Bytes of the messages and the tools.
        bytes: u64,
    },
    /// The time to ask again.
    CoolingDown { alarm: Alarm, attempt: u32 },
    /// A new day, or more budget.
    Held {
        alarm: Alarm,
        attempt: u32,
        until: Timestamp,
        /// When that is by the clock that waits go by, as it seemed when the pause began.
        ends: Moment,
    },
    /// The store, before it goes on.
    Recording {
        ticket: WriteId,
        then: AfterRecording,
    },
    /// A tool's answer.
    Calling { work: TaskId, mark: SentMark },
}

/// Whether a call is marked as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SentMark {
    /// It is not: whatever happens, it was not executed.
    NotSent,
    /// The mark is on its way to the store.
    Writing(WriteId),
    /// It is, and the call may have left.
    Sent,
}

/// What a turn does once the store has what it must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterRecording {
    GoOn,
    EndTurn,
}

impl Life {
    /// Takes what happened and says what to do about it.
    pub fn handle(&mut self, input: Input, now: Now) -> Vec<Effect> {
        (self.now, self.moment) = (now.wall, now.moment);
        let input = input.without_secrets(&self.redactor);
        match input {
            Input::Ordered { asker, order } => self.ordered(asker, order),
            Input::MissionStands(mission) => self.mission = mission,
            Input::RulesChanged { rules, redactor } => self.take_rules(rules, redactor),
            Input::Recorded { ticket, outcome } => self.recorded(ticket, outcome),
            Input::Progressed { work, activity } => self.progressed(work, activity),
            Input::Linked {
                link,
                tools,
                account,
            } => {
                self.linked(link);
                self.tools = tools;
                self.plays_as(account);
            }
            Input::Assigned(account) => self.plays_as(Some(account)),
            Input::Noticed {
                severity,
                code,
                text,
            } => self.notice(severity, code, None, &text),
            Input::Held { work, why, until } => self.held(work, &why, until),
            Input::Replied {
                work,
                provider,
                result,
                ms,
            } => self.replied(work, &provider, result, ms),
            Input::StillAway {
                work,
                provider,
                fault,
            } => self.still_away(work, &provider, &fault),
            Input::Died { work, text } => self.asking_died(work, text),
            Input::Leaving { work } => self.leaving(work),
            Input::Returned { work, outcome } => self.returned(work, &outcome),
            Input::Rang { alarm } => self.rang(alarm),
            Input::WindDown => self.wind_down(),
        }
        std::mem::take(&mut self.effects)
    }

    /// These are the secrets that are known from here on.
    pub fn know(&mut self, redactor: Arc<Redactor>) {
        self.redactor = redactor;
    }

    /// Who this is.
    #[must_use]
    pub fn id(&self) -> MysisId {
        self.id
    }

    /// Which life of its actor this is.
    #[must_use]
    pub fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.profile.name
    }

    /// Its state, as the operator knows it.
    #[must_use]
    pub fn state(&self) -> State {
        match &self.stage {
            Stage::Idle => State::Idle,
            Stage::Pausing { .. } | Stage::InTurn { .. } => State::Running,
            Stage::Stopped => State::Stopped,
            Stage::Errored(_) => State::Errored,
        }
    }

    /// How it stands, for those who watch.
    #[must_use]
    pub fn standing(&self) -> MysisStatus {
        MysisStatus {
            id: self.id,
            name: self.profile.name.clone(),
            provider: self.profile.provider.clone(),
            model: self.model(),
            temperature: self.temperature(),
            state: self.state(),
            reason: self.reason.clone(),
            fault: match &self.stage {
                Stage::Errored(fault) => Some(fault.clone()),
                Stage::Idle | Stage::Pausing { .. } | Stage::InTurn { .. } | Stage::Stopped => None,
            },
            activity: self.doing.activity.clone(),
            activity_since: self.doing.since,
            activity_until: self.doing.until,
            account: self.account.clone(),
            link: self.link,
            link_since: self.link_since,
            stuck: self.stuck(),
            tick: self.tick,
            nudges: self.nudges,
            totals: self.totals,
            last_activity_at: self.last_activity_at,
            last_words: self.deeds.words(),
            last_deed: self.deeds.last(),
            last_call_ms: self.last_call_ms,
        }
    }

    fn provider(&self) -> Option<&ProviderRules> {
        self.rules.providers.get(&self.profile.provider)
    }

    fn model(&self) -> Arc<str> {
        let of_provider = || self.provider().map(|provider| provider.model.clone());
        self.profile
            .model
            .clone()
            .or_else(of_provider)
            .unwrap_or_default()
    }

    fn temperature(&self) -> Option<f32> {
        self.profile
            .temperature
            .or_else(|| self.provider().and_then(|provider| provider.temperature))
    }

    fn stamp(&mut self) -> u64 {
        self.stamps += 1;
        self.stamps
    }

    fn tell(&mut self, what: EventKind) {
        self.effects.push(Effect::Tell(what));
    }

    /// Enters a stage and tells so where the state changed.
    fn enter(&mut self, stage: Stage, reason: Option<Arc<str>>) {
        let from = self.state();
        self.stage = stage;
        let to = self.state();
        self.reason.clone_from(&reason);
        if from != to {
            self.tell(EventKind::StateChanged { from, to, reason });
        }
    }

    fn linked(&mut self, link: LinkState) {
        if link != self.link {
            self.link_since = self.now;
        }
        self.link = link;
    }

    /// This moment, by both clocks.
    fn both(&self) -> Now {
        Now {
            wall: self.now,
            moment: self.moment,
        }
    }

    fn doing(&mut self, activity: Activity) {
        self.doing_until(activity, None);
    }

    fn doing_until(&mut self, activity: Activity, until: Option<Timestamp>) {
        self.last_activity_at = self.now;
        self.doing = CurrentActivity {
            activity,
            since: self.now,
            until,
        };
    }

    fn progressed(&mut self, work: TaskId, activity: Activity) {
        let is_current = match &self.stage {
            Stage::InTurn {
                step: Step::Asking { work: current, .. } | Step::Calling { work: current, .. },
                ..
            } => *current == work,
            Stage::Idle
            | Stage::Pausing { .. }
            | Stage::InTurn { .. }
            | Stage::Stopped
            | Stage::Errored(_) => false,
        };
        if is_current {
            let (since, goes_on) = (self.doing.since, matches!(activity, Activity::Answering(_)));
            self.doing(activity);
            if goes_on {
                // The time that is shown is that of the whole call.
                self.doing.since = since;
            }
        }
    }
}

//! The life of a Mysis: a state machine that takes inputs and returns effects (DESIGN 2, 3).
//!
//! It is pure. The actor carries out the effects in order, and the order matters: a record comes
//! before the effect whose loss it covers. Every request for an answer has an id, and an answer
//! that is no longer awaited is dropped.

mod activity;
mod asking;
mod calling;
mod done;
mod failing;
mod game_snapshots;
mod holding;
mod input;
mod marking;
mod orders;
mod parts;
mod progress;
mod recent_activity;
mod record;
mod reminders;
mod request;
mod restore;
mod results;
mod role;
mod routes;
mod routine;
mod sampling;
mod secrecy;
mod silence;
mod text_calls;
mod tier;
mod tool_list;
mod trying;
mod turn;
mod waiting;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::compose::TurnOwner;
use super::conversation::{Conversation, PendingCall};
use super::event::{EventKind, MysisStatus};
use super::failing_calls::RecentCalls;
use super::fault::MysisFault;
use super::game_state::GameState;
use super::held::HeldTexts;
use super::ids::{Incarnation, Moment, MysisId, Now, Seq, Timestamp, TurnNumber};
use super::progress::StallDetector;
use super::record::{Mission, MysisProfile};
use super::routine::RoutineMemo;
use super::rules::SwarmRules;
use super::samples::SampleRecorder;
use super::silence::Silence;
use super::state::LifeState;
use super::tier::TurnOutcome;
use super::tokens::TokenGauge;
use super::value::ValueWatch;
use zoea_text::redact::Redactor;

pub use input::{
    AlarmId, CallOrder, Effect, LifeInput, Mode, ModelQuery, ReplyId, Route, TaskId, ToolOutcome,
    WriteId,
};
pub use restore::RestoreArgs;
pub use secrecy::remove_secrets_of_reply;

use input::CurrentActivity;
use parts::{LifeFigures, SentMark, SentNotices, SessionView};
use recent_activity::RecentActivity;
use record::WriteDraft;
use reminders::LifeReminders;
use tier::TierView;
use trying::{HeldOrder, ServedForm, Trials};
use waiting::TurnPace;

#[derive(Debug)]
pub struct Life {
    id: MysisId,
    incarnation: Incarnation,
    own_profile: Arc<MysisProfile>,
    /// The profile in force, with what its role names.
    profile: Arc<MysisProfile>,
    rules: Arc<SwarmRules>,
    redactor: Arc<Redactor>,
    stage: LifeStage,
    reason: Option<Arc<str>>,
    conversation: Conversation,
    turn: TurnNumber,
    nudges: u32,
    figures: LifeFigures,
    mission: Option<Mission>,
    session: SessionView,
    game: GameState,
    gauge: TokenGauge,
    watch: Box<StallDetector>,
    pace: TurnPace,
    value: ValueWatch,
    /// Until a tool call succeeds.
    silence: Option<Arc<Silence>>,
    recent_calls: RecentCalls,
    sent_notices: SentNotices,
    /// The texts that are held back from models, and the orders in force among them.
    held: Arc<HeldTexts>,
    undelivered: Vec<HeldOrder>,
    doing: CurrentActivity,
    /// The most bytes of a request's messages, while it is tried how long a request may be.
    most_bytes: Option<usize>,
    served: ServedForm,
    /// The trials of the turn in progress.
    trials: Trials,
    recent_activity: RecentActivity,
    samples: SampleRecorder,
    routines: RoutineMemo,
    reminders: LifeReminders,
    tier: TierView,
    pending: BTreeMap<WriteId, Box<WriteDraft>>,
    stamps: u64,
    mode: Mode,
    /// Whether it leaves for another process at the end of its turn.
    is_moving: bool,
    effects: Vec<Effect>,
    /// The time of the present input.
    now: Now,
    /// For how many milliseconds the swarm has been frozen by then, since the process began.
    frozen_ms: u64,
    is_frozen: bool,
}

/// The stage of a life. Each stage contains only what it needs.
#[derive(Debug)]
enum LifeStage {
    Idle,
    /// Running, between two turns.
    Pausing {
        alarm: AlarmId,
    },
    InTurn {
        turn: Box<ActiveTurn>,
        step: TurnStep,
    },
    Stopped,
    Errored(MysisFault),
}

#[derive(Clone, Debug)]
struct ActiveTurn {
    owner: TurnOwner,
    began: TurnTrigger,
    model_calls: u32,
    /// The bytes of the last request's messages.
    asked_bytes: usize,
    /// How often the present request was shortened, because it was too long.
    shortenings: u8,
    called_tools: bool,
    /// How many answers in a row were refused as a whole.
    refusals: u8,
    /// The rounds of tries that failed while others were served.
    own_rounds: u32,
    outcome: TurnOutcome,
    /// The continuation after a bare reply in this turn.
    continuation: Arc<str>,
    /// The remaining calls. The first one is in progress.
    calls: VecDeque<PendingCall>,
}

/// What began a turn. It decides whether the turn counts as nudged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnTrigger {
    Ordered,
    Continued,
    Nudged,
}

#[derive(Debug)]
enum TurnStep {
    /// The model's answer.
    Asking {
        work: TaskId,
        attempt: u32,
        seen_up_to: Seq,
        bytes: u64,
    },
    CoolingDown {
        alarm: AlarmId,
        attempt: u32,
    },
    /// A new day, or a higher budget.
    Held {
        alarm: AlarmId,
        attempt: u32,
        until: Timestamp,
        /// The end of the pause by the monotonic clock, computed when it began.
        ends: Moment,
    },
    /// A write to the store.
    Recording {
        write_id: WriteId,
        then: AfterRecording,
    },
    /// A tool's result.
    Calling {
        work: TaskId,
        mark: SentMark,
    },
}

/// What a turn does after a write is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterRecording {
    GoOn,
    EndTurn,
}

impl Life {
    pub fn handle(&mut self, mut input: LifeInput, now: Now) -> Vec<Effect> {
        self.now = now;
        self.samples.advance(now, self.is_held_up());
        input.remove_secrets(&self.redactor);
        match input {
            LifeInput::Ordered { reply, order } => self.on_order(reply, order),
            LifeInput::MissionStands(mission) => self.take_standing_mission(mission),
            LifeInput::RulesChanged(rules) => self.take_rules(rules),
            LifeInput::Recorded { write_id, outcome } => self.on_recorded(write_id, outcome),
            LifeInput::Progressed { work, activity } => self.on_progress(work, activity),
            LifeInput::Linked {
                link,
                fault,
                tools,
                account,
            } => self.on_linked((link, fault), tools, account),
            LifeInput::LoggedIn { account, text } => self.learn_from_login(account, &text),
            LifeInput::Assigned(account) => self.plays_as(Some(account)),
            LifeInput::Noticed {
                severity,
                code,
                text,
            } => {
                self.end_wait();
                self.record_notice(severity, code, &text);
            }
            LifeInput::Spent(percent) => self.tier.spent_percent = Some(percent),
            LifeInput::Held { work, why, until } => self.on_held(work, &why, until),
            LifeInput::Outdated { work } => self.ask_again(work),
            LifeInput::Replied {
                work,
                provider,
                result,
                ms,
                others,
            } => self.on_model_reply(work, &provider, (result, others), ms),
            LifeInput::StillAway {
                work,
                provider,
                fault,
                others,
            } => self.still_away(work, &provider, (&fault, others)),
            LifeInput::Died { work, text } => self.asking_died(work, text),
            LifeInput::LoginRefused { work, text } => self.login_refused(work, text),
            LifeInput::Leaving { work } => self.on_call_leaving(work),
            LifeInput::TaskGiven { work, task } => self.on_task_given(work, task),
            LifeInput::Returned { work, outcome } => self.on_call_returned(work, &outcome),
            LifeInput::Rang { alarm } => self.on_alarm(alarm),
            LifeInput::StillWaiting => {} // Every input counts the wait up to it.
            LifeInput::WindDown => self.wind_down(),
            LifeInput::HandOver => self.is_moving = true,
        }
        self.deliver_reminders();
        self.move_between_turns();
        self.watch_held_orders();
        self.record_samples();
        std::mem::take(&mut self.effects)
    }

    pub fn set_redactor(&mut self, redactor: Arc<Redactor>) {
        self.redactor = redactor;
    }

    pub fn id(&self) -> MysisId {
        self.id
    }

    pub fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    pub fn name(&self) -> &Arc<str> {
        &self.profile.name
    }

    pub fn state(&self) -> LifeState {
        match &self.stage {
            LifeStage::Idle => LifeState::Idle,
            LifeStage::Pausing { .. } | LifeStage::InTurn { .. } => LifeState::Running,
            LifeStage::Stopped => LifeState::Stopped,
            LifeStage::Errored(_) => LifeState::Errored,
        }
    }

    pub fn status(&self) -> MysisStatus {
        let is_running = self.state() == LifeState::Running;
        let route = self.own_route();
        let run = self.routines.run.as_ref();
        MysisStatus {
            id: self.id,
            game: self.session.is_game_known.then_some(self.session.game),
            name: self.profile.name.clone(),
            profile: self.profile.clone(),
            own_profile: self.own_profile.clone(),
            lacks_role: self.lacks_role(),
            model: route.model,
            temperature: route.temperature,
            state: self.state(),
            reason: self.reason.clone(),
            fault: self.stage.fault().cloned(),
            activity: self.doing.activity.clone(),
            activity_since: self.doing.since,
            activity_until: self.doing.until,
            account: self.session.account.clone(),
            link: self.session.link.clone(),
            link_fault: self.session.link_fault.clone(),
            link_since: self.session.link_since,
            stuck: self.watch.stuck(),
            silence: self.silence.clone().filter(|_| is_running),
            failing: self
                .recent_calls
                .failing()
                .filter(|_| is_running)
                .map(Arc::new),
            tick: self.session.tick,
            nudges: Some(self.nudges),
            totals: self.figures.totals,
            created_at: self.figures.created_at,
            last_activity_at: self.figures.last_activity_at,
            last_words: self.recent_activity.words.clone(),
            last_tool_call: self.recent_activity.last.clone(),
            last_call_ms: self.figures.last_call_ms,
            figures: self.samples.figures().clone(),
            tier: self.tier.ladder.place().cloned(),
            routine: run.map(|run| Arc::new(run.status())),
            circle: self.open_circle().map(|circle| circle.offer.clone()),
            memos: self.reminders.shown(),
            saved_calls: self.routines.spared,
            undelivered: self.undelivered_order(),
            elsewhere: None,
        }
    }

    fn next_stamp(&mut self) -> u64 {
        self.stamps += 1;
        self.stamps
    }

    fn new_alarm(&mut self) -> AlarmId {
        AlarmId(self.next_stamp())
    }

    fn wake_after(&mut self, after: Duration, jitter: bool) -> AlarmId {
        let alarm = self.new_alarm();
        self.effects.push(Effect::Wake {
            alarm,
            after,
            jitter,
        });
        alarm
    }

    /// The timers that it waits for. All others are stale.
    pub fn awaited_alarms(&self) -> impl Iterator<Item = AlarmId> + Clone + use<> {
        let alarms = [self.stage.alarm(), self.reminders.alarm()];
        alarms.into_iter().flatten()
    }

    fn emit_event(&mut self, what: EventKind) {
        self.effects.push(Effect::Emit(what));
    }
}

//! Restores a Mysis' life from the store (DESIGN 2, docs/design/storage.md).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::conversation::{Conversation, PendingCall};
use crate::event::INTERRUPTED_PREFIX;
use crate::failing_calls::RecentCalls;
use crate::fault::{MysisFault, MysisFaultKind};
use crate::game::GameRef;
use crate::game_state::GameState;
use crate::ids::{Incarnation, Moment, Now, Timestamp, TurnNumber};
use crate::memo::MemoKind;
use crate::message::{CallStatus, RowKind, Severity};
use crate::record::{Mission, MysisRecord, StoredHistory};
use crate::routine::{ROUTINE_START, RoutineMemo};
use crate::rules::SwarmRules;
use crate::samples::SampleRecorder;
use crate::state::LifeState;
use crate::tokens::TokenGauge;
use crate::value::ValueWatch;
use crate::working_set::WorkingSet;
use zoea_text::redact::Redactor;

use super::calling::{not_executed, unknown_outcome};
use super::input::{CurrentActivity, Effect};
use super::parts::{LifeFigures, SentNotices, SessionView};
use super::progress;
use super::recent_activity::RecentActivity;
use super::record::WriteDraft;
use super::reminders::LifeReminders;
use super::routine::recall_circles;
use super::tier::TierView;
use super::trying::{ServedForm, Trials};
use super::waiting::TurnPace;
use super::{Life, LifeStage, Mode, TurnStep};

/// How long a Mysis hears nothing before it rests, and one that waits for its model.
const RESTS_AFTER: Duration = Duration::from_secs(10);
const RESTS_ASKING: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub struct RestoreArgs {
    pub record: MysisRecord,
    pub recollection: StoredHistory,
    pub incarnation: Incarnation,
    pub mission: Option<Mission>,
    pub rules: Arc<SwarmRules>,
    pub redactor: Arc<Redactor>,
    /// The cause of the crash that ended the previous incarnation, if it crashed.
    pub crash: Option<Arc<str>>,
    /// Whether it ran when the program ended and is not started again.
    pub is_interrupted: bool,
    /// Whether it runs, or only queues orders.
    pub mode: Mode,
    /// For how many milliseconds the swarm has been frozen since the process began.
    pub frozen_ms: u64,
}

impl Life {
    /// Restores a Mysis and returns its first effects. A call whose outcome will never be known
    /// gets a result that says so. A call that only reads stays open and is made again. A call that
    /// the server works on stays open, and its outcome is asked for.
    #[must_use]
    pub fn restore(past: RestoreArgs, now: Now) -> (Life, Vec<Effect>) {
        let (crash, is_interrupted) = (past.crash.clone(), past.is_interrupted);
        let (reminders, unknown_reminders) =
            LifeReminders::restore(past.recollection.memo(MemoKind::Reminders), now);
        let working_set = WorkingSet::restore(past.recollection.memo(MemoKind::WorkingSet));
        let (routines, unknown_routines) = restore_routines(&past.recollection);
        let mut life = Life::from_past(past, now, (reminders, routines));
        life.session.working_set = working_set;
        life.choose_tools();
        life.trim_window(life.turn_cut_short());
        let mut draft = WriteDraft::default();
        for open in life.conversation.open_calls() {
            let is_unknown_run = unknown_routines.is_some() && *open.call.name == *ROUTINE_START;
            let unknown_run = || is_unknown_run.then(|| unknown_outcome("its routine was lost"));
            if let Some(outcome) = lost_outcome(&open).or_else(unknown_run) {
                life.result_into(&mut draft, &open, &outcome, false);
            }
        }
        if let Some(why) = unknown_reminders {
            life.emit_unknown_reminders(&mut draft, &why);
        }
        if let Some(why) = unknown_routines {
            life.report_unknown_routines(&mut draft, &why);
        }
        if let Some(crash) = crash {
            life.add_host_notice(&mut draft, Severity::Error, "crashed", &crash);
        }
        if is_interrupted {
            let until = life.figures.last_activity_at;
            let reason =
                format!("{INTERRUPTED_PREFIX}it ran until {until}, when the program ended");
            life.reason = Some(reason.into());
            // A process that only queues orders changes no state, so that the next run finds it
            // unchanged.
            if life.mode == Mode::Live {
                life.add_state(&mut draft);
            }
        }
        if !draft.writes.is_empty() {
            life.record_draft(draft);
        }
        life.begin_with_reminders();
        let effects = std::mem::take(&mut life.effects);
        (life, effects)
    }

    /// How long it hears nothing before its conversation is left to the store; `None` while something of
    /// it is not stored, or a call is under way. A model's answer mostly comes sooner.
    pub fn rests_after(&self) -> Option<Duration> {
        let after = match self.stage.step() {
            Some(TurnStep::Asking { .. }) => RESTS_ASKING,
            Some(TurnStep::CoolingDown { .. } | TurnStep::Held { .. }) | None => RESTS_AFTER,
            Some(TurnStep::Recording { .. } | TurnStep::Calling { .. }) => return None,
        };
        self.pending.is_empty().then_some(after)
    }

    /// Leaves its conversation to the store. Until it is read again, it hears only that the program ends.
    pub fn leave_conversation(&mut self) {
        self.conversation.leave();
        // An empty map keeps a node.
        self.pending = BTreeMap::new();
    }

    pub fn recall_conversation(&mut self, history: StoredHistory) {
        self.conversation.take_up(history);
    }

    fn from_past(past: RestoreArgs, both: Now, memos: (LifeReminders, RoutineMemo)) -> Life {
        let (reminders, routines) = memos;
        let mut recollection = past.recollection;
        let stage = stage_of(&past.record, both.wall);
        let figures = restore_figures(&recollection, &past.record, both.moment);
        let own_profile = Arc::new(recollection.profile.take().unwrap_or(past.record.profile));
        let tier = TierView::restore(recollection.memo(MemoKind::Tier));
        let account = past.record.account;
        let game = restore_game(&mut recollection, account.as_deref(), both);
        let watch = progress::restore_detector(&recollection, both, past.frozen_ms);
        let samples = restore_samples(&recollection, &past.rules, both);
        let mut conversation = Conversation::restore(recollection, past.rules.held_of_a_result());
        let last_turn = conversation.last_utterance().map(|row| row.turn);
        let recent_activity = RecentActivity::from_conversation(&conversation);
        let session = session_of_before(account, &conversation, both.wall);
        conversation.begin_afresh(watch.context_reset(), past.rules.context_window);
        Life {
            id: past.record.id,
            incarnation: past.incarnation,
            stage,
            profile: tier.profile_in_force(&past.rules, &own_profile),
            own_profile,
            rules: past.rules,
            redactor: past.redactor,
            reason: past.record.reason,
            pace: TurnPace::restored(&conversation, past.mission.as_ref()),
            conversation,
            turn: last_turn.unwrap_or_default(),
            nudges: 0,
            figures,
            mission: past.mission,
            session,
            game,
            gauge: TokenGauge::default(),
            watch: Box::new(watch),
            value: ValueWatch::default(),
            silence: Some(Arc::default()),
            recent_calls: RecentCalls::default(),
            sent_notices: SentNotices::default(),
            doing: CurrentActivity::resting(both.wall),
            most_bytes: None,
            served: ServedForm::default(),
            trials: Trials::default(),
            recent_activity,
            samples,
            routines,
            reminders,
            tier,
            pending: BTreeMap::new(),
            stamps: 0,
            mode: past.mode,
            is_moving: false,
            held: Arc::default(),
            undelivered: Vec::new(),
            effects: Vec::new(),
            now: both,
            frozen_ms: past.frozen_ms,
            is_frozen: false,
        }
    }

    /// The turn that was cut off within a loop.
    fn turn_cut_short(&self) -> Option<TurnNumber> {
        let last = self.conversation.last_utterance()?;
        (last.kind() == Some(RowKind::Call)).then_some(last.turn)
    }
}

/// The session before it is open. Until the server lists its tools, the game is that of the newest
/// result. Who has an account has it in a game.
fn session_of_before(
    account: Option<Arc<str>>,
    conversation: &Conversation,
    now: Timestamp,
) -> SessionView {
    let results = || conversation.rows().rev().filter_map(|row| row.result());
    let of_calls = results().map(|(_, _, meta)| meta.game).next();
    let game = of_calls.or(account.as_ref().map(|_| GameRef::of_key(None)));
    let tick = results().find_map(|(_, _, meta)| meta.tick);
    SessionView {
        account,
        game: game.unwrap_or_default(),
        is_game_known: game.is_some(),
        link_since: now,
        tick,
        ..SessionView::default()
    }
}

/// The initial stage. No Mysis runs before it is started.
fn stage_of(record: &MysisRecord, now: Timestamp) -> LifeStage {
    match record.state {
        LifeState::Idle | LifeState::Running => LifeStage::Idle,
        LifeState::Stopped => LifeStage::Stopped,
        LifeState::Errored => LifeStage::Errored(record.fault.clone().unwrap_or_else(|| {
            MysisFault {
                // Nothing is known of it that would end by itself.
                kind: MysisFaultKind::Permanent,
                text: (record.reason.clone()).unwrap_or_else(|| "unknown fault".into()),
                at: now,
            }
        })),
    }
}

/// The result of a call whose answer is lost; `None` if the call can be made again.
fn lost_outcome(open: &PendingCall) -> Option<super::ToolOutcome> {
    if open.call.read_only || open.task.is_some() {
        return None;
    }
    match open.call.status {
        CallStatus::Recorded => Some(not_executed("the runtime ended")),
        CallStatus::Sent => Some(unknown_outcome("the runtime ended")),
        CallStatus::Done | CallStatus::Failed | CallStatus::Unknown | CallStatus::NotExecuted => {
            None
        }
    }
}

fn restore_samples(past: &StoredHistory, rules: &SwarmRules, both: Now) -> SampleRecorder {
    let mut samples = SampleRecorder::restore(&past.samples, &past.rows, both);
    for row in &past.rows {
        samples.take_number(row, rules.tools.number.as_ref());
    }
    samples
}

fn restore_figures(past: &StoredHistory, record: &MysisRecord, now: Moment) -> LifeFigures {
    let last = past.rows.last();
    LifeFigures {
        // The rows decide: an answer that a crash kept from being stored was not counted either.
        totals: past.totals.unwrap_or(record.totals),
        last_call_ms: None,
        created_at: record.created_at,
        last_activity_at: last.map_or(record.created_at, |row| row.at),
        routine_timed: now,
        ended_turn: None,
    }
}

/// What its memo says of routines; if it is not understood, why.
fn restore_routines(past: &StoredHistory) -> (RoutineMemo, Option<String>) {
    let memo = past.memo(MemoKind::Routines).map(RoutineMemo::restore);
    let (mut memo, unknown) = match memo {
        None => (RoutineMemo::default(), None),
        Some(Ok(memo)) => (memo, None),
        Some(Err(why)) => (RoutineMemo::unknown(), Some(why)),
    };
    recall_circles(&mut memo, &past.rows);
    (memo, unknown)
}

fn restore_game(past: &mut StoredHistory, account: Option<&str>, both: Now) -> GameState {
    let snapshots = std::mem::take(&mut past.snapshots).into_iter();
    let seen = snapshots.filter(|(of, _)| **of == *account.unwrap_or_default());
    GameState::restore(seen.map(|(_, snapshot)| snapshot).collect(), both)
}

//! Waiting: the pause between two turns, which grows while the model writes words alone (DESIGN 3).

use std::time::Duration;

use crate::conversation::{Conversation, PendingCall};
use crate::event::Activity;
use crate::game_state::GameWait;
use crate::ids::Timestamp;
use crate::message::{CallStatus, Row, RowKind};
use crate::record::Mission;

use super::done::DoneMission;
use super::{Life, LifeStage};

/// The pauses after the second turn of words alone, the third, and all later ones.
const LONG_PAUSES: [Duration; 3] = [
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(300),
];

/// How long a Mysis whose mission is done is left alone.
const DONE_PAUSE: Duration = Duration::from_secs(3600);

#[derive(Debug, Default)]
pub(super) struct TurnPace {
    /// The newest turns of the mission in a row whose answers were words alone.
    quiet: usize,
    /// Whether no call came back in the present turn.
    is_quiet_turn: bool,
    /// Whether the present pause is longer than the configured one.
    pub(super) waits: bool,
    /// Whether a call succeeded since the mission began.
    pub(super) has_succeeded: bool,
    /// That the mission is done, until something is new.
    pub(super) done: Option<DoneMission>,
}

impl TurnPace {
    pub(super) fn restored(conversation: &Conversation, mission: Option<&Mission>) -> TurnPace {
        let since = conversation
            .rows()
            .rev()
            .take_while(|row| row.kind() != Some(RowKind::Mission));
        TurnPace {
            has_succeeded: since.into_iter().any(|row| is_success(row)),
            done: DoneMission::restored(conversation, mission),
            ..TurnPace::default()
        }
    }

    pub(super) fn begin_turn(&mut self) {
        self.is_quiet_turn = true;
        self.waits = false;
    }

    /// A call came back. One that was not made is no reason to go on faster. Who acts after having said that the mission is done goes on with it.
    pub(super) fn record_call(&mut self, open: &PendingCall, status: CallStatus) {
        let goes_on = |done: &DoneMission| open.key.seq > done.said_in;
        if self.done.as_ref().is_some_and(goes_on) {
            self.done = None;
        }
        if status == CallStatus::NotExecuted {
            return;
        }
        self.quiet = 0;
        self.is_quiet_turn = false;
        self.has_succeeded |= status == CallStatus::Done;
    }

    /// Ends a turn. Words that answer a direct message are no reason to wait.
    pub(super) fn end_turn(&mut self, is_of_mission: bool) {
        self.quiet = match self.is_quiet_turn && is_of_mission {
            true => self.quiet.saturating_add(1),
            false => 0,
        };
    }

    /// The pause that is due, if this is the configured one.
    pub(super) fn pause(&self, configured: Duration) -> Duration {
        if self.done.is_some() {
            return configured.max(DONE_PAUSE);
        }
        let Some(place) = self.quiet.checked_sub(2) else {
            return configured;
        };
        configured.max(LONG_PAUSES[place.min(LONG_PAUSES.len() - 1)])
    }

    /// How long one whose mission is done is still left alone, which a restart does not change.
    pub(super) fn time_left(&self, now: Timestamp) -> Option<Duration> {
        let done = self.done.as_ref()?;
        let passed = Duration::from_millis(now.since(done.asked_at));
        let left = DONE_PAUSE.saturating_sub(passed);
        (!left.is_zero()).then_some(left)
    }
}

fn is_success(row: &Row) -> bool {
    let result = row.result();
    result.is_some_and(|(_, _, meta)| meta.status == CallStatus::Done)
}

impl Life {
    /// Pauses before the next turn. A long pause ends where the game lets the ship act again.
    pub(super) fn pause(&mut self, after: Duration) {
        let is_done = self.pace.done.is_some();
        let (shortest, held) = (self.rules.turn_pause, self.game.current_wait(self.now));
        let until_free = held.map(|(_, at)| Duration::from_millis(at.since(self.now.wall)));
        let after = match until_free {
            Some(free) if after > shortest && !is_done => after.min(free.max(shortest)),
            Some(_) | None => after,
        };
        self.pace.waits = after > shortest;
        let (activity, until) = match held {
            _ if is_done => (Activity::Done, self.now.wall.plus(after)),
            Some((GameWait::Transit, at)) => (Activity::InTransit, at),
            Some((GameWait::Cooldown, at)) => (Activity::OnCooldown, at),
            None if self.pace.waits => (Activity::Waiting, self.now.wall.plus(after)),
            None => (Activity::Pausing, self.now.wall.plus(after)),
        };
        self.set_activity_until(activity, Some(until));
        let alarm = self.wake_after(after, false);
        self.set_stage(LifeStage::Pausing { alarm });
    }

    /// Something happened that the model should soon see: the pause is the configured one again,
    /// unless the mission is done.
    pub(super) fn end_wait(&mut self) {
        self.pace.quiet = 0;
        let is_done = self.pace.done.is_some();
        if !is_done && matches!(self.stage, LifeStage::Pausing { .. }) && self.pace.waits {
            self.pause(self.rules.turn_pause);
        }
    }

    pub(super) fn take_standing_mission(&mut self, mission: Option<Mission>) {
        let id = |mission: &Option<Mission>| mission.as_ref().map(|mission| mission.id);
        let is_other = id(&self.mission) != id(&mission);
        self.mission = mission;
        if is_other {
            self.pace.has_succeeded = false;
            self.pace.done = None;
            self.end_wait();
        }
    }
}

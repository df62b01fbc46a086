//! Activity: what a Mysis is shown to do, and since when.

use std::sync::Arc;

use zoea_game::Deed;

use crate::event::{Activity, ActivityFamily, EventKind};
use crate::ids::Timestamp;

use super::input::{CurrentActivity, TaskId};
use super::trying::Trials;
use super::{Life, LifeStage};

impl Activity {
    /// Whether it is a wait for admission, for the next attempt, for a login, or for the end of a pause.
    pub(super) fn is_wait(&self) -> bool {
        match self.family() {
            ActivityFamily::Server | ActivityFamily::Held => true,
            ActivityFamily::Rest
            | ActivityFamily::OwnWork
            | ActivityFamily::Model
            | ActivityFamily::Connecting
            | ActivityFamily::ToolCall => false,
        }
    }
}

impl Life {
    /// Sets the stage. What a turn tried ends with the turn.
    pub(super) fn set_stage(&mut self, stage: LifeStage) {
        self.stage = stage;
        self.trials = Trials::default();
    }

    pub(super) fn enter_stage(&mut self, stage: LifeStage, reason: Option<Arc<str>>) {
        let from = self.state();
        self.set_stage(stage);
        let to = self.state();
        self.reason.clone_from(&reason);
        if from != to {
            self.emit_event(EventKind::StateChanged { from, to, reason });
        }
    }

    pub(super) fn set_activity(&mut self, activity: Activity) {
        self.set_activity_until(activity, None);
    }

    pub(super) fn set_activity_until(&mut self, activity: Activity, until: Option<Timestamp>) {
        self.figures.last_activity_at = self.now.wall;
        self.doing = CurrentActivity {
            activity,
            since: self.now.wall,
            until,
        };
    }

    /// What it is shown to do while a command is under way.
    pub(super) fn activity_of(&self, command: &Arc<str>) -> Activity {
        match self.session.game.deed(command) {
            Some(Deed::Travels) => Activity::Travelling,
            Some(Deed::Mines) => Activity::Mining,
            Some(Deed::Fights) => Activity::Fighting,
            None => Activity::CallingTool(command.clone()),
        }
    }

    pub(super) fn on_progress(&mut self, work: TaskId, activity: Activity) {
        if self.pending_request(work).is_none() && self.current_call(work).is_none() {
            return;
        }
        self.unmark_held_call(&activity);
        let (since, goes_on) = (self.doing.since, matches!(activity, Activity::Answering(_)));
        if let Activity::CallingTool(tool) = &activity {
            self.set_activity(self.activity_of(tool));
        } else {
            self.set_activity(activity);
        }
        if goes_on {
            // The shown duration is that of the whole call.
            self.doing.since = since;
        }
    }
}

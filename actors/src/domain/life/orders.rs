//! Orders: what a Mysis does when the operator wants something of it (DESIGN 2, 4).

use std::sync::Arc;

use crate::domain::event::{Activity, State, is_interruption};
use crate::domain::gate::Lane;
use crate::domain::message::Body;
use crate::domain::order::{Done, Refusal, check_text};
use crate::domain::tokens::TokenGauge;
use crate::domain::write::{Mission, ProfileChange, Write};

use super::input::{Alarm, Effect, MysisOrder, ReplyId};
use super::record::Draft;
use super::{Began, Life, Mode, Stage, Step};

impl Life {
    pub(super) fn ordered(&mut self, asker: ReplyId, order: MysisOrder) {
        let refused = match order {
            MysisOrder::Start => self.start(asker),
            MysisOrder::Stop => self.stop(asker),
            MysisOrder::Prompt(text) => self.prompt(asker, text),
            MysisOrder::Mission(mission) => self.take_mission(asker, mission),
            MysisOrder::Note(text) => self.note(asker, text),
            MysisOrder::ClearNotes => self.clear_notes(asker),
            MysisOrder::Configure(change) => self.configure(asker, change),
        };
        if let Err(refusal) = refused {
            let answer = Err(refusal);
            self.effects.push(Effect::Answer { asker, answer });
        }
    }

    fn start(&mut self, asker: ReplyId) -> Result<(), Refusal> {
        if self.mode == Mode::QueueOnly {
            return Err(Refusal::NoSwarm);
        }
        if self.state() == State::Running {
            return Err(Refusal::AlreadyRunning);
        }
        self.nudges = 0;
        // Whoever goes on after a crash or in a new process goes on being counted.
        let was_put_to_rest = match &self.stage {
            Stage::Stopped => true,
            Stage::Idle => self.reason.is_some() && !is_interruption(self.reason.as_deref()),
            Stage::Errored(_) | Stage::Pausing { .. } | Stage::InTurn { .. } => false,
        };
        if was_put_to_rest {
            self.forget_progress();
        }
        let mut draft = Draft::default().answering(asker, Done::Started);
        self.run_into(&mut draft);
        self.record(draft);
        self.go_on();
        Ok(())
    }

    fn stop(&mut self, asker: ReplyId) -> Result<(), Refusal> {
        if self.state() == State::Stopped {
            return Err(Refusal::AlreadyStopped);
        }
        let mut draft = Draft::default().answering(asker, Done::Stopped);
        self.close_open_calls(&mut draft, "the operator stopped the mysis");
        self.enter(Stage::Stopped, None);
        self.state_into(&mut draft);
        self.doing(Activity::Resting);
        self.record(draft);
        self.effects.push(Effect::Abort);
        Ok(())
    }

    fn prompt(&mut self, asker: ReplyId, text: Arc<str>) -> Result<(), Refusal> {
        self.check_takes_messages()?;
        check_text(&text)?;
        self.take_message(asker, Body::Prompt { text });
        Ok(())
    }

    /// A mission stands for every Mysis, also for one that cannot take the message now.
    fn take_mission(&mut self, asker: ReplyId, mission: Mission) -> Result<(), Refusal> {
        self.mission = Some(mission.clone());
        self.check_takes_messages()?;
        let Mission { id, text, .. } = mission;
        self.take_message(asker, Body::Mission { id, text });
        Ok(())
    }

    /// Stores a message that starts a turn: at once between two turns, with the next model call
    /// within one.
    fn take_message(&mut self, asker: ReplyId, body: Body) {
        self.nudges = 0;
        if let Stage::InTurn { turn, .. } = &mut self.stage {
            // Whatever set it going, it is about an order now: it does not count as nudged.
            turn.began = Began::Ordered;
        }
        self.forget_progress();
        self.last_activity_at = self.now;
        let seq = self.conversation.last().next();
        let mut draft = Draft::default().answering(asker, Done::Stored(seq));
        self.append(&mut draft, body);
        let was_idle = self.state() == State::Idle;
        if was_idle {
            self.run_into(&mut draft);
        }
        self.record(draft);
        if matches!(self.stage, Stage::Pausing { .. }) {
            self.go_on();
        } else {
            self.talk_without_the_game();
        }
    }

    /// Whoever waits for the game server before it asks its model can still talk: a direct message is
    /// answered without the game's tools (DESIGN 6).
    fn talk_without_the_game(&mut self) {
        let Stage::InTurn {
            step: Step::Asking { attempt, .. },
            ..
        } = &self.stage
        else {
            return;
        };
        let (attempt, waits) = (*attempt, Activity::Queueing(Lane::Game));
        let is_addressed = self.conversation.unanswered().next().is_some();
        if is_addressed && self.doing.activity == waits {
            self.effects.push(Effect::Abort);
            self.ask(attempt);
        }
    }

    fn note(&mut self, asker: ReplyId, text: Arc<str>) -> Result<(), Refusal> {
        check_text(&text)?;
        let seq = self.conversation.last().next();
        let mut draft = Draft::default().answering(asker, Done::Stored(seq));
        self.append(&mut draft, Body::Note { text });
        self.record(draft);
        Ok(())
    }

    fn clear_notes(&mut self, asker: ReplyId) -> Result<(), Refusal> {
        let mut draft = Draft::default().answering(asker, Done::NotesCleared);
        draft.writes.push(Write::ClearNotes {
            mysis: self.id,
            upto: self.conversation.last(),
        });
        self.conversation.clear_notes();
        let text = "the operator cleared the notes".into();
        self.append(&mut draft, Body::Audit { text });
        self.record(draft);
        Ok(())
    }

    /// Other settings are recorded first: they hold from the next model call after that.
    fn configure(&mut self, asker: ReplyId, change: ProfileChange) -> Result<(), Refusal> {
        let mut draft = Draft::default().answering(asker, Done::Configured);
        draft.writes.push(Write::Configure {
            mysis: self.id,
            change: change.clone(),
        });
        draft.change = Some(change);
        self.record(draft);
        Ok(())
    }

    /// Other settings are stored, and hold.
    pub(super) fn change_profile(&mut self, change: &ProfileChange) {
        let before = self.profile.clone();
        change.apply(&mut self.profile);
        let is_same_model =
            before.provider == self.profile.provider && before.model == self.profile.model;
        if !is_same_model {
            self.gauge = TokenGauge::default();
            self.most_bytes = None;
        }
    }

    fn check_takes_messages(&self) -> Result<(), Refusal> {
        match self.state() {
            State::Idle | State::Running => Ok(()),
            State::Stopped => Err(Refusal::Stopped),
            State::Errored => Err(Refusal::Errored),
        }
    }

    /// Begins to run; what to do first is up to [`Life::go_on`]. While no swarm is running, it is
    /// written down that there is a reason to.
    fn run_into(&mut self, draft: &mut Draft) {
        if self.mode == Mode::QueueOnly {
            let mysis = self.id;
            return draft.writes.push(Write::Called { mysis });
        }
        let alarm = Alarm(self.stamp());
        self.enter(Stage::Pausing { alarm }, None);
        self.state_into(draft);
    }
}

//! Done: what follows where the model says that its mission is done, which the operator allowed (DESIGN 3).

use std::sync::Arc;

use crate::compose::TurnOwner;
use crate::conversation::{Conversation, PendingCall};
use crate::ids::{MissionId, Seq, Timestamp, TurnNumber};
use crate::message::{CallStatus, Row, RowBody, RowKind, Severity};
use crate::mission_end::{DONE_CODE, DONE_TOOL, ends, summary_of};
use crate::record::Mission;

use super::record::WriteDraft;
use super::{AfterRecording, Life, ToolOutcome};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DoneMission {
    summary: Arc<str>,
    pub(super) said_in: Seq,
    turn: TurnNumber,
    /// When the model was last heard, by the wall clock: only a restart goes by it.
    pub(super) asked_at: Timestamp,
}

impl DoneMission {
    /// What the rows tell: the newest call says it, nothing was ordered since, and the mission is the
    /// same.
    pub(super) fn restored(
        conversation: &Conversation,
        mission: Option<&Mission>,
    ) -> Option<DoneMission> {
        let mission = mission.filter(|mission| ends(&mission.text))?;
        let is_news = |row: &&Arc<Row>| {
            matches!(
                row.kind(),
                Some(RowKind::Call | RowKind::Prompt | RowKind::Mission)
            )
        };
        let newest = conversation.rows().rev().find(is_news)?;
        let delivered = conversation.rows().rev().find_map(|row| delivered(row));
        let is_other = delivered.is_some_and(|id| id != mission.id) || mission.at > newest.at;
        if is_other || !says_done(conversation, newest) {
            return None;
        }
        let said = newest
            .calls()
            .iter()
            .filter(|call| *call.name == *DONE_TOOL);
        let summary = said
            .filter_map(|call| summary_of(&call.arguments))
            .next_back()?;
        Some(DoneMission {
            summary: summary.into(),
            said_in: newest.seq,
            turn: newest.turn,
            asked_at: conversation.last_utterance()?.at,
        })
    }
}

fn delivered(row: &Row) -> Option<MissionId> {
    let RowBody::Mission { id, .. } = &row.body else {
        return None;
    };
    Some(*id)
}

/// Whether a row of calls says that the mission is done, and that was taken.
pub(super) fn says_done(conversation: &Conversation, calls: &Row) -> bool {
    let later = conversation
        .rows()
        .rev()
        .take_while(|row| row.seq > calls.seq);
    later.into_iter().any(|row| {
        row.result().is_some_and(|(call, _, meta)| {
            let is_taken = meta.status == CallStatus::Done && *meta.tool == *DONE_TOOL;
            is_taken && call.seq == calls.seq
        })
    })
}

impl Life {
    pub(super) fn may_end(&self) -> bool {
        self.mission
            .as_ref()
            .is_some_and(|mission| ends(&mission.text))
    }

    pub(super) fn on_done_call(&mut self, open: &PendingCall) {
        let (status, text, draft) = match self.done_objection(open) {
            Err(objection) => (CallStatus::Failed, objection, WriteDraft::default()),
            Ok(summary) => {
                let text = "Noted. You are asked again in an hour.".to_string();
                (CallStatus::Done, text, self.take_done(open, &summary))
            }
        };
        self.answer_call_with(draft, &ToolOutcome::new(status, text));
    }

    /// The summary, or why the mission cannot be done.
    fn done_objection(&self, open: &PendingCall) -> Result<String, String> {
        if !self.may_end() {
            return Err(
                "Error: not_allowed: your operator did not say that the mission ends. Go \
                        on with it."
                    .to_string(),
            );
        }
        if !self.pace.has_succeeded {
            return Err(
                "Error: not_yet: no call of yours has succeeded since the mission was \
                        given. Look at the game, and do what is asked."
                    .to_string(),
            );
        }
        summary_of(&open.call.arguments).ok_or_else(|| {
            "Error: invalid_arguments: summary is a text that says what was done".to_string()
        })
    }

    fn take_done(&mut self, open: &PendingCall, summary: &str) -> WriteDraft {
        let summary = self.redactor.clean(summary).into_owned();
        self.forget_progress();
        self.recent_activity.record_words(&summary);
        let mut draft = WriteDraft::default();
        let text = format!("the mission is done: {summary}");
        self.add_host_notice(&mut draft, Severity::Info, DONE_CODE, &text);
        self.pace.done = Some(DoneMission {
            summary: summary.into(),
            said_in: open.key.seq,
            turn: self.turn,
            asked_at: self.now.wall,
        });
        draft
    }

    /// Whether the present turn said that the mission is done, and nothing else waits for an answer.
    pub(super) fn is_turn_done(&self) -> bool {
        let is_said_now = |done: &DoneMission| done.turn == self.turn;
        let owner = self.stage.turn().map(|turn| &turn.owner);
        let is_of_mission = matches!(owner, Some(TurnOwner::Mission { .. }));
        self.pace.done.as_ref().is_some_and(is_said_now)
            && is_of_mission
            && self.conversation.unanswered_prompts().next().is_none()
    }

    /// Ends the turn without a closing word, which nobody needs.
    pub(super) fn end_done_turn(&mut self) {
        self.figures.totals.turns += 1;
        let mut draft = WriteDraft::default();
        draft.let_wait();
        self.add_totals(&mut draft);
        self.record_then(draft, AfterRecording::EndTurn);
    }

    /// What the model is asked where its mission is done.
    pub(super) fn done_notice(&self) -> Option<String> {
        let done = self.pace.done.as_ref()?;
        let summary = &done.summary;
        Some(format!(
            "You said with {DONE_TOOL} that your mission is done: \"{summary}\". If that is still so, \
             answer with one sentence and call no tool. If it is not, go on with the mission."
        ))
    }
}

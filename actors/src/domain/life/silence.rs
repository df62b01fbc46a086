//! Silence: what a Mysis' life tells of turns in which no tool call succeeded, and of calls that
//! fail.

use std::sync::Arc;

use crate::compose::TurnOwner;
use crate::message::{CallStatus, Row};
use crate::progress::OrderIntent;
use crate::silence::ModelSource;
use crate::written_call::reads_like_a_call;

use super::Life;

impl Life {
    /// A turn begins for this order. A direct message may ask for words alone.
    pub(super) fn begin_silent_turn(&mut self, owner: &TurnOwner) {
        if self.silence.is_none() {
            return;
        }
        let is_expected = match owner {
            TurnOwner::Prompt(_) => false,
            TurnOwner::Mission { .. } | TurnOwner::Nudge(_) => {
                self.order_intent(owner) == OrderIntent::Works
            }
        };
        if let Some(silence) = &mut self.silence {
            Arc::make_mut(silence).begin_turn(is_expected);
        }
    }

    /// The model answered without a call. The closing words of a turn with calls are no sign.
    pub(super) fn note_words(&mut self, row: &Row) {
        let has_called = self.stage.turn().is_some_and(|turn| turn.called_tools);
        let (Some(silence), Some(utterance), false) =
            (&mut self.silence, row.utterance(), has_called)
        else {
            return;
        };
        let thought = utterance.reasoning.as_deref().unwrap_or_default();
        let names = || self.session.tools.tools().iter().map(|tool| &*tool.name);
        let texts = [row.text(), thought];
        let written = texts
            .into_iter()
            .find(|text| reads_like_a_call(text, names()));
        let source = ModelSource {
            provider: utterance.meta.provider.clone(),
            model: utterance.meta.model.clone(),
        };
        let text = written.unwrap_or(row.text());
        Arc::make_mut(silence).record_words(text, written.is_some(), source);
    }

    pub(super) fn note_result(&mut self, tool: &Arc<str>, status: CallStatus, text: &str) {
        if status == CallStatus::Done {
            self.silence = None;
            return self.recent_calls.record_success(self.now.wall);
        }
        self.recent_calls.record_failure(tool, text, self.now.wall);
        if let Some(silence) = &mut self.silence {
            Arc::make_mut(silence).record_failure(tool, text);
        }
    }

    pub(super) fn end_silent_turn(&mut self) {
        if let Some(silence) = &mut self.silence {
            Arc::make_mut(silence).end_turn(self.now.wall);
        }
    }
}

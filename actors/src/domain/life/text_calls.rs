//! Calls that a model left in its text.

use std::sync::Arc;

use crate::message::Severity;
use crate::model::ModelAnswer;
use crate::written_call::{WRITTEN_CALLS_ADVICE, WrittenText, read_text};

use super::Life;

impl Life {
    /// Reads the calls that a model left in its text, if it made none. Returns whether there are any.
    /// The operator is told once how the server would read them itself.
    pub(super) fn read_text_calls(
        &mut self,
        provider: &Arc<str>,
        answer: &mut ModelAnswer,
    ) -> bool {
        let rules = self.rules.providers.get(provider);
        let is_wanted = rules.is_some_and(|rules| rules.reads_text_calls);
        if !is_wanted || !answer.calls.is_empty() {
            return false;
        }
        let reason = answer.finish_reason.as_deref();
        match read_text(&answer.text, reason, &self.session.tools) {
            WrittenText::Words => return false,
            WrittenText::Calls(calls) => answer.calls = calls,
            WrittenText::Unfit { calls, why } => {
                answer.calls = calls;
                answer.refusal = Some(why);
            }
        }
        if !std::mem::replace(&mut self.told.has_text_calls, true) {
            let text = format!(
                "the model leaves its calls in its text, from which they are read; to spare that, \
                 {WRITTEN_CALLS_ADVICE}"
            );
            self.record_notice(Severity::Warn, "calls_in_text", None, &text);
        }
        true
    }
}

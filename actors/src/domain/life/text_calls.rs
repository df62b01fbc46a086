//! The calls of an answer as they are stored, and those that a model left in its text.

use std::sync::Arc;

use crate::message::{CallRecord, CallStatus, Severity};
use crate::model::{ModelAnswer, RequestedCall};
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
        match read_text(&answer.text, reason, &self.session.allowed) {
            WrittenText::Words => return false,
            WrittenText::Calls(calls) => answer.calls = calls,
            WrittenText::Unfit { calls, why } => {
                answer.calls = calls;
                answer.refusal = Some(why);
            }
        }
        if !std::mem::replace(&mut self.sent_notices.has_text_calls, true) {
            let text = format!(
                "the model writes its calls as text, from which they are read; to avoid that, \
                 {WRITTEN_CALLS_ADVICE}"
            );
            self.record_notice(Severity::Warn, "calls_in_text", &text);
        }
        true
    }

    /// Whether a call is made again where its answer is lost (decision 7).
    pub(super) fn only_reads(&self, tool: &str, arguments: &str) -> bool {
        let tools = &self.session.tools;
        tools.only_reads(tool, arguments, &self.rules.tools.repeat)
    }

    /// The call as it is stored, before it is made.
    pub(super) fn recorded_call(&self, call: RequestedCall) -> CallRecord {
        let arguments: Arc<str> = if call.arguments.trim().is_empty() {
            "{}".into()
        } else {
            call.arguments.into()
        };
        let meant = self
            .session
            .tools
            .resolve_name(&call.name)
            .map(|tool| tool.name.clone());
        let name = meant.unwrap_or_else(|| call.name.into());
        CallRecord {
            id: call.id.into(),
            read_only: self.only_reads(&name, &arguments),
            name,
            arguments,
            status: CallStatus::Recorded,
            routine: None,
        }
    }
}

//! The calls of an answer as they are stored, and those that a model left in its text.

use std::sync::Arc;

use crate::message::{CallRecord, CallStatus, Severity};
use crate::model::{ModelAnswer, RequestedCall};
use crate::written_call::{WRITTEN_CALLS_ADVICE, WrittenText, read_text, reads_like_a_call};

use super::Life;

/// What the model is told of a call that its server left in its reasoning.
const THOUGHT_CALL: &str = "Error: call_in_reasoning: your call stands in your reasoning, so it was not \
     made. End your reasoning, then call the tool.";

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
            WrittenText::Words => {
                self.reject_call_in_reasoning(answer);
                return false;
            }
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

    /// Tells the model within the turn that its call stands in its reasoning, where none is made, if it said
    /// nothing else: servers whose parser of thoughts is greedy take it for a thought.
    fn reject_call_in_reasoning(&self, answer: &mut ModelAnswer) {
        let thought = answer.reasoning.as_deref().unwrap_or_default();
        let tools = self.session.tools.tools().iter();
        let is_thought = answer.text.trim().is_empty()
            && answer.finish_reason.as_deref() != Some("length")
            && reads_like_a_call(thought, tools.map(|tool| &*tool.name));
        if is_thought {
            answer.calls.push(RequestedCall::default());
            answer.refusal = Some(THOUGHT_CALL.to_string());
        }
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

//! A decided answer: its payload, its delivery, and its line in the record.

use std::time::Duration;

use serde_json::{Value, json};

use crate::faults::{ErrorReply, PilotFaultKind};
use crate::request_stats::RequestRecord;
use crate::wire::{self, WireUsage};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Payload {
    Refused(ErrorReply),
    Completion {
        completion: Value,
        form: CompletionForm,
    },
    Garbage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompletionForm {
    Whole,
    Stream { include_usage: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct DeliveryPlan {
    /// The pause before the answer leaves.
    pub(super) pause: Duration,
    /// Whether the answer never leaves.
    pub(super) hangs: bool,
    /// The time that the body is spread over.
    pub(super) trickle: Option<Duration>,
    pub(super) is_cut: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct AnswerDecision {
    pub(super) payload: Payload,
    pub(super) delivery: DeliveryPlan,
    pub(super) applied: Vec<PilotFaultKind>,
}

impl AnswerDecision {
    /// An HTTP error, sent at once.
    pub(super) fn from_error(status: u16, body: Value) -> Self {
        Self {
            payload: Payload::Refused(ErrorReply {
                status,
                retry_after: None,
                body,
            }),
            delivery: DeliveryPlan::default(),
            applied: Vec::new(),
        }
    }

    fn status(&self) -> u16 {
        match &self.payload {
            Payload::Refused(refused) => refused.status,
            Payload::Completion { .. } | Payload::Garbage => 200,
        }
    }

    /// The completion, if the caller gets it whole, and whether its usage is sent.
    fn completion(&self) -> Option<(&Value, bool)> {
        match &self.payload {
            Payload::Completion { completion, form } => {
                let reports_usage = match form {
                    CompletionForm::Whole => true,
                    CompletionForm::Stream { include_usage } => *include_usage,
                };
                Some((completion, reports_usage))
            }
            Payload::Refused(_) | Payload::Garbage => None,
        }
    }

    /// The token counts that the caller gets, if the answer arrives.
    pub(super) fn reported_usage(&self) -> Option<WireUsage> {
        let (completion, reports_usage) = self.completion()?;
        wire::reported_usage(completion).filter(|_| reports_usage && !self.delivery.is_cut)
    }

    pub(super) fn complete_record(&self, line: RequestRecord) -> RequestRecord {
        let faults: Vec<&str> = self.applied.iter().map(|fault| fault.name()).collect();
        let sent = self.completion();
        let message = sent.and_then(|(completion, _)| completion.pointer("/choices/0/message"));
        RequestRecord {
            status: self.status(),
            fault: (!faults.is_empty()).then(|| faults.join(",")),
            usage: sent
                .filter(|(_, reports_usage)| *reports_usage)
                .map_or(Value::Null, |(completion, _)| completion["usage"].clone()),
            reply: message.and_then(|message| message["content"].as_str()).map(str::to_owned),
            tool_calls: message
                .and_then(|message| message["tool_calls"].as_array())
                .into_iter()
                .flatten()
                .map(|call| {
                    let function = &call["function"];
                    json!({"id": call["id"], "name": function["name"], "arguments": function["arguments"]})
                })
                .collect(),
            ..line
        }
    }
}

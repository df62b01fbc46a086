//! A decided answer: what is sent, how it is delivered, and what the books say of it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::faults::{ErrorReply, PilotFaultKind};
use crate::request_stats::RequestRecord;
use crate::wire::{self, WireUsage};

/// What is sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Payload {
    Refused(ErrorReply),
    Completion {
        completion: Value,
        form: CompletionForm,
    },
    Garbage,
}

/// The form in which a completion is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompletionForm {
    Whole,
    Stream { include_usage: bool },
}

/// How the answer is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct DeliveryPlan {
    /// How long to wait before it leaves.
    pub(super) pause: Duration,
    /// It never leaves.
    pub(super) hangs: bool,
    /// Over how long the body trickles.
    pub(super) trickle: Option<Duration>,
    /// The connection is cut in the middle of the body.
    pub(super) is_cut: bool,
}

/// What is answered to a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AnswerDecision {
    pub(super) payload: Payload,
    pub(super) manner: DeliveryPlan,
    /// The faults that had something to strike.
    pub(super) struck: Vec<PilotFaultKind>,
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
            manner: DeliveryPlan::default(),
            struck: Vec::new(),
        }
    }

    fn status(&self) -> u16 {
        match &self.payload {
            Payload::Refused(refused) => refused.status,
            Payload::Completion { .. } | Payload::Garbage => 200,
        }
    }

    /// The completion, if the caller can see it whole, and whether its usage is sent along.
    fn completion(&self) -> Option<(&Value, bool)> {
        match &self.payload {
            Payload::Completion { completion, form } => {
                let tells_usage = match form {
                    CompletionForm::Whole => true,
                    CompletionForm::Stream { include_usage } => *include_usage,
                };
                Some((completion, tells_usage))
            }
            Payload::Refused(_) | Payload::Garbage => None,
        }
    }

    /// The tokens that the caller is told of, if the answer arrives.
    pub(super) fn told_usage(&self) -> Option<WireUsage> {
        let (completion, tells_usage) = self.completion()?;
        wire::told_usage(completion).filter(|_| tells_usage && !self.manner.is_cut)
    }

    /// The line of the record, with what is answered added.
    pub(super) fn complete_record(&self, line: RequestRecord) -> RequestRecord {
        let faults: Vec<&str> = self.struck.iter().map(|fault| fault.name()).collect();
        let sent = self.completion();
        let message = sent.and_then(|(completion, _)| completion.pointer("/choices/0/message"));
        RequestRecord {
            status: self.status(),
            fault: (!faults.is_empty()).then(|| faults.join(",")),
            usage: sent
                .filter(|(_, tells_usage)| *tells_usage)
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

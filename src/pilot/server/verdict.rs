//! A decided answer: what is sent, how it is delivered, and what the books say of it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::books::Line;
use crate::faults::{FaultKind, Refused};
use crate::wire::{self, Usage};

/// What is sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Payload {
    Refused(Refused),
    Completion { completion: Value, form: Form },
    Garbage,
}

/// The form in which a completion is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Whole,
    Stream { include_usage: bool },
}

/// How the answer is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Manner {
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
pub(super) struct Verdict {
    pub(super) payload: Payload,
    pub(super) manner: Manner,
    /// The faults that had something to strike.
    pub(super) struck: Vec<FaultKind>,
}

impl Verdict {
    /// An HTTP error, sent at once.
    pub(super) fn refused(status: u16, body: Value) -> Self {
        Self {
            payload: Payload::Refused(Refused {
                status,
                retry_after: None,
                body,
            }),
            manner: Manner::default(),
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
                    Form::Whole => true,
                    Form::Stream { include_usage } => *include_usage,
                };
                Some((completion, tells_usage))
            }
            Payload::Refused(_) | Payload::Garbage => None,
        }
    }

    /// The tokens that the caller is told of, if the answer arrives.
    pub(super) fn told(&self) -> Option<Usage> {
        let (completion, tells_usage) = self.completion()?;
        wire::told_usage(completion).filter(|_| tells_usage && !self.manner.is_cut)
    }

    /// The line of the record, with what is answered added.
    pub(super) fn book(&self, line: Line) -> Line {
        let faults: Vec<&str> = self.struck.iter().map(|fault| fault.name()).collect();
        let sent = self.completion();
        let message = sent.and_then(|(completion, _)| completion.pointer("/choices/0/message"));
        Line {
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

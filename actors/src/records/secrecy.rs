//! Removes secrets from what models say, from requests and from missions.
//!
//! It cleans every text, not those of a list of fields.

use std::sync::Arc;

use zoea_text::redact::Redactor;

use crate::model::{ChatCall, ChatMessage, ModelAnswer, ModelFault, RequestedCall};
use crate::record::Mission;

impl Mission {
    pub fn remove_secrets(&mut self, known: &Redactor) {
        known.clean_in_place(&mut self.text);
    }
}

impl ModelAnswer {
    /// Removes secrets from the text, the calls and everything else that the server returned.
    pub fn remove_secrets(&mut self, known: &Redactor) {
        let ModelAnswer {
            text,
            reasoning,
            calls,
            finish_reason,
            usage: _,
            stated_cost: _,
            model,
            doubt,
            refusal,
            echo,
            facts,
        } = self;
        if let Some(echo) = echo {
            echo.for_each_text(|text| known.clean_in_place(text));
        }
        let of_calls = calls.iter_mut().flat_map(|call| {
            let RequestedCall {
                id,
                name,
                arguments,
            } = call;
            [id, name, arguments]
        });
        let others = [reasoning, finish_reason, model, refusal, &mut facts.id]
            .into_iter()
            .flatten();
        for text in of_calls.chain(others).chain([text]) {
            known.clean_in_place(text);
        }
        doubt
            .iter_mut()
            .for_each(|doubt| known.clean_in_place(doubt));
    }
}

impl ModelFault {
    pub fn remove_secrets(&mut self, known: &Redactor) {
        match self {
            ModelFault::Transient {
                text,
                retry_after: _,
            }
            | ModelFault::Unreachable { text }
            | ModelFault::NoDescriptor { text }
            | ModelFault::Empty { text, usage: _ }
            | ModelFault::TooLong { text, limit: _ }
            | ModelFault::OutOfService {
                text,
                wait: _,
                ends_by: _,
            }
            | ModelFault::Adapted { text }
            | ModelFault::Refused { text, .. }
            | ModelFault::Permanent { text } => known.clean_in_place(text),
        }
    }
}

impl ChatMessage {
    /// The message without secrets. It may have been composed before they were known.
    pub fn without_secrets(&self, known: &Redactor) -> ChatMessage {
        let mut message = self.clone();
        let clean = |text: &mut Arc<str>| known.clean_in_place(text);
        match &mut message {
            ChatMessage::System(text) | ChatMessage::User(text) => clean(text),
            ChatMessage::Assistant { text, calls, echo } => {
                clean(text);
                for ChatCall {
                    id,
                    name,
                    arguments,
                } in calls
                {
                    [id, name, arguments].into_iter().for_each(clean);
                }
                if let Some(echo) = echo {
                    Arc::make_mut(echo).for_each_text(clean);
                }
            }
            ChatMessage::Tool { call_id, text } => [call_id, text].into_iter().for_each(clean),
        }
        message
    }
}

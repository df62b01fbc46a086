//! The calls of an answer, put together from whole messages or from pieces.

use std::sync::Arc;

use actors::domain::bounds::{self, MAX_ARGUMENTS_BYTES, MAX_NAME_BYTES};
use actors::domain::model::RequestedCall;
use zoea_http::raw_json::{as_text, for_each_element, pick};
use zoea_text::redact::Redactor;

use crate::bounded_text::BoundedText;
use crate::content::arguments_text;
use crate::echo::ReceivedEcho;

/// The most calls of an answer that are read. They are more than are made, so that the operator
/// learns of the excess.
pub(super) const MAX_CALLS_READ: usize = 16 * bounds::MAX_CALLS;

/// The form of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageForm {
    /// A complete message.
    Whole,
    /// A part of a streamed message.
    Delta,
}

/// The calls as far as they have been received.
#[derive(Debug, Default)]
pub(super) struct ReceivedCalls {
    /// By their index, in the order in which they began.
    calls: Vec<(u64, ReceivedCall)>,
    /// The bytes of all arguments that are kept.
    arguments_bytes: usize,
}

#[derive(Debug, Default)]
struct ReceivedCall {
    id: String,
    name: String,
    arguments: BoundedText,
    echo: ReceivedEcho,
}

impl ReceivedCalls {
    /// Takes the calls of a message: a list, or the single one of early servers. Returns the bytes
    /// of what was received.
    pub(super) fn add(
        &mut self,
        listed: Option<&str>,
        old_call: Option<&str>,
        form: MessageForm,
    ) -> u64 {
        let (mut bytes, mut count) = (0, 0);
        for_each_element(listed.unwrap_or("[]"), |call| {
            bytes += self.add_call(call, form);
            count += 1;
            count < MAX_CALLS_READ
        });
        if let Some(call) = old_call.filter(|call| call.starts_with('{'))
            && count == 0
        {
            bytes += self.add_call(call, form);
        }
        bytes
    }

    fn add_call(&mut self, json: &str, form: MessageForm) -> u64 {
        let [index, id, function] = pick(json, ["index", "id", "function"]);
        let [name, written] = pick(function.unwrap_or(json), ["name", "arguments"]);
        let text = |json: Option<&str>| json.and_then(as_text).unwrap_or_default();
        let (id, name) = (
            bounds::bounded_id(text(id)),
            bounds::bounded_name(text(name)),
        );
        let (index, known) = match form {
            MessageForm::Whole => (self.calls.len() as u64, None),
            MessageForm::Delta => {
                let index = index.and_then(|index| index.parse().ok());
                self.find_call(index, &id, &name)
            }
        };
        let arguments = match (written, form) {
            (Some(written), _) => arguments_text(written),
            (None, MessageForm::Whole) => "{}".to_string(),
            (None, MessageForm::Delta) => String::new(),
        };
        let bytes = (name.len() + arguments.len()) as u64;
        if known.is_none() && self.calls.len() >= MAX_CALLS_READ {
            return bytes;
        }
        let place = known.unwrap_or_else(|| {
            self.calls.push((index, ReceivedCall::default()));
            self.calls.len() - 1
        });
        let call = &mut self.calls[place].1;
        call.echo.add(json);
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name != name && call.name.len() <= MAX_NAME_BYTES {
            call.name += &name;
        }
        let kept_elsewhere = self.arguments_bytes - call.arguments.text.len();
        let room = MAX_ARGUMENTS_BYTES.saturating_sub(self.arguments_bytes);
        call.arguments.add_all_or_none(&arguments, room);
        self.arguments_bytes = kept_elsewhere + call.arguments.text.len();
        bytes
    }

    /// The index of the call to which a part belongs, and its position if it has begun. With an
    /// index, it is the newest call of that index. Without one, a part with an id or a name begins
    /// a call, and any other part continues the last one.
    fn find_call(&self, index: Option<u64>, id: &str, name: &str) -> (u64, Option<usize>) {
        let begins = !id.is_empty() || !name.is_empty();
        let last = self.calls.last().map(|(index, _)| *index);
        let index = index.unwrap_or(match last {
            None => 0,
            Some(last) if begins => last.saturating_add(1),
            Some(last) => last,
        });
        let known = self.calls.iter().rposition(|(known, _)| *known == index);
        // Some servers give all calls the same index.
        let known = known.filter(|place| {
            let is_another = self.calls[*place].1.id != id && !self.calls[*place].1.id.is_empty();
            !(is_another && !id.is_empty() && !name.is_empty())
        });
        (index, known)
    }

    /// The calls without these secrets, and the echo of each of them.
    pub(super) fn into_calls(self, secrets: &Redactor) -> (Vec<RequestedCall>, Vec<Arc<str>>) {
        let calls = self.calls.into_iter().map(|(_, call)| {
            let requested = RequestedCall {
                id: secrets.clean_own(call.id),
                name: secrets.clean_own(bounds::bounded_name(call.name)),
                arguments: match call.arguments.left_out {
                    0 => secrets.clean_own(call.arguments.text),
                    bytes => bounds::no_arguments(bytes),
                },
            };
            (requested, call.echo.into_text(secrets))
        });
        calls.unzip()
    }
}

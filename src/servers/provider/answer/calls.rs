//! The calls of an answer, put together from whole messages or from pieces.
//!
//! Servers repeat themselves: the same piece again, the whole call at the end, the same call under
//! another index. Each call comes out once (`docs/PROVIDERS.md`, "The same call again").

use std::sync::Arc;

use actors::domain::bounds::{self, MAX_NAME_BYTES};
use actors::domain::model::RequestedCall;
use zoea_http::raw_json::{as_text, for_each_element, is_object, pick};
use zoea_text::redact::Redactor;

use super::arguments::{ArgumentsRoom, ReceivedArguments, are_equal};
use crate::content::arguments_text;
use crate::echo::ReceivedEcho;
use crate::novelty::NoveltyMeter;

/// The most calls of an answer that are read. They are more than are made, so that the operator
/// learns of the excess.
pub(super) const MAX_CALLS_READ: usize = 16 * bounds::MAX_CALLS;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageForm {
    Whole,
    /// A part of a streamed message.
    Delta,
}

#[derive(Debug, Default)]
pub(super) struct ReceivedCalls {
    /// By their index, and those of one index in the order in which they began.
    calls: Vec<ReceivedCall>,
    room: ArgumentsRoom,
    /// How much of what came in pieces is new.
    pub(super) novelty: NoveltyMeter,
}

#[derive(Debug, Default)]
struct ReceivedCall {
    index: u64,
    id: String,
    name: String,
    arguments: ReceivedArguments,
    echo: ReceivedEcho,
}

struct CallPiece {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: Option<String>,
}

impl CallPiece {
    fn read(json: &str) -> CallPiece {
        let [index, id, function] = pick(json, ["index", "id", "function"]);
        let [name, written] = pick(function.unwrap_or(json), ["name", "arguments"]);
        let text = |json: Option<&str>| json.and_then(as_text).unwrap_or_default();
        CallPiece {
            index: index.and_then(read_index),
            id: bounds::bounded_id(text(id)),
            name: bounds::bounded_name(text(name)),
            arguments: written.map(arguments_text),
        }
    }
}

/// An index as a number, as a text of one, or as servers write it whose numbers are floats (`0.0`).
fn read_index(json: &str) -> Option<u64> {
    let digits = json.trim_matches('"');
    digits.strip_suffix(".0").unwrap_or(digits).parse().ok()
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
            bytes += self.add_call(call, CallPiece::read(call), form);
            count += 1;
            count < MAX_CALLS_READ
        });
        if let Some(call) = old_call.filter(|call| call.starts_with('{'))
            && count == 0
        {
            // There is only one of these.
            let index = Some(0);
            bytes += self.add_call(
                call,
                CallPiece {
                    index,
                    ..CallPiece::read(call)
                },
                form,
            );
        }
        bytes
    }

    /// Whether a message holds these very calls again, none more and none less, without an index or
    /// an id that would tell them from further ones.
    pub(super) fn are_again_in(&self, listed: Option<&str>) -> bool {
        let (mut count, mut is_same) = (0, true);
        for_each_element(listed.unwrap_or("[]"), |call| {
            let piece = CallPiece::read(call);
            is_same = self.calls.get(count).is_some_and(|known| known.is(&piece));
            count += 1;
            is_same
        });
        is_same && count > 0 && count == self.calls.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    fn add_call(&mut self, json: &str, piece: CallPiece, form: MessageForm) -> u64 {
        let known = match form {
            MessageForm::Whole => None,
            MessageForm::Delta => self.find_call(&piece),
        };
        let absent = match form {
            MessageForm::Whole => "{}",
            MessageForm::Delta => "",
        };
        let arguments = piece.arguments.as_deref().unwrap_or(absent);
        let bytes = (piece.name.len() + arguments.len()) as u64;
        if form == MessageForm::Delta {
            self.novelty.add(&piece.name);
            self.novelty.add(arguments);
        }
        if known.is_none() && self.calls.len() >= MAX_CALLS_READ {
            return bytes;
        }
        let place = known.unwrap_or_else(|| self.begin_call(piece.index));
        let call = &mut self.calls[place];
        call.echo.add(json);
        if call.id.is_empty() {
            call.id = piece.id;
        }
        call.add_name(&piece.name);
        call.arguments.add(arguments, &mut self.room);
        bytes
    }

    /// Begins a call at an index, or after the last one. Returns its position.
    fn begin_call(&mut self, index: Option<u64>) -> usize {
        let next = self.calls.last();
        let next = next.map_or(0, |last| last.index.saturating_add(1));
        let index = index.unwrap_or(next);
        let place = self.calls.partition_point(|call| call.index <= index);
        let begun = ReceivedCall {
            index,
            ..ReceivedCall::default()
        };
        self.calls.insert(place, begun);
        place
    }

    /// The position of the call to which a piece belongs; `None` if it begins one. With an index,
    /// it is the newest call of that index. Otherwise the id tells, and where there is neither, a
    /// name begins a call. A piece without any of them continues the last call.
    fn find_call(&self, piece: &CallPiece) -> Option<usize> {
        let has_id = !piece.id.is_empty();
        let of_index = |index| self.calls.iter().rposition(|call| call.index == index);
        let of_id = || self.calls.iter().rposition(|call| call.id == piece.id);
        let known = match piece.index {
            Some(index) => {
                // What has an id and no name cannot begin a call.
                let continues = has_id && piece.name.is_empty();
                of_index(index).or_else(|| of_id().filter(|_| continues))
            }
            None if has_id => of_id(),
            None if !piece.name.is_empty() => None,
            None => self.calls.len().checked_sub(1),
        };
        // Some servers give all calls the same index.
        known.filter(|place| !self.calls[*place].is_other_than(piece))
    }

    /// The calls without these secrets, each once, and the echo of each of them.
    pub(super) fn into_calls(self, secrets: &Redactor) -> (Vec<RequestedCall>, Vec<Arc<str>>) {
        let mut read: Vec<(RequestedCall, ReceivedEcho)> = Vec::new();
        for call in self.calls {
            let requested = RequestedCall {
                id: call.id,
                name: bounds::bounded_name(call.name),
                arguments: call.arguments.read().unwrap_or_else(bounds::no_arguments),
            };
            let known = read
                .iter_mut()
                .find(|(known, _)| are_one_call(known, &requested));
            match known {
                Some((known, _)) if is_object(&known.arguments) => {}
                Some((known, _)) => known.arguments = requested.arguments,
                None => read.push((requested, call.echo)),
            }
        }
        let calls = read.into_iter().map(|(call, echo)| {
            let cleaned = RequestedCall {
                id: secrets.clean_own(call.id),
                name: secrets.clean_own(call.name),
                arguments: secrets.clean_own(call.arguments),
            };
            (cleaned, echo.into_text(secrets))
        });
        calls.unzip()
    }
}

impl ReceivedCall {
    fn add_name(&mut self, piece: &str) {
        if piece.starts_with(&self.name) {
            self.name = piece.to_string();
        } else if self.name.len() <= MAX_NAME_BYTES {
            self.name += piece;
        }
    }

    /// Whether a piece at the index of this call is of another one: it has an id of its own, or, where this
    /// call is complete, another name, or the name with other arguments that are complete, too.
    fn is_other_than(&self, piece: &CallPiece) -> bool {
        if piece.name.is_empty() {
            return false;
        }
        let has_own_id = !piece.id.is_empty() && !self.id.is_empty() && piece.id != self.id;
        let has_no_ids = piece.id.is_empty() && self.id.is_empty();
        let has_own_arguments = || {
            let arguments = piece.arguments.as_deref().unwrap_or_default();
            has_no_ids && is_object(arguments) && self.arguments.are_others_than(arguments)
        };
        let is_complete = || !self.name.is_empty() && self.arguments.are_complete();
        has_own_id || (is_complete() && (piece.name != self.name || has_own_arguments()))
    }

    /// Whether a piece is this whole call again, as far as it says who it is.
    fn is(&self, piece: &CallPiece) -> bool {
        let has_same_id = piece.id.is_empty() || piece.id == self.id;
        let arguments = piece.arguments.as_deref().unwrap_or("");
        has_same_id
            && piece.index.is_none()
            && piece.name == self.name
            && self.arguments.are(arguments)
    }
}

/// Whether two calls of an answer are one that came twice: with the same id and name, and the same
/// arguments or a beginning of them. Where a server gives all calls one id, the arguments tell.
fn are_one_call(one: &RequestedCall, other: &RequestedCall) -> bool {
    let is_beginning = !is_object(&one.arguments) && other.arguments.starts_with(&one.arguments);
    !one.id.is_empty()
        && one.id == other.id
        && one.name == other.name
        && (is_beginning || are_equal(&one.arguments, &other.arguments))
}

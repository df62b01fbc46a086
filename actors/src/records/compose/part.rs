//! Parts: groups of rows that are kept or dropped as a whole (docs/design/requests.md).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::game::GameRef;
use crate::ids::{CallKey, Seq, TurnNumber};
use crate::message::{CallRecord, ResultMeta, Row, RowBody, Utterance};
use crate::model::Echo;
use crate::tool_names::{ToolNames, fit_name};

use super::excerpt::Excerpt;
use super::runtime_note::without_forgery;
use super::wire;

/// A part of a request before it is cut to size.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RequestPart {
    Order(OrderPart),
    Spoken(SpokenPart),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct OrderPart {
    pub(super) text: Excerpt,
    /// Whether it is the owner of the turn, the mission or the role, which are never left out.
    pub(super) is_owner: bool,
    pub(super) kind: OrderKind,
}

/// The kind of a message to the model, for the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderKind {
    Prompt,
    Mission,
    Role,
    Peer,
    Nudge,
    Continuation,
}

/// A message of the model: a reply, or a loop, which has calls.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpokenPart {
    pub(super) seq: Seq,
    pub(super) text: Excerpt,
    pub(super) pairs: Vec<Pair>,
    /// What the provider wants back with the message. That of the calls is with the pairs.
    pub(super) echo: Option<Arc<Echo>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) key: CallKey,
    /// The id in the request. It is unique within the message.
    pub(super) id: Arc<str>,
    pub(super) tool: Arc<str>,
    /// The tool's name as providers accept it.
    pub(super) name: Arc<str>,
    /// The text of a JSON object.
    pub(super) arguments: Excerpt,
    /// What the provider wants back with the call; empty if nothing.
    pub(super) echo: Arc<str>,
    /// The result; `None` if there is none yet.
    pub(super) result: Option<PairResult>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct PairResult {
    pub(super) text: Excerpt,
    pub(super) is_error: bool,
    pub(super) game: GameRef,
}

impl RequestPart {
    pub(super) fn from_order(text: Arc<str>, kind: OrderKind, is_owner: bool) -> RequestPart {
        RequestPart::Order(OrderPart {
            text: Excerpt::from_whole(text),
            is_owner,
            kind,
        })
    }

    pub(super) fn is_order(&self) -> bool {
        matches!(self, RequestPart::Order(_))
    }

    /// Whether it is a message of the model without calls.
    pub(super) fn is_words(&self) -> bool {
        matches!(self, RequestPart::Spoken(said) if said.pairs.is_empty())
    }

    /// Whether it is a message of the model with calls.
    pub(super) fn is_loop(&self) -> bool {
        matches!(self, RequestPart::Spoken(said) if !said.pairs.is_empty())
    }
}

/// A row that becomes a part, and its place in the request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit<'a> {
    /// The position in the request. An order stands where it was stored. A message of the model
    /// stands after the newest row that the model had seen, so that an order which came meanwhile
    /// follows it.
    pub(super) place: Seq,
    pub(super) row: &'a Row,
}

impl Unit<'_> {
    pub(super) fn turn(self) -> TurnNumber {
        self.row.turn
    }

    pub(super) fn is_order(self) -> bool {
        matches!(
            self.row.body,
            RowBody::Prompt { .. } | RowBody::Mission { .. } | RowBody::Peer { .. }
        )
    }

    pub(super) fn is_reply(self) -> bool {
        matches!(self.row.body, RowBody::Reply(_))
    }

    pub(super) fn is_mission(self) -> bool {
        matches!(self.row.body, RowBody::Mission { .. })
    }

    /// The number of its rows: its own, and a result for each call.
    pub(super) fn rows(self) -> usize {
        1 + self.row.calls().len()
    }
}

pub(super) fn collect_units<'a>(rows: impl Iterator<Item = &'a Arc<Row>>) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = rows
        .filter(|row| row.is_sendable())
        .filter_map(|row| unit_of_row(row))
        .collect();
    // A message of the model comes after the orders that it had seen. Otherwise rows keep their
    // order.
    units.sort_by_key(|unit| (unit.place, !unit.is_order()));
    units
}

/// The list of kinds that are sent. Kinds that return `None` are not sent as parts of their own.
fn unit_of_row(row: &Row) -> Option<Unit<'_>> {
    let place = match &row.body {
        RowBody::Prompt { .. } | RowBody::Mission { .. } | RowBody::Peer { .. } => row.seq,
        RowBody::Reply(utterance) | RowBody::Call { utterance, .. } => {
            utterance.newest_seen(row.seq)
        }
        // Notes are sent with the system prompt, and results with their calls.
        RowBody::Note { .. } | RowBody::Result { .. } => return None,
        RowBody::Host { .. } | RowBody::Audit { .. } | RowBody::Unknown { .. } => return None,
    };
    Some(Unit { place, row })
}

pub(super) struct Results<'a> {
    by_call: BTreeMap<CallKey, &'a Row>,
    names: Option<&'a ToolNames>,
}

impl<'a> Results<'a> {
    /// Keeps the first result of each call. A second one cannot be sent.
    pub(super) fn of(
        rows: impl Iterator<Item = &'a Arc<Row>>,
        names: Option<&'a ToolNames>,
    ) -> Results<'a> {
        let mut by_call = BTreeMap::new();
        for row in rows {
            if let Some((call, _, _)) = row.result() {
                by_call.entry(call).or_insert(&**row);
            }
        }
        Results { by_call, names }
    }

    fn tool_name(&self, name: &Arc<str>) -> Arc<str> {
        self.names
            .map_or_else(|| fit_name(name), |names| names.offered(name))
    }

    pub(super) fn is_complete(&self, unit: Unit<'_>) -> bool {
        let mut keys = unit.row.keyed_calls().map(|(key, _)| key);
        !unit.row.calls().is_empty() && keys.all(|key| self.by_call.contains_key(&key))
    }

    fn pair_result(&self, call: CallKey) -> Option<PairResult> {
        let (_, text, meta) = self.by_call.get(&call)?.result()?;
        Some(PairResult {
            text: result_excerpt(text, meta),
            is_error: meta.is_error(),
            game: meta.game,
        })
    }

    pub(super) fn part_of_unit(&self, unit: Unit<'_>, is_owner: bool) -> Option<RequestPart> {
        let order = |text, kind| Some(RequestPart::from_order(text, kind, is_owner));
        match &unit.row.body {
            RowBody::Prompt { text } => order(text.clone(), OrderKind::Prompt),
            RowBody::Mission { text, .. } => order(text.clone(), OrderKind::Mission),
            RowBody::Peer { sender, text } => {
                let text = format!("[message of {sender} to the swarm]\n{text}").into();
                order(without_forgery(&text), OrderKind::Peer)
            }
            RowBody::Reply(utterance) | RowBody::Call { utterance, .. } => {
                let spoken = self.spoken_part(unit.row.seq, utterance, unit.row.calls());
                Some(RequestPart::Spoken(spoken))
            }
            RowBody::Note { .. }
            | RowBody::Result { .. }
            | RowBody::Host { .. }
            | RowBody::Audit { .. }
            | RowBody::Unknown { .. } => None,
        }
    }

    fn spoken_part(&self, seq: Seq, utterance: &Utterance, calls: &[CallRecord]) -> SpokenPart {
        let ids = wire::unique_ids(seq, calls);
        let echo = utterance.meta.echo.as_ref();
        let echo_of = |position: u16| {
            let of_calls = echo.map_or(&[][..], |echo| &echo.calls);
            of_calls.get(usize::from(position)).cloned()
        };
        let pairs = (0_u16..)
            .zip(calls)
            .zip(ids)
            .map(|((position, call), id)| {
                let key = CallKey { seq, position };
                Pair {
                    key,
                    id,
                    tool: call.name.clone(),
                    name: self.tool_name(&call.name),
                    arguments: Excerpt::from_whole(wire::object_arguments(&call.arguments)),
                    echo: echo_of(position).unwrap_or_default(),
                    result: self.pair_result(key),
                }
            })
            .collect();
        let text = match (calls.is_empty(), utterance.meta.is_from_text) {
            (true, _) => Excerpt::from_whole(utterance.text.clone()),
            // The calls stand for the text that they were read from.
            (false, true) => Excerpt::from_optional("".into()),
            (false, false) => Excerpt::from_optional(utterance.text.clone()),
        };
        SpokenPart {
            seq,
            text,
            pairs,
            echo: echo.cloned(),
        }
    }
}

/// The text of a result. One that was cut for earlier turns has its note already.
pub(super) fn result_excerpt(text: &Arc<str>, meta: &ResultMeta) -> Excerpt {
    match meta.kept {
        Some(kept) => Excerpt::from_shortened(text.clone(), meta.bytes, kept as usize),
        None => Excerpt::from_beginning(without_forgery(text), meta.bytes),
    }
}

pub(super) fn whole_results(parts: &[RequestPart]) -> BTreeSet<CallKey> {
    let mut shown = BTreeSet::new();
    for part in parts {
        let RequestPart::Spoken(said) = part else {
            continue;
        };
        let whole = said.pairs.iter().filter(|pair| {
            let result = pair.result.as_ref();
            result.is_some_and(|result| result.text.is_whole())
        });
        shown.extend(whole.map(|pair| pair.key));
    }
    shown
}

//! Parts: rows grouped into what is kept or dropped as one (DESIGN 5.4 to 5.6).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::ids::{CallKey, MissionId, Seq, TurnNumber};
use crate::domain::message::{Body, Call, Row, Utterance};

use super::excerpt::Excerpt;
use super::wire;

/// One part of a request, before it is cut to size.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// A message to the model.
    Order(OrderPart),
    /// The model's words without a call.
    Reply(Excerpt),
    /// The model's calls with their results.
    Loop(LoopPart),
}

/// A message to the model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OrderPart {
    pub(super) text: Excerpt,
    /// Whether the turn is about it.
    pub(super) is_owner: bool,
}

/// The model's calls with their results.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LoopPart {
    pub(super) text: Excerpt,
    pub(super) pairs: Vec<Pair>,
}

/// A call and its result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    /// Unique within the message.
    pub(super) id: Arc<str>,
    /// The tool's name as the model wrote it.
    pub(super) tool: Arc<str>,
    /// The tool's name as the wire allows it.
    pub(super) name: Arc<str>,
    /// A JSON object as text.
    pub(super) arguments: Arc<str>,
    /// The result; absent while there is none.
    pub(super) result: Option<PairResult>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct PairResult {
    pub(super) text: Excerpt,
    pub(super) is_error: bool,
}

impl LoopPart {
    pub(super) fn is_complete(&self) -> bool {
        self.pairs.iter().all(|pair| pair.result.is_some())
    }
}

impl Part {
    pub(super) fn order(text: Arc<str>) -> Part {
        Part::Order(OrderPart {
            text: Excerpt::whole(text),
            is_owner: false,
        })
    }

    /// Makes an order the one that the turn is about.
    pub(super) fn own(&mut self) {
        match self {
            Part::Order(order) => order.is_owner = true,
            Part::Reply(_) | Part::Loop(_) => {}
        }
    }
}

/// A part and where it belongs.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// Orders stand where they were stored. What the model said stands behind the newest row that
    /// it had seen, so that an order that came while it was thinking follows its words.
    pub(super) place: Seq,
    pub(super) turn: TurnNumber,
    /// The mission that a part delivers.
    pub(super) mission: Option<MissionId>,
    pub(super) part: Part,
}

/// Groups rows into parts, in the order in which the model is to see them.
pub(super) fn place<'a>(rows: impl Iterator<Item = &'a Arc<Row>> + Clone) -> Vec<Placed> {
    let results = results_of(rows.clone());
    let mut placed: Vec<Placed> = rows
        .filter(|row| row.is_sendable())
        .filter_map(|row| placed_row(row, &results))
        .collect();
    // Words come after the orders that they had seen; both stay in their own order.
    placed.sort_by_key(|unit| (unit.place, !matches!(unit.part, Part::Order(_))));
    placed
}

/// The first result of each call; a second one cannot be sent.
fn results_of<'a>(rows: impl Iterator<Item = &'a Arc<Row>>) -> BTreeMap<CallKey, PairResult> {
    let mut results = BTreeMap::new();
    for (call, text, meta) in rows.filter_map(|row| row.result()) {
        results.entry(call).or_insert_with(|| PairResult {
            text: Excerpt::beginning(text.clone(), meta.bytes.max(text.len() as u64)),
            is_error: meta.is_error(),
        });
    }
    results
}

fn placed_row(row: &Row, results: &BTreeMap<CallKey, PairResult>) -> Option<Placed> {
    let placed = |place, part| Placed {
        place,
        turn: row.turn,
        mission: None,
        part,
    };
    match &row.body {
        Body::Prompt { text } => Some(placed(row.seq, Part::order(text.clone()))),
        Body::Mission { id, text } => Some(Placed {
            mission: Some(*id),
            ..placed(row.seq, Part::order(text.clone()))
        }),
        Body::Peer { sender, text } => {
            let text = format!("[message of {sender} to the swarm]\n{text}");
            Some(placed(row.seq, Part::order(text.into())))
        }
        Body::Reply(utterance) => Some(placed(
            seen(row, utterance),
            Part::Reply(Excerpt::whole(utterance.text.clone())),
        )),
        Body::Call { utterance, calls } => Some(placed(
            seen(row, utterance),
            Part::Loop(LoopPart {
                text: Excerpt::whole(utterance.text.clone()),
                pairs: pairs(row.seq, calls, results),
            }),
        )),
        // Notes stand with the system prompt, results with their calls.
        Body::Note { .. } | Body::Result { .. } => None,
        Body::Host { .. } | Body::Audit { .. } | Body::Unknown { .. } => None,
    }
}

/// The newest row that the model had seen; an imported row does not tell and counts by its place.
fn seen(row: &Row, utterance: &Utterance) -> Seq {
    match utterance.horizon {
        Seq(..=0) => row.seq,
        horizon => horizon.min(row.seq),
    }
}

fn pairs(seq: Seq, calls: &[Call], results: &BTreeMap<CallKey, PairResult>) -> Vec<Pair> {
    let ids = wire::unique_ids(seq, calls);
    (0_u16..)
        .zip(calls)
        .zip(ids)
        .map(|((position, call), id)| Pair {
            id,
            tool: call.name.clone(),
            name: wire::tool_name(&call.name),
            arguments: wire::arguments(&call.arguments),
            result: results.get(&CallKey { seq, position }).cloned(),
        })
        .collect()
}

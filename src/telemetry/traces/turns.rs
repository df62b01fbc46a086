//! The turns in progress and their spans: `invoke_agent`, with `chat` and `execute_tool` below it,
//! named by the conventions for generative AI (semantic-conventions-genai 0.1.0).
//!
//! The swarm's events say when a turn begins and ends and which rows it has. Its calls are reported
//! where they are made. A turn is complete when it is over and nothing of it is missing, or when
//! its Mysis goes on with another one.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::{MysisRef, SwarmEvent, TurnNews};
use actors::domain::ids::{CallKey, MysisId, Timestamp, TurnNumber, TurnRef};
use actors::domain::message::{ResultMeta, Row, RowBody};
use actors::domain::state::LifeState;

use crate::telemetry::observation::{ModelCallReport, ToolCallReport};

use super::chat::{chat_span, complete_chat};
use super::contents;
use super::otlp::SpanKind;
use super::span::{SpanPlace, TraceSpan};
use super::tool::{CallWire, OpenToolCall, tool_span};

/// The most spans of one turn, and the most events. The oldest failed model calls make room for
/// further spans, else the oldest ones of all; further events are left out.
pub(super) const MAX_SPANS: usize = 500;
/// The most bytes of one turn. What was said after that is left out.
const MAX_TURN_BYTES: usize = 2 << 20;

/// The code of the notice about an errored Mysis, and the kind of failure of its turn.
const ERRORED: &str = "errored";

/// The spans of a turn that is over. Its own comes first.
pub(super) type FinishedTurn = Vec<TraceSpan>;

pub(super) struct OpenTurns {
    contents: bool,
    open: BTreeMap<TurnRef, OpenTurn>,
    names: BTreeMap<MysisId, Arc<str>>,
    newest: BTreeMap<MysisId, SpanPlace>,
}

/// A turn. Its own span comes first.
struct OpenTurn {
    spans: Vec<TraceSpan>,
    /// The calls of its rows, and those that were sent.
    calls: BTreeMap<CallKey, OpenToolCall>,
    asking: usize,
    is_over: bool,
    bytes: usize,
    /// The number of spans that made room for others.
    left_out: u64,
    has_tools: bool,
}

impl OpenTurns {
    pub(super) fn new(contents: bool) -> OpenTurns {
        OpenTurns {
            contents,
            open: BTreeMap::new(),
            names: BTreeMap::new(),
            newest: BTreeMap::new(),
        }
    }

    /// Takes an event. Returns the turns that are complete.
    pub(super) fn on_event(&mut self, event: &SwarmEvent) -> Vec<FinishedTurn> {
        let at = event.at;
        let Some(who) = &event.mysis else {
            return Vec::new();
        };
        if self.names.get(&who.id) != Some(&who.name) {
            self.names.insert(who.id, who.name.clone());
        }
        let of = |turn| TurnRef {
            mysis: who.id,
            turn,
        };
        match event.what.turn_news() {
            Some(TurnNews::Started(turn)) => {
                let started = self.turn(of(turn), at);
                started.spans[0].start = started.spans[0].start.min(at);
                self.finish_others(of(turn), at)
            }
            Some(TurnNews::Ended(turn)) => {
                if let Some(turn) = self.open.get_mut(&of(turn)) {
                    turn.end(at);
                }
                self.take_complete(who.id)
            }
            Some(TurnNews::Stored(row)) => {
                self.on_row(of(row.turn), row);
                self.take_complete(who.id)
            }
            Some(TurnNews::Halted { to, reason }) => {
                self.on_state(who, to, reason, at);
                self.take_complete(who.id)
            }
            Some(TurnNews::Deleted) => {
                self.names.remove(&who.id);
                self.newest.remove(&who.id);
                let nothing = of(TurnNumber(i64::MIN));
                self.finish_others(nothing, at)
            }
            None => Vec::new(),
        }
    }

    /// Ends all turns, because nothing more will be told of any.
    pub(super) fn finish_all(&mut self, at: Timestamp) -> Vec<FinishedTurn> {
        let open = std::mem::take(&mut self.open).into_values();
        open.map(|turn| turn.finish(at)).collect()
    }

    pub(super) fn on_model_call_begun(&mut self, of: TurnRef, at: Timestamp) {
        let turn = self.turn(of, at);
        turn.asking += 1;
        // A turn that was interrupted goes on.
        turn.is_over = false;
    }

    /// Takes a model call that is over. Returns the turns that are complete.
    pub(super) fn on_model_call(&mut self, call: &ModelCallReport<'_>) -> Vec<FinishedTurn> {
        let Some(of) = call.turn else {
            return Vec::new();
        };
        let wants_contents = self.contents;
        let Some(turn) = self.open.get_mut(&of) else {
            return Vec::new();
        };
        turn.asking = turn.asking.saturating_sub(1);
        let has_contents = wants_contents && turn.bytes < MAX_TURN_BYTES;
        let root = turn.spans[0].place;
        // A call that is made again says the same again.
        let is_news = call.end.error_type().is_none() || !turn.has_tools;
        let span = chat_span(root.sibling(), root.id, call, has_contents && is_news);
        if has_contents && !std::mem::replace(&mut turn.has_tools, true) {
            let (tools, left_out) = contents::tool_definitions(&call.request.tools);
            turn.bytes += tools.len();
            turn.spans[0].set("gen_ai.tool.definitions", tools);
            if left_out > 0 {
                let left_out = left_out as u64;
                turn.spans[0].set("zoea.tool.definitions_left_out", left_out);
            }
        }
        turn.add(span);
        self.take_complete(of.mysis)
    }

    /// The place of a tool call's span, for the server that executes it.
    pub(super) fn place_of_call(&mut self, of: TurnRef, key: CallKey, at: Timestamp) -> SpanPlace {
        let turn = self.turn(of, at);
        turn.call(key).place
    }

    pub(super) fn on_tool_call(&mut self, report: &ToolCallReport<'_>) {
        let Some(context) = &report.call.context else {
            return;
        };
        let Some(turn) = self.open.get_mut(&context.turn) else {
            return;
        };
        let call = turn.call(context.key);
        call.tries += 1;
        call.wire = report.wire.clone().map(|facts| CallWire {
            facts,
            error_type: report.error_type(),
        });
    }

    /// The open turn, which begins now unless it has begun before.
    fn turn(&mut self, of: TurnRef, at: Timestamp) -> &mut OpenTurn {
        let (names, newest) = (&self.names, &mut self.newest);
        self.open.entry(of).or_insert_with(|| {
            let place = SpanPlace::new_trace();
            let mut root = TraceSpan::new(place, SpanKind::Internal, at);
            root.follows = newest.insert(of.mysis, place);
            let id = of.mysis.to_string();
            let name = names.get(&of.mysis).map_or(&*id, |name| &**name);
            root.name = format!("invoke_agent {name}");
            root.set("gen_ai.operation.name", "invoke_agent");
            root.set("gen_ai.agent.name", name);
            root.set("gen_ai.conversation.id", id.as_str());
            root.set("zoea.mysis.id", id.as_str());
            root.set("zoea.turn", of.turn.0);
            OpenTurn {
                spans: vec![root],
                calls: BTreeMap::new(),
                asking: 0,
                is_over: false,
                bytes: 0,
                left_out: 0,
                has_tools: false,
            }
        })
    }

    /// Ends the other turns of the same Mysis, whatever they wait for.
    fn finish_others(&mut self, of: TurnRef, at: Timestamp) -> Vec<FinishedTurn> {
        self.take(of.mysis, |other, _| *other != of, at)
    }

    /// Takes the turns of a Mysis that are over and miss nothing.
    fn take_complete(&mut self, mysis: MysisId) -> Vec<FinishedTurn> {
        self.take(mysis, |_, turn| turn.is_complete(), Timestamp(0))
    }

    fn take(
        &mut self,
        mysis: MysisId,
        is_wanted: impl Fn(&TurnRef, &OpenTurn) -> bool,
        at: Timestamp,
    ) -> Vec<FinishedTurn> {
        let first = TurnRef {
            mysis,
            turn: TurnNumber(i64::MIN),
        };
        let own = self
            .open
            .range(first..)
            .take_while(|(of, _)| of.mysis == mysis);
        let wanted: Vec<TurnRef> = own
            .filter(|(of, turn)| is_wanted(of, turn))
            .map(|(of, _)| *of)
            .collect();
        let taken = wanted.into_iter().filter_map(|of| self.open.remove(&of));
        taken.map(|turn| turn.finish(at)).collect()
    }

    /// A Mysis that does not run any longer interrupts its turn.
    fn on_state(&mut self, who: &MysisRef, to: LifeState, reason: Option<&str>, at: Timestamp) {
        let own = self.open.iter_mut().filter(|(of, _)| of.mysis == who.id);
        for (_, turn) in own {
            if to == LifeState::Errored {
                let reason = reason.unwrap_or("the mysis is errored");
                turn.spans[0].fail(ERRORED, contents::clip_message(reason));
                // The notice is stored when the turn may have been sent.
                turn.add_event(at, ERRORED);
            } else if !turn.is_over {
                turn.spans[0].set("zoea.interrupted", to.as_str());
            }
            turn.end(at);
        }
    }

    fn on_row(&mut self, of: TurnRef, row: &Row) {
        let wants_contents = self.contents;
        let Some(turn) = self.open.get_mut(&of) else {
            return;
        };
        let has_contents = wants_contents && turn.bytes < MAX_TURN_BYTES;
        match &row.body {
            RowBody::Reply(said)
            | RowBody::Call {
                utterance: said, ..
            } => {
                let calls = row.calls();
                if row.routine().is_none() {
                    turn.bytes +=
                        complete_chat(&mut turn.spans, row.seq, said, calls, has_contents);
                }
                for (position, call) in (0..).zip(calls).take(MAX_SPANS) {
                    let key = CallKey {
                        seq: row.seq,
                        position,
                    };
                    turn.call(key).arguments = Some(call.arguments.clone());
                }
            }
            RowBody::Result { call, text, meta } => {
                turn.add_tool(*call, row, meta, has_contents.then_some(text));
            }
            RowBody::Host { meta, .. } => {
                let has_error = |(_, code): &(Timestamp, String)| code == ERRORED;
                if &*meta.code != ERRORED || !turn.spans[0].events.iter().any(has_error) {
                    turn.add_event(row.at, &meta.code);
                }
            }
            RowBody::Prompt { .. }
            | RowBody::Mission { .. }
            | RowBody::Peer { .. }
            | RowBody::Note { .. }
            | RowBody::Audit { .. }
            | RowBody::Unknown { .. } => {}
        }
    }
}

impl OpenTurn {
    /// Adds a span. In a full turn, what is newest matters more than what failed long ago.
    fn add(&mut self, span: TraceSpan) {
        if self.spans.len() >= MAX_SPANS {
            let mut below = self.spans.iter().skip(1);
            let oldest_failed = below.position(TraceSpan::is_failed_chat);
            let removed = self.spans.remove(1 + oldest_failed.unwrap_or(0));
            self.bytes = self.bytes.saturating_sub(removed.bytes());
            self.left_out += 1;
            self.spans[0].set("zoea.spans_left_out", self.left_out);
        }
        self.bytes += span.bytes();
        self.spans.push(span);
    }

    fn add_event(&mut self, at: Timestamp, code: &str) {
        let events = &mut self.spans[0].events;
        if events.len() < MAX_SPANS {
            events.push((at, code.to_string()));
        }
    }

    fn end(&mut self, at: Timestamp) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.spans[0].end = at;
        }
    }

    fn is_complete(&self) -> bool {
        self.is_over && self.asking == 0 && self.calls.is_empty()
    }

    fn finish(mut self, at: Timestamp) -> FinishedTurn {
        self.end(at);
        // A turn that did not see its last spans end is as long as they are.
        let last = self.spans.iter().map(|span| span.end).max();
        self.spans[0].end = self.spans[0].end.max(last.unwrap_or(at));
        self.spans
    }

    fn call(&mut self, key: CallKey) -> &mut OpenToolCall {
        let root = self.spans[0].place;
        self.calls.entry(key).or_insert_with(|| OpenToolCall {
            place: root.sibling(),
            arguments: None,
            wire: None,
            tries: 0,
        })
    }

    fn add_tool(&mut self, key: CallKey, row: &Row, meta: &ResultMeta, text: Option<&Arc<str>>) {
        let root = &self.spans[0];
        let span = tool_span(root, self.calls.remove(&key), (key, row, meta), text);
        self.add(span);
    }
}

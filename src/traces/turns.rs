//! The turns in progress and their spans: `invoke_agent`, with `chat` and `execute_tool` below it,
//! named by the conventions for generative AI.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::{EventKind, MysisRef, MysisStatus, SwarmEvent};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::message::{Row, RowBody};
use actors::domain::model::TokenUsage;
use actors::domain::state::LifeState;
use serde_json::{Value, json};

use super::span::{SpanKind, TraceSpan};

/// The most spans of one turn. Further ones are left out.
const MAX_OPEN_TURNS: usize = 500;
/// The most bytes of a text, if texts are included.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// All turns in progress.
pub(super) struct OpenTurns {
    contents: bool,
    open: BTreeMap<MysisId, OpenTurn>,
    statuses: BTreeMap<MysisId, Arc<MysisStatus>>,
}

/// A turn. Its own span comes first.
struct OpenTurn {
    spans: Vec<TraceSpan>,
    /// The arguments of calls by call id.
    arguments: BTreeMap<Arc<str>, Arc<str>>,
}

impl OpenTurns {
    pub(super) fn new(contents: bool) -> OpenTurns {
        OpenTurns {
            contents,
            open: BTreeMap::new(),
            statuses: BTreeMap::new(),
        }
    }

    /// Takes an event. Returns the spans of each turn that has ended.
    pub(super) fn on_event(&mut self, event: &SwarmEvent) -> Vec<Vec<TraceSpan>> {
        let at = event.at;
        if matches!(event.what, EventKind::Shutdown) {
            let all: Vec<MysisId> = self.open.keys().copied().collect();
            return all
                .into_iter()
                .filter_map(|id| self.end_turn(id, at))
                .collect();
        }
        let Some(who) = &event.mysis else {
            return Vec::new();
        };
        let mut over = None;
        match &event.what {
            EventKind::StatusChanged(status) => {
                self.statuses.insert(who.id, status.clone());
            }
            EventKind::TurnStarted => {
                over = self.end_turn(who.id, at);
                self.begin_turn(who, at);
            }
            EventKind::ModelReplied { usage, ms } => {
                self.on_model_replied(who.id, at, *ms, *usage);
            }
            EventKind::ToolReturned {
                tool,
                call_id,
                is_error,
                ms,
            } => self.on_tool_returned(who.id, at, *ms, (tool, call_id, *is_error)),
            EventKind::Stored(row) => {
                self.on_row_stored(who.id, row);
                let has_ended = matches!(row.body, RowBody::Reply(_));
                over = has_ended.then(|| self.end_turn(who.id, at)).flatten();
            }
            EventKind::StateChanged { to, reason, .. } if *to != LifeState::Running => {
                if *to == LifeState::Errored {
                    self.mark_errored(who.id, reason.as_deref());
                }
                over = self.end_turn(who.id, at);
            }
            EventKind::Deleted => {
                self.statuses.remove(&who.id);
                over = self.end_turn(who.id, at);
            }
            EventKind::Created
            | EventKind::StateChanged { .. }
            | EventKind::ToolCalled { .. }
            | EventKind::Mission(_)
            | EventKind::BudgetChanged(_)
            | EventKind::OutagesChanged(_)
            | EventKind::SilenceChanged(_)
            | EventKind::Learned(_)
            | EventKind::Notice { .. }
            | EventKind::Shutdown => {}
        }
        over.into_iter().collect()
    }

    fn begin_turn(&mut self, who: &MysisRef, at: Timestamp) {
        let mut span = TraceSpan {
            trace: fastrand::u128(1..),
            id: fastrand::u64(1..),
            parent: None,
            name: format!("invoke_agent {}", who.name),
            work: SpanKind::Internal,
            start: at,
            end: at,
            attributes: Vec::new(),
            events: Vec::new(),
            error: None,
        };
        span.set_attribute("gen_ai.operation.name", "invoke_agent");
        span.set_attribute("gen_ai.agent.name", &*who.name);
        span.set_attribute("gen_ai.agent.id", who.id.to_string());
        span.set_attribute("gen_ai.conversation.id", who.id.to_string());
        if let Some(status) = self.statuses.get(&who.id) {
            span.set_attribute("gen_ai.provider.name", &*status.profile.provider);
            span.set_attribute("gen_ai.request.model", &*status.model);
        }
        let turn = OpenTurn {
            spans: vec![span],
            arguments: BTreeMap::new(),
        };
        self.open.insert(who.id, turn);
    }

    fn end_turn(&mut self, mysis: MysisId, at: Timestamp) -> Option<Vec<TraceSpan>> {
        let mut turn = self.open.remove(&mysis)?;
        turn.spans[0].end = at;
        Some(turn.spans)
    }

    /// Adds a span below the turn's, for work that has just ended.
    fn add_child(
        &mut self,
        mysis: MysisId,
        at: Timestamp,
        ms: u64,
        work: SpanKind,
    ) -> Option<&mut TraceSpan> {
        let turn = self.open.get_mut(&mysis)?;
        if turn.spans.len() >= MAX_OPEN_TURNS {
            return None;
        }
        let whole = &turn.spans[0];
        let before = i64::try_from(ms).unwrap_or(0);
        let span = TraceSpan {
            trace: whole.trace,
            id: fastrand::u64(1..),
            parent: Some(whole.id),
            name: String::new(),
            work,
            start: Timestamp(at.0.saturating_sub(before).max(whole.start.0)),
            end: at,
            attributes: Vec::new(),
            events: Vec::new(),
            error: None,
        };
        turn.spans.push(span);
        turn.spans.last_mut()
    }

    fn on_model_replied(
        &mut self,
        mysis: MysisId,
        at: Timestamp,
        ms: u64,
        usage: Option<TokenUsage>,
    ) {
        let known = self.statuses.get(&mysis).cloned();
        let Some(span) = self.add_child(mysis, at, ms, SpanKind::Client) else {
            return;
        };
        span.set_attribute("gen_ai.operation.name", "chat");
        if let Some(status) = known {
            name_model(span, &status.profile.provider, &status.model);
            if let Some(temperature) = status.temperature {
                span.set_attribute("gen_ai.request.temperature", f64::from(temperature));
            }
        }
        if let Some(usage) = usage {
            span.set_attribute("gen_ai.usage.input_tokens", usage.input);
            span.set_attribute("gen_ai.usage.output_tokens", usage.output);
            span.set_attribute("gen_ai.usage.cache_read.input_tokens", usage.cached);
        }
    }

    fn mark_errored(&mut self, mysis: MysisId, reason: Option<&str>) {
        let Some(turn) = self.open.get_mut(&mysis) else {
            return;
        };
        turn.spans[0].error = Some("errored".to_string());
        if let Some(reason) = reason.filter(|_| self.contents) {
            turn.spans[0].set_attribute("zoea.reason", clip_text(reason));
        }
    }

    fn on_tool_returned(
        &mut self,
        mysis: MysisId,
        at: Timestamp,
        ms: u64,
        (tool, call_id, is_error): (&Arc<str>, &Arc<str>, bool),
    ) {
        let arguments = self.open.get_mut(&mysis);
        let arguments = arguments.and_then(|turn| turn.arguments.remove(call_id));
        let Some(span) = self.add_child(mysis, at, ms, SpanKind::Client) else {
            return;
        };
        span.name = format!("execute_tool {tool}");
        span.set_attribute("gen_ai.operation.name", "execute_tool");
        span.set_attribute("gen_ai.tool.name", &**tool);
        span.set_attribute("gen_ai.tool.call.id", &**call_id);
        span.set_attribute("gen_ai.tool.type", "function");
        if let Some(arguments) = arguments {
            span.set_attribute("gen_ai.tool.call.arguments", clip_text(&arguments));
        }
        if is_error {
            span.error = Some("tool_error".to_string());
        }
    }

    /// Completes a span with facts of a row that the event does not contain.
    fn on_row_stored(&mut self, mysis: MysisId, row: &Row) {
        let Some(turn) = self.open.get_mut(&mysis) else {
            return;
        };
        match &row.body {
            RowBody::Reply(said)
            | RowBody::Call {
                utterance: said, ..
            } => {
                let chat = |span: &&mut TraceSpan| is_operation(span, "chat");
                if let Some(span) = turn.spans.iter_mut().rev().find(chat) {
                    name_model(span, &said.meta.provider, &said.meta.model);
                    if let Some(reason) = &said.meta.finish_reason {
                        span.set_attribute("gen_ai.response.finish_reasons", json!([**reason]));
                    }
                    if self.contents {
                        let part = json!({"type": "text", "content": clip_text(&said.text)});
                        let said = json!([{"role": "assistant", "parts": [part]}]);
                        span.set_attribute("gen_ai.output.messages", said.to_string());
                    }
                }
                if self.contents {
                    let calls = row.calls().iter().take(MAX_OPEN_TURNS);
                    turn.arguments
                        .extend(calls.map(|call| (call.id.clone(), call.arguments.clone())));
                }
            }
            RowBody::Result { text, meta, .. } if self.contents => {
                let is_its = |span: &&mut TraceSpan| {
                    span.attribute("gen_ai.tool.call.id")
                        .and_then(Value::as_str)
                        == Some(&meta.call_id)
                };
                if let Some(span) = turn.spans.iter_mut().rev().find(is_its) {
                    span.set_attribute("gen_ai.tool.call.result", clip_text(text));
                }
            }
            RowBody::Host { meta, .. } => {
                let events = &mut turn.spans[0].events;
                if events.len() < MAX_OPEN_TURNS {
                    events.push((row.at, meta.code.to_string()));
                }
            }
            RowBody::Prompt { .. }
            | RowBody::Mission { .. }
            | RowBody::Peer { .. }
            | RowBody::Note { .. }
            | RowBody::Result { .. }
            | RowBody::Audit { .. }
            | RowBody::Unknown { .. } => {}
        }
    }
}

fn is_operation(span: &TraceSpan, operation: &str) -> bool {
    span.attribute("gen_ai.operation.name")
        .and_then(Value::as_str)
        == Some(operation)
}

fn name_model(span: &mut TraceSpan, provider: &str, model: &str) {
    span.name = format!("chat {model}");
    span.set_attribute("gen_ai.provider.name", provider);
    span.set_attribute("gen_ai.request.model", model);
}

/// A text cut to a length that collectors accept.
fn clip_text(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

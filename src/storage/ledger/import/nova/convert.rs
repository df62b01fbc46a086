//! Converts the memories of a Zoea-Nova conversation to our rows. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::{CallKey, MissionId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, HostMeta, ResultMeta, Row, RowBody, Severity, Utterance,
};

use crate::codec;
use crate::import::ImportReport;

/// The code of host notices for memories that no other kind of row fits.
pub(crate) const IMPORTED: &str = "imported";

/// The text for a result that the source does not contain.
const NO_RESULT: &str = "outcome unknown: no result of this call is in the imported database";

pub(crate) struct Memory {
    /// `user`, `assistant`, `tool` or `system`.
    pub(crate) role: String,
    /// `direct`, `broadcast`, `system`, `llm` or `tool`.
    pub(crate) source: String,
    /// Its sender, if the source names one. What none of its Myses sent is the operator's.
    pub(crate) sender: Option<String>,
    pub(crate) content: String,
    pub(crate) reasoning: Option<String>,
    /// The time, if it can be parsed.
    pub(crate) at: Option<Timestamp>,
}

pub(crate) type Names = BTreeMap<String, Arc<str>>;

pub(crate) struct ConversationConverter<'a> {
    names: &'a Names,
    seq: Seq,
    turn: TurnNumber,
    at: Timestamp,
    /// Calls without a result so far. Those of the newest row come last.
    open: Vec<UnansweredCall>,
}

struct UnansweredCall {
    key: CallKey,
    id: Arc<str>,
    tool: Arc<str>,
}

impl<'a> ConversationConverter<'a> {
    pub(crate) fn new(names: &'a Names, at: Timestamp) -> ConversationConverter<'a> {
        ConversationConverter {
            names,
            seq: Seq(0),
            turn: TurnNumber(0),
            at,
            open: Vec::new(),
        }
    }

    pub(crate) fn convert(
        &mut self,
        memory: Memory,
        mission: MissionId,
        report: &mut ImportReport,
    ) -> Row {
        match memory.at {
            Some(at) => self.at = at,
            None => report.without_time += 1,
        }
        let body = self.body(memory, mission, report);
        self.row(body)
    }

    /// Adds results for the calls that have none, so that none remains open.
    pub(crate) fn end(&mut self, report: &mut ImportReport) -> Vec<Row> {
        let open = std::mem::take(&mut self.open);
        report.without_result += open.len();
        open.into_iter()
            .map(|call| {
                let body = result(&call, NO_RESULT, CallStatus::Unknown);
                self.row(body)
            })
            .collect()
    }

    fn row(&mut self, body: RowBody) -> Row {
        self.seq = self.seq.next();
        Row {
            seq: self.seq,
            at: self.at,
            turn: self.turn,
            body,
        }
    }

    fn body(&mut self, memory: Memory, mission: MissionId, report: &mut ImportReport) -> RowBody {
        match (memory.role.as_str(), memory.source.as_str()) {
            ("user", "direct" | "broadcast") => self.received_row(memory, mission),
            // A nudge or a reminder of the old runtime.
            ("user", "system") => host(&memory.content),
            // The system prompt of that time.
            ("system", _) => RowBody::Audit {
                text: memory.content.into(),
            },
            ("assistant", _) => self.said(memory, report),
            ("tool", _) => self.answered(&memory.content, report),
            _ => {
                report.unpaired += 1;
                host(&memory.content)
            }
        }
    }

    fn received_row(&mut self, memory: Memory, mission: MissionId) -> RowBody {
        let peer = memory.sender.as_deref().and_then(|id| self.names.get(id));
        if let Some(name) = peer {
            return RowBody::Peer {
                sender: name.clone(),
                text: memory.content.into(),
            };
        }
        self.turn = TurnNumber(self.turn.0 + 1);
        let text = memory.content.into();
        if memory.source == "broadcast" {
            return RowBody::Mission { id: mission, text };
        }
        RowBody::Prompt { text }
    }

    fn said(&mut self, memory: Memory, report: &mut ImportReport) -> RowBody {
        let utterance = |text: &str, seen: Seq| Utterance {
            text: text.into(),
            reasoning: memory
                .reasoning
                .as_deref()
                .filter(|text| !text.is_empty())
                .map(Into::into),
            seen_up_to: seen,
            meta: Arc::default(),
        };
        // The old runtime's own words for an answer without any.
        if memory.content.trim() == "(no response)" {
            return RowBody::Reply(utterance("", self.seq));
        }
        if !memory.content.starts_with(codec::CALLS_PREFIX) {
            return RowBody::Reply(utterance(&memory.content, self.seq));
        }
        let Some(calls) = codec::parse_calls(&memory.content) else {
            report.unpaired += 1;
            return host(&memory.content);
        };
        report.calls += calls.len();
        self.open_calls(&calls);
        RowBody::Call {
            utterance: utterance("", self.seq),
            calls,
        }
    }

    fn open_calls(&mut self, calls: &[CallRecord]) {
        let seq = self.seq.next();
        for (position, call) in (0..).zip(calls) {
            self.open.push(UnansweredCall {
                key: CallKey { seq, position },
                id: call.id.clone(),
                tool: call.name.clone(),
            });
        }
    }

    /// Assigns a result to a call of the newest matching row. Ids are unique within a row only.
    fn answered(&mut self, content: &str, report: &mut ImportReport) -> RowBody {
        let mut before = self.open.len();
        let rows = self.open.chunk_by(|one, next| one.key.seq == next.key.seq);
        for calls in rows.rev() {
            before -= calls.len();
            let ids: Vec<&str> = calls.iter().map(|call| &*call.id).collect();
            if let Some((place, text)) = codec::match_result(content, &ids) {
                let call = self.open.remove(before + place);
                let is_error = text.trim_start().starts_with("Error");
                let status = if is_error {
                    CallStatus::Failed
                } else {
                    CallStatus::Done
                };
                return result(&call, text, status);
            }
        }
        report.unpaired += 1;
        host(content)
    }
}

fn result(call: &UnansweredCall, text: &str, status: CallStatus) -> RowBody {
    RowBody::Result {
        call: call.key,
        text: text.into(),
        meta: ResultMeta {
            call_id: call.id.clone(),
            tool: call.tool.clone(),
            status,
            ms: None,
            tick: None,
            bytes: text.len() as u64,
            game: actors::domain::game::GameRef::SpaceMolt,
            kept: None,
        },
    }
}

fn host(text: &str) -> RowBody {
    RowBody::Host {
        text: text.into(),
        meta: HostMeta {
            severity: Severity::Info,
            code: IMPORTED.into(),
            attempt: None,
            bill: None,
        },
    }
}

//! Recording: rows and states on their way to the store, and what waits for them there.

use std::sync::Arc;

use crate::domain::bounds;
use crate::domain::event::{Activity, EventKind, State};
use crate::domain::fault::{Fault, FaultKind};
use crate::domain::ids::TurnNumber;
use crate::domain::message::{Body, HostMeta, Row, Severity};
use crate::domain::order::{Done, Refusal};
use crate::domain::write::{ProfileChange, Write};

use super::input::{Effect, ReplyId, WriteId};
use super::{AfterRecording, Life, SentMark, Stage, Step};

/// What is told once the store has a request.
#[derive(Debug, Default)]
pub(super) struct Pending {
    rows: Vec<Arc<Row>>,
    change: Option<ProfileChange>,
    answer: Option<(ReplyId, Done)>,
}

/// Writes that are being put together.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) writes: Vec<Write>,
    /// Settings that hold once the store has the draft.
    pub(super) change: Option<ProfileChange>,
    rows: Vec<Arc<Row>>,
    answer: Option<(ReplyId, Done)>,
}

impl Draft {
    /// Answers an order once the store has the draft.
    pub(super) fn answering(mut self, asker: ReplyId, done: Done) -> Draft {
        self.answer = Some((asker, done));
        self
    }
}

impl Life {
    /// Adds a row to the conversation and to a draft.
    pub(super) fn append(&mut self, draft: &mut Draft, body: Body) -> Arc<Row> {
        let row = Arc::new(Row {
            seq: self.conversation.last().next(),
            at: self.now,
            turn: self.turn_of_new_rows(),
            body: self.redacted(body),
        });
        self.conversation.push(&row);
        draft.writes.push(Write::Append {
            mysis: self.id,
            row: row.clone(),
        });
        draft.rows.push(row.clone());
        row
    }

    /// A row between two turns belongs to the coming one: that is the one that was cut, if one was.
    fn turn_of_new_rows(&self) -> TurnNumber {
        match &self.stage {
            Stage::InTurn { .. } => self.turn,
            Stage::Idle | Stage::Pausing { .. } | Stage::Stopped | Stage::Errored(_) => {
                let next = TurnNumber(self.turn.0.saturating_add(1));
                self.open_turn_number().unwrap_or(next)
            }
        }
    }

    /// Adds the present state to a draft.
    pub(super) fn state_into(&self, draft: &mut Draft) {
        let fault = match &self.stage {
            Stage::Errored(fault) => Some(fault.clone()),
            Stage::Idle | Stage::Pausing { .. } | Stage::InTurn { .. } | Stage::Stopped => None,
        };
        draft.writes.push(Write::State {
            mysis: self.id,
            state: self.state(),
            reason: self.reason.clone(),
            fault,
            at: self.now,
        });
    }

    /// Adds what has been used up to a draft.
    pub(super) fn totals_into(&self, draft: &mut Draft) {
        draft.writes.push(Write::Totals {
            mysis: self.id,
            totals: self.totals,
        });
    }

    /// Adds a host notice to a draft.
    pub(super) fn host_into(
        &mut self,
        draft: &mut Draft,
        severity: Severity,
        code: &'static str,
        attempt: Option<u32>,
        text: &str,
    ) {
        let meta = HostMeta {
            severity,
            code: code.into(),
            attempt,
            bill: None,
        };
        let text = text.into();
        self.append(draft, Body::Host { text, meta });
    }

    /// Records a host notice.
    pub(super) fn notice(
        &mut self,
        severity: Severity,
        code: &'static str,
        attempt: Option<u32>,
        text: &str,
    ) {
        let mut draft = Draft::default();
        self.host_into(&mut draft, severity, code, attempt, text);
        self.record(draft);
    }

    /// Sends a draft to the store; nothing waits for it but an order's answer.
    pub(super) fn record(&mut self, draft: Draft) -> WriteId {
        let ticket = WriteId(self.stamp());
        self.pending.insert(
            ticket,
            Pending {
                rows: draft.rows,
                change: draft.change,
                answer: draft.answer,
            },
        );
        self.effects.push(Effect::Record {
            ticket,
            writes: draft.writes,
        });
        ticket
    }

    /// The store has a request, or will never have it.
    pub(super) fn recorded(&mut self, ticket: WriteId, outcome: Result<(), String>) {
        let Some(pending) = self.pending.remove(&ticket) else {
            return;
        };
        if let Err(why) = outcome {
            return self.not_recorded(pending, &why);
        }
        if let Some(change) = &pending.change {
            self.change_profile(change);
        }
        for row in pending.rows {
            self.tell(EventKind::Stored(row));
        }
        if let Some((asker, done)) = pending.answer {
            let answer = Ok(done);
            self.effects.push(Effect::Answer { asker, answer });
        }
        self.continue_after(ticket);
    }

    /// Goes on with what waited for a request to be stored.
    fn continue_after(&mut self, ticket: WriteId) {
        let Stage::InTurn { step, .. } = &mut self.stage else {
            return;
        };
        match step {
            Step::Recording {
                ticket: waited,
                then,
            } if *waited == ticket => match then {
                AfterRecording::GoOn => self.go_on_in_turn(),
                AfterRecording::EndTurn => self.end_turn(),
            },
            Step::Calling { work, mark } if *mark == SentMark::Writing(ticket) => {
                *mark = SentMark::Sent;
                let work = *work;
                self.effects.push(Effect::Release { work });
            }
            Step::Asking { .. }
            | Step::CoolingDown { .. }
            | Step::Held { .. }
            | Step::Recording { .. }
            | Step::Calling { .. } => {}
        }
    }

    /// The store refused for good: what was in memory only cannot be built upon.
    fn not_recorded(&mut self, pending: Pending, why: &str) {
        if let Some((asker, _)) = pending.answer {
            let answer = Err(Refusal::Store(why.to_string()));
            self.effects.push(Effect::Answer { asker, answer });
        }
        // Settings that are not stored are not in force: nothing was built upon them.
        if self.state() == State::Running && pending.change.is_none() {
            self.fail(
                FaultKind::Store,
                format!("the store refused a write: {why}"),
            );
        }
    }

    /// A fault that the turn cannot survive.
    pub(super) fn fail(&mut self, kind: FaultKind, text: String) {
        let text = self.redactor.clean(&text).into_owned();
        let fault = Fault {
            kind,
            text: text.clone(),
            at: self.now,
        };
        self.effects.push(Effect::Abort);
        let mut draft = Draft::default();
        self.close_open_calls(&mut draft, "a fault ended the turn");
        self.enter(Stage::Errored(fault), Some(text.as_str().into()));
        self.host_into(&mut draft, Severity::Error, "errored", None, &text);
        self.state_into(&mut draft);
        self.doing(Activity::Resting);
        self.record(draft);
    }

    /// The row as it is stored: without secrets, and no longer than anybody reads. What the operator
    /// says is never cut.
    fn redacted(&self, body: Body) -> Body {
        let is_of_servers = matches!(
            body,
            Body::Reply(_) | Body::Call { .. } | Body::Result { .. } | Body::Host { .. }
        );
        let mut body = body.with_texts(|text| self.redactor.clean_shared(text));
        if let Body::Result { text, meta, .. } = &mut body {
            // What a secret's place holds is not left out.
            meta.bytes = text.len() as u64;
        }
        body.with_texts(|text| match is_of_servers {
            true => bounds::shared_within(text, bounds::MAX_TEXT_BYTES),
            false => text,
        })
    }
}

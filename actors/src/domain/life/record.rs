//! Recording: sends rows and states to the store, and continues when they are stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bounds;
use crate::event::{Activity, EventKind};
use crate::fault::{MysisFault, MysisFaultKind};
use crate::ids::TurnNumber;
use crate::memo::MemoKind;
use crate::message::{HostMeta, Row, RowBody, Severity};
use crate::order::{CompletedOrder, OrderRefusal};
use crate::record::ProfileChange;
use crate::state::LifeState;
use crate::write::Write;

use super::input::{Effect, ReplyId, WriteId};
use super::{AfterRecording, Life, LifeStage, SentMark, TurnStep};

/// What is to be stored, and what follows from that. The store has the writes of one that is pending.
#[derive(Debug, Default)]
pub(super) struct WriteDraft {
    pub(super) writes: Vec<Write>,
    /// A profile change that takes effect when the draft is stored.
    pub(super) change: Option<ProfileChange>,
    rows: Vec<Arc<Row>>,
    memos: Vec<MemoKind>,
    answer: Option<(ReplyId, CompletedOrder)>,
    /// Whether nothing leaves or goes on at once when it is stored.
    can_wait: bool,
}

impl WriteDraft {
    /// Lets the store wait a moment for others, because nothing hangs on it but a pause.
    pub(super) fn let_wait(&mut self) {
        self.can_wait = true;
    }

    /// One with the answer to an order. It is given when the draft is stored.
    pub(super) fn answering(reply: ReplyId, done: CompletedOrder) -> WriteDraft {
        WriteDraft {
            answer: Some((reply, done)),
            ..WriteDraft::default()
        }
    }
}

impl Life {
    pub(super) fn append_row(&mut self, draft: &mut WriteDraft, body: RowBody) -> Arc<Row> {
        let row = Arc::new(Row {
            seq: self.conversation.last_seq().next(),
            at: self.now.wall,
            turn: self.turn_of_new_rows(),
            body: self.redact_body(body),
        });
        self.conversation.push(&row);
        if row.result().is_none() {
            self.samples.count(&row, None);
        }
        draft.writes.push(Write::Append {
            mysis: self.id,
            row: row.clone(),
        });
        draft.rows.push(row.clone());
        row
    }

    /// The turn of a new row. A row between two turns belongs to the next one, which continues an
    /// interrupted one if there is one.
    fn turn_of_new_rows(&self) -> TurnNumber {
        if self.stage.turn().is_some() {
            return self.turn;
        }
        let next = TurnNumber(self.turn.0.saturating_add(1));
        self.open_turn_number().unwrap_or(next)
    }

    pub(super) fn add_state(&self, draft: &mut WriteDraft) {
        draft.writes.push(Write::State {
            mysis: self.id,
            state: self.state(),
            reason: self.reason.clone(),
            fault: self.stage.fault().cloned(),
            at: self.now.wall,
        });
    }

    pub(super) fn add_totals(&self, draft: &mut WriteDraft) {
        draft.writes.push(Write::Totals {
            mysis: self.id,
            totals: self.figures.totals,
        });
    }

    pub(super) fn add_memo(&self, draft: &mut WriteDraft, kind: MemoKind, memo: &str) {
        draft.memos.push(kind);
        draft.writes.push(Write::Memo {
            mysis: self.id,
            kind,
            memo: self.redactor.clean(memo).as_ref().into(),
        });
    }

    pub(super) fn add_host_notice(
        &mut self,
        draft: &mut WriteDraft,
        severity: Severity,
        code: &'static str,
        text: &str,
    ) {
        let meta = HostMeta {
            severity,
            code: code.into(),
            attempt: None,
            bill: None,
        };
        let text = text.into();
        self.append_row(draft, RowBody::Host { text, meta });
    }

    pub(super) fn record_notice(&mut self, severity: Severity, code: &'static str, text: &str) {
        let mut draft = WriteDraft::default();
        self.add_host_notice(&mut draft, severity, code, text);
        self.record_draft(draft);
    }

    /// Sends a draft to the store. Only the answer to an order waits for it.
    pub(super) fn record_draft(&mut self, mut draft: WriteDraft) -> WriteId {
        self.add_samples(&mut draft);
        let write_id = WriteId(self.next_stamp());
        self.effects.push(Effect::Record {
            write_id,
            writes: std::mem::take(&mut draft.writes),
            can_wait: draft.can_wait,
        });
        self.pending.insert(write_id, Box::new(draft));
        write_id
    }

    /// Sends a draft to the store. The turn waits until it is stored.
    pub(super) fn record_then(&mut self, draft: WriteDraft, then: AfterRecording) {
        let write_id = self.record_draft(draft);
        self.set_step(TurnStep::Recording { write_id, then });
    }

    pub(super) fn on_recorded(&mut self, write_id: WriteId, outcome: Result<(), String>) {
        let Some(pending) = self.pending.remove(&write_id) else {
            return;
        };
        if self.pending.is_empty() {
            // An empty map keeps room for eleven.
            self.pending = BTreeMap::new();
        }
        if let Err(why) = outcome {
            return self.not_recorded(*pending, &why);
        }
        if let Some(change) = &pending.change {
            self.change_profile(change);
        }
        for row in pending.rows {
            self.emit_event(EventKind::Stored(row));
        }
        if let Some((reply, done)) = pending.answer {
            self.answer(reply, Ok(done));
        }
        self.continue_after(write_id);
    }

    fn continue_after(&mut self, write_id: WriteId) {
        let LifeStage::InTurn { step, .. } = &mut self.stage else {
            return;
        };
        match step {
            TurnStep::Recording {
                write_id: waited,
                then,
            } if *waited == write_id => match then {
                AfterRecording::GoOn => self.go_on_in_turn(),
                AfterRecording::EndTurn => self.end_turn(),
            },
            TurnStep::Calling { work, mark } if *mark == SentMark::Writing(write_id) => {
                *mark = SentMark::Sent;
                let work = *work;
                self.effects.push(Effect::Release { work });
            }
            TurnStep::Calling { work, mark } if *mark == SentMark::WritingTask(write_id) => {
                *mark = SentMark::InTask;
                let work = *work;
                self.on_task_kept(work);
            }
            TurnStep::Asking { .. }
            | TurnStep::CoolingDown { .. }
            | TurnStep::Held { .. }
            | TurnStep::Recording { .. }
            | TurnStep::Calling { .. } => {}
        }
    }

    /// Handles a final refusal of the store. What exists in memory only must not be used.
    fn not_recorded(&mut self, pending: WriteDraft, why: &str) {
        for kind in pending.memos {
            match kind {
                // What a Mysis learns by playing is written again later.
                MemoKind::Watch | MemoKind::WorkingSet | MemoKind::Tier | MemoKind::Routines => {}
                MemoKind::Reminders => self.reminders.forget(),
            }
        }
        if let Some((reply, _)) = pending.answer {
            self.answer(reply, Err(OrderRefusal::Store(why.to_string())));
        }
        // A profile change that is not stored is not in force, so nothing depends on it.
        if self.state() == LifeState::Running && pending.change.is_none() {
            self.fail_turn(
                MysisFaultKind::Store,
                format!("the store refused a write: {why}"),
            );
        }
    }

    pub(super) fn fail_turn(&mut self, kind: MysisFaultKind, text: String) {
        let text: Arc<str> = self.redactor.clean(&text).into();
        let fault = MysisFault {
            kind,
            text: text.clone(),
            at: self.now.wall,
        };
        self.effects.push(Effect::Abort);
        let mut draft = WriteDraft::default();
        self.close_open_calls(&mut draft, "a fault ended the turn");
        self.enter_stage(LifeStage::Errored(fault), Some(text.clone()));
        self.add_host_notice(&mut draft, Severity::Error, "errored", &text);
        self.add_state(&mut draft);
        self.set_activity(Activity::Resting);
        self.record_draft(draft);
    }

    /// The row as it is stored: without secrets and within the length limits. The operator's texts
    /// are never cut.
    fn redact_body(&self, mut body: RowBody) -> RowBody {
        let is_of_servers = matches!(
            body,
            RowBody::Reply(_)
                | RowBody::Call { .. }
                | RowBody::Result { .. }
                | RowBody::Host { .. }
        );
        body.for_each_text(|text| self.redactor.clean_in_place(text));
        if let RowBody::Result { text, meta, .. } = &mut body {
            // A replaced secret does not count as left out.
            meta.bytes = text.len() as u64;
        }
        if is_of_servers {
            body.for_each_text(|text| {
                *text = bounds::shared_within(text.clone(), bounds::MAX_TEXT_BYTES);
            });
        }
        body
    }
}

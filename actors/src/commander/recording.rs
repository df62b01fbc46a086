//! Recording: stores and logs events and orders, in the order in which they happened. Only the
//! answer to an order waits for this.

use std::sync::Arc;

use ractor::ActorRef;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::{EventKind, MysisRef, MysisStatus, SwarmEvent};
use crate::domain::event_record::{
    EventId, EventRecord, EventRecordKind, OrderSource, OrderSummary, RELAUNCH_CODE, record_of,
    record_of_need,
};
use crate::domain::ids::Timestamp;
use crate::domain::life::Mode;
use crate::domain::message::Severity;
use crate::domain::order::{CompletedOrder, MysisOrder, Order, OrderResult};
use crate::domain::state::LifeState;
use crate::domain::write::{Batch, Write};
use crate::ports::Clock;
use crate::reply::OrderReply;
use crate::store::StoreHandle;
use zoea_text::redact::Redactor;

use super::{CommanderMsg, CommanderState};

/// The most records that wait for the store. While the store fails, further records are only
/// logged.
const MAX_WAITING_RECORDS: usize = 10_000;
const MAX_BATCH_RECORDS: usize = 256;

enum RecorderMsg {
    /// A record to store. The pending answer is given afterwards.
    Record(Box<EventRecord>, Option<PendingAnswer>),
    /// Answered once all earlier records are stored.
    Flush(oneshot::Sender<()>),
}

/// An answer that is given once its record is stored. Dropping it answers that the result of the
/// order is unknown.
type PendingAnswer = (OrderReply, OrderResult);

/// Stores and logs records in a task of its own.
pub(super) struct EventRecorder {
    entry: RecorderEntry,
    rng: fastrand::Rng,
    clock: Arc<dyn Clock>,
    _task: AbortOnDropHandle<()>,
}

impl EventRecorder {
    pub(super) fn start(
        store: StoreHandle,
        clock: Arc<dyn Clock>,
        commander: ActorRef<CommanderMsg>,
        seed: u64,
    ) -> EventRecorder {
        let (queue, waiting) = mpsc::channel(MAX_WAITING_RECORDS);
        let task = tokio::spawn(store_all(waiting, store));
        EventRecorder {
            entry: RecorderEntry { queue, commander },
            rng: fastrand::Rng::with_seed(seed),
            clock,
            _task: AbortOnDropHandle::new(task),
        }
    }

    fn new_id(&mut self) -> EventId {
        EventId(self.rng.i64(1..))
    }

    fn record_event(&mut self, event: &SwarmEvent, redactor: &Redactor) {
        if let Some(record) = record_of(event, EventId(0)) {
            self.enqueue_record(record, redactor);
        }
    }

    fn enqueue_record(&mut self, mut record: EventRecord, redactor: &Redactor) {
        record.id = self.new_id();
        record.text = redactor.clean(&record.text).as_ref().into();
        self.entry.enqueue(record, None);
    }

    /// Returns once all earlier records are stored.
    pub(super) fn flush(&self) -> impl Future<Output = ()> + use<> {
        let queue = self.entry.queue.clone();
        async move {
            let (done, stored) = oneshot::channel();
            if queue.send(RecorderMsg::Flush(done)).await.is_ok() {
                // A task that is gone stores nothing any more.
                let _ = stored.await;
            }
        }
    }
}

/// The way of a record to the log, the terminals and the store.
#[derive(Clone)]
struct RecorderEntry {
    queue: mpsc::Sender<RecorderMsg>,
    commander: ActorRef<CommanderMsg>,
}

impl RecorderEntry {
    /// Logs a record, shows it, and queues it for the task that stores it. The terminals do not wait for the
    /// store: that it is away is such a record.
    fn enqueue(&self, record: EventRecord, awaited: Option<PendingAnswer>) {
        log_record(&record);
        // A Commander that is gone has no terminals.
        let _ = self
            .commander
            .cast(CommanderMsg::Recorded(Arc::new(record.clone())));
        let item = RecorderMsg::Record(Box::new(record), awaited);
        let Err(TrySendError::Full(item) | TrySendError::Closed(item)) = self.queue.try_send(item)
        else {
            return;
        };
        tracing::warn!("an event is in the log only: too many wait for the store");
        if let RecorderMsg::Record(_, Some((reply, answer))) = item {
            // The queue is full, but the order was carried out.
            reply.answer(answer);
        }
    }
}

fn log_record(record: &EventRecord) {
    let mysis = record.mysis.as_ref().map(|who| &*who.name);
    let (kind, code, text) = (record.kind.as_str(), &*record.code, &*record.text);
    let source = record.source.map(OrderSource::as_str);
    match record.severity {
        Severity::Info => tracing::info!(kind, code, mysis, source, "{text}"),
        Severity::Warn => tracing::warn!(kind, code, mysis, source, "{text}"),
        Severity::Error => tracing::error!(kind, code, mysis, source, "{text}"),
    }
}

/// Stores records in order. All that wait go into one write.
async fn store_all(mut waiting: mpsc::Receiver<RecorderMsg>, store: StoreHandle) {
    let mut items = Vec::new();
    while waiting.recv_many(&mut items, MAX_BATCH_RECORDS).await > 0 {
        let (mut writes, mut awaited, mut flushed) = (Vec::new(), Vec::new(), Vec::new());
        for item in items.drain(..) {
            match item {
                RecorderMsg::Record(record, waits) => {
                    writes.push(Write::Event(record));
                    awaited.extend(waits);
                }
                RecorderMsg::Flush(done) => flushed.push(done),
            }
        }
        if !writes.is_empty()
            && let Err(fault) = store.write(Batch::of_commander(writes)).await
        {
            tracing::error!(%fault, "failed to store events");
        }
        // Even if the record could not be stored, the order was carried out.
        for (reply, answer) in awaited {
            reply.answer(answer);
        }
        for done in flushed {
            // The caller may have stopped waiting.
            let _ = done.send(());
        }
    }
}

impl CommanderState {
    pub(super) fn record_event(&mut self, event: &SwarmEvent) {
        // A command that works on the database runs no swarm, so its end is not recorded.
        let is_command = self.mode == Mode::QueueOnly && matches!(event.what, EventKind::Shutdown);
        if !is_command {
            self.recorder.record_event(event, &self.rules.redactor());
        }
    }

    pub(super) fn record_start(&mut self) {
        let text = match self.members.count() {
            0 => "the program started, no Myses yet".to_string(),
            1 => "the program started with 1 Mysis".to_string(),
            count => format!("the program started with {count} Myses"),
        };
        let record = EventRecord {
            id: EventId(0),
            at: self.now(),
            kind: EventRecordKind::Notice,
            mysis: None,
            severity: Severity::Info,
            code: "up".into(),
            text: text.into(),
            source: None,
            row: None,
            answered: None,
        };
        self.recorder.enqueue_record(record, &self.rules.redactor());
    }

    /// Records that a running Mysis begins to need the operator, or no longer does.
    pub(super) fn record_need(&mut self, before: &MysisStatus, now: &MysisStatus) {
        if let Some(record) = record_of_need(before, now, self.now()) {
            self.recorder.enqueue_record(record, &self.rules.redactor());
        }
    }

    pub(super) fn record_relaunch(&mut self, who: MysisRef) {
        let summary = OrderSummary {
            code: RELAUNCH_CODE,
            name: None,
            text: "relaunched, as [supervision] says".to_string(),
        };
        let record = order_record(summary, Some(who), OrderSource::Program, self.now());
        self.recorder.enqueue_record(record, &self.rules.redactor());
    }

    /// Records an order that was carried out elsewhere.
    pub(super) fn record_order(&mut self, order: &Order, source: OrderSource) {
        if let Some(summary) = OrderSummary::of(order) {
            let record = order_record(summary, None, source, self.now());
            self.recorder.enqueue_record(record, &self.rules.redactor());
        }
    }

    /// A reply that records the order after it is carried out or refused, and answers once the record of what was
    /// carried out is
    /// stored. A freeze and a thaw are kept in the home, so they are answered while the store is
    /// away, too.
    pub(super) fn recording_reply(
        &mut self,
        order: &Order,
        source: OrderSource,
        reply: OrderReply,
    ) -> OrderReply {
        let Some(mut summary) = OrderSummary::of(order) else {
            return reply;
        };
        let name = summary.name.as_deref();
        let member = name.and_then(|name| self.members.named(name));
        let mut who = member.map(|member| member.mysis_ref());
        if let Order::ForMysis { order, .. } = order
            && let (MysisOrder::Start, Some(member)) = (order, member)
            && member.status.state == LifeState::Errored
        {
            summary.code = RELAUNCH_CODE;
            summary.text = "relaunched".to_string();
        }
        let is_kept = matches!(order, Order::Freeze | Order::Thaw);
        let (entry, clock) = (self.recorder.entry.clone(), self.recorder.clock.clone());
        let (id, redactor) = (self.recorder.new_id(), self.rules.redactor());
        let ticket = reply.ticket();
        let recording = OrderReply::new(move |answer| {
            // The configuration orders at each start what is there already.
            let is_operators = !matches!(source, OrderSource::Configuration | OrderSource::Program);
            let changed_nothing = answer == Ok(CompletedOrder::MissionCleared(false));
            if changed_nothing || (answer.is_err() && !is_operators) {
                return reply.answer(answer);
            }
            if let (Ok(CompletedOrder::Created(id)), Some(name)) = (&answer, &summary.name) {
                let (id, name) = (*id, name.as_str().into());
                who = Some(MysisRef { id, name });
            }
            let mut record = answered_record(summary, who, &answer);
            record.text = redactor.clean(&record.text).as_ref().into();
            (record.id, record.at, record.source) = (id, clock.now(), Some(source));
            // A refused order changed nothing, so its answer does not wait for the record.
            if is_kept || answer.is_err() {
                entry.enqueue(record, None);
                return reply.answer(answer);
            }
            entry.enqueue(record, Some((reply, answer)));
        });
        recording.with_ticket(ticket)
    }
}

fn answered_record(
    mut summary: OrderSummary,
    who: Option<MysisRef>,
    answer: &OrderResult,
) -> EventRecord {
    let (mut severity, mut row) = (Severity::Info, None);
    match answer {
        Err(why) => {
            severity = Severity::Warn;
            // A refused order may be for a name that no Mysis has.
            let unknown = summary.name.clone().filter(|_| who.is_none());
            summary = summary.refused(why);
            if let Some(name) = unknown {
                summary.text = format!("{name}: {}", summary.text);
            }
        }
        Ok(done) => {
            row = done.row();
            if let Some(reach) = done.reach() {
                summary.text = format!("{} ({reach})", summary.text);
            }
        }
    }
    EventRecord {
        severity,
        row,
        ..order_record(summary, who, OrderSource::Program, Timestamp(0))
    }
}

fn order_record(
    summary: OrderSummary,
    mysis: Option<MysisRef>,
    source: OrderSource,
    at: Timestamp,
) -> EventRecord {
    EventRecord {
        id: EventId(0),
        at,
        kind: EventRecordKind::Order,
        mysis,
        severity: Severity::Info,
        code: summary.code.into(),
        text: summary.text.into(),
        source: Some(source),
        row: None,
        answered: None,
    }
}

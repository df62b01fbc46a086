//! The fleet actor: keeps this process's place among all that run Myses of one database.
//!
//! Owns: the step that is under way, until when what is held here is safe, and the statuses that other
//! processes do not know yet. Receives: what the Commander took up and let go, and its Myses' statuses. Sends: the Commander what to take up, to drop and to hand over. On
//! failure: the Commander starts another one; the leases stay, and whatever was not confirmed is told
//! again.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::{EventKind, MysisStatus, SwarmEvent};
use crate::domain::ids::{FleetOrderId, MysisId};
use crate::domain::message::Severity;
use crate::freeze::FreezeSwitch;
use crate::ports::{ArchiveFault, Clock, Fleet, FleetOrder, FleetReport, FleetStep, OrderOutcome};
use crate::telling::{TellParent, spawn_job};

const STEP_INTERVAL: Duration = Duration::from_secs(1);

/// The most statuses that one step writes. The next step goes on.
const MAX_STATUSES: usize = 500;

/// The code of the notice that this process cannot renew its leases.
const LEASES_LAPSED: &str = "leases_lapsed";

#[derive(Debug)]
pub enum FleetMsg {
    Due,
    Stepped(Result<Box<FleetStep>, ArchiveFault>),
    /// The Commander runs what was taken.
    Arrived(Vec<MysisId>),
    /// Nothing of a Mysis is left here.
    LetGo(MysisId),
    /// The number of Myses that this process is for.
    Capacity(usize),
    Changed(Arc<MysisStatus>),
    Give(Arc<FleetOrder>),
    Answer(FleetOrderId, Arc<str>),
    /// Nobody waits for the answer to an order any more.
    NotAwaited(FleetOrderId),
    /// The number of Myses that the Commander knows, wherever they run.
    Known(usize),
}

pub struct FleetActor;

pub struct FleetArgs {
    pub fleet: Arc<dyn Fleet>,
    pub clock: Arc<dyn Clock>,
    /// Lets nothing leave once the leases are not safe.
    pub freeze: FreezeSwitch,
    pub capacity: usize,
    pub parent: TellParent<Box<FleetStep>>,
    pub notices: TellParent<SwarmEvent>,
}

pub struct FleetState {
    myself: ActorRef<FleetMsg>,
    args: FleetArgs,
    /// What the ledger was not told yet, or not with success.
    arrived: BTreeSet<MysisId>,
    let_go: BTreeSet<MysisId>,
    /// What other processes do not know yet.
    changed: BTreeMap<MysisId, Arc<MysisStatus>>,
    /// Whether there are other processes, which want to know it.
    has_neighbours: bool,
    /// The place up to which the statuses of others are read.
    read_to: i64,
    known: usize,
    orders: OrdersUnderWay,
    under_way: Option<(FleetReport, AbortOnDropHandle<()>)>,
    is_lapse_reported: bool,
    _ticks: AbortOnDropHandle<()>,
}

impl Actor for FleetActor {
    type Msg = FleetMsg;
    type State = FleetState;
    type Arguments = FleetArgs;

    async fn pre_start(
        &self,
        myself: ActorRef<FleetMsg>,
        args: FleetArgs,
    ) -> Result<FleetState, ActorProcessingErr> {
        myself.cast(FleetMsg::Due)?;
        let ticks = AbortOnDropHandle::new(myself.send_interval(STEP_INTERVAL, || FleetMsg::Due));
        Ok(FleetState {
            myself,
            args,
            arrived: BTreeSet::new(),
            let_go: BTreeSet::new(),
            changed: BTreeMap::new(),
            has_neighbours: false,
            read_to: 0,
            known: 0,
            orders: OrdersUnderWay::default(),
            under_way: None,
            is_lapse_reported: false,
            _ticks: ticks,
        })
    }

    async fn handle(
        &self,
        _myself: ActorRef<FleetMsg>,
        message: FleetMsg,
        state: &mut FleetState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            FleetMsg::Due => {
                let statuses = state.statuses_to_tell();
                state.begin_step(statuses);
            }
            FleetMsg::Stepped(result) => state.on_stepped(result),
            FleetMsg::Arrived(myses) => state.arrived.extend(myses),
            FleetMsg::LetGo(mysis) => {
                state.let_go.insert(mysis);
                state.changed.remove(&mysis);
                // Another process waits for it.
                state.begin_step(Vec::new());
            }
            FleetMsg::Capacity(capacity) => state.args.capacity = capacity,
            FleetMsg::Known(known) => state.known = known,
            FleetMsg::Give(order) => {
                state.orders.given.push(order);
                state.begin_step(Vec::new());
            }
            FleetMsg::Answer(order, answer) => {
                state.orders.answers.insert(order, answer);
                state.begin_step(Vec::new());
            }
            FleetMsg::NotAwaited(order) => {
                state.orders.awaited.remove(&order);
            }
            FleetMsg::Changed(status) => {
                state.changed.insert(status.id, status);
            }
        }
        Ok(())
    }
}

/// The orders between this process and others, as far as the database does not know them.
#[derive(Default)]
struct OrdersUnderWay {
    given: Vec<Arc<FleetOrder>>,
    awaited: BTreeSet<FleetOrderId>,
    settled: BTreeSet<FleetOrderId>,
    answers: BTreeMap<FleetOrderId, Arc<str>>,
}

impl OrdersUnderWay {
    /// Whether there is something that need not wait for the next second.
    fn have_news(&self) -> bool {
        !self.given.is_empty() || !self.answers.is_empty()
    }

    fn take_step(&mut self, report: &FleetReport, step: &mut FleetStep) {
        for order in &report.given {
            self.given.retain(|given| given.id != order.id);
            self.awaited.insert(order.id);
            step.orders.given.push(order.id);
        }
        for (order, _) in &report.answers {
            self.answers.remove(order);
            step.orders.answered.push(*order);
        }
        for order in &report.settled {
            self.settled.remove(order);
        }
        for outcome in &step.orders.outcomes {
            let (OrderOutcome::Answered(order, _) | OrderOutcome::Missing(order)) = outcome;
            self.awaited.remove(order);
            self.settled.insert(*order);
        }
    }
}

impl FleetState {
    /// The statuses for the step that is due, which are told at most once a second.
    fn statuses_to_tell(&self) -> Vec<Arc<MysisStatus>> {
        let statuses = self.changed.values().take(MAX_STATUSES);
        let sent = self.has_neighbours && self.under_way.is_none();
        statuses.filter(|_| sent).cloned().collect()
    }

    fn begin_step(&mut self, statuses: Vec<Arc<MysisStatus>>) {
        if self.under_way.is_some() {
            return;
        }
        let report = FleetReport {
            capacity: self.args.capacity,
            is_frozen: self.args.freeze.frozen_since().is_some(),
            arrived: self.arrived.iter().copied().collect(),
            let_go: self.let_go.iter().copied().collect(),
            statuses,
            read_to: self.read_to,
            known: self.known,
            given: self.orders.given.clone(),
            awaited: self.orders.awaited.iter().copied().collect(),
            settled: self.orders.settled.iter().copied().collect(),
            answers: self.orders.answers.clone().into_iter().collect(),
        };
        let step = AssertUnwindSafe(self.args.fleet.step(report.clone())).catch_unwind();
        let step = spawn_job(&self.myself, async move {
            let panicked = || ArchiveFault("the step of the fleet panicked".to_string());
            let result = step.await.unwrap_or_else(|_| Err(panicked()));
            FleetMsg::Stepped(result.map(Box::new))
        });
        self.under_way = Some((report, step));
    }

    fn on_stepped(&mut self, result: Result<Box<FleetStep>, ArchiveFault>) {
        let Some((report, _)) = self.under_way.take() else {
            return;
        };
        let mut step = match result {
            Ok(step) => step,
            Err(fault) => return self.on_fault(&fault),
        };
        for mysis in &report.arrived {
            self.arrived.remove(mysis);
        }
        for mysis in &report.let_go {
            self.let_go.remove(mysis);
        }
        step.let_go.clone_from(&report.let_go);
        self.orders.take_step(&report, &mut step);
        self.has_neighbours = step.neighbours.is_some();
        let has_more = step.neighbours.as_ref().is_some_and(|found| found.has_more);
        if let Some(found) = &step.neighbours {
            self.read_to = found.read_to;
            self.forget_sent(&report.statuses);
        }
        if let Some(until) = step.safe_until {
            self.args.freeze.leave_until(until);
            self.on_kept();
        }
        (self.args.parent)(step);
        if has_more || !self.let_go.is_empty() || self.orders.have_news() {
            self.begin_step(Vec::new());
        }
    }

    /// Forgets the statuses that were told. Newer ones are told next.
    fn forget_sent(&mut self, sent: &[Arc<MysisStatus>]) {
        for status in sent {
            let newest = self.changed.get(&status.id);
            if newest.is_some_and(|newest| Arc::ptr_eq(newest, status)) {
                self.changed.remove(&status.id);
            }
        }
    }

    fn on_fault(&mut self, fault: &ArchiveFault) {
        tracing::warn!(%fault, "failed to take a step of the fleet");
        if !self.args.freeze.has_lapsed() || self.is_lapse_reported {
            return;
        }
        self.is_lapse_reported = true;
        let text = format!(
            "this process cannot renew its leases: {fault}; until it can, no model call, no tool \
             call and no login begins, because another process may run these Myses"
        );
        self.emit_notice(Severity::Error, LEASES_LAPSED, &text);
    }

    fn on_kept(&mut self) {
        if std::mem::take(&mut self.is_lapse_reported) {
            let text = "this process has renewed its leases: its Myses continue";
            self.emit_notice(Severity::Info, "leases_renewed", text);
        }
    }

    fn emit_notice(&self, severity: Severity, code: &'static str, text: &str) {
        let notice = EventKind::notice(severity, code, text);
        (self.args.notices)(SwarmEvent::of_swarm(self.args.clock.now(), notice));
    }
}

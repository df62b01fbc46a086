//! The Store actor: the only writer. It commits in groups and answers after the commit.
//!
//! Receives: writes through [`StoreHandle`]. Sends: each writer its answer, and the Commander a
//! notice when the ledger fails and when it recovers. On failure: callers repeat unanswered writes
//! to the next Store; repeating a write changes nothing.

mod handle;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use ractor::{Actor, ActorProcessingErr, ActorRef, DerivedActorRef, RpcReplyPort};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::backoff::Backoff;
use crate::domain::event::{EventKind, SwarmEvent};
use crate::domain::ids::{MysisId, Timestamp};
use crate::domain::message::Severity;
use crate::domain::record::GameAccount;
use crate::domain::standing::{StandingKind, WAITING_FOR_STORE};
use crate::domain::write::Batch;
use crate::ports::{Clock, Ledger, LedgerFault};
use crate::timer::{Timer, set_timer};

pub use handle::{StoreHandle, Urgency};

const MAX_GROUP_BATCHES: usize = 512;

/// The longest time for which writes that can wait are gathered for one commit (decision 259).
const GATHERING_TIME: Duration = Duration::from_millis(50);

/// The waits between attempts while the ledger is unavailable.
const MIN_RETRY_WAIT: Duration = Duration::from_millis(50);
const MAX_RETRY_WAIT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub enum StoreMsg {
    Write {
        batch: Batch,
        urgency: Urgency,
        /// Gets the answer after the commit.
        reply: RpcReplyPort<Result<(), LedgerFault>>,
    },
    ClaimAccount {
        mysis: MysisId,
        /// Gets the account once the claim is durable.
        reply: RpcReplyPort<Result<Option<GameAccount>, LedgerFault>>,
    },
    /// Answered once the queue is empty.
    Drain(RpcReplyPort<()>),
    Committed(Vec<Result<(), LedgerFault>>),
    Claimed(Result<Option<GameAccount>, LedgerFault>),
    MaintenanceDone,
    /// Maintenance may be due although nothing was written.
    MaintenanceDue,
    /// The wait after a failure is over.
    TryAgain,
    /// Writes that can wait have waited long enough.
    Gathered,
}

pub struct StoreActor;

pub struct StoreArgs {
    pub ledger: Arc<dyn Ledger>,
    pub clock: Arc<dyn Clock>,
    pub parent: DerivedActorRef<SwarmEvent>,
}

pub struct StoreState {
    /// Triggers maintenance that is due by time.
    _upkeep: Option<AbortOnDropHandle<()>>,
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    parent: DerivedActorRef<SwarmEvent>,
    queue: VecDeque<StoreJob>,
    under_way: Option<(StoreTask, AbortOnDropHandle<()>)>,
    /// Whether a job in the queue is not to wait any longer.
    is_due: bool,
    /// Ends the wait of the writes in the queue, if all of them can wait.
    gathering: Option<Timer<StoreMsg>>,
    /// The waits before further attempts; `None` while the ledger works.
    waits: Option<Backoff>,
    draining: Vec<RpcReplyPort<()>>,
    /// Whether the last job was maintenance. Waiting writes come before the next step.
    did_maintenance: bool,
}

enum StoreJob {
    Write(Batch, RpcReplyPort<Result<(), LedgerFault>>),
    Claim(
        MysisId,
        RpcReplyPort<Result<Option<GameAccount>, LedgerFault>>,
    ),
}

enum StoreTask {
    Commit(Vec<(Batch, RpcReplyPort<Result<(), LedgerFault>>)>),
    Claim(
        MysisId,
        RpcReplyPort<Result<Option<GameAccount>, LedgerFault>>,
    ),
    Waiting,
    Maintenance,
}

impl Actor for StoreActor {
    type Msg = StoreMsg;
    type State = StoreState;
    type Arguments = StoreArgs;

    async fn pre_start(
        &self,
        myself: ActorRef<StoreMsg>,
        args: StoreArgs,
    ) -> Result<StoreState, ActorProcessingErr> {
        // An earlier run may have left maintenance undone.
        myself.cast(StoreMsg::MaintenanceDone)?;
        let upkeep = args.ledger.maintenance_interval().map(|period| {
            AbortOnDropHandle::new(myself.send_interval(period, || StoreMsg::MaintenanceDue))
        });
        Ok(StoreState {
            _upkeep: upkeep,
            ledger: args.ledger,
            clock: args.clock,
            parent: args.parent,
            queue: VecDeque::new(),
            under_way: None,
            is_due: false,
            gathering: None,
            waits: None,
            draining: Vec::new(),
            did_maintenance: false,
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<StoreMsg>,
        message: StoreMsg,
        state: &mut StoreState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            StoreMsg::Write {
                batch,
                urgency,
                reply,
            } => {
                state.is_due |= urgency == Urgency::AtOnce;
                state.queue.push_back(StoreJob::Write(batch, reply));
            }
            StoreMsg::ClaimAccount { mysis, reply } => {
                state.is_due = true;
                state.queue.push_back(StoreJob::Claim(mysis, reply));
            }
            StoreMsg::Drain(reply) => state.draining.push(reply),
            StoreMsg::Committed(results) => state.on_committed(&myself, results)?,
            StoreMsg::Claimed(result) => state.on_claimed(&myself, result),
            StoreMsg::MaintenanceDone | StoreMsg::TryAgain => state.under_way = None,
            StoreMsg::MaintenanceDue => {}
            StoreMsg::Gathered => state.is_due = true,
        }
        state.go_on(&myself);
        Ok(())
    }
}

impl StoreState {
    /// Starts the next job if none is in progress.
    fn go_on(&mut self, myself: &ActorRef<StoreMsg>) {
        self.ledger.waiting(self.queue.len());
        if self.under_way.is_some() || self.start_maintenance(myself) {
            return;
        }
        if self.gathers(myself) {
            return;
        }
        match self.queue.pop_front() {
            None => {
                for reply in self.draining.drain(..) {
                    // The caller may have stopped waiting.
                    let _ = reply.send(());
                }
            }
            Some(StoreJob::Claim(mysis, reply)) => self.begin_claim(myself, mysis, reply),
            Some(StoreJob::Write(batch, reply)) => {
                let mut group = vec![(batch, reply)];
                while group.len() < MAX_GROUP_BATCHES {
                    match self.queue.pop_front() {
                        Some(StoreJob::Write(batch, reply)) => group.push((batch, reply)),
                        Some(claim @ StoreJob::Claim(..)) => {
                            self.queue.push_front(claim);
                            break;
                        }
                        None => break,
                    }
                }
                self.begin_commit(myself, group);
            }
        }
        if self.queue.is_empty() {
            (self.is_due, self.gathering) = (false, None);
        }
    }

    /// Whether the writes in the queue wait for others to share a commit. They wait for a moment only,
    /// and not while the program closes.
    fn gathers(&mut self, myself: &ActorRef<StoreMsg>) -> bool {
        if self.is_due || self.queue.is_empty() || !self.draining.is_empty() {
            return false;
        }
        if self.gathering.is_none() {
            self.gathering = Some(set_timer(myself, GATHERING_TIME, || StoreMsg::Gathered));
        }
        true
    }

    /// Starts a step of maintenance if one is due. Two steps in a row are never done while a job
    /// waits, and none while the program closes.
    fn start_maintenance(&mut self, myself: &ActorRef<StoreMsg>) -> bool {
        let may = self.draining.is_empty() && (!self.did_maintenance || self.queue.is_empty());
        self.did_maintenance = false;
        let Some(step) = may.then(|| self.ledger.maintenance()).flatten() else {
            return false;
        };
        let step = std::panic::AssertUnwindSafe(step).catch_unwind();
        let store = myself.clone();
        let task = tokio::spawn(async move {
            // A step that fails becomes due again.
            let _ = step.await;
            let _ = store.cast(StoreMsg::MaintenanceDone);
        });
        self.under_way = Some((StoreTask::Maintenance, AbortOnDropHandle::new(task)));
        self.did_maintenance = true;
        true
    }

    fn begin_commit(
        &mut self,
        myself: &ActorRef<StoreMsg>,
        group: Vec<(Batch, RpcReplyPort<Result<(), LedgerFault>>)>,
    ) {
        let batches: Vec<Batch> = group.iter().map(|(batch, _)| batch.clone()).collect();
        let size = batches.len();
        let commit = std::panic::AssertUnwindSafe(self.ledger.commit(batches)).catch_unwind();
        let store = myself.clone();
        let task = tokio::spawn(async move {
            let results = commit.await.unwrap_or_else(|_| {
                let fault = LedgerFault::Unavailable("the ledger panicked".to_string());
                vec![Err(fault); size]
            });
            // If the Store is gone, its callers ask the next one.
            let _ = store.cast(StoreMsg::Committed(results));
        });
        self.under_way = Some((StoreTask::Commit(group), AbortOnDropHandle::new(task)));
    }

    fn begin_claim(
        &mut self,
        myself: &ActorRef<StoreMsg>,
        mysis: MysisId,
        reply: RpcReplyPort<Result<Option<GameAccount>, LedgerFault>>,
    ) {
        let claim = self.ledger.claim_account(mysis, self.clock.now());
        let claim = std::panic::AssertUnwindSafe(claim).catch_unwind();
        let store = myself.clone();
        let task = tokio::spawn(async move {
            let result = claim.await.unwrap_or_else(|_| {
                Err(LedgerFault::Unavailable("the ledger panicked".to_string()))
            });
            let _ = store.cast(StoreMsg::Claimed(result));
        });
        self.under_way = Some((StoreTask::Claim(mysis, reply), AbortOnDropHandle::new(task)));
    }

    /// Answers a group. Batches that could not be written go back to the head of the queue, in
    /// order.
    fn on_committed(
        &mut self,
        myself: &ActorRef<StoreMsg>,
        results: Vec<Result<(), LedgerFault>>,
    ) -> Result<(), ActorProcessingErr> {
        let Some((StoreTask::Commit(group), _)) = self.under_way.take() else {
            return Ok(());
        };
        if results.len() != group.len() {
            return Err("the ledger answered for another group than it was given".into());
        }
        let mut again = Vec::new();
        let mut trouble = None;
        for ((batch, reply), result) in group.into_iter().zip(results) {
            match result {
                Err(LedgerFault::Unavailable(why)) => {
                    trouble = Some(why);
                    again.push(StoreJob::Write(batch, reply));
                }
                // A caller that is gone restores itself from the store.
                answer => drop(reply.send(answer)),
            }
        }
        self.is_due |= !again.is_empty();
        for job in again.into_iter().rev() {
            self.queue.push_front(job);
        }
        self.note_trouble(myself, trouble);
        Ok(())
    }

    fn on_claimed(
        &mut self,
        myself: &ActorRef<StoreMsg>,
        result: Result<Option<GameAccount>, LedgerFault>,
    ) {
        let Some((StoreTask::Claim(mysis, reply), _)) = self.under_way.take() else {
            return;
        };
        match result {
            Err(LedgerFault::Unavailable(why)) => {
                self.queue.push_front(StoreJob::Claim(mysis, reply));
                self.note_trouble(myself, Some(why));
            }
            answer => {
                drop(reply.send(answer));
                self.note_trouble(myself, None);
            }
        }
    }

    /// Increases the wait after each failure, and reports when a failure begins and ends.
    fn note_trouble(&mut self, myself: &ActorRef<StoreMsg>, trouble: Option<String>) {
        match trouble {
            None if self.waits.is_none() => {}
            None => {
                self.waits = None;
                let (code, words) = StandingKind::StoreTrouble.end();
                self.emit_notice(Severity::Info, code, words);
            }
            Some(why) => {
                if self.waits.is_none() {
                    let text = format!("nothing can be stored{WAITING_FOR_STORE}: {why}");
                    let kind = StandingKind::StoreTrouble;
                    self.emit_notice(kind.severity(), kind.code(), &text);
                }
                let first = || Backoff::new(MIN_RETRY_WAIT, MAX_RETRY_WAIT);
                let wait = self.waits.get_or_insert_with(first).next_wait();
                let store = myself.clone();
                let task = tokio::spawn(async move {
                    tokio::time::sleep(wait).await;
                    let _ = store.cast(StoreMsg::TryAgain);
                });
                self.under_way = Some((StoreTask::Waiting, AbortOnDropHandle::new(task)));
            }
        }
    }

    fn emit_notice(&self, severity: Severity, code: &'static str, text: &str) {
        let at: Timestamp = self.clock.now();
        // If the Commander is gone, the whole program ends.
        let _ = self.parent.send_message(SwarmEvent {
            at,
            mysis: None,
            what: EventKind::Notice {
                severity,
                code,
                text: text.into(),
            },
        });
    }
}

//! The Store actor: the only writer. It commits in groups and answers after the commit.
//!
//! Receives: writes through [`StoreHandle`]. Sends: each writer its answer, and the Commander a
//! notice when the ledger fails and when it recovers. On failure: callers repeat unanswered writes
//! to the next Store; repeating a write changes nothing.

mod handle;

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::backoff::Backoff;
use crate::domain::ids::MysisId;
use crate::domain::record::GameAccount;
use crate::domain::standing::WAITING_FOR_STORE;
use crate::domain::write::Batch;
use crate::ports::{Clock, Ledger, LedgerFault};
use crate::telling::{TellParent, spawn_job};
use crate::timer::{Timer, set_timer};

pub use handle::{StoreHandle, Urgency};

const MAX_GROUP_BATCHES: usize = 512;

/// The longest time for which writes that can wait are gathered for one commit (decision 259).
const GATHERING_TIME: Duration = Duration::from_millis(50);

/// The waits between attempts while the ledger is unavailable.
const MIN_RETRY_WAIT: Duration = Duration::from_millis(50);
const MAX_RETRY_WAIT: Duration = Duration::from_secs(5);

type WriteReply = RpcReplyPort<Result<(), LedgerFault>>;
type ClaimReply = RpcReplyPort<Result<Option<GameAccount>, LedgerFault>>;

#[derive(Debug)]
pub enum StoreMsg {
    Write {
        batch: Batch,
        urgency: Urgency,
        /// Gets the answer after the commit.
        reply: WriteReply,
    },
    ClaimAccount {
        mysis: MysisId,
        /// Gets the account once the claim is durable.
        reply: ClaimReply,
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
    /// Hears why the ledger takes no writes, and `None` once it does again.
    pub parent: TellParent<Option<Arc<str>>>,
}

pub struct StoreState {
    myself: ActorRef<StoreMsg>,
    /// Triggers maintenance that is due by time.
    _upkeep: Option<AbortOnDropHandle<()>>,
    args: StoreArgs,
    queue: VecDeque<StoreJob>,
    under_way: Option<(StoreTask, AbortOnDropHandle<()>)>,
    /// Whether a job in the queue is not to wait any longer.
    is_due: bool,
    /// Ends the wait of the writes in the queue, if all of them can wait.
    gathering: Option<Timer<StoreMsg>>,
    /// `None` while the ledger works.
    trouble: Option<StoreTrouble>,
    draining: Vec<RpcReplyPort<()>>,
    /// Whether the last job was maintenance. Waiting writes come before the next step.
    did_maintenance: bool,
}

/// Why the ledger takes no writes, as it said last, and the waits before further attempts.
struct StoreTrouble {
    why: String,
    waits: Backoff,
}

enum StoreJob {
    Write(Batch, WriteReply),
    Claim(MysisId, ClaimReply),
}

enum StoreTask {
    Commit(Vec<(Batch, WriteReply)>),
    Claim(MysisId, ClaimReply),
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
            myself,
            _upkeep: upkeep,
            args,
            queue: VecDeque::new(),
            under_way: None,
            is_due: false,
            gathering: None,
            trouble: None,
            draining: Vec::new(),
            did_maintenance: false,
        })
    }

    async fn handle(
        &self,
        _myself: ActorRef<StoreMsg>,
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
            StoreMsg::Committed(results) => state.on_committed(results)?,
            StoreMsg::Claimed(result) => state.on_claimed(result),
            StoreMsg::MaintenanceDone | StoreMsg::TryAgain => state.under_way = None,
            StoreMsg::MaintenanceDue => {}
            StoreMsg::Gathered => state.is_due = true,
        }
        state.go_on();
        Ok(())
    }
}

impl StoreState {
    /// Starts the next job if none is in progress.
    fn go_on(&mut self) {
        self.args.ledger.waiting(self.queue.len());
        if self.under_way.is_some() || self.start_maintenance() {
            return;
        }
        if self.gathers() {
            return;
        }
        match self.queue.pop_front() {
            None => {
                for reply in self.draining.drain(..) {
                    // The caller may have stopped waiting.
                    let _ = reply.send(());
                }
            }
            Some(StoreJob::Claim(mysis, reply)) => self.begin_claim(mysis, reply),
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
                self.begin_commit(group);
            }
        }
        if self.queue.is_empty() {
            (self.is_due, self.gathering) = (false, None);
        }
    }

    /// Whether the writes in the queue wait for others to share a commit. They wait for a moment only,
    /// and not while the program closes.
    fn gathers(&mut self) -> bool {
        if self.is_due || self.queue.is_empty() || !self.draining.is_empty() {
            return false;
        }
        if self.gathering.is_none() {
            self.gathering = Some(set_timer(&self.myself, GATHERING_TIME, || {
                StoreMsg::Gathered
            }));
        }
        true
    }

    /// Starts a step of maintenance if one is due. Two steps in a row are never done while a job
    /// waits, and none while the program closes.
    fn start_maintenance(&mut self) -> bool {
        let may = self.draining.is_empty() && (!self.did_maintenance || self.queue.is_empty());
        self.did_maintenance = false;
        let Some(step) = may.then(|| self.args.ledger.maintenance()).flatten() else {
            return false;
        };
        let step = AssertUnwindSafe(step).catch_unwind();
        // A step that fails becomes due again.
        let step = spawn_job(&self.myself, step.map(|_| StoreMsg::MaintenanceDone));
        self.under_way = Some((StoreTask::Maintenance, step));
        self.did_maintenance = true;
        true
    }

    fn begin_commit(&mut self, group: Vec<(Batch, WriteReply)>) {
        let batches: Vec<Batch> = group.iter().map(|(batch, _)| batch.clone()).collect();
        let size = batches.len();
        let commit = AssertUnwindSafe(self.args.ledger.commit(batches)).catch_unwind();
        let commit = spawn_job(&self.myself, async move {
            let results = commit.await;
            StoreMsg::Committed(results.unwrap_or_else(|_| vec![Err(ledger_panicked()); size]))
        });
        self.under_way = Some((StoreTask::Commit(group), commit));
    }

    fn begin_claim(&mut self, mysis: MysisId, reply: ClaimReply) {
        let claim = self.args.ledger.claim_account(mysis, self.args.clock.now());
        let claim = AssertUnwindSafe(claim).catch_unwind();
        let claim = spawn_job(&self.myself, async move {
            StoreMsg::Claimed(claim.await.unwrap_or_else(|_| Err(ledger_panicked())))
        });
        self.under_way = Some((StoreTask::Claim(mysis, reply), claim));
    }

    /// Answers a group. Batches that could not be written go back to the head of the queue, in
    /// order.
    fn on_committed(
        &mut self,
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
        self.note_trouble(trouble);
        Ok(())
    }

    fn on_claimed(&mut self, result: Result<Option<GameAccount>, LedgerFault>) {
        let Some((StoreTask::Claim(mysis, reply), _)) = self.under_way.take() else {
            return;
        };
        match result {
            Err(LedgerFault::Unavailable(why)) => {
                self.queue.push_front(StoreJob::Claim(mysis, reply));
                self.note_trouble(Some(why));
            }
            answer => {
                drop(reply.send(answer));
                self.note_trouble(None);
            }
        }
    }

    /// Increases the wait after each failure, and reports when a failure begins, when its reason changes,
    /// and when it ends.
    fn note_trouble(&mut self, trouble: Option<String>) {
        let Some(why) = trouble else {
            if self.trouble.take().is_some() {
                (self.args.parent)(None);
            }
            return;
        };
        if self.trouble.as_ref().is_none_or(|known| known.why != why) {
            let text = format!("nothing can be stored{WAITING_FOR_STORE}: {why}");
            (self.args.parent)(Some(text.into()));
        }
        let waits = self.trouble.take().map(|known| known.waits);
        let mut waits = waits.unwrap_or_else(|| Backoff::new(MIN_RETRY_WAIT, MAX_RETRY_WAIT));
        let wait = tokio::time::sleep(waits.next_wait()).map(|()| StoreMsg::TryAgain);
        self.under_way = Some((StoreTask::Waiting, spawn_job(&self.myself, wait)));
        self.trouble = Some(StoreTrouble { why, waits });
    }
}

fn ledger_panicked() -> LedgerFault {
    LedgerFault::Unavailable("the ledger panicked".to_string())
}

//! The gate actor: admits requests to model servers, and logins, at the pace of each lane.
//!
//! Receives: tasks of Myses that ask for admission, end a call, report its cost, or were told to
//! wait. Sends: each task its permit or a refusal; the Commander the state of the budget and the
//! servers that are away. On failure: waiting tasks are refused and ask the next gate, which
//! restores the books and the servers that are away. It does not know the calls in progress, so a
//! lane may exceed its limits for the time of one request.

pub(crate) mod event_text;
mod handle;
mod published;
mod sharing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use crate::domain::books::CostEntry;
use crate::domain::budget::{BudgetRules, BudgetStatus};
use crate::domain::event::{EventKind, SwarmCondition, SwarmEvent};
use crate::domain::gate::circuit::CallOutcome;
use crate::domain::gate::{AdmissionGate, AdmissionRequest, GateRules, GateVerdict};
use crate::domain::ids::{Lane, MysisId, Now, PermitId, Timestamp};
use crate::domain::model::{Charge, OthersGet};
use crate::domain::outages::ServerOutages;
use crate::freeze::FreezeSwitch;
use crate::ports::{ArchiveFault, Clock, LimitNews, SharedLimits};
use crate::shared::HeldBack;
use crate::telling::TellParent;
use crate::timer::{Timer, set_timer};

use event_text::describe_event;
pub use handle::GateHandle;
use published::PublishedOutages;
use sharing::LimitSharing;

#[derive(Debug)]
pub enum GateMsg {
    Admit {
        request: AdmissionRequest,
        /// Gets the permit, or the reason for a refusal.
        reply: RpcReplyPort<Admission>,
    },
    Leave {
        lane: Lane,
        pass: PermitId,
        outcome: CallOutcome,
    },
    /// The server of a call sends its answer, which is not complete yet.
    Answers {
        lane: Lane,
        pass: PermitId,
    },
    /// The outcome of a call that needed no admission.
    Called {
        lane: Lane,
        mysis: MysisId,
        outcome: CallOutcome,
    },
    /// The cost of a model call.
    Paid {
        mysis: MysisId,
        bill: Charge,
    },
    /// What do the other conversations of a provider get?
    Others {
        lane: Lane,
        mysis: MysisId,
        reply: RpcReplyPort<OthersGet>,
    },
    /// A server asks for a pause.
    Hold {
        lane: Lane,
        why: Arc<str>,
        wait: Duration,
    },
    RulesChanged(GateRules),
    /// The caps alone, which say nothing of servers that are away.
    BudgetChanged(BudgetRules),
    Books(Vec<CostEntry>),
    /// Since when servers were away as the program ended.
    AwayBefore(Vec<(Lane, Timestamp)>),
    /// Lets servers that are away be tried at once.
    TryAtOnce,
    /// A waiting request may be admissible now: its time has come, or the swarm was thawed.
    Opened,
    RenewalDue,
    Renewed(Result<LimitNews, ArchiveFault>),
}

#[derive(Debug)]
pub enum Admission {
    Admitted(Permit),
    /// The server is away, and the request does not wait for it.
    Away {
        why: Arc<str>,
    },
    /// Not before a certain time.
    Denied {
        why: Arc<str>,
        until: Timestamp,
    },
}

/// The permission for one call. Dropping it ends the call.
#[derive(Debug)]
pub struct Permit {
    pub lane: Lane,
    /// A message for its holder, if there is one.
    pub notice: Option<Arc<str>>,
    pub outcome: CallOutcome,
    pub is_trial: bool,
    /// The spent share of the payer's budget or the swarm's, in percent.
    pub spent_percent: Option<u64>,
    id: PermitId,
    gate: ActorRef<GateMsg>,
}

impl Permit {
    /// Reports that the server has begun to answer.
    pub fn report_sign_of_life(&self) {
        // If the gate is gone, its successor admits another trial call.
        let _ = self.gate.cast(GateMsg::Answers {
            lane: self.lane.clone(),
            pass: self.id,
        });
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        // A gate that is gone has forgotten the permit.
        let _ = self.gate.cast(GateMsg::Leave {
            lane: self.lane.clone(),
            pass: self.id,
            outcome: std::mem::take(&mut self.outcome),
        });
    }
}

const MIN_ALARM_WAIT: Duration = Duration::from_millis(1);

pub struct GateActor;

pub struct GateArgs {
    pub clock: Arc<dyn Clock>,
    pub rules: GateRules,
    pub books: Vec<CostEntry>,
    /// The servers that the gate before had reported as away.
    pub outages: Arc<ServerOutages>,
    /// Whether the swarm is frozen. A thaw is reported by [`GateMsg::Opened`].
    pub freeze: FreezeSwitch,
    /// What this process has of limits that hold for several; `None` where they are its own.
    pub shared: Option<Arc<dyn SharedLimits>>,
    /// The texts that are held back, and the trials of refusals.
    pub held: HeldBack,
    pub parent: TellParent<SwarmEvent>,
}

pub struct GateState {
    myself: ActorRef<GateMsg>,
    clock: Arc<dyn Clock>,
    gate: AdmissionGate,
    freeze: FreezeSwitch,
    waiting: BTreeMap<PermitId, RpcReplyPort<Admission>>,
    passes: u64,
    /// The number of passes when those who gave up were last looked for.
    swept_at: u64,
    alarm: Option<Timer<GateMsg>>,
    parent: TellParent<SwarmEvent>,
    sent_spending: BudgetStatus,
    published: PublishedOutages,
    sharing: Option<LimitSharing>,
}

impl Actor for GateActor {
    type Msg = GateMsg;
    type State = GateState;
    type Arguments = GateArgs;

    async fn pre_start(
        &self,
        myself: ActorRef<GateMsg>,
        args: GateArgs,
    ) -> Result<GateState, ActorProcessingErr> {
        let mut gate = AdmissionGate::default();
        gate.set_rules(args.rules);
        gate.restore_spending(&args.books, args.clock.now());
        gate.restore_outages(&args.outages, args.clock.both_clocks());
        if args.shared.is_some() {
            gate.share_limits();
        }
        let sharing = args
            .shared
            .map(|limits| LimitSharing::begin(&myself, limits, args.held));
        let mut state = GateState {
            myself,
            clock: args.clock,
            gate,
            freeze: args.freeze,
            waiting: BTreeMap::new(),
            passes: 0,
            swept_at: 0,
            alarm: None,
            parent: args.parent,
            sent_spending: BudgetStatus::default(),
            published: PublishedOutages::default(),
            sharing,
        };
        state.emit_spending(state.clock.now());
        Ok(state)
    }

    async fn handle(
        &self,
        _myself: ActorRef<GateMsg>,
        message: GateMsg,
        state: &mut GateState,
    ) -> Result<(), ActorProcessingErr> {
        let now = state.clock.both_clocks();
        state.gate.set_frozen(state.freeze.frozen_since().is_some());
        match message {
            GateMsg::Admit { request, reply } => state.queue_request(request, reply, now),
            GateMsg::Leave {
                lane,
                pass,
                outcome,
            } => state.gate.release_permit(&lane, pass, &outcome, now.moment),
            GateMsg::Answers { lane, pass } => state.gate.on_sign_of_life(&lane, pass),
            GateMsg::Called {
                lane,
                mysis,
                outcome,
            } => state.gate.note_outcome(&lane, mysis, &outcome, now.moment),
            GateMsg::Paid { mysis, bill } => state.gate.add_charge(mysis, &bill, now),
            GateMsg::Others { lane, mysis, reply } => {
                // Who asked may be gone.
                let _ = reply.send(state.gate.others_get(&lane, mysis, now.moment));
            }
            GateMsg::Hold { lane, why, wait } => {
                let until = now.moment.plus(wait);
                state.gate.hold_lane(lane, why, until, now.moment);
            }
            GateMsg::RulesChanged(rules) => state.gate.set_rules(rules),
            GateMsg::BudgetChanged(budget) => state.gate.set_budget(budget),
            GateMsg::Books(books) => state.gate.restore_spending(&books, now.wall),
            GateMsg::AwayBefore(away) => state.gate.note_away_before(&away, now),
            GateMsg::TryAtOnce => state.gate.try_at_once(now.moment),
            GateMsg::Opened => {}
            GateMsg::RenewalDue => state.begin_renewal(now),
            GateMsg::Renewed(result) => state.on_renewed(result, now),
        }
        state.let_in(now);
        state.emit_news(now);
        state.emit_spending(now.wall);
        state.publish_outages(now);
        Ok(())
    }
}

impl GateState {
    fn queue_request(
        &mut self,
        request: AdmissionRequest,
        reply: RpcReplyPort<Admission>,
        now: Now,
    ) {
        self.passes += 1;
        let id = PermitId(self.passes);
        self.gate.queue_request(id, request, now.moment);
        self.waiting.insert(id, reply);
    }

    fn let_in(&mut self, now: Now) {
        self.forget_those_who_gave_up();
        let waiting = &mut self.waiting;
        let still_waits = |id| {
            let waits = waiting.get(&id).is_some_and(|reply| !reply.is_closed());
            if !waits {
                waiting.remove(&id);
            }
            waits
        };
        for (id, verdict) in self.gate.decide_requests(now, still_waits) {
            let Some(reply) = self.waiting.remove(&id) else {
                continue;
            };
            let admission = match verdict {
                GateVerdict::Admitted {
                    lane,
                    notice,
                    is_trial,
                    spent_percent,
                } => Admission::Admitted(Permit {
                    lane,
                    notice,
                    is_trial,
                    spent_percent,
                    outcome: CallOutcome::Dropped,
                    id,
                    gate: self.myself.clone(),
                }),
                GateVerdict::Away { why } => Admission::Away { why },
                GateVerdict::Denied { why, until } => Admission::Denied { why, until },
            };
            // If the task has given up meanwhile, the permit is dropped and the call ends.
            let _ = reply.send(admission);
        }
        self.set_alarm(now);
    }

    /// Who gave up is passed over when its turn comes. Until then it takes room, so it is looked for
    /// once as many have come as wait: that costs each of them the same, however many wait.
    fn forget_those_who_gave_up(&mut self) {
        if self.passes - self.swept_at < self.waiting.len() as u64 {
            return;
        }
        self.swept_at = self.passes;
        self.waiting.retain(|_, reply| !reply.is_closed());
        let waiting = &self.waiting;
        self.gate.keep_requests(|id| waiting.contains_key(&id));
    }

    fn set_alarm(&mut self, now: Now) {
        self.alarm = self.gate.wakes_at().map(|at| {
            let wait = at.since(now.moment).max(MIN_ALARM_WAIT);
            set_timer(&self.myself, wait, || GateMsg::Opened)
        });
    }

    fn emit_event(&self, at: Timestamp, what: EventKind) {
        (self.parent)(SwarmEvent::of_swarm(at, what));
    }

    fn emit_spending(&mut self, now: Timestamp) {
        let spending = self.gate.budget_status();
        if spending != self.sent_spending {
            self.sent_spending = spending.clone();
            self.emit_event(
                now,
                EventKind::Condition(SwarmCondition::Budget(Arc::new(spending))),
            );
        }
    }

    fn emit_news(&mut self, now: Now) {
        for news in self.gate.take_news() {
            let (severity, code, text) = describe_event(&news);
            tracing::warn!(code, %text, "gate");
            let notice = EventKind::notice(severity, code, text);
            self.emit_event(self.began(&news, now), notice);
        }
    }
}

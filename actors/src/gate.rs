//! The Gate actor: lets those who want to ask the outside in, one lane at a time's pace.
//!
//! Hears: tasks of Myses that want in, are done, what it cost, or were told to hold off. Tells:
//! each its pass, or that it is out of budget; the Commander how the budget stands, and when a
//! provider is left alone. Fails: those who wait are refused and ask the gate that follows, which
//! takes up the books and who is away; who is in flight stays so unknown to it, so that for one request's time a
//! lane may be fuller than its rules.

mod event_text;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, DerivedActorRef, RpcReplyPort};
use tokio::sync::watch;

use crate::domain::books::CostEntry;
use crate::domain::budget::BudgetStatus;
use crate::domain::event::{EventKind, SwarmEvent};
use crate::domain::gate::circuit::{CallOutcome, Outage};
use crate::domain::gate::{AdmissionGate, AdmissionRequest, GateRules, GateVerdict};
use crate::domain::ids::{Lane, MysisId, Now, PermitId, Timestamp};
use crate::domain::model::Charge;
use crate::domain::outages::{ServerOutage, ServerOutages};
use crate::ports::Clock;
use crate::timer::{Timer, set_timer};

use event_text::describe_event;

/// What the gate is told.
#[derive(Debug)]
pub enum GateMsg {
    /// Somebody wants in.
    Admit {
        /// Who.
        asker: AdmissionRequest,
        /// Gets the pass, or learns that there is none.
        reply: RpcReplyPort<Admission>,
    },
    /// Somebody is done.
    Leave {
        /// Where.
        lane: Lane,
        /// Who.
        pass: PermitId,
        /// How it went.
        outcome: CallOutcome,
    },
    /// The server that somebody was let in to answers, though not yet to the end.
    Answers {
        /// Where.
        lane: Lane,
        /// Who.
        pass: PermitId,
    },
    /// A model call cost this.
    Paid {
        /// Who asked.
        mysis: MysisId,
        /// What it cost.
        bill: Charge,
    },
    /// The outside asks to be left alone.
    Hold {
        /// Where.
        lane: Lane,
        /// For how long.
        wait: Duration,
    },
    /// What everybody is let in by changed.
    RulesChanged(GateRules),
    /// What the books say of today.
    Books(Vec<CostEntry>),
    /// Somebody may come in now.
    Opened,
}

/// What becomes of one who wants in.
#[derive(Debug)]
pub enum Admission {
    /// It may.
    Admitted(Permit),
    /// The server is away, and who asks does not wait for it.
    Away {
        /// What happened last.
        why: Arc<str>,
    },
    /// Not before a moment.
    Denied {
        /// Why.
        why: Arc<str>,
        /// Until when.
        until: Timestamp,
    },
}

/// The right to ask the outside; it ends when this is dropped.
#[derive(Debug)]
pub struct Permit {
    /// Where it leads.
    pub lane: Lane,
    /// What its holder should be told, where there is something.
    pub told: Option<Arc<str>>,
    /// How it went, as far as it is known.
    pub outcome: CallOutcome,
    /// Whether its holder is the first to try a server that is away.
    pub is_trial: bool,
    id: PermitId,
    gate: ActorRef<GateMsg>,
}

impl Permit {
    /// Passes on that the server answers, before the call is over.
    pub fn report_sign_of_life(&self) {
        // The gate that follows one that is gone lets somebody else try it.
        let _ = self.gate.cast(GateMsg::Answers {
            lane: self.lane.clone(),
            pass: self.id,
        });
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        // A gate that is gone has forgotten the pass.
        let _ = self.gate.cast(GateMsg::Leave {
            lane: self.lane.clone(),
            pass: self.id,
            outcome: std::mem::take(&mut self.outcome),
        });
    }
}

/// The gate that is alive now; survives its replacement.
#[derive(Clone, Debug)]
pub struct GateHandle(pub watch::Receiver<ActorRef<GateMsg>>);

impl GateHandle {
    /// Waits for the gate's word; `None` once the program is closing.
    pub async fn request_admission(&self, asker: AdmissionRequest) -> Option<Admission> {
        let mut gates = self.0.clone();
        loop {
            let gate = gates.borrow_and_update().clone();
            let asked = gate
                .call(
                    |reply| GateMsg::Admit {
                        asker: asker.clone(),
                        reply,
                    },
                    None,
                )
                .await;
            if let Ok(ractor::rpc::CallResult::Success(admission)) = asked {
                return Some(admission);
            }
            gates.changed().await.ok()?;
        }
    }

    /// Waits to be let into a lane that nobody pays for; where the server is away, only who
    /// `waits_out` waits for that. `None` once the program is closing.
    pub async fn enter_lane(
        &self,
        lane: Lane,
        waits_out: bool,
    ) -> Option<Result<Permit, Arc<str>>> {
        let asker = AdmissionRequest {
            routes: vec![lane],
            payer: None,
            is_urgent: false,
            tokens: 0,
            waits_out,
        };
        match self.request_admission(asker).await? {
            Admission::Admitted(pass) => Some(Ok(pass)),
            // Only who pays can be out of budget.
            Admission::Denied { why, .. } | Admission::Away { why } => Some(Err(why)),
        }
    }

    /// Passes on what a model call cost.
    pub fn report_charge(&self, mysis: MysisId, bill: Charge) {
        // A gate that is gone is followed by one that reads the books.
        let _ = self.0.borrow().cast(GateMsg::Paid { mysis, bill });
    }

    /// Passes on that the outside asks to be left alone.
    pub fn hold_lane(&self, lane: Lane, wait: Duration) {
        // A gate that is gone lets nobody in either.
        let _ = self.0.borrow().cast(GateMsg::Hold { lane, wait });
    }
}

/// An alarm takes this long at least.
const MIN_ALARM_WAIT: Duration = Duration::from_millis(1);

/// The actor.
pub struct GateActor;

/// What it is started with.
pub struct GateArgs {
    /// The clocks.
    pub clock: Arc<dyn Clock>,
    /// What everybody is let in by.
    pub rules: GateRules,
    /// What the books say of today.
    pub books: Vec<CostEntry>,
    /// Which servers are away, as the gate before it told.
    pub weather: Arc<ServerOutages>,
    /// Who hears how the budget and the providers stand.
    pub parent: DerivedActorRef<SwarmEvent>,
}

/// What it keeps.
pub struct GateState {
    clock: Arc<dyn Clock>,
    gate: AdmissionGate,
    waiting: BTreeMap<PermitId, RpcReplyPort<Admission>>,
    passes: u64,
    alarm: Option<Timer<GateMsg>>,
    parent: DerivedActorRef<SwarmEvent>,
    told: BudgetStatus,
    /// The servers that were told to be away.
    told_away: Vec<(Lane, Outage)>,
}

impl Actor for GateActor {
    type Msg = GateMsg;
    type State = GateState;
    type Arguments = GateArgs;

    async fn pre_start(
        &self,
        _myself: ActorRef<GateMsg>,
        args: GateArgs,
    ) -> Result<GateState, ActorProcessingErr> {
        let mut gate = AdmissionGate::default();
        gate.set_rules(args.rules);
        gate.restore_spending(&args.books, args.clock.now());
        gate.recall_weather(&args.weather, args.clock.both_clocks());
        let mut state = GateState {
            clock: args.clock,
            gate,
            waiting: BTreeMap::new(),
            passes: 0,
            alarm: None,
            parent: args.parent,
            told: BudgetStatus::default(),
            told_away: Vec::new(),
        };
        state.tell_spending(state.clock.now());
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<GateMsg>,
        message: GateMsg,
        state: &mut GateState,
    ) -> Result<(), ActorProcessingErr> {
        let now = state.clock.both_clocks();
        match message {
            GateMsg::Admit { asker, reply } => state.queue_request(asker, reply, now),
            GateMsg::Leave {
                lane,
                pass,
                outcome,
            } => state.gate.release_permit(&lane, pass, &outcome, now.moment),
            GateMsg::Answers { lane, pass } => state.gate.on_sign_of_life(&lane, pass),
            GateMsg::Paid { mysis, bill } => state.gate.add_charge(mysis, &bill, now.wall),
            GateMsg::Hold { lane, wait } => state.gate.hold_lane(lane, now.moment.plus(wait)),
            GateMsg::RulesChanged(rules) => state.gate.set_rules(rules),
            GateMsg::Books(books) => state.gate.restore_spending(&books, now.wall),
            GateMsg::Opened => {}
        }
        state.let_in(&myself, now);
        state.tell_news(now);
        state.tell_spending(now.wall);
        state.tell_weather(now);
        Ok(())
    }
}

impl GateState {
    fn queue_request(&mut self, asker: AdmissionRequest, reply: RpcReplyPort<Admission>, now: Now) {
        self.passes += 1;
        let id = PermitId(self.passes);
        self.gate.queue_request(id, asker, now.moment);
        self.waiting.insert(id, reply);
    }

    fn let_in(&mut self, myself: &ActorRef<GateMsg>, now: Now) {
        self.forget_those_who_gave_up();
        for (id, verdict) in self.gate.decide_requests(now) {
            let Some(reply) = self.waiting.remove(&id) else {
                continue;
            };
            let admission = match verdict {
                GateVerdict::Admitted {
                    lane,
                    told,
                    is_trial,
                } => Admission::Admitted(Permit {
                    lane,
                    told,
                    is_trial,
                    outcome: CallOutcome::Dropped,
                    id,
                    gate: myself.clone(),
                }),
                GateVerdict::Away { why } => Admission::Away { why },
                GateVerdict::Denied { why, until } => Admission::Denied { why, until },
            };
            // One who gave up meanwhile drops the pass, and with it leaves.
            let _ = reply.send(admission);
        }
        self.set_alarm(myself, now);
    }

    fn forget_those_who_gave_up(&mut self) {
        let gate = &mut self.gate;
        self.waiting.retain(|id, reply| {
            let gave_up = reply.is_closed();
            if gave_up {
                gate.give_up(*id);
            }
            !gave_up
        });
    }

    fn set_alarm(&mut self, myself: &ActorRef<GateMsg>, now: Now) {
        self.alarm = self.gate.wakes_at().map(|at| {
            let wait = at.since(now.moment).max(MIN_ALARM_WAIT);
            set_timer(myself, wait, || GateMsg::Opened)
        });
    }

    fn tell_event(&self, at: Timestamp, what: EventKind) {
        // A Commander that is gone takes the whole program with it.
        let _ = self.parent.send_message(SwarmEvent {
            at,
            mysis: None,
            what,
        });
    }

    fn tell_spending(&mut self, now: Timestamp) {
        let spending = self.gate.budget_status();
        if spending != self.told {
            self.told = spending.clone();
            self.tell_event(now, EventKind::BudgetChanged(Arc::new(spending)));
        }
    }

    /// Tells which servers are away, where anything about that changed.
    fn tell_weather(&mut self, now: Now) {
        let absences = self.gate.outages();
        if absences.eq(self.told_away.iter().map(|(lane, absence)| (lane, absence))) {
            return;
        }
        let absences = self.gate.outages();
        self.told_away = absences
            .map(|(lane, absence)| (lane.clone(), absence.clone()))
            .collect();
        let away = self.told_away.iter().map(|(lane, absence)| ServerOutage {
            lane: lane.clone(),
            text: absence.text.clone(),
            since: now.wall_at(absence.since),
            next_try: now.wall_at(absence.next_try),
        });
        let weather = Arc::new(ServerOutages(away.collect()));
        self.tell_event(now.wall, EventKind::OutagesChanged(weather));
    }

    fn tell_news(&mut self, now: Now) {
        for news in self.gate.take_news() {
            let (severity, code, text) = describe_event(&news);
            tracing::warn!(code, %text, "gate");
            let text = text.into();
            self.tell_event(
                now.wall,
                EventKind::Notice {
                    severity,
                    code,
                    text,
                },
            );
        }
    }
}

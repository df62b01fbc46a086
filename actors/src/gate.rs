//! The Gate actor: lets those who want to ask the outside in, one lane at a time's pace.
//!
//! Hears: tasks of Myses that want in, are done, or were told to hold off. Tells: each its pass.
//! Fails: those who wait are refused and ask the gate that follows; who is in flight stays so
//! unknown to it, so that for one request's time a lane may be fuller than its rules.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::gate::{Gate, Lane, LaneRules, PassId};
use crate::domain::ids::Timestamp;
use crate::ports::Clock;

/// What the gate is told.
#[derive(Debug)]
pub enum GateMsg {
    /// Somebody wants in.
    Admit {
        /// Where.
        lane: Lane,
        /// Whether an operator's direct message waits for it.
        is_urgent: bool,
        /// Gets the pass.
        reply: RpcReplyPort<Pass>,
    },
    /// Somebody is done.
    Leave {
        /// Where.
        lane: Lane,
        /// Who.
        pass: PassId,
    },
    /// The outside asks to be left alone.
    Hold {
        /// Where.
        lane: Lane,
        /// For how long.
        wait: Duration,
    },
    /// What the lanes allow changed.
    RulesChanged(BTreeMap<Lane, LaneRules>),
    /// Somebody may come in now.
    Opened,
}

/// The right to ask the outside; it ends when this is dropped.
#[derive(Debug)]
pub struct Pass {
    id: PassId,
    lane: Lane,
    gate: ActorRef<GateMsg>,
}

impl Drop for Pass {
    fn drop(&mut self) {
        // A gate that is gone has forgotten the pass.
        let _ = self.gate.cast(GateMsg::Leave {
            lane: self.lane.clone(),
            pass: self.id,
        });
    }
}

/// The gate that is alive now; survives its replacement.
#[derive(Clone, Debug)]
pub struct GateHandle(pub watch::Receiver<ActorRef<GateMsg>>);

impl GateHandle {
    /// Waits to be let in; `None` once the program is closing.
    pub async fn admit(&self, lane: Lane, is_urgent: bool) -> Option<Pass> {
        let mut gates = self.0.clone();
        loop {
            let gate = gates.borrow_and_update().clone();
            let asked = gate
                .call(
                    |reply| GateMsg::Admit {
                        lane: lane.clone(),
                        is_urgent,
                        reply,
                    },
                    None,
                )
                .await;
            if let Ok(ractor::rpc::CallResult::Success(pass)) = asked {
                return Some(pass);
            }
            gates.changed().await.ok()?;
        }
    }

    /// Passes on that the outside asks to be left alone.
    pub fn hold(&self, lane: Lane, wait: Duration) {
        // A gate that is gone lets nobody in either.
        let _ = self.0.borrow().cast(GateMsg::Hold { lane, wait });
    }
}

/// The actor.
pub struct GateActor;

/// What it is started with.
pub struct GateArgs {
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// What the lanes allow.
    pub rules: BTreeMap<Lane, LaneRules>,
}

/// What it keeps.
pub struct GateState {
    clock: Arc<dyn Clock>,
    gate: Gate,
    waiting: BTreeMap<PassId, (Lane, RpcReplyPort<Pass>)>,
    passes: u64,
    alarm: Option<AbortOnDropHandle<()>>,
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
        let mut gate = Gate::default();
        gate.set_rules(args.rules);
        Ok(GateState {
            clock: args.clock,
            gate,
            waiting: BTreeMap::new(),
            passes: 0,
            alarm: None,
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<GateMsg>,
        message: GateMsg,
        state: &mut GateState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            GateMsg::Admit {
                lane,
                is_urgent,
                reply,
            } => state.queue(lane, is_urgent, reply),
            GateMsg::Leave { lane, pass } => state.gate.leave(&lane, pass),
            GateMsg::Hold { lane, wait } => {
                let until = state.clock.now().plus(wait);
                state.gate.hold(lane, until);
            }
            GateMsg::RulesChanged(rules) => state.gate.set_rules(rules),
            GateMsg::Opened => {}
        }
        state.let_in(&myself);
        Ok(())
    }
}

impl GateState {
    fn queue(&mut self, lane: Lane, is_urgent: bool, reply: RpcReplyPort<Pass>) {
        self.passes += 1;
        let id = PassId(self.passes);
        self.gate.queue(lane.clone(), id, is_urgent);
        self.waiting.insert(id, (lane, reply));
    }

    fn let_in(&mut self, myself: &ActorRef<GateMsg>) {
        let now = self.clock.now();
        self.forget_those_who_gave_up();
        for id in self.gate.admit(now) {
            let Some((lane, reply)) = self.waiting.remove(&id) else {
                continue;
            };
            let gate = myself.clone();
            // One who gave up meanwhile drops the pass, and with it leaves.
            let _ = reply.send(Pass { id, lane, gate });
        }
        self.wake(myself, now);
    }

    fn forget_those_who_gave_up(&mut self) {
        let gate = &mut self.gate;
        self.waiting.retain(|id, (lane, reply)| {
            let gave_up = reply.is_closed();
            if gave_up {
                gate.leave(lane, *id);
            }
            !gave_up
        });
    }

    fn wake(&mut self, myself: &ActorRef<GateMsg>, now: Timestamp) {
        self.alarm = self.gate.wakes_at(now).map(|at| {
            let gate = myself.clone();
            let wait = Duration::from_millis(at.since(now).max(1));
            AbortOnDropHandle::new(tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                let _ = gate.cast(GateMsg::Opened);
            }))
        });
    }
}

//! Children: starts the Store and the gate and replaces them when they die.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use crate::address::AddressHolder;
use crate::domain::backoff::Backoff;
use crate::domain::books::{CostEntry, Day};
use crate::domain::gate::circuit::CircuitRules;
use crate::domain::gate::{GateRules, LaneRules};
use crate::domain::ids::{Incarnation, Lane, MysisId};
use crate::domain::message::Severity;
use crate::domain::outages::ServerOutages;
use crate::domain::rules::SwarmRules;
use crate::domain::standing::StandingKind;
use crate::freeze::FreezeSwitch;
use crate::gate::{GateActor, GateArgs, GateHandle, GateMsg};
use crate::ports::{Clock, Ledger, SharedLimits};
use crate::session::MAX_ATTEMPTS;
use crate::shared::HeldBack;
use crate::store::{StoreActor, StoreArgs, StoreHandle, StoreMsg};

use super::{Adapters, CommanderMsg, CommanderState, tell_commander};

/// The waits between attempts to read the books for a gate.
const MIN_RETRY_WAIT: Duration = Duration::from_millis(100);
const MAX_RETRY_WAIT: Duration = Duration::from_secs(5);

/// The current Store and gate. Their handles follow a replacement.
pub(super) struct ServiceActors {
    store: AddressHolder<StoreMsg>,
    gate: AddressHolder<GateMsg>,
    parts: ServiceParts,
}

/// What every Store and every gate works with.
struct ServiceParts {
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    freeze: FreezeSwitch,
    shared: Option<Arc<dyn SharedLimits>>,
    held: HeldBack,
}

impl ServiceActors {
    pub(super) async fn start(
        myself: &ActorRef<CommanderMsg>,
        outside: &Adapters,
        rules: &SwarmRules,
        books: Vec<CostEntry>,
        held: HeldBack,
    ) -> Result<ServiceActors, ActorProcessingErr> {
        let parts = ServiceParts {
            ledger: outside.ledger.clone(),
            clock: outside.clock.clone(),
            freeze: outside.freeze.clone(),
            shared: outside.shared_limits.clone(),
            held,
        };
        let store = spawn_store(myself, &parts).await?;
        let gate = spawn_gate(myself, &parts, rules, (books, Arc::default())).await?;
        Ok(ServiceActors {
            store: AddressHolder::new(store),
            gate: AddressHolder::new(gate),
            parts,
        })
    }

    /// Refuses what lives of a Mysis before this one write.
    pub(super) fn shut_out(&self, mysis: MysisId, before: Incarnation) {
        self.parts.ledger.shut_out(mysis, before);
    }

    pub(super) fn store(&self) -> ActorRef<StoreMsg> {
        self.store.actor()
    }

    pub(super) fn gate(&self) -> ActorRef<GateMsg> {
        self.gate.actor()
    }

    pub(super) fn store_handle(&self) -> StoreHandle {
        StoreHandle(self.store.address())
    }

    pub(super) fn gate_handle(&self) -> GateHandle {
        GateHandle(self.gate.address())
    }
}

impl CommanderState {
    pub(super) async fn replace_store(&mut self) -> Result<(), ActorProcessingErr> {
        self.emit_notice(
            Severity::Warn,
            "store_restarted",
            "the store crashed and was replaced",
        );
        let store = spawn_store(&self.myself, &self.services.parts).await?;
        self.services.store.replace(store);
        // The new Store reports for itself whether it can write.
        self.keep_standing(StandingKind::StoreTrouble, self.now(), None);
        Ok(())
    }

    pub(super) async fn replace_gate(&mut self) -> Result<(), ActorProcessingErr> {
        self.emit_notice(
            Severity::Warn,
            "gate_restarted",
            "the gate crashed and was replaced: for a while more calls than allowed may run at once",
        );
        let known = (Vec::new(), self.outside.of_gate());
        let rules = &self.rules.current;
        let gate = spawn_gate(&self.myself, &self.services.parts, rules, known).await?;
        self.services.gate.replace(gate);
        self.read_books();
        Ok(())
    }

    /// Reads today's books and sends them to the gate.
    pub(super) fn read_books(&mut self) {
        let gate = self.services.gate();
        let (archive, clock) = (self.deps.session.archive.clone(), self.clock().clone());
        self.jobs.spawn(async move {
            // Without the books the gate would assume that nothing was spent today.
            let mut waits = Backoff::new(MIN_RETRY_WAIT, MAX_RETRY_WAIT);
            let books = loop {
                // The day may change between two attempts.
                match archive.books(Day::of(clock.now())).await {
                    Ok(books) => break books,
                    Err(fault) => tracing::warn!(%fault, "failed to read the books for the gate"),
                }
                tokio::time::sleep(waits.next_wait()).await;
            };
            // If this gate is gone, its successor reads the books itself.
            let _ = gate.cast(GateMsg::Books(books));
        });
    }
}

async fn spawn_store(
    myself: &ActorRef<CommanderMsg>,
    parts: &ServiceParts,
) -> Result<ActorRef<StoreMsg>, ActorProcessingErr> {
    let args = StoreArgs {
        ledger: parts.ledger.clone(),
        clock: parts.clock.clone(),
        parent: tell_commander(myself, |trouble| {
            CommanderMsg::Standing(StandingKind::StoreTrouble, trouble)
        }),
    };
    let (store, _) = Actor::spawn_linked(None, StoreActor, args, myself.get_cell()).await?;
    Ok(store)
}

async fn spawn_gate(
    myself: &ActorRef<CommanderMsg>,
    parts: &ServiceParts,
    rules: &SwarmRules,
    (books, outages): (Vec<CostEntry>, Arc<ServerOutages>),
) -> Result<ActorRef<GateMsg>, ActorProcessingErr> {
    let args = GateArgs {
        clock: parts.clock.clone(),
        rules: gate_rules(rules),
        books,
        outages,
        freeze: parts.freeze.clone(),
        shared: parts.shared.clone(),
        held: parts.held.clone(),
        parent: tell_commander(myself, CommanderMsg::News),
    };
    let (gate, _) = Actor::spawn_linked(None, GateActor, args, myself.get_cell()).await?;
    Ok(gate)
}

/// The requests that may begin at once after a quiet time. A server that counts by the minute must not see
/// them in addition to a full minute.
fn burst_of(max_concurrency: usize, per_minute: Option<u32>) -> u32 {
    let most = u32::try_from(max_concurrency).unwrap_or(u32::MAX);
    per_minute.map_or(most, |per_minute| most.min((per_minute / 8).max(1)))
}

/// The gate's rules: a lane for each provider, one for logins, and the budget.
pub(super) fn gate_rules(rules: &SwarmRules) -> GateRules {
    let mut lanes: BTreeMap<Lane, LaneRules> = rules
        .providers
        .iter()
        .map(|(name, provider)| {
            let lane = LaneRules {
                max_in_flight: Some(provider.max_concurrency),
                per_minute: provider.requests_per_minute,
                burst: burst_of(provider.max_concurrency, provider.requests_per_minute),
                tokens_per_minute: provider.tokens_per_minute,
                circuit: Some(provider.circuit),
                fallback: provider.fallback.clone(),
                shared_by: None,
            };
            (Lane::Provider(name.clone()), lane)
        })
        .collect();
    let game = LaneRules {
        circuit: Some(CircuitRules {
            failures: 1,
            ..CircuitRules::default()
        }),
        ..LaneRules::default()
    };
    lanes.insert(Lane::Game, game);
    let per_minute = rules.tools.logins_per_minute;
    let logins = LaneRules {
        max_in_flight: Some(MAX_ATTEMPTS),
        per_minute,
        burst: per_minute.map_or(0, |per_minute| (per_minute / 8).max(2).min(per_minute)),
        shared_by: rules.tools.logins_address.clone(),
        ..LaneRules::default()
    };
    lanes.insert(Lane::Logins, logins);
    GateRules {
        lanes,
        budget: rules.budget,
        free_providers: rules.free_providers(),
    }
}

//! Children: the Store and the gate, brought to life and replaced when they die.

use std::collections::BTreeMap;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use crate::domain::gate::{Lane, LaneRules};
use crate::domain::message::Severity;
use crate::domain::rules::SwarmRules;
use crate::gate::{GateActor, GateArgs, GateMsg};
use crate::store::{StoreActor, StoreArgs, StoreMsg};

use super::{CommanderMsg, CommanderState, Outside};

impl CommanderState {
    pub(super) async fn replace_store(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
    ) -> Result<(), ActorProcessingErr> {
        self.notice(
            Severity::Warn,
            "store_restarted",
            "the store died and was replaced",
        );
        let store = spawn_store(myself, &self.outside).await?;
        // It says for itself whether it can write.
        self.store_trouble = None;
        self.store.send_replace(store);
        Ok(())
    }

    pub(super) async fn replace_gate(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
    ) -> Result<(), ActorProcessingErr> {
        let gate = spawn_gate(myself, &self.outside, &self.rules).await?;
        self.gate.send_replace(gate);
        Ok(())
    }
}

pub(super) async fn spawn_store(
    myself: &ActorRef<CommanderMsg>,
    outside: &Outside,
) -> Result<ActorRef<StoreMsg>, ActorProcessingErr> {
    let args = StoreArgs {
        ledger: outside.ledger.clone(),
        clock: outside.clock.clone(),
        parent: myself.get_derived(),
    };
    let (store, _) = Actor::spawn_linked(None, StoreActor, args, myself.get_cell()).await?;
    Ok(store)
}

pub(super) async fn spawn_gate(
    myself: &ActorRef<CommanderMsg>,
    outside: &Outside,
    rules: &SwarmRules,
) -> Result<ActorRef<GateMsg>, ActorProcessingErr> {
    let args = GateArgs {
        clock: outside.clock.clone(),
        rules: lanes(rules),
    };
    let (gate, _) = Actor::spawn_linked(None, GateActor, args, myself.get_cell()).await?;
    Ok(gate)
}

/// The lanes of the gate: one for each provider, one for logins.
pub(super) fn lanes(rules: &SwarmRules) -> BTreeMap<Lane, LaneRules> {
    let mut lanes: BTreeMap<Lane, LaneRules> = rules
        .providers
        .iter()
        .map(|(name, provider)| {
            let lane = LaneRules {
                max_in_flight: Some(provider.max_concurrency),
                per_minute: provider.requests_per_minute,
                burst: u32::try_from(provider.max_concurrency).unwrap_or(u32::MAX),
            };
            (Lane::Provider(name.clone()), lane)
        })
        .collect();
    if let Some(per_minute) = rules.tools.logins_per_minute {
        // A server that counts by the minute must not see a burst on top of a full minute.
        let logins = LaneRules {
            max_in_flight: None,
            per_minute: Some(per_minute),
            burst: (per_minute / 8).max(2),
        };
        lanes.insert(Lane::Logins, logins);
    }
    lanes
}

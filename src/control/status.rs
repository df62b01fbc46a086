//! The status of the program and its swarm, as the control interface reports it.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::outages::ServerOutages;
use actors::ports::Clock;
use serde_json::Value;
use zoea_contract::{
    MissionJson, MysisStatusJson, OutageJson, ProgramStatusJson, SpendingJson, to_value,
};

use crate::swarm::Swarm;
use zoea_system::clock::MachineClock;

use super::ProgramInfo;

pub(super) async fn list_myses(swarm: &Swarm, about: &ProgramInfo) -> Value {
    let (statuses, outages) = (swarm.statuses().await, swarm.outages().await);
    to_value(&list_statuses(&statuses, about, &outages))
}

pub(super) async fn read_mission(swarm: &Swarm) -> Value {
    let mission = swarm.mission().await;
    to_value(&MissionJson {
        text: mission.as_ref().map(|mission| &*mission.text),
        at: mission.as_ref().map(|mission| mission.at.to_string()),
    })
}

pub(super) async fn program_status(swarm: &Swarm, about: &ProgramInfo) -> Value {
    let statuses = swarm.statuses().await;
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for status in &statuses {
        *states.entry(status.state.as_str()).or_default() += 1;
    }
    let spending = swarm.budget_status().await;
    let outages = swarm.outages().await;
    let mission = swarm.mission().await;
    let arrival = swarm.login_progress().await;
    to_value(&ProgramStatusJson {
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
        started_at: &about.started_at,
        mission: mission.map(|mission| mission.text.to_string()),
        trouble: swarm.store_trouble().await,
        silence: swarm.silence().await.map(|notice| notice.text.clone()),
        states,
        arrival: arrival.map(|arrival| arrival.to_string()),
        away: outages.0.iter().map(OutageJson::from).collect(),
        today: SpendingJson::new(&spending, MachineClock.now()),
        myses: list_statuses(&statuses, about, &outages),
    })
}

fn list_statuses<'a>(
    statuses: &'a [Arc<MysisStatus>],
    about: &ProgramInfo,
    outages: &ServerOutages,
) -> Vec<MysisStatusJson<'a>> {
    let lines = statuses.iter();
    lines
        .map(|status| MysisStatusJson::new(status, about.prices.is_known(status), outages))
        .collect()
}

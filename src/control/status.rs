//! The status of the program and its swarm, as the control interface reports it.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::outages::ServerOutages;
use actors::domain::standing::StandingKind;
use actors::ports::Clock;
use serde_json::Value;
use zoea_contract::{
    MissionJson, MysisStatusJson, OutageJson, ProcessJson, ProgramStatusJson, SpendingJson,
    WarningJson, to_value,
};

use crate::swarm::Swarm;
use zoea_system::clock::MachineClock;
use zoea_text::natural::compare_natural;

use super::ProgramInfo;

pub(super) async fn list_myses(swarm: &Swarm, about: &ProgramInfo) -> Value {
    let (statuses, outages) = (swarm.statuses().await, swarm.outages().await);
    let is_frozen = swarm.frozen_since().await.is_some();
    let name = swarm.process_name().await;
    to_value(&list_statuses(
        &statuses,
        (about, name.as_deref()),
        (&outages, is_frozen),
    ))
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
    let frozen_since = swarm.frozen_since().await;
    let process = swarm.process_name().await;
    let standing = swarm.standing().await;
    to_value(&ProgramStatusJson {
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
        process: process.clone(),
        started_at: &about.started_at,
        mission: mission.map(|mission| mission.text.to_string()),
        trouble: standing
            .get(StandingKind::StoreTrouble)
            .map(|trouble| trouble.text.clone()),
        warnings: WarningJson::list(&standing),
        frozen_since: frozen_since.map(|at| at.to_string()),
        silence: swarm.silence().await.map(|notice| notice.text.clone()),
        states,
        arrival: arrival
            .filter(|_| frozen_since.is_none())
            .map(|arrival| arrival.to_string()),
        away: outages.0.iter().map(OutageJson::from).collect(),
        proxied: (about.proxied)(),
        today: SpendingJson::new(&spending, MachineClock.now()),
        myses: list_statuses(
            &statuses,
            (about, process.as_deref()),
            (&outages, frozen_since.is_some()),
        ),
    })
}

pub(super) async fn list_processes(swarm: &Swarm) -> Result<Value, String> {
    let processes = swarm.archive().processes().await;
    let processes = processes.map_err(|fault| fault.to_string())?;
    let processes = processes.iter().map(ProcessJson::from);
    Ok(to_value(&processes.collect::<Vec<_>>()))
}

fn list_statuses<'a>(
    statuses: &'a [Arc<MysisStatus>],
    (about, process): (&ProgramInfo, Option<&'a str>),
    (outages, is_frozen): (&ServerOutages, bool),
) -> Vec<MysisStatusJson<'a>> {
    let now = MachineClock.now();
    let mut statuses: Vec<&'a Arc<MysisStatus>> = statuses.iter().collect();
    statuses.sort_by(|a, b| compare_natural(&a.name, &b.name));
    statuses
        .into_iter()
        .map(|status| {
            let line = MysisStatusJson::new(status, about.prices.is_known(status), outages, now);
            let line = line.in_process(process);
            match is_frozen {
                true => line.when_frozen(status),
                false => line,
            }
        })
        .collect()
}

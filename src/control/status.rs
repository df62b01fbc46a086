//! Carries out the calls of the control interface: each is an order or a query.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::outages::ServerOutages;
use actors::domain::progress::expecting_no_gain;
use actors::domain::screen::ExportFormat;
use actors::ports::Clock;
use serde_json::Value;
use zoea_contract::{
    CompletedOrderJson, ExportedJson, MissionJson, MysisStatusJson, OutageJson, ProgramStatusJson,
    SpendingJson, to_value,
};

use crate::swarm::Swarm;
use zoea_ledger::export;
use zoea_system::clock::MachineClock;

use super::arguments::find_mysis;
use super::call::{ControlCall, ExportConversations};
use super::{ProgramInfo, accounts, books, history};

/// Answers a call. MCP clients and commands that need no running program both come here.
///
/// # Errors
/// The order was refused; the text says why.
pub async fn answer_call(
    swarm: &Swarm,
    about: &ProgramInfo,
    call: ControlCall,
) -> Result<Value, String> {
    let answer = carry_out_call(swarm, about, call).await;
    // Stored rows from before a secret was known, and the caller's own text, may contain it.
    let known = about.secrets.redactor();
    match answer {
        Ok(value) => Ok(known.clean_json(value)),
        Err(why) => Err(known.clean_own(why)),
    }
}

async fn carry_out_call(
    swarm: &Swarm,
    about: &ProgramInfo,
    call: ControlCall,
) -> Result<Value, String> {
    use ControlCall as Call;
    let order = match call {
        Call::ListMyses {} => return Ok(list_myses(swarm, about).await),
        Call::GetMission {} => return Ok(read_mission(swarm).await),
        Call::ReadLog(asked) => return history::read_log(swarm, asked).await,
        Call::Search(asked) => return history::search_rows(swarm, asked).await,
        Call::ReadEvents(asked) => return history::read_events(swarm, asked).await,
        Call::Compact {} => return books::compact_database(swarm).await,
        Call::Report(asked) => return books::report_day(swarm, about, &asked.day).await,
        Call::GetReach { mysis } => return books::read_reach(swarm, mysis).await,
        Call::ListAccounts {} => return accounts::list_accounts(swarm).await,
        Call::ImportAccounts { file } => return accounts::import_accounts(swarm, file).await,
        Call::ExportAccounts { file } => return accounts::export_accounts(swarm, file).await,
        Call::Export(asked) => return export_conversations(swarm, about, asked).await,
        Call::GetBooks(asked) => return books::list_entries(swarm, about, asked.days).await,
        Call::Status {} => return Ok(program_status(swarm, about).await),
        Call::CreateMysis(asked) => Order::Create {
            name: asked.name,
            provider: asked.provider,
            model: asked.model,
            start: asked.start,
        },
        Call::StartMysis { name } => MysisOrder::Start.for_mysis(name),
        Call::StopMysis { name } => MysisOrder::Stop.for_mysis(name),
        Call::DeleteMysis { name } => Order::Delete { name },
        Call::ConfigureMysis(asked) => {
            MysisOrder::configure(asked.provider, asked.model, asked.temperature)
                .for_mysis(asked.name)
        }
        Call::SendMessage(asked) => {
            let text = with_no_gain(asked.text, asked.no_gain);
            MysisOrder::Prompt(text.into()).for_mysis(asked.name)
        }
        Call::Broadcast(asked) => Order::Broadcast {
            text: with_no_gain(asked.text, asked.no_gain),
        },
        Call::ClearMission {} => Order::ClearMission,
        Call::AddNote { name, text } => MysisOrder::Note(text.into()).for_mysis(name),
        Call::ClearNotes { name } => MysisOrder::ClearNotes.for_mysis(name),
        Call::Reload {} => Order::Reload,
    };
    give_order(swarm, order).await
}

/// Adds the mark that says that the order expects no gain, if that was asked for.
fn with_no_gain(text: String, no_gain: bool) -> String {
    match no_gain {
        true => expecting_no_gain(&text),
        false => text,
    }
}

async fn give_order(swarm: &Swarm, order: Order) -> Result<Value, String> {
    let done = swarm.order(order).await.map_err(|no| no.to_string())?;
    Ok(to_value(&CompletedOrderJson::from(&done)))
}

async fn list_myses(swarm: &Swarm, about: &ProgramInfo) -> Value {
    let (statuses, outages) = (swarm.statuses().await, swarm.outages().await);
    to_value(&list_statuses(&statuses, about, &outages))
}

async fn read_mission(swarm: &Swarm) -> Value {
    let mission = swarm.mission().await;
    to_value(&MissionJson {
        text: mission.as_ref().map(|mission| &*mission.text),
        at: mission.as_ref().map(|mission| mission.at.to_string()),
    })
}

async fn export_conversations(
    swarm: &Swarm,
    about: &ProgramInfo,
    asked: ExportConversations,
) -> Result<Value, String> {
    let mysis = find_mysis(swarm, asked.mysis).await?;
    let format = match asked.format.as_deref().unwrap_or("jsonl") {
        "jsonl" => ExportFormat::JsonLines,
        "md" => ExportFormat::Markdown,
        other => return Err(format!("`{other}` is no format; there are jsonl and md")),
    };
    let order = export::ExportOrder { mysis, format };
    let file = Path::new(&asked.file);
    let written = export::export_to_file(swarm.ledger(), order, file, &about.secrets).await;
    let written = written.map_err(|fault| fault.to_string())?;
    Ok(to_value(&ExportedJson {
        myses: written.myses,
        rows: written.rows,
    }))
}

async fn program_status(swarm: &Swarm, about: &ProgramInfo) -> Value {
    let statuses = swarm.statuses().await;
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for standing in &statuses {
        *states.entry(standing.state.as_str()).or_default() += 1;
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

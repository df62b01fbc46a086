//! The tools of the control interface (CONTRACT.md): a table, and one function for each.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::order::Order;
use actors::domain::screen::ExportFormat;
use actors::ports::Clock;
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use crate::settings::bounds::MAX_DAYS;
use crate::swarm::Swarm;
use zoea_ledger::export;
use zoea_system::clock::MachineClock;

use super::arguments::ToolArguments;
use super::{ProgramInfo, accounts, books, history};

/// A tool: its name, what it does, its parameters; those with `!` are required.
struct ToolEntry(&'static str, &'static str, &'static [&'static str]);

const TOOLS: [ToolEntry; 25] = [
    ToolEntry("list_myses", "All Myses and how they stand.", &[]),
    ToolEntry(
        "create_mysis",
        "A new Mysis, idle unless start is true.",
        &["name!", "provider", "model", "start:boolean"],
    ),
    ToolEntry("start_mysis", "Start or relaunch a Mysis.", &["name!"]),
    ToolEntry("stop_mysis", "Stop a Mysis.", &["name!"]),
    ToolEntry(
        "delete_mysis",
        "Delete a Mysis with its conversation.",
        &["name!"],
    ),
    ToolEntry(
        "configure_mysis",
        "Change provider, model or temperature of a Mysis.",
        &["name!", "provider", "model", "temperature:number"],
    ),
    ToolEntry(
        "send_message",
        "A direct message to one Mysis; no_gain: the watch on progress expects no gain of it.",
        &["name!", "text!", "no_gain:boolean"],
    ),
    ToolEntry(
        "broadcast",
        "A mission for the whole swarm; no_gain: the watch on progress expects no gain of it.",
        &["text!", "no_gain:boolean"],
    ),
    ToolEntry("get_mission", "The mission in force.", &[]),
    ToolEntry("clear_mission", "Clear the mission.", &[]),
    ToolEntry(
        "add_note",
        "Persistent context for one Mysis.",
        &["name!", "text!"],
    ),
    ToolEntry(
        "clear_notes",
        "Clear the persistent context of one Mysis.",
        &["name!"],
    ),
    ToolEntry(
        "read_log",
        "A Mysis' conversation, oldest row first: the newest rows, those next before before_seq, or those \
         next after after_seq. An answer holds at most some 4 MB, limit 0 as many rows as that: go on \
         from its end until no row comes.",
        &[
            "name!",
            "limit:integer",
            "kind",
            "after_seq:integer",
            "before_seq:integer",
        ],
    ),
    ToolEntry(
        "search",
        "Search conversations literally, the newest that fit into some 4 MB; in is messages, reasoning \
         or missions, or several of them with commas between them.",
        &["query!", "mysis", "in", "limit:integer"],
    ),
    ToolEntry(
        "read_events",
        "What happened in the swarm and who ordered what: the newest that fit into some 4 MB, the oldest \
         of them first.",
        &["limit:integer"],
    ),
    ToolEntry("report", "What happened in a day (UTC).", &["day!"]),
    ToolEntry("compact", "Give the database's free space back.", &[]),
    ToolEntry("get_reach", "How far back conversations reach.", &["mysis"]),
    ToolEntry(
        "list_accounts",
        "The game accounts, without passwords.",
        &[],
    ),
    ToolEntry(
        "import_accounts",
        "Take game accounts from a file on this machine into the pool.",
        &["file!"],
    ),
    ToolEntry(
        "export_accounts",
        "Write all game accounts, with passwords, to a new file on this machine.",
        &["file!"],
    ),
    ToolEntry(
        "export",
        "Write conversations to a new file on this machine; format is jsonl or md.",
        &["file!", "mysis", "format"],
    ),
    ToolEntry(
        "get_books",
        "Tokens and cost by day (UTC), Mysis and provider: of today, or of so many days.",
        &["days:integer"],
    ),
    ToolEntry("reload", "Read the configuration again.", &[]),
    ToolEntry("status", "The program and its swarm in short.", &[]),
];

/// All tools, as MCP lists them.
pub(super) fn list_tools() -> Vec<Tool> {
    TOOLS.iter().map(ToolEntry::to_tool).collect()
}

impl ToolEntry {
    fn to_tool(&self) -> Tool {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in self.2 {
            let (name, kind) = parameter.split_once(':').unwrap_or((parameter, "string"));
            let bare = name.trim_end_matches('!');
            if bare != name {
                required.push(json!(bare));
            }
            properties.insert(bare.to_string(), json!({"type": kind}));
        }
        let mut schema = Map::new();
        schema.insert("type".to_string(), json!("object"));
        schema.insert("properties".to_string(), Value::Object(properties));
        schema.insert("required".to_string(), Value::Array(required));
        Tool::new(self.0, self.1, Arc::new(schema))
    }
}

/// Calls a tool by name, as MCP clients do and commands that need no running program.
///
/// # Errors
/// Says why the call is wrong, or why the order was refused.
pub async fn call(
    swarm: &Swarm,
    about: &ProgramInfo,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<Value, String> {
    let Some(ToolEntry(_, _, parameters)) = TOOLS.iter().find(|entry| entry.0 == name) else {
        return Err(format!("there is no tool called {name}"));
    };
    let given = ToolArguments::new(name, parameters, arguments)?;
    let answer = call_by_name(swarm, about, name, given).await;
    // What was stored before a secret was known, and what the caller wrote, may hold it.
    let known = about.secrets.redactor();
    match answer {
        Ok(value) => Ok(known.clean_json(value)),
        Err(why) => Err(known.clean_own(why)),
    }
}

async fn call_by_name(
    swarm: &Swarm,
    about: &ProgramInfo,
    name: &str,
    given: ToolArguments<'_>,
) -> Result<Value, String> {
    match name {
        "list_myses" => Ok(list_myses(swarm, about).await),
        "get_mission" => {
            let mission = swarm.mission().await;
            Ok(json!({
                "text": mission.as_ref().map(|mission| &*mission.text),
                "at": mission.as_ref().map(|mission| mission.at.to_string()),
            }))
        }
        "read_log" => history::read_log(swarm, &given).await,
        "search" => history::search_rows(swarm, &given, optional_mysis(swarm, &given).await?).await,
        "read_events" => history::read_events(swarm, &given).await,
        "compact" => books::compact_database(swarm).await,
        "report" => books::report_day(swarm, given.text("day")?).await,
        "get_reach" => books::read_reach(swarm, optional_mysis(swarm, &given).await?).await,
        "list_accounts" => accounts::list_accounts(swarm).await,
        "import_accounts" => accounts::import_accounts(swarm, given.text("file")?).await,
        "export_accounts" => accounts::export_accounts(swarm, given.text("file")?).await,
        "export" => export_conversations(swarm, about, &given).await,
        "get_books" => books::list_entries(swarm, given.count("days", 1, MAX_DAYS)?).await,
        "status" => Ok(program_status(swarm, about).await),
        _ => give_order(swarm, given.order()?).await,
    }
}

async fn give_order(swarm: &Swarm, order: Order) -> Result<Value, String> {
    let done = swarm.order(order).await.map_err(|no| no.to_string())?;
    Ok(zoea_contract::done_json(&done))
}

async fn list_myses(swarm: &Swarm, about: &ProgramInfo) -> Value {
    let (statuses, weather) = (swarm.statuses().await, swarm.outages().await);
    statuses
        .iter()
        .map(|standing| zoea_contract::mysis_status_json(standing, about.has_price(), &weather))
        .collect()
}

async fn export_conversations(
    swarm: &Swarm,
    about: &ProgramInfo,
    given: &ToolArguments<'_>,
) -> Result<Value, String> {
    let mysis = optional_mysis(swarm, given).await?;
    let format = match given.optional_text("format")?.unwrap_or("jsonl") {
        "jsonl" => ExportFormat::JsonLines,
        "md" => ExportFormat::Markdown,
        other => return Err(format!("`{other}` is no format; there are jsonl and md")),
    };
    let file = Path::new(given.text("file")?);
    let order = export::ExportOrder { mysis, format };
    let written = export::export_to_file(swarm.ledger(), order, file, &about.secrets).await;
    let written = written.map_err(|fault| fault.to_string())?;
    Ok(json!({"myses": written.myses, "rows": written.rows}))
}

/// The Mysis that a call names, if it names one.
async fn optional_mysis(
    swarm: &Swarm,
    given: &ToolArguments<'_>,
) -> Result<Option<MysisId>, String> {
    let Some(name) = given.optional_text("mysis")? else {
        return Ok(None);
    };
    let id = swarm.id_of(name).await;
    id.map(Some).map_err(|refusal| refusal.to_string())
}

async fn program_status(swarm: &Swarm, about: &ProgramInfo) -> Value {
    let statuses = swarm.statuses().await;
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for standing in &statuses {
        *states.entry(standing.state.as_str()).or_default() += 1;
    }
    let mission = swarm.mission().await;
    let spending = swarm.budget_status().await;
    let weather = swarm.outages().await;
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pid": std::process::id(),
        "started_at": about.started_at,
        "mission": mission.map(|mission| mission.text.to_string()),
        "trouble": swarm.store_trouble().await,
        "states": states,
        "arrival": swarm.login_progress().await.map(|arrival| arrival.to_string()),
        "away": zoea_contract::weather_json(&weather),
        "today": zoea_contract::spending_json(&spending, about.has_price(), MachineClock.now()),
        "myses": statuses
            .iter()
            .map(|standing| zoea_contract::mysis_status_json(standing, about.has_price(), &weather))
            .collect::<Vec<_>>(),
    })
}

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

use super::arguments::Arguments;
use super::{About, accounts, books, history};

/// A tool: its name, what it does, its parameters; those with `!` are required.
struct Entry(&'static str, &'static str, &'static [&'static str]);

const TABLE: [Entry; 25] = [
    Entry("list_myses", "All Myses and how they stand.", &[]),
    Entry(
        "create_mysis",
        "A new Mysis, idle unless start is true.",
        &["name!", "provider", "model", "start:boolean"],
    ),
    Entry("start_mysis", "Start or relaunch a Mysis.", &["name!"]),
    Entry("stop_mysis", "Stop a Mysis.", &["name!"]),
    Entry(
        "delete_mysis",
        "Delete a Mysis with its conversation.",
        &["name!"],
    ),
    Entry(
        "configure_mysis",
        "Change provider, model or temperature of a Mysis.",
        &["name!", "provider", "model", "temperature:number"],
    ),
    Entry(
        "send_message",
        "A direct message to one Mysis; no_gain: the watch on progress expects no gain of it.",
        &["name!", "text!", "no_gain:boolean"],
    ),
    Entry(
        "broadcast",
        "A mission for the whole swarm; no_gain: the watch on progress expects no gain of it.",
        &["text!", "no_gain:boolean"],
    ),
    Entry("get_mission", "The mission in force.", &[]),
    Entry("clear_mission", "Clear the mission.", &[]),
    Entry(
        "add_note",
        "Persistent context for one Mysis.",
        &["name!", "text!"],
    ),
    Entry(
        "clear_notes",
        "Clear the persistent context of one Mysis.",
        &["name!"],
    ),
    Entry(
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
    Entry(
        "search",
        "Search conversations literally, the newest that fit into some 4 MB; in is messages, reasoning \
         or missions, or several of them with commas between them.",
        &["query!", "mysis", "in", "limit:integer"],
    ),
    Entry(
        "read_events",
        "What happened in the swarm and who ordered what: the newest that fit into some 4 MB, the oldest \
         of them first.",
        &["limit:integer"],
    ),
    Entry("report", "What happened in a day (UTC).", &["day!"]),
    Entry("compact", "Give the database's free space back.", &[]),
    Entry("get_reach", "How far back conversations reach.", &["mysis"]),
    Entry(
        "list_accounts",
        "The game accounts, without passwords.",
        &[],
    ),
    Entry(
        "import_accounts",
        "Take game accounts from a file on this machine into the pool.",
        &["file!"],
    ),
    Entry(
        "export_accounts",
        "Write all game accounts, with passwords, to a new file on this machine.",
        &["file!"],
    ),
    Entry(
        "export",
        "Write conversations to a new file on this machine; format is jsonl or md.",
        &["file!", "mysis", "format"],
    ),
    Entry(
        "get_books",
        "Tokens and cost by day (UTC), Mysis and provider: of today, or of so many days.",
        &["days:integer"],
    ),
    Entry("reload", "Read the configuration again.", &[]),
    Entry("status", "The program and its swarm in short.", &[]),
];

/// All tools, as MCP lists them.
pub(super) fn list() -> Vec<Tool> {
    TABLE.iter().map(Entry::tool).collect()
}

impl Entry {
    fn tool(&self) -> Tool {
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
    about: &About,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<Value, String> {
    let Some(Entry(_, _, parameters)) = TABLE.iter().find(|entry| entry.0 == name) else {
        return Err(format!("there is no tool called {name}"));
    };
    let given = Arguments::new(name, parameters, arguments)?;
    let answer = answer(swarm, about, name, given).await;
    // What was stored before a secret was known, and what the caller wrote, may hold it.
    let known = about.secrets.redactor();
    match answer {
        Ok(value) => Ok(known.clean_json(value)),
        Err(why) => Err(known.clean_own(why)),
    }
}

async fn answer(
    swarm: &Swarm,
    about: &About,
    name: &str,
    given: Arguments<'_>,
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
        "search" => history::search(swarm, &given, mysis_of(swarm, &given).await?).await,
        "read_events" => history::read_events(swarm, &given).await,
        "compact" => books::compact(swarm).await,
        "report" => books::report(swarm, given.text("day")?).await,
        "get_reach" => books::reach(swarm, mysis_of(swarm, &given).await?).await,
        "list_accounts" => accounts::list(swarm).await,
        "import_accounts" => accounts::import(swarm, given.text("file")?).await,
        "export_accounts" => accounts::export(swarm, given.text("file")?).await,
        "export" => export(swarm, about, &given).await,
        "get_books" => books::list(swarm, given.count("days", 1, MAX_DAYS)?).await,
        "status" => Ok(status(swarm, about).await),
        _ => order(swarm, given.order()?).await,
    }
}

async fn order(swarm: &Swarm, order: Order) -> Result<Value, String> {
    let done = swarm.order(order).await.map_err(|no| no.to_string())?;
    Ok(zoea_contract::done(&done))
}

async fn list_myses(swarm: &Swarm, about: &About) -> Value {
    let (standings, weather) = (swarm.standings().await, swarm.weather().await);
    standings
        .iter()
        .map(|standing| zoea_contract::standing(standing, about.has_price(), &weather))
        .collect()
}

async fn export(swarm: &Swarm, about: &About, given: &Arguments<'_>) -> Result<Value, String> {
    let mysis = mysis_of(swarm, given).await?;
    let format = match given.optional_text("format")?.unwrap_or("jsonl") {
        "jsonl" => ExportFormat::JsonLines,
        "md" => ExportFormat::Markdown,
        other => return Err(format!("`{other}` is no format; there are jsonl and md")),
    };
    let file = Path::new(given.text("file")?);
    let order = export::Order { mysis, format };
    let written = export::to_file(swarm.ledger(), order, file, &about.secrets).await;
    let written = written.map_err(|fault| fault.to_string())?;
    Ok(json!({"myses": written.myses, "rows": written.rows}))
}

/// The Mysis that a call names, if it names one.
async fn mysis_of(swarm: &Swarm, given: &Arguments<'_>) -> Result<Option<MysisId>, String> {
    let Some(name) = given.optional_text("mysis")? else {
        return Ok(None);
    };
    let id = swarm.id_of(name).await;
    id.map(Some).map_err(|refusal| refusal.to_string())
}

async fn status(swarm: &Swarm, about: &About) -> Value {
    let standings = swarm.standings().await;
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for standing in &standings {
        *states.entry(standing.state.as_str()).or_default() += 1;
    }
    let mission = swarm.mission().await;
    let spending = swarm.spending().await;
    let weather = swarm.weather().await;
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pid": std::process::id(),
        "started_at": about.started_at,
        "mission": mission.map(|mission| mission.text.to_string()),
        "trouble": swarm.trouble().await,
        "states": states,
        "arrival": swarm.arrival().await.map(|arrival| arrival.to_string()),
        "away": zoea_contract::weather(&weather),
        "today": zoea_contract::spending(&spending, about.has_price(), MachineClock.now()),
        "myses": standings
            .iter()
            .map(|standing| zoea_contract::standing(standing, about.has_price(), &weather))
            .collect::<Vec<_>>(),
    })
}

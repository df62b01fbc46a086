//! The tools of the control interface (CONTRACT.md). Other programs call them over MCP, and the
//! command line builds the same calls.

use std::sync::{Arc, LazyLock};

use clap::{Args, value_parser};
use rmcp::model::Tool;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::settings::bounds::{MAX_DAYS, MAX_INTEGER, MAX_ROWS};

/// A call of a tool. Each variant is a tool: the comment tells clients what it does, its fields are the
/// parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlCall {
    /// All Myses and how they stand.
    ListMyses {},
    /// A new Mysis, idle unless start is true.
    CreateMysis(CreateMysis),
    /// Start or relaunch a Mysis.
    StartMysis {
        /// Its name.
        name: String,
    },
    /// Stop a Mysis.
    StopMysis {
        /// Its name.
        name: String,
    },
    /// Delete a Mysis with its conversation.
    DeleteMysis {
        /// Its name.
        name: String,
    },
    /// Change provider, model or temperature of a Mysis.
    ConfigureMysis(ConfigureMysis),
    /// A direct message to one Mysis; no_gain: the watch on progress expects no gain of it.
    SendMessage(SendMessage),
    /// A mission for the whole swarm; no_gain: the watch on progress expects no gain of it.
    Broadcast(BroadcastMission),
    /// The mission in force.
    GetMission {},
    /// Clear the mission.
    ClearMission {},
    /// Persistent context for one Mysis.
    AddNote {
        /// Its name.
        name: String,
        /// What to keep in mind.
        text: String,
    },
    /// Clear the persistent context of one Mysis.
    ClearNotes {
        /// Its name.
        name: String,
    },
    /// A Mysis' conversation, oldest row first: the newest rows, those next before before_seq, or those
    /// next after after_seq. An answer holds at most some 4 MB, limit 0 as many rows as that: go on
    /// from its end until no row comes.
    ReadLog(ReadLog),
    /// Search conversations literally, the newest that fit into some 4 MB; in is messages, reasoning
    /// or missions, or several of them with commas between them.
    Search(SearchRows),
    /// What happened in the swarm and who ordered what: the newest that fit into some 4 MB, the oldest
    /// of them first.
    ReadEvents(ReadEvents),
    /// What happened in a day (UTC).
    Report(ReportDay),
    /// Give the database's free space back.
    Compact {},
    /// How far back conversations reach.
    GetReach {
        /// Whose; absent: of all.
        mysis: Option<String>,
    },
    /// The game accounts, without passwords.
    ListAccounts {},
    /// Take game accounts from a file on this machine into the pool.
    ImportAccounts {
        /// The file on this machine.
        file: String,
    },
    /// Write all game accounts, with passwords, to a new file on this machine.
    ExportAccounts {
        /// The file on this machine.
        file: String,
    },
    /// Write conversations to a new file on this machine; format is jsonl or md.
    Export(ExportConversations),
    /// Tokens and cost by day (UTC), Mysis and provider: of today, or of so many days.
    GetBooks(GetBooks),
    /// Read the configuration again.
    Reload {},
    /// The program and its swarm in short.
    Status {},
}

/// Parameters of `create_mysis`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CreateMysis {
    /// Its name.
    pub name: String,
    /// Its provider [default: the configuration's].
    #[arg(long)]
    pub provider: Option<String>,
    /// Its model [default: the provider's].
    #[arg(long)]
    pub model: Option<String>,
    /// Whether it is started at once.
    #[arg(skip)]
    #[serde(default)]
    pub start: bool,
}

/// Parameters of `configure_mysis`; what is absent stays.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ConfigureMysis {
    /// Which.
    pub name: String,
    /// Its new provider.
    #[arg(long)]
    pub provider: Option<String>,
    /// Its new model.
    #[arg(long)]
    pub model: Option<String>,
    /// Its new temperature, 0 to 2.
    #[arg(long)]
    pub temperature: Option<f32>,
}

/// Parameters of `send_message`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct SendMessage {
    /// Which.
    pub name: String,
    /// The message.
    pub text: String,
    /// It asks to wait, to guard or to talk: the watch on progress expects no gain of it.
    #[arg(long)]
    #[serde(default)]
    pub no_gain: bool,
}

/// Parameters of `broadcast`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct BroadcastMission {
    /// The mission.
    pub text: String,
    /// It asks to wait, to guard or to talk: the watch on progress expects no gain of it.
    #[arg(long)]
    #[serde(default)]
    pub no_gain: bool,
}

/// Parameters of `read_log`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ReadLog {
    /// Whose.
    pub name: String,
    /// So many rows; 0: as many as an answer holds.
    pub limit: Option<u64>,
    /// Only rows of this kind.
    pub kind: Option<String>,
    /// The rows next after this one.
    pub after_seq: Option<u64>,
    /// The rows next before this one.
    pub before_seq: Option<u64>,
}

/// Parameters of `search`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct SearchRows {
    /// The text.
    pub query: String,
    /// Whose rows; absent: everybody's.
    pub mysis: Option<String>,
    /// Where to look: messages, reasoning or missions, several with commas between them.
    pub r#in: Option<String>,
    /// At most so many, the newest.
    pub limit: Option<u64>,
}

/// Parameters of `read_events`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ReadEvents {
    /// The newest events; 0: all that are kept.
    #[arg(long, value_name = "N", default_value = "50",
          value_parser = value_parser!(u64).range(0..=MAX_ROWS))]
    pub limit: Option<u64>,
}

/// Parameters of `report`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ReportDay {
    /// The day (UTC), as 2026-11-22, or today or yesterday.
    #[arg(long, value_name = "DAY", default_value = "today")]
    pub day: String,
}

/// Parameters of `export`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ExportConversations {
    /// The file; it must not exist.
    pub file: String,
    /// Whose; absent: everybody's.
    pub mysis: Option<String>,
    /// jsonl or md.
    pub format: Option<String>,
}

/// Parameters of `get_books`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct GetBooks {
    /// So many days (UTC), today the last of them; 0: all.
    #[arg(long, value_name = "N", default_value = "1",
          value_parser = value_parser!(u64).range(0..=MAX_DAYS))]
    pub days: Option<u64>,
}

/// All tools in MCP's form.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let schema = settings
        .into_generator()
        .into_root_schema_for::<ControlCall>();
    let variants = schema.get("oneOf").and_then(Value::as_array);
    let variants = variants.into_iter().flatten();
    variants.filter_map(to_tool).collect()
});

/// Converts a variant's schema, `{description, properties: {NAME: parameters}}`, to a tool.
fn to_tool(variant: &Value) -> Option<Tool> {
    let (name, parameters) = variant["properties"].as_object()?.iter().next()?;
    let members = parameters["properties"].as_object().into_iter().flatten();
    let properties: Map<String, Value> = members
        .map(|(name, schema)| (name.clone(), to_property(schema)))
        .collect();
    let required = parameters.get("required").cloned();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required.unwrap_or_else(|| json!([])),
    });
    let about = to_line(&variant["description"]);
    let schema = schema.as_object().cloned().unwrap_or_default();
    Some(Tool::new(name.clone(), about, Arc::new(schema)))
}

/// Converts the schema of a parameter. The type `null` is dropped, because null means the same as
/// an absent parameter.
fn to_property(schema: &Value) -> Value {
    let kind = &schema["type"];
    let kind = kind
        .as_array()
        .and_then(|kinds| kinds.first())
        .unwrap_or(kind);
    let mut property = json!({"type": kind});
    if schema.get("description").is_some() {
        property["description"] = to_line(&schema["description"]).into();
    }
    property
}

fn to_line(comment: &Value) -> String {
    comment.as_str().unwrap_or_default().replace('\n', " ")
}

impl ControlCall {
    /// All tools in MCP's form.
    pub(super) fn list_tools() -> &'static [Tool] {
        &TOOLS
    }

    /// Parses a client's call.
    pub(super) fn parse(name: &str, arguments: &Map<String, Value>) -> Result<ControlCall, String> {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        let tool = tool.ok_or_else(|| format!("there is no tool called {name}"))?;
        let given = arguments.iter().filter(|(_, value)| !value.is_null());
        let given: Map<String, Value> = given
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        check_arguments(tool, arguments.keys(), &given)?;
        let call = json!({name: given});
        serde_json::from_value(call).map_err(|error| format!("{name}: {error}"))
    }

    /// The tool's name and the given arguments, in the form that goes to another process.
    pub(super) fn to_request(&self) -> (String, Map<String, Value>) {
        let call = serde_json::to_value(self).unwrap_or_default();
        let request = call.as_object().and_then(|call| call.iter().next());
        let Some((name, Value::Object(arguments))) = request else {
            return Default::default();
        };
        let mut arguments = arguments.clone();
        arguments.retain(|_, value| !value.is_null());
        (name.clone(), arguments)
    }
}

/// Checks a call's arguments. The errors name tools and parameters, which serde's would not.
fn check_arguments<'a>(
    tool: &Tool,
    mut names: impl Iterator<Item = &'a String>,
    given: &Map<String, Value>,
) -> Result<(), String> {
    let properties = &tool.input_schema["properties"];
    let called = &tool.name;
    if let Some(name) = names.find(|name| properties.get(name).is_none()) {
        return Err(format!("{called} has no parameter `{name}`"));
    }
    let required = tool.input_schema["required"]
        .as_array()
        .into_iter()
        .flatten();
    let mut required = required.filter_map(Value::as_str);
    if let Some(name) = required.find(|name| !given.contains_key(*name)) {
        return Err(format!("{called} wants a parameter `{name}`"));
    }
    for (name, value) in given {
        let (is_right, wanted) = match properties[name]["type"].as_str() {
            Some("integer") => (
                value.as_u64().is_some_and(|number| number <= MAX_INTEGER),
                format!("a whole number from 0 to {MAX_INTEGER}"),
            ),
            Some("boolean") => (value.is_boolean(), "true or false".to_string()),
            // The only number is a temperature.
            Some("number") => (value.is_number(), "a number from 0 to 2".to_string()),
            Some(_) | None => (value.is_string(), "a text".to_string()),
        };
        if !is_right {
            return Err(format!("`{name}` is {wanted}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, arguments: Value) -> Result<ControlCall, String> {
        ControlCall::parse(name, arguments.as_object().unwrap())
    }

    #[test]
    fn a_tool_is_told_by_its_variant() {
        let tools = ControlCall::list_tools();
        let tool = tools.iter().find(|tool| tool.name == "send_message");
        let tool = tool.unwrap();
        let about =
            "A direct message to one Mysis; no_gain: the watch on progress expects no gain of it.";
        assert_eq!(tool.description.as_deref(), Some(about));
        let schema = Value::Object(tool.input_schema.as_ref().clone());
        assert_eq!(schema["required"], json!(["name", "text"]));
        assert_eq!(schema["properties"]["no_gain"]["type"], "boolean");
        let long = tools.iter().filter_map(|tool| tool.description.as_ref());
        assert!(long.into_iter().all(|about| !about.contains('\n')));
        let bare = tools.iter().find(|tool| tool.name == "status").unwrap();
        let schema = json!({"type": "object", "properties": {}, "required": []});
        assert_eq!(Value::Object(bare.input_schema.as_ref().clone()), schema);
    }

    #[test]
    fn a_call_reads_as_it_was_written() {
        let whole = json!({"name": "alpha", "limit": 3, "after_seq": 7});
        let call = parse("read_log", whole.clone()).unwrap();
        let (name, arguments) = call.to_request();
        assert_eq!(
            (name.as_str(), Value::Object(arguments)),
            ("read_log", whole)
        );
        let call = parse("create_mysis", json!({"name": "alpha", "provider": null}));
        let (_, arguments) = call.unwrap().to_request();
        assert_eq!(
            Value::Object(arguments),
            json!({"name": "alpha", "start": false})
        );
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said_in_its_words() {
        for (tool, arguments, said) in [
            ("fly", json!({}), "there is no tool called fly"),
            (
                "start_mysis",
                json!({"name": "a", "force": null}),
                "start_mysis has no parameter `force`",
            ),
            (
                "send_message",
                json!({"name": "a", "text": null}),
                "send_message wants a parameter `text`",
            ),
            ("report", json!({"day": 3}), "`day` is a text"),
            (
                "get_books",
                json!({"days": -1}),
                "`days` is a whole number from 0 to 9007199254740991",
            ),
            (
                "broadcast",
                json!({"text": "mine", "no_gain": "no"}),
                "`no_gain` is true or false",
            ),
            (
                "configure_mysis",
                json!({"name": "a", "temperature": "hot"}),
                "`temperature` is a number from 0 to 2",
            ),
        ] {
            assert_eq!(parse(tool, arguments).unwrap_err(), said);
        }
    }
}

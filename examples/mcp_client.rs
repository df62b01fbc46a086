//! The program's MCP client against a foreign server (`tests/conformance/`): opens a session, lists
//! the tools, and calls each of them once, with arguments made from its schema. Where the tests name
//! calls (`MCP_CONFORMANCE_CONTEXT`), those are made instead.
//!
//! `cargo run --example mcp_client -- http://127.0.0.1:3000/mcp`

use std::time::Duration;

use anyhow::Context;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value, json};
use zoea_mcp::{ListedTool, ServerSession, UpstreamEndpoint};

/// The time limit of a tool call.
const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::args()
        .nth(1)
        .context("which server? give its URL")?;
    let endpoint = UpstreamEndpoint::new(url, zoea_http::build_client()?);
    let session = ServerSession::open(endpoint).await?;
    let listing = session.tools().await?;
    let tools = &listing.tools;
    for (name, arguments) in calls(tools)? {
        let params = CallToolRequestParams::new(name.clone()).with_arguments(arguments);
        match session.call(params, PATIENCE).await {
            Ok(result) => print(&name, &serde_json::to_string(&result.text)?),
            Err(failure) => print(&name, &failure.to_string()),
        }
    }
    Ok(())
}

/// The calls that the tests name, else one of each tool.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests name calls in the environment only"
)]
fn calls(tools: &[ListedTool]) -> anyhow::Result<Vec<(String, Map<String, Value>)>> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    if let Some(named) = context["toolCalls"].as_array() {
        let named = named.iter().map(|call| {
            let name = call["name"].as_str().context("a call has a name")?;
            let arguments = call["arguments"].as_object().cloned().unwrap_or_default();
            Ok((name.to_string(), arguments))
        });
        return named.collect();
    }
    let each = tools.iter();
    each.map(|tool| Ok((tool.name.to_string(), arguments(tool, tools)?)))
        .collect()
}

#[expect(
    clippy::print_stdout,
    reason = "what came of it is for whoever runs this"
)]
fn print(tool: &str, content: &str) {
    println!("{tool}: {content}");
}

/// Valid arguments for a tool's schema. A parameter that is itself a schema gets the schema of
/// another tool.
fn arguments(tool: &ListedTool, tools: &[ListedTool]) -> anyhow::Result<Map<String, Value>> {
    let own: Value = serde_json::from_str(&tool.schema)?;
    let properties = own.get("properties").and_then(Value::as_object);
    let another = tools.iter().find(|other| other.name != tool.name);
    let schema: Option<Value> = another.and_then(|other| serde_json::from_str(&other.schema).ok());
    Ok(properties
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let value = match property["type"].as_str() {
                Some("number" | "integer") => json!(5),
                Some("boolean") => json!(true),
                Some("array") => json!([]),
                Some("object") if name == "schema" => schema.clone().unwrap_or_default(),
                Some("object") => json!({}),
                Some(_) | None => json!("five"),
            };
            (name.clone(), value)
        })
        .collect())
}

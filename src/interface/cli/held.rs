//! `zoea held`: texts that are held back from models, because a server refuses them.

use clap::{Args, Subcommand};
use serde::Deserialize;
use zoea_contract::HeldTextJson;
use zoea_settings::Environment;
use zoea_text::clean::one_line;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

/// The options of `zoea held`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HeldArgs {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    order: Option<HeldOrder>,
}

impl HeldArgs {
    /// Whether it changes nothing.
    pub(super) fn only_lists(&self) -> bool {
        self.order.is_none()
    }
}

/// An order about texts that are held back.
#[derive(Debug, Subcommand)]
pub enum HeldOrder {
    /// Let texts be tried again: the next request that would hold one holds it.
    Forget {
        /// The ids of the texts; `all` for all of them.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

pub(super) async fn run(
    args: &HeldArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let client = SwarmClient::open(global, environment).await?;
    let done = carry_out(&client, args).await;
    client.close().await;
    done
}

async fn carry_out(client: &SwarmClient, args: &HeldArgs) -> anyhow::Result<()> {
    let Some(HeldOrder::Forget { ids }) = &args.order else {
        return list_texts(client, args.json).await;
    };
    for id in ids {
        let call = ControlCall::ForgetHeldText { id: id.clone() };
        client.call(call).await?;
        let line = match &**id {
            "all" => "all texts may be tried again".to_string(),
            id => format!("{id} may be tried again"),
        };
        out::line(&line)?;
    }
    Ok(())
}

async fn list_texts(client: &SwarmClient, as_json: bool) -> anyhow::Result<()> {
    let texts = client.call(ControlCall::ListHeldTexts {}).await?;
    if as_json {
        return Ok(out::json(&texts)?);
    }
    let texts: Vec<HeldTextJson<'_>> = Vec::deserialize(texts)?;
    if texts.is_empty() {
        out::note("no text is held back from any model");
    }
    let mut table = Table::new(&[
        Column::text("ID"),
        Column::text("PROVIDER"),
        Column::text("MODEL"),
        Column::text("SINCE"),
        Column::text("ROW"),
        Column::text("TEXT"),
        Column::text("SERVER ANSWER"),
    ]);
    for held in texts {
        let mysis = held.mysis.as_deref().unwrap_or("-");
        table.add(vec![
            held.id,
            held.provider.into_owned(),
            held.model.into_owned(),
            shown::time(&held.since),
            format!("{mysis} {}", held.seq),
            held.text,
            held.said.into_owned(),
        ]);
    }
    Ok(table.print()?)
}

/// The most lines of a page of checks.
const MAX_LINES: usize = 10;

/// The texts as lines of `zoea doctor`, the newest ones.
pub(super) fn as_lines(texts: &[HeldTextJson<'_>]) -> Vec<String> {
    let mut lines: Vec<String> = texts
        .iter()
        .rev()
        .take(MAX_LINES)
        .map(in_one_line)
        .collect();
    let left = texts.len().saturating_sub(MAX_LINES);
    if left > 0 {
        lines.push(format!("{left} more texts; `zoea held` lists them"));
    }
    lines
}

fn in_one_line(held: &HeldTextJson<'_>) -> String {
    one_line(&format!(
        "{} {} gets no request with {:?} since {} ({}; it said {}); `zoea held forget {}` lets it be tried \
         again",
        held.provider,
        held.model,
        held.text,
        shown::time(&held.since),
        held.proof,
        held.said,
        held.id
    ))
}

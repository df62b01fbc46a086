//! Commands that list what a swarm has, as a table or as JSON, and give orders about it.

use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

/// What is listed, a row of the table each.
pub(super) trait Listed: DeserializeOwned {
    const COLUMNS: &'static [Column];
    /// What is said of an empty list.
    const NONE: Option<&'static str>;

    /// The call that lists them.
    fn call() -> ControlCall;

    fn cells(self) -> Vec<String>;
}

/// An order about what is listed.
pub(super) trait ListOrder: Subcommand {
    type Listed: Listed;

    async fn carry_out(&self, client: &SwarmClient) -> anyhow::Result<()>;
}

/// The options of a command that lists and gives orders.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct ListArgs<O: Subcommand> {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    order: Option<O>,
}

impl<O: ListOrder> ListArgs<O> {
    /// Whether it changes nothing.
    pub(super) fn only_lists(&self) -> bool {
        self.order.is_none()
    }

    pub(super) async fn run(&self, global: &GlobalArgs) -> anyhow::Result<()> {
        SwarmClient::with(global, async |client| match &self.order {
            Some(order) => order.carry_out(client).await,
            None => print_list::<O::Listed>(client, self.json).await,
        })
        .await
    }
}

pub(super) async fn print_list<T: Listed>(
    client: &SwarmClient,
    as_json: bool,
) -> anyhow::Result<()> {
    let answer = client.call(T::call()).await?;
    if as_json {
        return Ok(out::json(&answer)?);
    }
    let listed: Vec<T> = serde_json::from_value(answer)?;
    if let (true, Some(none)) = (listed.is_empty(), T::NONE) {
        out::note(none);
    }
    let mut table = Table::new(T::COLUMNS);
    for one in listed {
        table.add(one.cells());
    }
    Ok(table.print()?)
}

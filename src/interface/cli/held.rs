//! `zoea held`: texts that are held back from models, because a server refuses them.

use clap::Subcommand;
use zoea_contract::HeldTextJson;
use zoea_text::clean::one_line;

use crate::interface::cli::listing::{ListOrder, Listed};
use crate::interface::cli::out::{self, Column};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

/// An order about texts that are held back.
#[derive(Debug, Subcommand)]
pub(super) enum HeldCommand {
    /// Allow texts again: the next request that would contain one contains it.
    Forget {
        /// The ids of the texts; `all` for all of them.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

impl ListOrder for HeldCommand {
    type Listed = HeldTextJson<'static>;

    async fn carry_out(&self, client: &SwarmClient) -> anyhow::Result<()> {
        let HeldCommand::Forget { ids } = self;
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
}

impl Listed for HeldTextJson<'static> {
    const COLUMNS: &'static [Column] = &[
        Column::text("ID"),
        Column::text("PROVIDER"),
        Column::text("MODEL"),
        Column::text("SINCE"),
        Column::text("ROW"),
        Column::text("TEXT"),
        Column::text("SERVER ANSWER"),
    ];
    const NONE: Option<&'static str> = Some("no text is held back from any model");

    fn call() -> ControlCall {
        ControlCall::ListHeldTexts {}
    }

    fn cells(self) -> Vec<String> {
        let mysis = self.mysis.as_deref().unwrap_or("-");
        vec![
            self.id,
            self.provider.into_owned(),
            self.model.into_owned(),
            shown::time(&self.since),
            format!("{mysis} {}", self.seq),
            self.text,
            self.said.into_owned(),
        ]
    }
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

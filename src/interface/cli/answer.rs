//! `zoea answer`: answers the question that a server asks during a Mysis' call.

use actors::domain::question::read_pairs;
use anyhow::anyhow;
use clap::Args;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::{AnswerAction, AnswerQuestion};

#[derive(Debug, Args)]
pub(super) struct AnswerArgs {
    /// The name of the Mysis whose call waits; `zoea status` shows the question.
    name: String,
    /// The values, each as field=value; none where an address was visited.
    values: Vec<String>,
    /// Decline the question.
    #[arg(long, conflicts_with_all = ["values", "cancel"])]
    decline: bool,
    /// Put the question aside, neither answered nor declined.
    #[arg(long, conflicts_with = "values")]
    cancel: bool,
    /// The number of the question that is meant [default: the one that is open].
    #[arg(long)]
    question: Option<u64>,
}

pub(super) async fn run(args: &AnswerArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let values = args.values.iter().map(|pair| &**pair);
    let values = read_pairs(values).map_err(|why| anyhow!(why))?;
    let action = match (args.decline, args.cancel) {
        (true, _) => AnswerAction::Decline,
        (false, true) => AnswerAction::Cancel,
        (false, false) => AnswerAction::Accept,
    };
    let call = ControlCall::AnswerQuestion(AnswerQuestion {
        name: args.name.clone(),
        question: args.question,
        action,
        values,
    });
    SwarmClient::call_once(global, call).await?;
    let done = match action {
        AnswerAction::Accept => "answered",
        AnswerAction::Decline => "declined",
        AnswerAction::Cancel => "cancelled",
    };
    Ok(out::line(&format!("{done} for {}", args.name))?)
}

//! Which Myses a command is for: names, all, those in a state, or those that meet conditions.

use std::collections::HashSet;
use std::io::{self, Read};

use actors::domain::event::is_interruption;
use actors::domain::order::MAX_ORDER_BYTES;
use actors::domain::selector::{Candidate, SelectorWord};
use actors::domain::state::LifeState;
use anyhow::{Context, bail, ensure};
use clap::Args;
use zoea_contract::{Conditions, MysisStatusJson};
use zoea_system::files::without_mark;

use crate::interface::cli::out;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ListMyses;

/// What stands in place of a text or of names that standard input has.
const STANDARD_INPUT: &str = "-";

/// The Myses that an order is for.
#[derive(Debug, Args)]
pub struct MysisSelector {
    #[command(flatten)]
    pub(super) which: MysisChoice,
    #[command(flatten)]
    pub(super) shown: ShownOutcomes,
}

/// How it is shown whom an order reaches, and what came of it.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct ShownOutcomes {
    /// Print which Myses would get the order, without giving it.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the result for each Mysis as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// The ways to say which Myses an order is for.
#[derive(Debug, Args)]
#[group(required = true, multiple = false, args = ["names", "all", "state", "conditions"])]
pub(super) struct MysisChoice {
    /// The names of the Myses, with blanks or commas between them; - reads them from standard input.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    many: ManyMyses,
}

/// The ways to say which Myses an order is for without naming them.
#[derive(Clone, Debug, Args)]
#[group(multiple = false)]
pub(super) struct ManyMyses {
    /// All Myses.
    #[arg(long)]
    all: bool,
    /// The Myses in this state; `interrupted` are those that ran when the program ended.
    #[arg(long, value_name = "STATE", value_parser = parse_state)]
    state: Option<SelectorWord>,
    /// The Myses that fit all conditions, with commas between them: state, name, provider, model,
    /// role, account or system, then = or !=, then a value; * stands for anything.
    #[arg(long = "where", value_name = "CONDITIONS", value_parser = Conditions::parse)]
    conditions: Option<Conditions>,
}

/// The values of `--state`. Where the command line takes names, `all` and `idle` are names.
const STATE_WORDS: [SelectorWord; 5] = [
    SelectorWord::State(LifeState::Idle),
    SelectorWord::State(LifeState::Running),
    SelectorWord::State(LifeState::Stopped),
    SelectorWord::State(LifeState::Errored),
    SelectorWord::Interrupted,
];

fn parse_state(text: &str) -> Result<SelectorWord, String> {
    SelectorWord::parse(text, &STATE_WORDS).ok_or_else(|| {
        let known = STATE_WORDS.map(SelectorWord::as_str).join(", ");
        format!("a state is one of {known}")
    })
}

/// The Myses that a command is for.
pub(super) struct ChosenMyses {
    pub(super) names: Vec<String>,
    /// Whether each was named. What is already as it shall be is a refusal only then.
    pub(super) are_named: bool,
}

impl ChosenMyses {
    /// Those of these names, each once, so that an order given to a name twice is one order.
    pub(super) fn named(names: impl IntoIterator<Item = String>) -> anyhow::Result<ChosenMyses> {
        let mut seen = HashSet::new();
        let names = names.into_iter().filter(|name| seen.insert(name.clone()));
        let names: Vec<String> = names.collect();
        ensure!(!names.is_empty(), "no Mysis is named");
        Ok(ChosenMyses {
            names,
            are_named: true,
        })
    }
}

impl MysisChoice {
    /// The names of the Myses that were chosen.
    pub(super) async fn resolve(&self, client: &SwarmClient) -> anyhow::Result<ChosenMyses> {
        if self.names.is_empty() {
            return self.many.resolve(client).await;
        }
        let mut names = Vec::new();
        for name in &self.names {
            match name.as_str() {
                STANDARD_INPUT => {
                    let read = read_input()?;
                    names.extend(read.split_whitespace().flat_map(names_in));
                }
                listed => names.extend(names_in(listed)),
            }
        }
        ChosenMyses::named(names)
    }
}

impl ManyMyses {
    /// Whether any of these ways is taken.
    pub(super) fn is_given(&self) -> bool {
        self.all || self.state.is_some() || self.conditions.is_some()
    }

    /// The names of the Myses that were chosen.
    pub(super) async fn resolve(&self, client: &SwarmClient) -> anyhow::Result<ChosenMyses> {
        let myses = list_myses(client, self.conditions.as_ref()).await?;
        let candidates: Vec<Candidate<'_, &str>> = myses.iter().map(to_candidate).collect();
        let names = self.state.unwrap_or(SelectorWord::All).select(&candidates);
        Ok(ChosenMyses {
            names: names.into_iter().map(str::to_string).collect(),
            are_named: false,
        })
    }
}

/// The names of a list with commas between them. No name has a comma.
pub(super) fn names_in(listed: &str) -> impl Iterator<Item = String> {
    let names = listed.split(',').filter(|name| !name.is_empty());
    names.map(str::to_string)
}

/// The Myses of the swarm, or those that meet the conditions.
pub(super) async fn list_myses(
    client: &SwarmClient,
    conditions: Option<&Conditions>,
) -> anyhow::Result<Vec<MysisStatusJson<'static>>> {
    client.ask(list_call(conditions)).await
}

/// The call that lists them.
pub(super) fn list_call(conditions: Option<&Conditions>) -> ControlCall {
    ControlCall::ListMyses(ListMyses {
        r#where: conditions.map(|conditions| conditions.text().to_string()),
        limit: Some(0),
        ..ListMyses::default()
    })
}

/// A Mysis in the answer of `list_myses`.
fn to_candidate<'a>(mysis: &'a MysisStatusJson<'static>) -> Candidate<'a, &'a str> {
    let state = LifeState::parse(&mysis.state);
    let was_running = is_interruption(mysis.reason.as_deref());
    Candidate {
        key: &mysis.name,
        name: &mysis.name,
        state,
        is_interrupted: state == Some(LifeState::Idle) && was_running,
        is_marked: false,
        is_in_hand: false,
    }
}

/// The text of an order; `-` reads it from standard input, without commands to a terminal and without the
/// line end at its end.
pub(super) fn given_text(text: &str) -> anyhow::Result<String> {
    if text != STANDARD_INPUT {
        return Ok(text.to_string());
    }
    let read = read_input()?;
    Ok(out::clean(&read).trim_end_matches('\n').to_string())
}

/// Reads standard input, which may hold as much as an order.
fn read_input() -> anyhow::Result<String> {
    let most = u64::try_from(MAX_ORDER_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    read.context("read standard input")?;
    if bytes.len() > MAX_ORDER_BYTES {
        bail!("standard input has more than the {MAX_ORDER_BYTES} bytes of the longest order");
    }
    let text = String::from_utf8(bytes).ok();
    let text = text.context("standard input is not UTF-8 text")?;
    Ok(without_mark(text))
}

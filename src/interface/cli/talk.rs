//! `zoea send`, `broadcast`, `mission` and `note`: orders and notes for Myses.

use std::borrow::Cow;

use actors::domain::bounds::estimated_tokens;
use actors::domain::progress::suggests_no_gain;
use clap::{Args, Subcommand};
use serde_json::json;
use zoea_contract::{Conditions, MissionJson, MysisStatusJson, OrderAnswerJson};
use zoea_text::figures::group_digits;
use zoea_text::names::listed;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::outcomes::{OrderWords, order_each, order_one};
use crate::interface::cli::selection::{
    ChosenMyses, ManyMyses, ShownOutcomes, given_text, list_myses, names_in,
};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::{BroadcastMission, SendMessage, parse_text};

/// The orders about the mission.
#[derive(Debug, Subcommand)]
pub enum MissionCommand {
    /// Show the mission in force.
    Show,
    /// Clear the mission in force.
    Clear,
}

/// Persistent context for one Mysis.
#[derive(Debug, Args)]
pub struct NoteArgs {
    /// The name of the Mysis.
    name: String,
    /// The text that every request of the Mysis shows from now on; - reads it from standard input.
    #[arg(
        required_unless_present = "clear",
        conflicts_with = "clear",
        allow_hyphen_values = true,
        value_parser = parse_text
    )]
    text: Option<String>,
    /// Clear the persistent context of the Mysis.
    #[arg(long)]
    clear: bool,
}

/// A direct message, and for whom.
#[derive(Debug, Args)]
#[command(override_usage = "zoea send [OPTIONS] NAME[,NAME…] TEXT\n       \
                            zoea send [OPTIONS] --all|--state STATE|--where CONDITIONS TEXT")]
pub struct SendArgs {
    /// The name of the Mysis, or several with commas between them. With --all, --state or --where the
    /// text stands in its place.
    #[arg(value_name = "NAME", allow_hyphen_values = true, value_parser = parse_text)]
    first: String,
    /// The text; - reads it from standard input.
    #[arg(
        required_unless_present_any = ["all", "state", "conditions"],
        conflicts_with_all = ["all", "state", "conditions"],
        allow_hyphen_values = true,
        value_parser = parse_text
    )]
    text: Option<String>,
    #[command(flatten)]
    many: ManyMyses,
    /// The text asks to wait, to guard or to talk, so no gain is expected of it.
    #[arg(long)]
    no_gain: bool,
    #[command(flatten)]
    shown: ShownOutcomes,
}

pub(super) async fn send_message(args: &SendArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let text = given_text(args.text.as_ref().unwrap_or(&args.first))?;
    SwarmClient::with(global, async |client| {
        let chosen = match args.many.is_given() {
            true => args.many.resolve(client).await?,
            false => ChosenMyses::named(names_in(&args.first))?,
        };
        send_each(client, &chosen, (&text, args.no_gain), args.shown).await
    })
    .await
}

/// Sends the chosen Myses a direct message.
async fn send_each(
    client: &SwarmClient,
    chosen: &ChosenMyses,
    (text, no_gain): (&str, bool),
    shown: ShownOutcomes,
) -> anyhow::Result<()> {
    anyhow::ensure!(
        !chosen.names.is_empty(),
        "no Mysis matches, so nothing was sent; `zoea mysis list` shows all"
    );
    let send = |name| {
        ControlCall::SendMessage(SendMessage {
            name,
            text: text.to_string(),
            no_gain,
        })
    };
    let words = OrderWords {
        done: "stored for",
        after: delivery_note(client),
        would_be: "would be sent".to_string(),
    };
    order_each(client, chosen, send, &words, shown).await?;
    suggest_no_gain(text, no_gain || shown.json || shown.dry_run)
}

#[derive(Debug, Args)]
pub struct BroadcastArgs {
    #[command(flatten)]
    asked: BroadcastMission,
    /// Send the text as a direct message to those that fit all conditions (see `zoea mysis list --help`)
    /// and leave the mission as it is.
    #[arg(long = "where", value_name = "CONDITIONS", value_parser = Conditions::parse,
          conflicts_with = "ends")]
    conditions: Option<Conditions>,
    #[command(flatten)]
    shown: ShownOutcomes,
}

pub(super) async fn broadcast_mission(
    args: &BroadcastArgs,
    global: &GlobalArgs,
) -> anyhow::Result<()> {
    let asked = BroadcastMission {
        text: given_text(&args.asked.text)?,
        ..args.asked.clone()
    };
    SwarmClient::with(global, async |client| broadcast(client, args, asked).await).await
}

async fn broadcast(
    client: &SwarmClient,
    args: &BroadcastArgs,
    asked: BroadcastMission,
) -> anyhow::Result<()> {
    let shown = args.shown;
    let myses = list_myses(client, args.conditions.as_ref()).await?;
    if args.conditions.is_some() {
        let names = myses.iter().map(|mysis| mysis.name.to_string());
        let chosen = ChosenMyses {
            names: names.collect(),
            are_named: false,
        };
        return send_each(client, &chosen, (&asked.text, asked.no_gain), shown).await;
    }
    if shown.dry_run {
        return print_addressees(&myses, shown.json);
    }
    let call = ControlCall::Broadcast(asked.clone());
    if shown.json {
        return Ok(out::json(&client.call(call).await?)?);
    }
    let sent: OrderAnswerJson = client.ask(call).await?;
    let (when, delivered) = (delivery_note(client), join_names(&sent.delivered));
    out::line(&format!("the mission is set{when}; it reached {delivered}"))?;
    let woken = idle_names(&myses);
    if client.is_running() && !woken.is_empty() {
        out::line(&format!("it wakes {}", listed(&woken)))?;
    }
    if !sent.elsewhere.is_empty() {
        let count = sent.elsewhere.len();
        out::line(&format!(
            "other processes give it to {count} more within seconds"
        ))?;
    }
    if !sent.missed.is_empty() {
        let missed = join_names(&sent.missed);
        out::line(&format!(
            "it did not reach {missed} (they inherit it when they run again)"
        ))?;
    }
    suggest_no_gain(&asked.text, asked.no_gain)
}

/// The names of those that are idle.
fn idle_names<'a>(myses: &'a [MysisStatusJson<'_>]) -> Vec<&'a str> {
    let idle = myses.iter().filter(|mysis| mysis.state == "idle");
    idle.map(|mysis| &*mysis.name).collect()
}

/// Tells whom a mission would reach: those in errors inherit it when they run again.
fn print_addressees(myses: &[MysisStatusJson<'_>], as_json: bool) -> anyhow::Result<()> {
    let (missed, reached): (Vec<_>, Vec<_>) =
        myses.iter().partition(|mysis| mysis.state == "errored");
    let names = |of: &[&MysisStatusJson<'_>]| -> Vec<String> {
        of.iter().map(|mysis| mysis.name.to_string()).collect()
    };
    let (missed, reached) = (names(&missed), names(&reached));
    if as_json {
        return Ok(out::json(&json!({"delivered": reached, "missed": missed}))?);
    }
    let reached = join_names(&reached);
    out::line(&format!("the mission would reach {reached}"))?;
    let woken = idle_names(myses);
    if !woken.is_empty() {
        out::line(&format!("it would wake {}", listed(&woken)))?;
    }
    if !missed.is_empty() {
        let missed = join_names(&missed);
        out::line(&format!(
            "it would not reach {missed} (they inherit it when they run again)"
        ))?;
    }
    Ok(())
}

/// If an order seems to ask for waiting, tells how to mark that it expects no gain.
fn suggest_no_gain(text: &str, is_said: bool) -> anyhow::Result<()> {
    let word = suggests_no_gain(text).filter(|_| !is_said);
    let Some(word) = word else {
        return Ok(());
    };
    Ok(out::line(&format!(
        "zoea expects gains from this order and reports a Mysis without gains as stuck; if \"{word}\" \
         means that none are due, give the order again with --no-gain"
    ))?)
}

/// What to add when no program runs that could carry the order out.
pub(super) fn delivery_note(client: &SwarmClient) -> &'static str {
    if client.is_running() {
        ""
    } else {
        " (no swarm is running here: it is kept for the next run)"
    }
}

fn join_names(names: &[String]) -> String {
    match names.is_empty() {
        true => "no Mysis".to_string(),
        false => listed(names),
    }
}

pub(super) async fn mission(command: &MissionCommand, global: &GlobalArgs) -> anyhow::Result<()> {
    let line = SwarmClient::with(global, async |client| match command {
        MissionCommand::Show => {
            let mission: MissionJson<'_> = client.ask(ControlCall::GetMission {}).await?;
            Ok(mission.text.map(Cow::into_owned))
        }
        MissionCommand::Clear => {
            let answer: OrderAnswerJson = client.ask(ControlCall::ClearMission {}).await?;
            let was_there = answer.cleared == Some(true);
            Ok(was_there.then(|| "the mission is cleared".to_string()))
        }
    });
    let line = line.await?;
    Ok(out::line(line.as_deref().unwrap_or("there is no mission"))?)
}

pub(super) async fn edit_notes(args: &NoteArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let text = args.text.as_deref().map(given_text).transpose()?;
    let name = args.name.clone();
    let call = match text.clone() {
        Some(text) => ControlCall::AddNote { name, text },
        None => ControlCall::ClearNotes { name },
    };
    let name = &args.name;
    let done = |answer: &OrderAnswerJson| match &text {
        Some(text) => {
            let bytes = u64::try_from(text.trim().len()).unwrap_or(u64::MAX);
            let tokens = group_digits(estimated_tokens(bytes));
            let seq = answer.seq.unwrap_or_default();
            format!("noted for {name} as {seq}; it adds about {tokens} tokens to every request")
        }
        None => format!("the notes of {name} are cleared"),
    };
    SwarmClient::with(global, async |client| {
        order_one(client, name, call, done).await
    })
    .await
}

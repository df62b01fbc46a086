//! `zoea remind` and `reminders`: messages that are delivered at a time.

use actors::domain::ids::Timestamp;
use actors::ports::Clock;
use chrono::DateTime;
use clap::Subcommand;
use zoea_contract::ListedReminderJson;
use zoea_system::clock::MachineClock;

use crate::interface::cli::exit::ExitWith;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::listing::{ListOrder, Listed};
use crate::interface::cli::out::{self, Column};
use crate::interface::cli::outcomes::{order_one, passed_note};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::talk::delivery_note;
use crate::interface::cli::{EXIT_WRONG_USAGE, shown};
use crate::interface::control::call::ControlCall;
use crate::interface::control::call::reminders::Remind;

/// An order about reminders.
#[derive(Debug, Subcommand)]
pub(super) enum RemindersOrder {
    /// Cancel reminders, so that they are not delivered.
    Cancel {
        /// The ids of the reminders.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

pub(super) async fn remind(args: &Remind, global: &GlobalArgs) -> anyhow::Result<()> {
    // The time is that of this command's zone, whichever the running program has.
    let at = args
        .time()
        .map_err(|why| ExitWith::status(EXIT_WRONG_USAGE, why))?;
    let asked = Remind {
        at: args.at.as_ref().map(|_| at.to_string()),
        ..args.clone()
    };
    let (answer, when) = SwarmClient::with(global, async |client| {
        let answer = client.call(ControlCall::Remind(asked)).await?;
        Ok((answer, delivery_note(client)))
    })
    .await?;
    let name = &args.name;
    if let Some(passed) = answer["passed"].as_str().map(passed_note) {
        return Ok(out::line(&format!("{passed}: {name}"))?);
    }
    let text = |key: &str| answer["reminder"][key].as_str().unwrap_or_default();
    let (id, at) = (text("id"), text("at"));
    let time = shown::time(at);
    let wait = until(at);
    Ok(out::line(&format!(
        "{id}: {name} gets it at {time}, {wait}{when}"
    ))?)
}

impl ListOrder for RemindersOrder {
    type Listed = ListedReminderJson<'static>;

    async fn carry_out(&self, client: &SwarmClient) -> anyhow::Result<()> {
        let RemindersOrder::Cancel { ids } = self;
        for id in ids {
            let call = ControlCall::CancelReminder { id: id.clone() };
            order_one(client, id, call, |_| format!("{id} is cancelled")).await?;
        }
        Ok(())
    }
}

impl Listed for ListedReminderJson<'static> {
    const COLUMNS: &'static [Column] = &[
        Column::text("ID"),
        Column::text("TIME"),
        Column::text("DUE"),
        Column::text("TEXT"),
    ];
    const NONE: Option<&'static str> =
        Some("no reminder waits; `zoea remind NAME TEXT --in 2h` adds one");

    fn call() -> ControlCall {
        ControlCall::ListReminders {}
    }

    fn cells(self) -> Vec<String> {
        let due = due(&self);
        let reminder = self.reminder;
        let time = shown::time(&reminder.at);
        vec![reminder.id, time, due, reminder.text.to_string()]
    }
}

/// In how long it is due, or for what it waits.
fn due(listed: &ListedReminderJson<'_>) -> String {
    let at = &listed.reminder.at;
    match (time_left(at), &*listed.state) {
        (Some(0), state @ ("stopped" | "errored")) => format!("now; it is {state}"),
        _ => until(at),
    }
}

/// How long from now a stored time is.
fn until(at: &str) -> String {
    match time_left(at) {
        None => "-".to_string(),
        Some(0) => "now".to_string(),
        Some(seconds) => match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
            (0, 0, seconds) => format!("in {seconds}s"),
            (0, minutes, _) => format!("in {minutes}m"),
            (hours @ ..48, minutes, _) => format!("in {hours}h{minutes:02}m"),
            (hours, ..) => format!("in {}d", hours / 24),
        },
    }
}

/// The seconds from now to a stored time; 0 if it is past, `None` if it is none.
fn time_left(at: &str) -> Option<u64> {
    let at = DateTime::parse_from_rfc3339(at).ok()?;
    let at = Timestamp(at.timestamp_millis());
    Some(at.since(MachineClock.now()).div_ceil(1000))
}

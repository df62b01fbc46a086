//! Reminders over the control interface: messages that are delivered at a time.

use std::collections::BTreeMap;

use actors::domain::ids::Timestamp;
use actors::domain::memo::MemoKind;
use actors::domain::memo::reminder::{MAX_REMINDER_AHEAD, Reminders, parse_reminder_id};
use actors::domain::order::{MysisOrder, Order};
use actors::ports::Clock;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zoea_contract::{ListedReminderJson, to_value};
use zoea_grammar::when::{parse_time, parse_wait};
use zoea_system::clock::MachineClock;

use crate::interface::report::WallClock;
use crate::interface::swarm::Swarm;

use crate::interface::control::parameters::parse_text;
use crate::interface::control::status::current_statuses;

/// Parameters of `remind`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Remind {
    /// The name of the Mysis.
    pub name: String,
    /// The message.
    #[arg(allow_hyphen_values = true, value_parser = parse_text)]
    pub text: String,
    /// How long from now, as 90s, 2h or 1h30m.
    #[arg(
        long,
        value_name = "DURATION",
        required_unless_present = "at",
        conflicts_with = "at",
        allow_hyphen_values = true
    )]
    pub r#in: Option<String>,
    /// When, as 22:00, the next one in the time zone of this machine, 2026-11-28T22:00 or
    /// 2026-11-28T22:00:00Z.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
}

impl Remind {
    /// The time that is meant.
    ///
    /// # Errors
    /// It is no time, it is past or too far ahead, or two times or none are named.
    pub fn time(&self) -> Result<Timestamp, String> {
        let now = MachineClock.now();
        let at = match (&self.r#in, &self.at) {
            (Some(wait), None) => parse_wait(wait, now.0)?,
            (None, Some(at)) => {
                parse_time(at, now.0, |at| WallClock::Local.offset_ms(Timestamp(at)))?
            }
            (None, None) | (Some(_), Some(_)) => {
                return Err("say when, either by in, as 2h, or by at, as 22:00".to_string());
            }
        };
        if at > now.plus(MAX_REMINDER_AHEAD).0 {
            let days = MAX_REMINDER_AHEAD.as_secs() / (24 * 3600);
            return Err(format!("a reminder may be {days} days ahead at most"));
        }
        Ok(Timestamp(at))
    }

    pub(super) fn into_order(self) -> Result<Order, String> {
        let at = self.time()?;
        let reminder = self.text.into();
        Ok(MysisOrder::Remind { at, reminder }.for_mysis(self.name))
    }
}

pub(super) fn cancel_order(id: &str) -> Result<Order, String> {
    let (name, number) = parse_reminder_id(id)?;
    Ok(MysisOrder::CancelReminder(number).for_mysis(name))
}

/// The reminders that wait, as they are stored, the first one due at the front.
pub(super) async fn list_reminders(swarm: &Swarm) -> Result<Value, String> {
    let stored = swarm.ledger().memos_of_all(MemoKind::Reminders).await;
    let mut stored: BTreeMap<_, _> = stored
        .map_err(|fault| format!("the reminders cannot be read: {fault}"))?
        .into_iter()
        .collect();
    let statuses = current_statuses(swarm).await;
    let mut all = Vec::new();
    for status in &statuses {
        let memo = stored.remove(&status.id);
        let reminders = Reminders::from_memo(memo.as_deref())
            .map_err(|why| format!("the reminders of {} are not understood: {why}", status.name))?;
        let listed = reminders.waiting().iter();
        all.extend(listed.map(|one| (one.at, to_value(&ListedReminderJson::new(status, one)))));
    }
    all.sort_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, listed)| listed).collect())
}

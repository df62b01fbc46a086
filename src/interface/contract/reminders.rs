//! Messages that the operator left for later.

use actors::domain::event::MysisStatus;
use actors::domain::reminder::Reminder;
use serde::Serialize;

/// A message that the operator left for later.
#[derive(Debug, Serialize)]
pub(crate) struct ReminderJson<'a> {
    id: String,
    at: String,
    text: &'a str,
}

impl<'a> ReminderJson<'a> {
    pub(crate) fn new(mysis: &str, reminder: &'a Reminder) -> ReminderJson<'a> {
        ReminderJson {
            id: reminder.id(mysis),
            at: reminder.at.to_string(),
            text: &reminder.text,
        }
    }
}

/// A reminder in `reminders --json`.
#[derive(Debug, Serialize)]
pub struct ListedReminderJson<'a> {
    mysis: &'a str,
    state: &'static str,
    #[serde(flatten)]
    reminder: ReminderJson<'a>,
}

impl<'a> ListedReminderJson<'a> {
    /// A reminder of this Mysis.
    #[must_use]
    pub fn new(status: &'a MysisStatus, reminder: &'a Reminder) -> ListedReminderJson<'a> {
        ListedReminderJson {
            mysis: &status.name,
            state: status.state.as_str(),
            reminder: ReminderJson::new(&status.name, reminder),
        }
    }
}

//! Messages that the operator left for later.

use std::borrow::Cow;

use actors::domain::event::MysisStatus;
use actors::domain::reminder::Reminder;
use serde::{Deserialize, Serialize};

/// A message that the operator left for later.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ReminderJson<'a> {
    /// By which it is cancelled.
    pub id: String,
    /// When it is due.
    pub at: String,
    pub text: Cow<'a, str>,
}

impl<'a> ReminderJson<'a> {
    pub(crate) fn new(mysis: &str, reminder: &'a Reminder) -> ReminderJson<'a> {
        ReminderJson {
            id: reminder.id(mysis),
            at: reminder.at.to_string(),
            text: reminder.text.as_ref().into(),
        }
    }
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ListedReminderJson<'a> {
    /// Whose it is.
    pub mysis: Cow<'a, str>,
    pub state: Cow<'a, str>,
    #[serde(flatten)]
    pub reminder: ReminderJson<'a>,
}

impl<'a> ListedReminderJson<'a> {
    #[must_use]
    pub fn new(status: &'a MysisStatus, reminder: &'a Reminder) -> ListedReminderJson<'a> {
        ListedReminderJson {
            mysis: status.name.as_ref().into(),
            state: status.state.as_str().into(),
            reminder: ReminderJson::new(&status.name, reminder),
        }
    }
}

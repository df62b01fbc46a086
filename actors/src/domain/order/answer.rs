//! The answers to orders.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::ids::{MissionId, MysisId, Seq, Timestamp};
use crate::last_request::SentRequest;
use zoea_text::names::quoted;
use zoea_text::nearest::nearest;

/// The result of an order that was carried out. It is stored before it is reported.
///
/// Serialized it is what one process of a fleet answers another (`memo`). What is skipped answers no order
/// that is passed on.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletedOrder {
    #[serde(skip)]
    Created(MysisId),
    /// The order was carried out, and there is nothing more to report.
    Done(CompletedAction),
    #[serde(skip)]
    Undeleted {
        name: Arc<str>,
        /// Its game account, if it has it again.
        account: Option<Arc<str>>,
    },
    Stored(Seq),
    #[serde(skip)]
    Broadcast {
        mission: MissionId,
        delivered: Vec<Arc<str>>,
        /// The Myses that could not take it now; they inherit it when they run again.
        missed: Vec<Arc<str>>,
        /// The Myses of other processes, which give it to them within seconds.
        elsewhere: Vec<Arc<str>>,
    },
    /// The mission was cleared; `false` if there was none.
    #[serde(skip)]
    MissionCleared(bool),
    #[serde(skip)]
    Request(Box<SentRequest>),
    /// A routine as it is now, as JSON.
    Routine(Arc<str>),
    Reminded {
        id: Arc<str>,
        at: Timestamp,
    },
    /// This many accounts are now in the pool or with their owners.
    #[serde(skip)]
    AccountsPooled(usize),
    #[serde(skip)]
    Reloaded(Reloaded),
    /// The order is stored, and this process carries it out as soon as it can.
    #[serde(skip)]
    Passed(Arc<str>),
    /// The swarm is frozen since then, or not frozen.
    #[serde(skip)]
    Frozen(Option<Timestamp>),
}

impl CompletedOrder {
    pub fn row(&self) -> Option<Seq> {
        if let CompletedOrder::Stored(seq) = self {
            return Some(*seq);
        }
        None
    }

    /// How many Myses it reached, in words, if it was for all.
    pub fn reach(&self) -> Option<String> {
        let CompletedOrder::Broadcast {
            delivered, missed, ..
        } = self
        else {
            return None;
        };
        let later = match missed.len() {
            0 => String::new(),
            missed => format!(", {missed} will inherit it"),
        };
        Some(format!("stored for {}{later}", delivered.len()))
    }
}

/// An order that was carried out and whose answer contains nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum CompletedAction {
    Started,
    Retried,
    Stopped,
    Deleted,
    Configured,
    #[strum(serialize = "cleared")]
    NotesCleared,
    RoutineStarted,
    /// The routine ends after the step that is under way.
    RoutineStopped,
    /// The reminder is not delivered.
    ReminderCancelled,
    Answered,
    Declined,
    /// The server was told that its question is put aside.
    Cancelled,
    /// The process gives its Myses back.
    Drained,
    /// The process takes Myses again.
    Undrained,
    /// What was held back may be tried again.
    Forgotten,
    BudgetRaised,
}

impl CompletedAction {
    /// The word for it in CONTRACT.md.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

zoea_records::stored_by_word!(CompletedAction);

/// The changed keys of a reload, as the operator writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    pub at_once: Vec<String>,
    pub after_a_restart: Vec<String>,
}

impl fmt::Display for Reloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration was read again")?;
        match self.at_once.is_empty() {
            true => f.write_str("; no setting that takes effect at once has changed")?,
            false => write!(f, ": {}", self.at_once.join(", "))?,
        }
        if !self.after_a_restart.is_empty() {
            let waiting = self.after_a_restart.join(", ");
            write!(f, "; takes effect when the program is restarted: {waiting}")?;
        }
        Ok(())
    }
}

/// Why an order was refused. Nothing is stored in this case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderRefusal {
    #[error("{0}")]
    UnknownMysis(UnknownName),
    #[error("{name} runs in the process {process}: give the order there")]
    Elsewhere { name: String, process: Arc<str> },
    /// No process of the fleet that runs has this name.
    #[error("no process that runs is called `{0}`; `zoea processes` lists them")]
    UnknownProcess(String),
    /// It was refused in these words, here or by another process.
    #[error("{0}")]
    Because(String),
    #[error("a mysis called `{0}` exists already")]
    NameTaken(String),
    #[error("the swarm is full ({0} myses); raise swarm.max_myses or delete one")]
    SwarmFull(usize),
    #[error("no provider is called `{name}`; the configuration has {}", .known.join(", "))]
    UnknownProvider { name: String, known: Vec<String> },
    #[error("{}", unknown_role(.name, .known))]
    UnknownRole { name: String, known: Vec<String> },
    #[error("a temperature is a number from 0 to 2")]
    BadTemperature,
    #[error("mysis already running")]
    AlreadyRunning,
    #[error("mysis already stopped")]
    AlreadyStopped,
    #[error("nothing to retry: the mysis is neither errored nor waiting to try again")]
    NothingToRetry,
    /// No server waits for an answer, or not for one to the question that is meant.
    #[error(
        "that question is gone: it was answered or withdrawn, its time is over, or nothing was asked"
    )]
    NoQuestion,
    /// The answer does not fit the question, which stays open.
    #[error("{0}")]
    BadAnswer(String),
    #[error("the routine cannot be started: {}", .0.join("; "))]
    BadRoutine(Vec<String>),
    #[error("the routine is unchanged: {}", .0.join("; "))]
    BadEdit(Vec<String>),
    #[error("no routine runs")]
    NoRoutine,
    #[error("it repeats no paying loop now")]
    NoLoop,
    #[error("mysis stopped - press 'r' to relaunch")]
    Stopped,
    #[error("mysis errored - press 'r' to relaunch")]
    Errored,
    #[error("there is nothing in the message")]
    EmptyText,
    #[error("the message is longer than {0} bytes")]
    TextTooLong(usize),
    #[error("no swarm is running here; `zoea run` starts one, with --headless without a terminal")]
    NoSwarm,
    #[error("nothing was sent to its model since the program began")]
    NothingSent,
    #[error("the program is closing and takes no orders")]
    Closing,
    /// The Mysis died while it handled the order, which may or may not have been stored.
    #[error("the Mysis crashed while it carried the order out; look at its log, then try again")]
    Interrupted,
    #[error("could not be stored: {0}")]
    Store(String),
    #[error("the configuration is unchanged: {}", .0.join("; "))]
    Configuration(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    pub name: String,
    nearest: Option<String>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no mysis is called {}", quoted(&self.name))?;
        match &self.nearest {
            Some(nearest) => write!(f, "; did you mean {nearest}?"),
            None => Ok(()),
        }
    }
}

impl OrderRefusal {
    /// No Mysis has this name, but these.
    pub fn unknown_mysis<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> OrderRefusal {
        OrderRefusal::UnknownMysis(UnknownName {
            name: name.to_string(),
            nearest: nearest(name, known).map(str::to_string),
        })
    }
}

fn unknown_role(name: &str, known: &[String]) -> String {
    let quoted = quoted(name);
    if known.is_empty() {
        let name = quoted.trim_matches('`');
        return format!(
            "no role is called {quoted}; the configuration has none: add [roles.{name}]"
        );
    }
    format!(
        "no role is called {quoted}; the configuration has {}; `none` takes the role away, and `default` gives \
         the configuration's",
        known.join(", ")
    )
}

pub type OrderResult = Result<CompletedOrder, OrderRefusal>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reload_says_what_holds_now_and_what_waits() {
        let mut reloaded = Reloaded::default();
        let said =
            "the configuration was read again; no setting that takes effect at once has changed";
        assert_eq!(reloaded.to_string(), said);
        reloaded.at_once.push("[budget]".to_string());
        reloaded.after_a_restart.push("[tui]".to_string());
        assert_eq!(
            reloaded.to_string(),
            "the configuration was read again: [budget]; takes effect when the program is restarted: [tui]"
        );
    }

    #[test]
    fn refusals_say_what_to_do() {
        assert_eq!(
            OrderRefusal::Stopped.to_string(),
            "mysis stopped - press 'r' to relaunch"
        );
        assert_eq!(
            OrderRefusal::AlreadyRunning.to_string(),
            "mysis already running"
        );
    }
}

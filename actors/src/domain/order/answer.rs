//! The answers to orders.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

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
    #[must_use]
    pub fn row(&self) -> Option<Seq> {
        if let CompletedOrder::Stored(seq) = self {
            return Some(*seq);
        }
        None
    }

    /// How many Myses it reached, in words, if it was for all.
    #[must_use]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum CompletedAction {
    Started,
    Retried,
    Stopped,
    Deleted,
    Configured,
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
        match self {
            CompletedAction::Started => "started",
            CompletedAction::Retried => "retried",
            CompletedAction::Stopped => "stopped",
            CompletedAction::Deleted => "deleted",
            CompletedAction::Configured => "configured",
            CompletedAction::NotesCleared => "cleared",
            CompletedAction::RoutineStarted => "routine_started",
            CompletedAction::RoutineStopped => "routine_stopped",
            CompletedAction::ReminderCancelled => "reminder_cancelled",
            CompletedAction::Answered => "answered",
            CompletedAction::Declined => "declined",
            CompletedAction::Cancelled => "cancelled",
            CompletedAction::Drained => "drained",
            CompletedAction::Undrained => "undrained",
            CompletedAction::Forgotten => "forgotten",
            CompletedAction::BudgetRaised => "budget_raised",
        }
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderRefusal {
    UnknownMysis(UnknownName),
    Elsewhere {
        name: String,
        process: Arc<str>,
    },
    /// No process of the fleet that runs has this name.
    UnknownProcess(String),
    /// It was refused in these words, here or by another process.
    Because(String),
    /// The name is not allowed.
    BadName(String),
    /// There is no copy of what is to be brought back, or none could be made.
    Copy(String),
    NameTaken(String),
    SwarmFull(usize),
    UnknownProvider {
        name: String,
        known: Vec<String>,
    },
    UnknownRole {
        name: String,
        known: Vec<String>,
    },
    /// The temperature is not from 0 to 2.
    BadTemperature,
    AlreadyRunning,
    AlreadyStopped,
    /// The Mysis is not errored and does not wait for another attempt.
    NothingToRetry,
    /// No server waits for an answer, or not for one to the question that is meant.
    NoQuestion,
    /// The answer does not fit the question, which stays open.
    BadAnswer(String),
    /// The routine cannot be started, for these reasons.
    BadRoutine(Vec<String>),
    /// The routine stays as it was, for these reasons.
    BadEdit(Vec<String>),
    NoRoutine,
    /// The Mysis repeats no loop that pays and can be taken.
    NoLoop,
    /// The Mysis is stopped and takes no messages.
    Stopped,
    /// The Mysis is errored and takes no messages.
    Errored,
    EmptyText,
    TextTooLong(usize),
    NoSwarm,
    /// The Mysis has sent nothing to its model since the program started.
    NothingSent,
    Closing,
    /// The Mysis died while it handled the order, which may or may not have been stored.
    Interrupted,
    Store(String),
    /// The configuration stays the same, for these reasons.
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
    #[must_use]
    pub fn unknown_mysis<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> OrderRefusal {
        OrderRefusal::UnknownMysis(UnknownName {
            name: name.to_string(),
            nearest: nearest(name, known).map(str::to_string),
        })
    }
}

fn write_unknown_role(f: &mut fmt::Formatter<'_>, name: &str, known: &[String]) -> fmt::Result {
    if known.is_empty() {
        return write!(
            f,
            "no role is called {}; the configuration has none: add [roles.{}]",
            quoted(name),
            quoted(name).trim_matches('`')
        );
    }
    write!(
        f,
        "no role is called {}; the configuration has {}; `none` takes the role away, and \
         `default` gives the configuration's",
        quoted(name),
        known.join(", ")
    )
}

impl fmt::Display for OrderRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderRefusal::UnknownMysis(unknown) => write!(f, "{unknown}"),
            OrderRefusal::Elsewhere { name, process } => write!(
                f,
                "{name} runs in the process {process}: give the order there"
            ),
            OrderRefusal::UnknownProcess(name) => write!(
                f,
                "no process that runs is called `{name}`; `zoea processes` lists them"
            ),
            OrderRefusal::BadName(why) | OrderRefusal::Because(why) | OrderRefusal::Copy(why) => {
                f.write_str(why)
            }
            OrderRefusal::NameTaken(name) => write!(f, "a mysis called `{name}` exists already"),
            OrderRefusal::SwarmFull(max) => write!(
                f,
                "the swarm is full ({max} myses); raise swarm.max_myses or delete one"
            ),
            OrderRefusal::UnknownProvider { name, known } => write!(
                f,
                "no provider is called `{name}`; the configuration has {}",
                known.join(", ")
            ),
            OrderRefusal::UnknownRole { name, known } => write_unknown_role(f, name, known),
            OrderRefusal::BadTemperature => f.write_str("a temperature is a number from 0 to 2"),
            OrderRefusal::AlreadyRunning => f.write_str("mysis already running"),
            OrderRefusal::AlreadyStopped => f.write_str("mysis already stopped"),
            OrderRefusal::NothingToRetry => f.write_str(
                "nothing to retry: the mysis is neither errored nor waiting to try again",
            ),
            OrderRefusal::NoQuestion => f.write_str(
                "that question is gone: it was answered or withdrawn, its time is over, or nothing \
                 was asked",
            ),
            OrderRefusal::BadAnswer(why) => write!(f, "{why}"),
            OrderRefusal::BadRoutine(why) => {
                write!(f, "the routine cannot be started: {}", why.join("; "))
            }
            OrderRefusal::BadEdit(why) => {
                write!(f, "the routine is unchanged: {}", why.join("; "))
            }
            OrderRefusal::NoRoutine => f.write_str("no routine runs"),
            OrderRefusal::NoLoop => f.write_str("it repeats no paying loop now"),
            OrderRefusal::Stopped => f.write_str("mysis stopped - press 'r' to relaunch"),
            OrderRefusal::Errored => f.write_str("mysis errored - press 'r' to relaunch"),
            OrderRefusal::EmptyText => f.write_str("there is nothing in the message"),
            OrderRefusal::TextTooLong(max) => write!(f, "the message is longer than {max} bytes"),
            OrderRefusal::NoSwarm => f.write_str(
                "no swarm is running here; `zoea run` starts one, with --headless without a terminal",
            ),
            OrderRefusal::NothingSent => {
                f.write_str("nothing was sent to its model since the program began")
            }
            OrderRefusal::Closing => f.write_str("the program is closing and takes no orders"),
            OrderRefusal::Interrupted => {
                f.write_str("the Mysis crashed while it carried the order out; look at its log, then try again")
            }
            OrderRefusal::Store(why) => write!(f, "could not be stored: {why}"),
            OrderRefusal::Configuration(why) => {
                write!(f, "the configuration is unchanged: {}", why.join("; "))
            }
        }
    }
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

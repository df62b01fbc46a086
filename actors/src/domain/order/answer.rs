//! What comes of orders.

use std::fmt;
use std::sync::Arc;

use crate::ids::{MissionId, MysisId, Seq};
use crate::last_request::SentRequest;

/// What came of an order that was carried out. It is in the store by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletedOrder {
    /// The new Mysis.
    Created(MysisId),
    /// It was done, which is all that there is to say.
    Done(CompletedAction),
    /// The message stands in the conversation at this place.
    Stored(Seq),
    /// The mission stands.
    Broadcast {
        /// Which mission.
        mission: MissionId,
        /// The Myses that have it.
        delivered: Vec<Arc<str>>,
        /// The Myses that could not take it now; they inherit it when they run again.
        missed: Vec<Arc<str>>,
    },
    /// There is no mission any more; false: there was none.
    MissionCleared(bool),
    /// This was last sent to the model.
    Request(Box<SentRequest>),
    /// So many accounts are in the pool or with their owners.
    AccountsPooled(usize),
    /// The configuration was read again.
    Reloaded(Reloaded),
}

/// What was done for an order whose answer says no more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletedAction {
    /// The Mysis runs.
    Started,
    /// It tries again.
    Retried,
    /// It is stopped.
    Stopped,
    /// It is gone.
    Deleted,
    /// Its settings are changed.
    Configured,
    /// It has no notes any more.
    NotesCleared,
}

impl CompletedAction {
    /// The word of CONTRACT.md.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CompletedAction::Started => "started",
            CompletedAction::Retried => "retried",
            CompletedAction::Stopped => "stopped",
            CompletedAction::Deleted => "deleted",
            CompletedAction::Configured => "configured",
            CompletedAction::NotesCleared => "cleared",
        }
    }
}

/// What came of reading the configuration again, by keys as the operator writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// What has changed and holds now.
    pub at_once: Vec<String>,
    /// What has changed and holds after a restart.
    pub after_a_restart: Vec<String>,
}

impl fmt::Display for Reloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration was read again")?;
        match self.at_once.is_empty() {
            true => f.write_str("; nothing that holds at once has changed")?,
            false => write!(f, ": {}", self.at_once.join(", "))?,
        }
        if !self.after_a_restart.is_empty() {
            let waiting = self.after_a_restart.join(", ");
            write!(f, "; takes effect when the program is restarted: {waiting}")?;
        }
        Ok(())
    }
}

/// Why an order was not carried out. Nothing is stored then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderRefusal {
    /// No Mysis has that name.
    UnknownMysis(String),
    /// The name will not do.
    BadName(String),
    /// Another Mysis has that name.
    NameTaken(String),
    /// The swarm is full.
    SwarmFull(usize),
    /// The configuration has no such provider.
    UnknownProvider {
        /// The name given.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The temperature is not from 0 to 2.
    BadTemperature,
    /// It runs already.
    AlreadyRunning,
    /// It is stopped already.
    AlreadyStopped,
    /// It is not errored and does not wait to try again.
    NothingToRetry,
    /// It is stopped and takes no messages.
    Stopped,
    /// It is errored and takes no messages.
    Errored,
    /// There is nothing in the message.
    EmptyText,
    /// The message is too long.
    TextTooLong(usize),
    /// The order needs a running swarm.
    NoSwarm,
    /// It has sent nothing to its model since the program began.
    NothingSent,
    /// The program is closing.
    Closing,
    /// The Mysis died while it dealt with the order; it may or may not have been stored.
    Interrupted,
    /// The store would not take it.
    Store(String),
    /// The configuration stays as it was, for these reasons.
    Configuration(Vec<String>),
}

impl fmt::Display for OrderRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderRefusal::UnknownMysis(name) => write!(f, "no mysis is called `{name}`"),
            OrderRefusal::BadName(why) => f.write_str(why),
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
            OrderRefusal::BadTemperature => f.write_str("a temperature is a number from 0 to 2"),
            OrderRefusal::AlreadyRunning => f.write_str("mysis already running"),
            OrderRefusal::AlreadyStopped => f.write_str("mysis already stopped"),
            OrderRefusal::NothingToRetry => f.write_str(
                "nothing to retry: the mysis is neither errored nor waiting to try again",
            ),
            OrderRefusal::Stopped => f.write_str("mysis stopped - press 'r' to relaunch"),
            OrderRefusal::Errored => f.write_str("mysis errored - press 'r' to relaunch"),
            OrderRefusal::EmptyText => f.write_str("there is nothing in the message"),
            OrderRefusal::TextTooLong(max) => write!(f, "the message is longer than {max} bytes"),
            OrderRefusal::NoSwarm => f.write_str("no swarm is running here"),
            OrderRefusal::NothingSent => {
                f.write_str("nothing was sent to its model since the program began")
            }
            OrderRefusal::Closing => f.write_str("the program is closing and takes no orders"),
            OrderRefusal::Interrupted => {
                f.write_str("the mysis died while dealing with it; look at its log, then try again")
            }
            OrderRefusal::Store(why) => write!(f, "could not be stored: {why}"),
            OrderRefusal::Configuration(why) => {
                write!(f, "the configuration stays as it was: {}", why.join("; "))
            }
        }
    }
}

/// What comes of an order.
pub type OrderResult = Result<CompletedOrder, OrderRefusal>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reload_says_what_holds_now_and_what_waits() {
        let mut reloaded = Reloaded::default();
        let said = "the configuration was read again; nothing that holds at once has changed";
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

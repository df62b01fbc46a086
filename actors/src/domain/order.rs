//! Orders that an operator can give to the swarm.

mod answer;
pub mod memo;
mod wording;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::budget::BudgetLimits;
use super::event::MysisStatus;
use super::ids::Timestamp;
use super::question::GivenAnswer;
use super::record::{Mission, PoolAccount, ProfileChange};
use super::state::LifeState;
use zoea_text::names::quoted;
use zoea_text::redact::Redactor;

pub(super) use wording::{describe_role, describe_settings, quote_beginning, with_details};

pub use answer::{CompletedAction, CompletedOrder, OrderRefusal, OrderResult, Reloaded};

#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    Create {
        name: String,
        /// Its provider; absent: the swarm's default.
        provider: Option<String>,
        /// Its model; absent: the provider's.
        model: Option<String>,
        /// Its role; absent: the configuration's.
        role: Option<String>,
        start: bool,
    },
    ForMysis {
        name: String,
        order: MysisOrder,
    },
    /// Deletes a Mysis and its conversation. Its account returns to the pool.
    Delete {
        name: String,
        /// Whether no copy is kept, so that nothing brings it back.
        now: bool,
    },
    /// Brings a deleted Mysis back from its copy.
    Undelete {
        name: String,
    },
    /// Shows the last request to the model. Changes nothing.
    ShowRequest {
        name: String,
    },
    Broadcast {
        text: String,
    },
    ClearMission,
    /// Adds game accounts to the pool: all of them or none.
    PoolAccounts(Vec<PoolAccount>),
    /// Reads the configuration again and applies it.
    Reload,
    RaiseBudget(BudgetLimits),
    /// Freezes the swarm: nothing new leaves any more.
    Freeze,
    /// Thaws the swarm: each Mysis continues where it paused.
    Thaw,
    /// Lets a text that is held back from a model be tried again.
    ForgetHeld {
        id: String,
    },
    /// Lets a process of the fleet give its Myses back and take none, or ends that.
    Drain {
        process: String,
        is_draining: bool,
    },
}

/// An order that one Mysis carries out. Messages have the names of the rows that they become.
///
/// Its serialized form is what one process of a fleet stores for another (`memo`). A variant marked as skipped
/// is never passed on.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "order", content = "text", rename_all = "snake_case")]
pub enum MysisOrder {
    Start,
    /// Retries at once: relaunches an errored Mysis, or ends its wait for the next attempt.
    Retry,
    Stop,
    #[serde(rename = "message")]
    Prompt(Arc<str>),
    /// The mission of the swarm. The Commander passes it on when an operator gives it
    /// ([`Order::Broadcast`]), which reaches every process by itself.
    #[serde(skip)]
    Mission(Mission),
    /// A note: persistent context.
    Note(Arc<str>),
    ClearNotes,
    Configure(ProfileChange),
    /// Answers the question of a server. Its values are stored nowhere.
    #[serde(skip)]
    Answer(GivenAnswer),
    /// Starts a routine: as JSON, or by the name of one that the Mysis knows.
    StartRoutine(Arc<str>),
    /// Changes a routine that the Mysis knows: the members to change, as JSON. A name alone changes nothing
    /// and asks for the routine.
    EditRoutine(Arc<str>),
    /// Stops the routine that runs, after the step that is under way.
    StopRoutine,
    Remind {
        at: Timestamp,
        reminder: Arc<str>,
    },
    CancelReminder(u64),
}

impl Order {
    /// The name of the Mysis, as the operator wrote it.
    pub fn name(&self) -> &str {
        match self {
            Order::Create { name, .. }
            | Order::ForMysis { name, .. }
            | Order::Delete { name, .. }
            | Order::Undelete { name }
            | Order::ShowRequest { name } => name,
            Order::Broadcast { .. }
            | Order::ClearMission
            | Order::PoolAccounts(_)
            | Order::RaiseBudget(_)
            | Order::Freeze
            | Order::Thaw => "the swarm",
            Order::Reload => "the configuration",
            Order::ForgetHeld { id } => id,
            Order::Drain { process, .. } => process,
        }
    }

    /// The order that undoes this one, given the status before it; `None` if there is none.
    pub fn inverse(
        &self,
        before: Option<&MysisStatus>,
        mission: Option<&Arc<str>>,
    ) -> Option<Order> {
        let give = |mission: &Arc<str>| Order::Broadcast {
            text: mission.to_string(),
        };
        match self {
            Order::ForMysis { name, order } => Some(order.inverse(before)?.for_mysis(name)),
            Order::Broadcast { .. } => Some(mission.map_or(Order::ClearMission, give)),
            Order::ClearMission => mission.map(give),
            Order::Drain {
                process,
                is_draining,
            } => Some(Order::Drain {
                process: process.clone(),
                is_draining: !is_draining,
            }),
            Order::Delete { name, now: false } => Some(Order::Undelete { name: name.clone() }),
            Order::Create { .. }
            | Order::Delete { now: true, .. }
            | Order::Undelete { .. }
            | Order::ShowRequest { .. }
            | Order::PoolAccounts(_)
            | Order::ForgetHeld { .. }
            | Order::RaiseBudget(_)
            | Order::Reload
            | Order::Freeze
            | Order::Thaw => None,
        }
    }
}

impl MysisOrder {
    /// A change of the profile in the operator's words.
    pub fn configure(
        provider: Option<String>,
        model: Option<String>,
        temperature: Option<f32>,
        role: Option<String>,
    ) -> MysisOrder {
        let (provider, model) = (provider.map(Into::into), model.map(Into::into));
        let change = ProfileChange::of(provider, model, temperature);
        MysisOrder::Configure(change.with_role(role.map(Into::into)))
    }

    #[must_use]
    pub fn for_mysis(self, name: impl Into<String>) -> Order {
        let name = name.into();
        Order::ForMysis { name, order: self }
    }

    /// The order that undoes this one, given the Mysis' status before it.
    fn inverse(&self, before: Option<&MysisStatus>) -> Option<MysisOrder> {
        let was = |state: LifeState| before.is_some_and(|before| before.state == state);
        match self {
            // No order makes a Mysis idle or errored again.
            MysisOrder::Start => was(LifeState::Stopped).then_some(MysisOrder::Stop),
            MysisOrder::Stop => was(LifeState::Running).then_some(MysisOrder::Start),
            MysisOrder::Configure(change) => {
                let own = &before?.own_profile;
                // No order takes a temperature of its own away from a Mysis.
                let can = change.temperature.is_none() || own.temperature.is_some();
                can.then(|| {
                    MysisOrder::Configure(ProfileChange {
                        provider: Some(own.provider.clone()),
                        model: Some(own.model.clone()),
                        temperature: own.temperature,
                        role: Some(own.role.clone()),
                        follows_role: Some(own.follows_role),
                    })
                })
            }
            MysisOrder::Retry
            | MysisOrder::Prompt(_)
            | MysisOrder::Mission(_)
            | MysisOrder::Note(_)
            | MysisOrder::ClearNotes
            | MysisOrder::StartRoutine(_)
            | MysisOrder::EditRoutine(_)
            | MysisOrder::StopRoutine
            | MysisOrder::Remind { .. }
            | MysisOrder::CancelReminder(_)
            | MysisOrder::Answer(_) => None,
        }
    }

    pub fn starts(&self, state: LifeState) -> bool {
        match self {
            MysisOrder::Start => true,
            MysisOrder::Retry => state == LifeState::Errored,
            MysisOrder::Prompt(text) => state == LifeState::Idle && check_text(text).is_ok(),
            MysisOrder::Mission(_) => state == LifeState::Idle,
            MysisOrder::Stop
            | MysisOrder::Note(_)
            | MysisOrder::ClearNotes
            | MysisOrder::Configure(_)
            | MysisOrder::StartRoutine(_)
            | MysisOrder::EditRoutine(_)
            | MysisOrder::StopRoutine
            | MysisOrder::Remind { .. }
            | MysisOrder::CancelReminder(_)
            | MysisOrder::Answer(_) => false,
        }
    }

    /// A short stable word for the order, and the text of its record. `None` for a mission, whose record is
    /// that of the order to the swarm, and for what changes nothing.
    pub(super) fn summary(&self) -> Option<(&'static str, String)> {
        Some(match self {
            MysisOrder::Start => ("start", "started".to_string()),
            MysisOrder::Retry => ("retry", "tried again at once".to_string()),
            MysisOrder::Stop => ("stop", "stopped".to_string()),
            MysisOrder::Note(text) => ("note", format!("a note: {}", quote_beginning(text))),
            MysisOrder::ClearNotes => ("clear_notes", "the notes are cleared".to_string()),
            MysisOrder::StartRoutine(routine) => {
                let read = serde_json::from_str::<Value>(routine).unwrap_or_default();
                let name = read["name"].as_str().unwrap_or(routine);
                (
                    "start_routine",
                    format!("a routine: {}", quote_beginning(name)),
                )
            }
            MysisOrder::EditRoutine(changes) => {
                let text = wording::edit_summary(changes)?;
                ("edit_routine", text)
            }
            MysisOrder::StopRoutine => ("stop_routine", "the routine is stopped".to_string()),
            MysisOrder::Remind { at, reminder } => {
                let text = format!("a reminder for {at}: {}", quote_beginning(reminder));
                ("remind", text)
            }
            MysisOrder::CancelReminder(number) => (
                "cancel_reminder",
                format!("the reminder {number} is cancelled"),
            ),
            MysisOrder::Answer(given) => {
                let word = given.decision.past_word();
                ("answer", format!("{word} the server's question"))
            }
            MysisOrder::Configure(change) => {
                let model = change.model.as_ref().and_then(Option::as_deref);
                let settings =
                    describe_settings(change.provider.as_deref(), model, change.temperature);
                let role = change
                    .role
                    .as_ref()
                    .map(|role| describe_role(role.as_deref()));
                (
                    "configure",
                    with_details("configured", settings.chain(role)),
                )
            }
            MysisOrder::Prompt(text) => {
                ("message", format!("a message: {}", quote_beginning(text)))
            }
            MysisOrder::Mission(_) => return None,
        })
    }

    pub(super) fn remove_secrets(&mut self, known: &Redactor) {
        match self {
            MysisOrder::Prompt(text)
            | MysisOrder::Note(text)
            | MysisOrder::StartRoutine(text)
            | MysisOrder::EditRoutine(text)
            | MysisOrder::Remind { reminder: text, .. } => known.clean_in_place(text),
            MysisOrder::Mission(mission) => mission.remove_secrets(known),
            MysisOrder::Configure(change) => {
                let model = change.model.iter_mut().flatten();
                model.for_each(|model| known.clean_in_place(model));
            }
            // The values of an answer go to the server that asked, and nowhere else.
            MysisOrder::Answer(_)
            | MysisOrder::Start
            | MysisOrder::Retry
            | MysisOrder::Stop
            | MysisOrder::StopRoutine
            | MysisOrder::CancelReminder(_)
            | MysisOrder::ClearNotes => {}
        }
    }
}

/// The maximum bytes of a message.
pub const MAX_ORDER_BYTES: usize = 1 << 20;

/// Checks a message's text.
pub fn check_text(text: &str) -> Result<(), OrderRefusal> {
    if text.trim().is_empty() {
        return Err(OrderRefusal::EmptyText);
    }
    if text.len() > MAX_ORDER_BYTES {
        return Err(OrderRefusal::TextTooLong(MAX_ORDER_BYTES));
    }
    Ok(())
}

/// Checks a Mysis' name: 1 to 32 letters, digits, `-`, `_` or `.`, not beginning with `-` or `.`.
pub fn check_name(name: &str) -> Result<(), OrderRefusal> {
    let length = name.chars().count();
    let fits = (1..=32).contains(&length)
        && !name.starts_with(['-', '.'])
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if fits {
        return Ok(());
    }
    Err(OrderRefusal::Because(format!(
        "{} cannot be a name: a name has 1 to 32 letters, digits, `-`, `_` or `.`, and begins with a \
         letter, a digit or `_`",
        quoted(name)
    )))
}

#[cfg(test)]
mod tests {
    use super::super::record::MysisProfile;
    use super::*;

    #[test]
    fn a_stop_is_undone_where_the_mysis_ran_and_a_start_where_it_was_stopped() {
        let inverse = |order: MysisOrder, state: LifeState| {
            let before = MysisStatus {
                state,
                ..MysisStatus::default()
            };
            order.for_mysis("alpha").inverse(Some(&before), None)
        };
        for state in LifeState::ALL {
            let start = MysisOrder::Start.for_mysis("alpha");
            let start = (state == LifeState::Running).then_some(start);
            assert_eq!(inverse(MysisOrder::Stop, state), start, "{state:?}");
            let stop = MysisOrder::Stop.for_mysis("alpha");
            let stop = (state == LifeState::Stopped).then_some(stop);
            assert_eq!(inverse(MysisOrder::Start, state), stop, "{state:?}");
        }
        let unknown = MysisOrder::Stop.for_mysis("alpha").inverse(None, None);
        assert_eq!(unknown, None);
    }

    #[test]
    fn a_change_of_settings_is_undone_to_what_the_mysis_had_of_its_own() {
        let inverse = |order: MysisOrder, own: Option<f32>| {
            let own_profile = MysisProfile {
                temperature: own,
                ..MysisProfile::of("alpha", "dear")
            };
            let before = MysisStatus {
                own_profile: Arc::new(own_profile),
                // That of its provider, where it has none.
                temperature: own.or(Some(0.7)),
                ..MysisStatus::default()
            };
            let undone = order.for_mysis("alpha").inverse(Some(&before), None)?;
            let Order::ForMysis {
                order: MysisOrder::Configure(change),
                ..
            } = undone
            else {
                panic!("{undone:?}");
            };
            assert_eq!(change.provider.as_deref(), Some("dear"));
            Some(change.temperature)
        };
        let provider = || MysisOrder::configure(Some("local".to_string()), None, None, None);
        let temperature = || MysisOrder::configure(None, None, Some(1.0), None);
        assert_eq!(inverse(provider(), None), Some(None));
        assert_eq!(inverse(provider(), Some(0.2)), Some(Some(0.2)));
        assert_eq!(inverse(temperature(), None), None);
        assert_eq!(inverse(temperature(), Some(0.2)), Some(Some(0.2)));
    }

    #[test]
    fn names_are_letters_digits_and_three_signs() {
        for good in ["a", "alpha-1", "Zoë_2", "x.y", "_"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", "-x", ".x", "a b", "a/b", "a\u{7}", &"x".repeat(33)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}

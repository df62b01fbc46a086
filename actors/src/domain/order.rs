//! Orders: what an operator can ask of the swarm, and what comes of it.

mod answer;

use std::sync::Arc;

use super::event::MysisStatus;
use super::record::{Mission, PoolAccount, ProfileChange};
use super::redact::Redactor;
use super::state::LifeState;

pub use answer::{CompletedAction, CompletedOrder, OrderRefusal, OrderResult, Reloaded};

/// The longest part of a mission or a note that a record quotes, in characters; the whole of it is
/// stored elsewhere.
const MAX_QUOTE_CHARS: usize = 200;

/// What an operator asks for, at the terminal or through the control interface.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// A new Mysis.
    Create {
        /// Its name.
        name: String,
        /// Its provider; absent: the swarm's default.
        provider: Option<String>,
        /// Its model; absent: the provider's.
        model: Option<String>,
        /// Whether to start it at once.
        start: bool,
    },
    /// What one Mysis carries out itself.
    ForMysis {
        /// Which Mysis.
        name: String,
        /// What.
        order: MysisOrder,
    },
    /// Delete, with its conversation; its account goes back to the pool.
    Delete {
        /// Which Mysis.
        name: String,
    },
    /// Tell what was last sent to the model. Changes nothing.
    ShowRequest {
        /// Which Mysis.
        name: String,
    },
    /// A mission for the whole swarm.
    Broadcast {
        /// The mission.
        text: String,
    },
    /// No mission any more.
    ClearMission,
    /// Game accounts for the pool, together or not at all.
    PoolAccounts(Vec<PoolAccount>),
    /// Read the configuration again, and do as it says from now on.
    Reload,
}

/// What one Mysis carries out. Messages are called as the rows that they become.
#[derive(Clone, Debug, PartialEq)]
pub enum MysisOrder {
    /// Start, or relaunch.
    Start,
    /// Try again at once: relaunch an errored Mysis, or end its wait for the next try.
    Retry,
    /// Stop.
    Stop,
    /// A direct message.
    Prompt(Arc<str>),
    /// The swarm's mission, which the Commander passes on when an operator gives it
    /// ([`Order::Broadcast`]).
    Mission(Mission),
    /// Persistent context.
    Note(Arc<str>),
    /// No persistent context any more.
    ClearNotes,
    /// Other settings; what is absent stays.
    Configure(ProfileChange),
}

impl Order {
    /// Whom it concerns, as the operator calls them.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Order::Create { name, .. }
            | Order::ForMysis { name, .. }
            | Order::Delete { name }
            | Order::ShowRequest { name } => name,
            Order::Broadcast { .. } | Order::ClearMission | Order::PoolAccounts(_) => "the swarm",
            Order::Reload => "the configuration",
        }
    }

    /// What takes it back, by how things stood before it; `None` where nothing does.
    #[must_use]
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
            Order::Create { .. }
            | Order::Delete { .. }
            | Order::ShowRequest { .. }
            | Order::PoolAccounts(_)
            | Order::Reload => None,
        }
    }
}

impl MysisOrder {
    /// Other settings, as an operator names them.
    #[must_use]
    pub fn configure(
        provider: Option<String>,
        model: Option<String>,
        temperature: Option<f32>,
    ) -> MysisOrder {
        let (provider, model) = (provider.map(Into::into), model.map(Into::into));
        MysisOrder::Configure(ProfileChange::of(provider, model, temperature))
    }

    /// The order for the Mysis of this name.
    #[must_use]
    pub fn for_mysis(self, name: impl Into<String>) -> Order {
        let name = name.into();
        Order::ForMysis { name, order: self }
    }

    /// What takes it back, by how the Mysis stood before it.
    fn inverse(&self, before: Option<&MysisStatus>) -> Option<MysisOrder> {
        match self {
            MysisOrder::Start => Some(MysisOrder::Stop),
            MysisOrder::Stop => Some(MysisOrder::Start),
            MysisOrder::Configure(_) => before.map(|before| {
                let (provider, model) = (before.profile.provider.clone(), before.model.clone());
                let change = ProfileChange::of(Some(provider), Some(model), before.temperature);
                MysisOrder::Configure(change)
            }),
            MysisOrder::Retry
            | MysisOrder::Prompt(_)
            | MysisOrder::Mission(_)
            | MysisOrder::Note(_)
            | MysisOrder::ClearNotes => None,
        }
    }

    /// Whether it makes a Mysis run that is in this state.
    #[must_use]
    pub fn starts(&self, state: LifeState) -> bool {
        match self {
            MysisOrder::Start => true,
            MysisOrder::Retry => state == LifeState::Errored,
            MysisOrder::Prompt(_) | MysisOrder::Mission(_) => state == LifeState::Idle,
            MysisOrder::Stop
            | MysisOrder::Note(_)
            | MysisOrder::ClearNotes
            | MysisOrder::Configure(_) => false,
        }
    }

    /// A short stable word for it and what its record says; `None` for one that is itself a row of a
    /// conversation.
    pub(super) fn summary(&self) -> Option<(&'static str, String)> {
        Some(match self {
            MysisOrder::Start => ("start", "started".to_string()),
            MysisOrder::Retry => ("retry", "tried again at once".to_string()),
            MysisOrder::Stop => ("stop", "stopped".to_string()),
            MysisOrder::Note(text) => ("note", format!("a note: {}", quote_beginning(text))),
            MysisOrder::ClearNotes => ("clear_notes", "the notes are cleared".to_string()),
            MysisOrder::Configure(change) => {
                let model = change.model.as_ref().and_then(Option::as_deref);
                let settings =
                    describe_settings(change.provider.as_deref(), model, change.temperature);
                ("configure", with_details("configured", settings))
            }
            MysisOrder::Prompt(_) | MysisOrder::Mission(_) => return None,
        })
    }

    /// Takes out of it what is told to nobody.
    pub(super) fn remove_secrets(&mut self, known: &Redactor) {
        match self {
            MysisOrder::Prompt(text) | MysisOrder::Note(text) => known.clean_in_place(text),
            MysisOrder::Mission(mission) => mission.remove_secrets(known),
            MysisOrder::Configure(change) => {
                let model = change.model.iter_mut().flatten();
                model.for_each(|model| known.clean_in_place(model));
            }
            MysisOrder::Start | MysisOrder::Retry | MysisOrder::Stop | MysisOrder::ClearNotes => {}
        }
    }
}

/// The longest message that is taken, in bytes.
pub const MAX_ORDER_BYTES: usize = 1 << 20;

/// Checks a message's text.
///
/// # Errors
/// It is empty or too long.
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
///
/// # Errors
/// Says what a name looks like.
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
    Err(OrderRefusal::BadName(format!(
        "`{name}` will not do as a name: 1 to 32 letters, digits, `-`, `_` or `.`, \
         beginning with a letter, a digit or `_`"
    )))
}

pub(super) fn describe_settings(
    provider: Option<&str>,
    model: Option<&str>,
    temperature: Option<f32>,
) -> impl Iterator<Item = String> {
    let provider = provider.map(|name| format!("provider {name}"));
    let model = model.map(|name| format!("model {name}"));
    let temperature = temperature.map(|value| format!("temperature {value}"));
    [provider, model, temperature].into_iter().flatten()
}

pub(super) fn with_details(what: &str, more: impl Iterator<Item = String>) -> String {
    let more: Vec<String> = more.collect();
    match more.is_empty() {
        true => what.to_string(),
        false => format!("{what}: {}", more.join(", ")),
    }
}

pub(super) fn quote_beginning(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

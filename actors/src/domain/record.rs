//! Records: Myses, missions, accounts and sessions as they are stored.

use std::sync::Arc;

use super::fault::MysisFault;
use super::game_state::SnapshotResult;
use super::ids::{Incarnation, MissionId, MysisId, Seq, Timestamp};
use super::message::Row;
use super::state::{LifeState, Totals};

/// A session with the game server, so that the next life or process takes it up without a login.
/// Who has it acts as the account until it is 30 minutes old, so it is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct SavedSession {
    /// What the link takes it up by.
    pub ticket: Arc<str>,
    /// The account that is logged in.
    pub account: Option<Arc<str>>,
}

impl std::fmt::Debug for SavedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedSession")
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

/// A game account as the operator gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolAccount {
    /// The account.
    pub account: GameAccount,
    /// Whose it is to be; absent: nobody's, or whose it is.
    pub owner: Option<MysisId>,
}

/// A game account as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRecord {
    /// The account.
    pub account: GameAccount,
    /// Whose it is.
    pub owner: Option<MysisId>,
    /// When it became known.
    pub created_at: Timestamp,
    /// When it was last given to a Mysis.
    pub last_used_at: Option<Timestamp>,
}

/// A Mysis as it is created.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMysis {
    /// Its id.
    pub id: MysisId,
    /// Its profile.
    pub profile: MysisProfile,
    /// When.
    pub at: Timestamp,
}

/// The profile of a Mysis: what an operator can set of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MysisProfile {
    /// Its name.
    pub name: Arc<str>,
    /// Its provider's name.
    pub provider: Arc<str>,
    /// Its model; absent: the provider's.
    pub model: Option<Arc<str>>,
    /// Its temperature; absent: the provider's.
    pub temperature: Option<f32>,
}

impl MysisProfile {
    /// A profile that leaves all else to the provider.
    #[must_use]
    pub fn of(name: &str, provider: &str) -> MysisProfile {
        MysisProfile {
            name: name.into(),
            provider: provider.into(),
            model: None,
            temperature: None,
        }
    }
}

/// A change of a Mysis' profile; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileChange {
    /// Its new provider.
    pub provider: Option<Arc<str>>,
    /// Its new model; `None` inside: its provider's.
    pub model: Option<Option<Arc<str>>>,
    /// Its new temperature.
    pub temperature: Option<f32>,
}

impl ProfileChange {
    /// The change that an operator's words mean. Another provider has other models: its own is used
    /// unless one is named.
    #[must_use]
    pub fn of(
        provider: Option<Arc<str>>,
        model: Option<Arc<str>>,
        temperature: Option<f32>,
    ) -> ProfileChange {
        let model = match (&provider, model) {
            (_, Some(model)) => Some(Some(model)),
            (Some(_), None) => Some(None),
            (None, None) => None,
        };
        ProfileChange {
            provider,
            model,
            temperature,
        }
    }

    /// Changes a profile.
    pub fn apply(&self, profile: &mut MysisProfile) {
        if let Some(provider) = &self.provider {
            profile.provider = provider.clone();
        }
        if let Some(model) = &self.model {
            profile.model.clone_from(model);
        }
        if self.temperature.is_some() {
            profile.temperature = self.temperature;
        }
    }
}

/// A standing order for the whole swarm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mission {
    /// Which.
    pub id: MissionId,
    /// The order.
    pub text: Arc<str>,
    /// When it was given.
    pub at: Timestamp,
}

/// A game account. Its password is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct GameAccount {
    /// The player's name.
    pub username: Arc<str>,
    /// The password, for the game server alone.
    pub password: Arc<str>,
}

impl std::fmt::Debug for GameAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account")
            .field("username", &self.username)
            .field("password", &"[redacted]")
            .finish()
    }
}

/// A Mysis as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct MysisRecord {
    /// Its id.
    pub id: MysisId,
    /// Its profile.
    pub profile: MysisProfile,
    /// Its state when it was last written.
    pub state: LifeState,
    /// Why, where there is a reason.
    pub reason: Option<Arc<str>>,
    /// The fault behind an errored state.
    pub fault: Option<MysisFault>,
    /// Whether a message came for it while no swarm was running.
    pub is_called: bool,
    /// The newest life of its actor.
    pub incarnation: Incarnation,
    /// What it has used up.
    pub totals: Totals,
    /// Its game account.
    pub account: Option<Arc<str>>,
    /// When it was created.
    pub created_at: Timestamp,
}

impl MysisRecord {
    /// The record of a new Mysis: it is idle and has no history.
    #[must_use]
    pub fn new(id: MysisId, profile: MysisProfile, created_at: Timestamp) -> MysisRecord {
        MysisRecord {
            id,
            profile,
            state: LifeState::Idle,
            reason: None,
            fault: None,
            is_called: false,
            incarnation: Incarnation(0),
            totals: Totals::default(),
            account: None,
            created_at,
        }
    }
}

/// What a Mysis takes up its conversation from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredHistory {
    /// The newest rows, oldest first.
    pub rows: Vec<Arc<Row>>,
    /// The notes that stand, oldest first.
    pub notes: Vec<Arc<Row>>,
    /// The newest place given out.
    pub last: Seq,
    /// Its profile as it is stored; absent: as its record says.
    pub profile: Option<MysisProfile>,
    /// What it has used up, as the rows that are stored say; absent: as its record says.
    pub totals: Option<Totals>,
    /// What was seen of the game, with the account that saw it.
    pub sightings: Vec<(Arc<str>, SnapshotResult)>,
    /// The memo of the watch on its progress.
    pub watch: Option<Arc<str>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_shown_without_its_password() {
        let account = GameAccount {
            username: "alpha-1".into(),
            password: "sesame".into(),
        };
        let shown = format!("{account:?}");
        assert!(
            shown.contains("alpha-1") && shown.contains("[redacted]"),
            "{shown}"
        );
        assert!(!shown.contains("sesame"), "{shown}");
    }
}

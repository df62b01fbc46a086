//! Records: Myses, missions, accounts and sessions in their stored form.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::fault::MysisFault;
use super::game_state::SnapshotResult;
use super::ids::{CallKey, Incarnation, MissionId, MysisId, Seq, Timestamp};
use super::memo::{MemoKind, Memos};
use super::message::Row;
use super::samples::StoredSamples;
use super::state::{LifeState, Totals};

/// A session with the game server. The next incarnation or process resumes it without a login.
/// Whoever knows it can act as the account for 30 minutes, so it is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct SavedSession {
    pub resume_token: Arc<str>,
    pub account: Option<Arc<str>>,
}

impl std::fmt::Debug for SavedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedSession")
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolAccount {
    pub account: GameAccount,
    /// The owner that the operator names. If absent, the account keeps its owner or is free.
    pub owner: Option<MysisId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRecord {
    pub account: GameAccount,
    pub owner: Option<MysisId>,
    /// When it became known to the store.
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewMysis {
    pub id: MysisId,
    pub profile: MysisProfile,
    pub at: Timestamp,
}

/// The profile of a Mysis: the settings that an operator can change.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct MysisProfile {
    #[serde(skip)]
    pub name: Arc<str>,
    pub provider: Arc<str>,
    /// Its model; absent: its provider's model.
    pub model: Option<Arc<str>>,
    /// Its temperature; absent: its provider's temperature.
    pub temperature: Option<f32>,
    /// The role that the operator gave it, or [`NO_ROLE`]; absent: the configuration's.
    pub role: Option<Arc<str>>,
    /// Whether a provider and a model that its role names go before its own: the operator named none
    /// of its own since it has the role.
    #[serde(default = "follows_its_role")]
    pub follows_role: bool,
}

fn follows_its_role() -> bool {
    true
}

/// The operator's word for a Mysis without a role, whatever the configuration says.
pub const NO_ROLE: &str = "none";
/// The operator's word for the role that the configuration gives.
pub const CONFIGURED_ROLE: &str = "default";

impl MysisProfile {
    /// A profile whose model and temperature are those of the provider.
    pub fn of(name: &str, provider: &str) -> MysisProfile {
        MysisProfile {
            name: name.into(),
            provider: provider.into(),
            follows_role: true,
            ..MysisProfile::default()
        }
    }
}

/// A change of a Mysis' profile. Absent fields stay the same.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ProfileChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Arc<str>>,
    /// Its new model; an inner `None` stands for its provider's model.
    #[serde(
        default,
        deserialize_with = "inner_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub model: Option<Option<Arc<str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// Its new role; an inner `None` stands for the configuration's.
    #[serde(
        default,
        deserialize_with = "inner_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub role: Option<Option<Arc<str>>>,
    /// Whether its role's provider and model go before its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows_role: Option<bool>,
}

/// A member that is there, with a value or with null.
fn inner_option<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<Arc<str>>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl ProfileChange {
    /// The change that an operator asks for. A new provider has other models, so its own model is
    /// used unless one is named.
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
            follows_role: (provider.is_some() || model.is_some()).then_some(false),
            provider,
            model,
            temperature,
            role: None,
        }
    }

    /// The same change with another role, in the operator's word for it. What the role names goes
    /// before the Mysis' own provider and model, unless the change names these.
    #[must_use]
    pub fn with_role(self, word: Option<Arc<str>>) -> ProfileChange {
        let Some(word) = word else {
            return self;
        };
        ProfileChange {
            role: Some(Some(word).filter(|word| **word != *CONFIGURED_ROLE)),
            follows_role: self.follows_role.or(Some(true)),
            ..self
        }
    }

    pub fn names_model_alone(&self) -> bool {
        self.provider.is_none() && self.model.as_ref().is_some_and(Option::is_some)
    }

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
        if let Some(role) = &self.role {
            profile.role.clone_from(role);
        }
        if let Some(follows) = self.follows_role {
            profile.follows_role = follows;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mission {
    pub id: MissionId,
    pub text: Arc<str>,
    pub at: Timestamp,
}

/// A game account. Its password is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct GameAccount {
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

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MysisRecord {
    pub id: MysisId,
    pub profile: MysisProfile,
    pub state: LifeState,
    pub reason: Option<Arc<str>>,
    pub fault: Option<MysisFault>,
    /// Whether it got a message while no swarm was running.
    pub is_called: bool,
    pub incarnation: Incarnation,
    pub totals: Totals,
    pub account: Option<Arc<str>>,
    pub created_at: Timestamp,
}

impl MysisRecord {
    /// The record of a new Mysis: it is idle and has no history.
    pub fn new(id: MysisId, profile: MysisProfile, created_at: Timestamp) -> MysisRecord {
        MysisRecord {
            id,
            profile,
            created_at,
            ..MysisRecord::default()
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredHistory {
    /// The newest rows, oldest first.
    pub rows: Vec<Arc<Row>>,
    /// The notes that were not cleared, oldest first.
    pub notes: Vec<Arc<Row>>,
    pub last: Seq,
    /// Its stored profile. If absent, its record has it.
    pub profile: Option<MysisProfile>,
    /// Its totals according to the stored rows. If absent, its record has them.
    pub totals: Option<Totals>,
    pub snapshots: Vec<(Arc<str>, SnapshotResult)>,
    pub memos: Memos,
    /// Its newest samples, and its cost of the newest day.
    pub samples: StoredSamples,
    /// The calls of the rows that the server works on, each with the id of the server's task.
    pub tasks: BTreeMap<CallKey, Arc<str>>,
}

impl StoredHistory {
    /// The memo of a kind; `None` if none was written.
    pub fn memo(&self, kind: MemoKind) -> Option<&str> {
        self.memos.get(&kind).map(|memo| &**memo)
    }
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

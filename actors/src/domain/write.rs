//! Writes: what the Store is asked to make durable, each harmless when repeated.

use std::sync::Arc;

use super::event::{LifeState, Totals};
use super::event_record::EventRecord;
use super::fault::MysisFault;
use super::game_state::SnapshotResult;
use super::ids::{CallKey, Incarnation, MissionId, MysisId, Seq, Timestamp};
use super::message::Row;

/// Changes that become durable together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Who asks. A batch of an older life of a Mysis is refused.
    pub author: Author,
    /// The changes, in order.
    pub writes: Vec<Write>,
}

/// Who asks for a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The Commander, or a command that works without a swarm.
    Commander,
    /// One life of a Mysis' actor.
    Mysis(MysisId, Incarnation),
}

/// One change. Where it is repeated, the second time changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// A new Mysis.
    Create(Box<NewMysis>),
    /// A Mysis' settings change.
    Configure {
        /// Whose.
        mysis: MysisId,
        /// How.
        change: ProfileChange,
    },
    /// A Mysis and all its rows go; its account goes back to the pool.
    Delete {
        /// Who.
        mysis: MysisId,
    },
    /// A new life of a Mysis' actor: writes of older ones are refused from here on.
    Fence {
        /// Whose.
        mysis: MysisId,
        /// The new life.
        incarnation: Incarnation,
    },
    /// A Mysis' state.
    State {
        /// Whose.
        mysis: MysisId,
        /// The state.
        state: LifeState,
        /// Why, where there is a reason.
        reason: Option<Arc<str>>,
        /// The fault behind an errored state.
        fault: Option<MysisFault>,
        /// Since when.
        at: Timestamp,
    },
    /// A message came for an idle Mysis while no swarm was running: it starts with the next one.
    Called {
        /// Whom for.
        mysis: MysisId,
    },
    /// A row of a conversation, with its calls; a result closes its call.
    Append {
        /// Whose conversation.
        mysis: MysisId,
        /// The row.
        row: Arc<Row>,
    },
    /// A call is about to leave.
    CallSent {
        /// Whose.
        mysis: MysisId,
        /// Which.
        call: CallKey,
        /// When.
        at: Timestamp,
    },
    /// What a Mysis has used up, in total.
    Totals {
        /// Whose.
        mysis: MysisId,
        /// So much.
        totals: Totals,
    },
    /// Notes up to a place stand no longer.
    ClearNotes {
        /// Whose.
        mysis: MysisId,
        /// The newest note that is cleared may stand here.
        upto: Seq,
    },
    /// The newest good result of a look; it replaces the one of the same look before.
    Sighted {
        /// Whose.
        mysis: MysisId,
        /// The game account that looked; empty where there is none.
        account: Arc<str>,
        /// What was seen.
        sighting: Box<SnapshotResult>,
    },
    /// An action may have changed what was seen; what is marked already stays so.
    Stale {
        /// Whose.
        mysis: MysisId,
        /// The game account that acted.
        account: Arc<str>,
        /// The tools whose sightings are marked.
        tools: Vec<Arc<str>>,
        /// The action.
        by: Arc<str>,
    },
    /// A game account logged out: what it saw counts no longer.
    ForgetSightings {
        /// Whose.
        mysis: MysisId,
        /// The account.
        account: Arc<str>,
    },
    /// A new mission stands.
    Mission(Mission),
    /// A mission stands no longer. It is named, so that a repetition does not clear the next one.
    ClearMission {
        /// Which.
        mission: MissionId,
        /// When.
        at: Timestamp,
    },
    /// A game account becomes known and belongs to a Mysis.
    SaveAccount {
        /// Its owner.
        mysis: MysisId,
        /// The account.
        account: GameAccount,
        /// When.
        at: Timestamp,
    },
    /// What the session with the game server can be taken up again by; it replaces what was kept
    /// before.
    KeepSession {
        /// Whose.
        mysis: MysisId,
        /// The session; absent: there is none any more.
        session: Option<SavedSession>,
    },
    /// What the watch on its progress knows; it replaces what was stored before.
    Watched {
        /// Whose.
        mysis: MysisId,
        /// The memo, as [`super::progress::StallDetector::due_checkpoint`] gives it.
        memo: Arc<str>,
    },
    /// Something happened, or somebody ordered something.
    Event(Box<EventRecord>),
    /// A game account comes from the operator: into the pool, or to its owner. One that is known
    /// gets the password, and the owner if one is given.
    PoolAccount {
        /// The account.
        account: PoolAccount,
        /// When; of two free accounts the older one is taken first.
        at: Timestamp,
    },
}

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
    /// Its settings.
    pub profile: MysisProfile,
    /// When.
    pub at: Timestamp,
}

/// The settings of a Mysis.
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

/// A change of a Mysis' settings; what is absent stays.
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

    /// Changes settings.
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
    /// Its settings.
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

/// What a Mysis takes up its conversation from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredHistory {
    /// The newest rows, oldest first.
    pub rows: Vec<Arc<Row>>,
    /// The notes that stand, oldest first.
    pub notes: Vec<Arc<Row>>,
    /// The newest place given out.
    pub last: Seq,
    /// Its settings as they are stored; absent: as its record says.
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

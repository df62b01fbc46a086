//! Writes: what the Store is asked to make durable, each harmless when repeated.

use std::sync::Arc;

use super::event_record::EventRecord;
use super::fault::MysisFault;
use super::game_state::SnapshotResult;
use super::ids::{CallKey, Incarnation, MissionId, MysisId, Seq, Timestamp};
use super::message::Row;
use super::record::{GameAccount, Mission, NewMysis, PoolAccount, ProfileChange, SavedSession};
use super::state::{LifeState, Totals};

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

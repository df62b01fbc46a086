//! Writes: what the Store makes durable. Each write is harmless when repeated.

use std::sync::Arc;

use super::event_record::EventRecord;
use super::fault::MysisFault;
use super::game_state::SnapshotResult;
use super::held::HeldText;
use super::ids::{CallKey, FleetOrderId, Incarnation, MissionId, MysisId, Seq, Timestamp};
use super::memo::MemoKind;
use super::message::Row;
use super::record::{GameAccount, Mission, NewMysis, PoolAccount, ProfileChange, SavedSession};
use super::samples::PackedHour;
use super::state::{LifeState, Totals};

/// Changes that become durable together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The author. A batch of an older incarnation of a Mysis is refused.
    pub author: Author,
    /// The changes, in order.
    pub writes: Vec<Write>,
}

impl Batch {
    pub fn of_commander(writes: Vec<Write>) -> Batch {
        let author = Author::Commander;
        Batch { author, writes }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The Commander, or a command that works without a swarm.
    Commander,
    Mysis(MysisId, Incarnation),
}

/// A change. Applying it a second time changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    Create(Box<NewMysis>),
    Configure {
        mysis: MysisId,
        change: ProfileChange,
    },
    /// Deletes a Mysis and all its rows. Its account returns to the pool.
    Delete {
        mysis: MysisId,
    },
    /// Begins a new incarnation. Writes of older ones are refused from now on.
    Fence {
        mysis: MysisId,
        incarnation: Incarnation,
    },
    State {
        mysis: MysisId,
        state: LifeState,
        reason: Option<Arc<str>>,
        fault: Option<MysisFault>,
        at: Timestamp,
    },
    /// Marks an idle Mysis that got a message while no swarm was running. It starts with the next
    /// swarm.
    Called {
        mysis: MysisId,
    },
    /// Appends a row to a conversation, with its calls. A result closes its call.
    Append {
        mysis: MysisId,
        row: Arc<Row>,
    },
    /// Marks a call as sent, before it is sent.
    CallSent {
        mysis: MysisId,
        call: CallKey,
        at: Timestamp,
    },
    /// Takes the mark of a call back that has not left, because it is held up. A call that has a result
    /// keeps it.
    CallHeld {
        mysis: MysisId,
        call: CallKey,
    },
    /// Stores the id under which the server works on a call that was sent, before its outcome is
    /// asked for. `None` removes it, before the call is sent again.
    CallTask {
        mysis: MysisId,
        call: CallKey,
        task: Option<Arc<str>>,
    },
    Totals {
        mysis: MysisId,
        totals: Totals,
    },
    ClearNotes {
        mysis: MysisId,
        /// The last row that is cleared.
        upto: Seq,
    },
    /// Stores the newest good result of a snapshot query in place of the last one.
    SaveSnapshot {
        mysis: MysisId,
        /// The game account that asked; empty if there is none.
        account: Arc<str>,
        snapshot: Box<SnapshotResult>,
    },
    /// Marks snapshot results that an action may have changed. A marked result keeps its first
    /// mark.
    Stale {
        mysis: MysisId,
        account: Arc<str>,
        tools: Vec<Arc<str>>,
        by: Arc<str>,
    },
    /// Removes the snapshot results of an account, because it logged out.
    ForgetSnapshots {
        mysis: MysisId,
        account: Arc<str>,
    },
    Mission(Mission),
    /// Clears a mission. It is named, so that a repetition does not clear the next one.
    ClearMission {
        mission: MissionId,
        at: Timestamp,
    },
    SaveAccount {
        mysis: MysisId,
        account: GameAccount,
        at: Timestamp,
    },
    /// Stores the token for resuming the game session in place of the last one.
    KeepSession {
        mysis: MysisId,
        /// The session; `None` if there is none any more.
        session: Option<SavedSession>,
    },
    /// Stores what a Mysis writes down for its next life, in place of the last memo of this kind.
    Memo {
        mysis: MysisId,
        kind: MemoKind,
        memo: Arc<str>,
    },
    /// Stores the samples of an hour in place of those that are stored of it.
    Samples {
        mysis: MysisId,
        hour: PackedHour,
    },
    /// Marks an order of another process as done, with what its Mysis writes for it.
    OrderDone {
        mysis: MysisId,
        order: FleetOrderId,
    },
    /// Holds a text back from models, in place of what was stored of it.
    HoldText(Arc<HeldText>),
    /// Holds a text back no longer.
    ReleaseText(Arc<HeldText>),
    Event(Box<EventRecord>),
    /// Stores a game account of the operator, in the pool or with its owner. A known account gets
    /// the password, and the owner if one is named.
    PoolAccount {
        account: PoolAccount,
        /// The time. Of two free accounts the older one is given first.
        at: Timestamp,
    },
}

impl Write {
    /// The Mysis whose lease this needs, where several processes share the database.
    pub fn leased_mysis(&self) -> Option<MysisId> {
        match self {
            Write::Configure { mysis, .. }
            | Write::Delete { mysis }
            | Write::Fence { mysis, .. }
            | Write::State { mysis, .. }
            | Write::Called { mysis }
            | Write::Append { mysis, .. }
            | Write::CallSent { mysis, .. }
            | Write::CallHeld { mysis, .. }
            | Write::CallTask { mysis, .. }
            | Write::Totals { mysis, .. }
            | Write::ClearNotes { mysis, .. }
            | Write::SaveSnapshot { mysis, .. }
            | Write::Stale { mysis, .. }
            | Write::ForgetSnapshots { mysis, .. }
            | Write::SaveAccount { mysis, .. }
            | Write::KeepSession { mysis, .. }
            | Write::Memo { mysis, .. }
            | Write::Samples { mysis, .. }
            | Write::OrderDone { mysis, .. } => Some(*mysis),
            // The lease of a new Mysis is taken when it is created.
            Write::Create(_)
            | Write::Mission(_)
            | Write::ClearMission { .. }
            | Write::HoldText(_)
            | Write::ReleaseText(_)
            | Write::Event(_)
            | Write::PoolAccount { .. } => None,
        }
    }
}

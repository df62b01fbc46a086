//! The kinds of events, in families. Who follows events names a family where nothing of it matters, so that
//! only those who show a family hear from the compiler of a new member: what happens to a Mysis, and within a
//! turn, is written by `src/interface/contract/events.rs`; what holds for the swarm is sent to new watchers by
//! the Commander (`commander/watching.rs`) and taken by the screen (`dashboard/listening.rs`).

use std::sync::Arc;

use crate::budget::BudgetStatus;
use crate::ids::{Incarnation, MysisId, Timestamp, TurnNumber};
use crate::message::{Row, Severity};
use crate::model::TokenUsage;
use crate::outages::ServerOutages;
use crate::record::GameAccount;
use crate::silence::SilenceNotice;
use crate::standing::StandingConditions;
use crate::state::LifeState;

use super::MysisStatus;

#[derive(Clone, Debug, PartialEq)]
pub struct SwarmEvent {
    pub at: Timestamp,
    /// The Mysis that it is about; `None` for the swarm.
    pub mysis: Option<MysisRef>,
    pub what: EventKind,
}

impl SwarmEvent {
    pub fn of_swarm(at: Timestamp, what: EventKind) -> SwarmEvent {
        let mysis = None;
        SwarmEvent { at, mysis, what }
    }
}

impl EventKind {
    pub fn notice(severity: Severity, code: &'static str, text: impl Into<Arc<str>>) -> EventKind {
        let text = text.into();
        EventKind::Notice {
            severity,
            code,
            text,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MysisRef {
    pub id: MysisId,
    pub name: Arc<str>,
}

#[derive(Clone, Debug)]
pub struct MysisReport {
    pub mysis: MysisId,
    /// The incarnation. Reports of an older one are dropped.
    pub incarnation: Incarnation,
    pub event: SwarmEvent,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    Roster(RosterChange),
    StateChanged {
        from: LifeState,
        to: LifeState,
        reason: Option<Arc<str>>,
    },
    Turn(TurnEvent),
    Stored(Arc<Row>),
    /// The mission changed; `None` if it was cleared.
    Mission(Option<Arc<str>>),
    StatusChanged(Arc<MysisStatus>),
    Condition(SwarmCondition),
    /// A game account and its password became known. Only the Commander receives this.
    Learned(GameAccount),
    Notice {
        severity: Severity,
        /// A short stable word for its kind.
        code: &'static str,
        text: Arc<str>,
    },
    Shutdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RosterChange {
    Created,
    Deleted,
    /// This process runs a Mysis that another one ran, or that none ran.
    TakenOver,
    MovedAway,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TurnEvent {
    Started {
        turn: TurnNumber,
    },
    /// A turn ended, by a reply or by the limit of calls. One that is interrupted does not end: its Mysis
    /// changes its state.
    Ended {
        turn: TurnNumber,
    },
    ModelReplied {
        usage: Option<TokenUsage>,
        ms: u64,
    },
    ToolCalled {
        tool: Arc<str>,
        call_id: Arc<str>,
    },
    ToolReturned {
        tool: Arc<str>,
        call_id: Arc<str>,
        is_error: bool,
        /// `None` if it was not measured.
        ms: Option<u64>,
    },
}

/// What holds for the whole swarm now. Each event brings the whole of one of them.
#[derive(Clone, Debug, PartialEq)]
pub enum SwarmCondition {
    Budget(Arc<BudgetStatus>),
    Outages(Arc<ServerOutages>),
    /// The notice that nothing happens; `None` if the swarm plays.
    Silence(Option<Arc<SilenceNotice>>),
    Standing(Arc<StandingConditions>),
    /// Since when the swarm is frozen; `None` if it is not.
    Freeze(Option<Timestamp>),
}

impl MysisStatus {
    pub fn who(&self) -> MysisRef {
        let (id, name) = (self.id, self.name.clone());
        MysisRef { id, name }
    }
}

//! What events say about turns, for observers that follow them.

use crate::ids::TurnNumber;
use crate::message::Row;
use crate::state::LifeState;

use super::{EventKind, RosterChange, TurnEvent};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TurnNews<'a> {
    Started(TurnNumber),
    Ended(TurnNumber),
    Stored(&'a Row),
    /// Its Mysis does not run any longer, which interrupts a turn.
    Halted {
        to: LifeState,
        reason: Option<&'a str>,
    },
    /// Its Mysis is deleted, or in another process.
    Deleted,
}

impl EventKind {
    /// What the event says about turns; `None` if it says nothing.
    pub fn turn_news(&self) -> Option<TurnNews<'_>> {
        match self {
            EventKind::Turn(TurnEvent::Started { turn }) => Some(TurnNews::Started(*turn)),
            EventKind::Turn(TurnEvent::Ended { turn }) => Some(TurnNews::Ended(*turn)),
            EventKind::Stored(row) => Some(TurnNews::Stored(row)),
            EventKind::StateChanged { to, reason, .. } => {
                (*to != LifeState::Running).then_some(TurnNews::Halted {
                    to: *to,
                    reason: reason.as_deref(),
                })
            }
            EventKind::Roster(RosterChange::Deleted | RosterChange::MovedAway) => {
                Some(TurnNews::Deleted)
            }
            EventKind::Roster(_)
            | EventKind::Turn(_)
            | EventKind::Mission(_)
            | EventKind::StatusChanged(_)
            | EventKind::Condition(_)
            | EventKind::Learned(_)
            | EventKind::Notice { .. }
            | EventKind::Shutdown => None,
        }
    }
}

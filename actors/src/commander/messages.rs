//! The messages of the Commander.

use std::fmt;
use std::sync::Arc;

use ractor::{ActorRef, RpcReplyPort};

use crate::domain::event::{MysisReport, SwarmEvent};
use crate::domain::event_record::{EventRecord, OrderSource};
use crate::domain::ids::{FleetOrderId, MissionId, MysisId, Timestamp};
use crate::domain::order::{Order, OrderResult};
use crate::domain::record::{Mission, MysisRecord, NewMysis};
use crate::domain::rules::SwarmRules;
use crate::domain::standing::StandingKind;
use crate::domain::write::Write;
use crate::ports::{Configuration, FleetStep, LedgerFault};
use crate::reply::{OrderReply, OrderRequest};
use crate::ui::TerminalLink;

use super::CommanderState;

pub type Watcher = ActorRef<Arc<SwarmEvent>>;

#[derive(Debug)]
pub enum CommanderMsg {
    Order(OrderRequest),
    /// An order that was carried out elsewhere and only has to be recorded.
    Ordered(Order, OrderSource),
    Report(MysisReport),
    /// An event for the operator, of the gate, of the fleet or of a part outside of the actors.
    News(SwarmEvent),
    /// What is known of a condition of the whole program: its text, or `None` if it is over.
    Standing(StandingKind, Option<Arc<str>>),
    Fleet(Box<FleetStep>),
    Recorded(Arc<EventRecord>),
    /// A new watcher, which gets the present state first.
    Watch(Watcher),
    Attach(TerminalLink),
    Query(SwarmQuery),
    RulesChanged(Arc<SwarmRules>),
    /// The configuration, which can be read again from now on.
    Configured(Arc<dyn Configuration>),
    /// Further secrets. Answered once they are known everywhere.
    SecretsKnown(Vec<Arc<str>>, RpcReplyPort<()>),
    OrderStored {
        order: PendingOrder,
        stored: Result<(), LedgerFault>,
        reply: OrderReply,
    },
    /// A deleted Mysis is stored again, or could not be.
    BroughtBack(Result<Box<MysisRecord>, String>, OrderReply),
    Delivered {
        mission: MissionId,
        name: Arc<str>,
        answer: OrderResult,
    },
    /// Since when the swarm is frozen was stored, or could not be.
    FreezeKept {
        /// Since when; `None` for a thaw.
        since: Option<Timestamp>,
        /// Why it could not be stored.
        kept: Result<(), String>,
        reply: OrderReply,
    },
    PassedAnswered(FleetOrderId, OrderResult),
    /// A Mysis died over an order of another process, and what it wrote before that is stored.
    PassedDropped(FleetOrderId),
    /// The wait before the relaunch of an errored Mysis is over.
    Relaunch(MysisId),
    Close(RpcReplyPort<()>),
    /// The time that Myses have to finish is over.
    CloseNow,
    /// The swarm runs for so long that a tool call should have succeeded.
    FirstMinutesOver,
    /// Some Myses changed in a way that may end or begin the swarm's silence.
    SilenceDue,
    /// A call under way may be late by now.
    LookOutside,
    Drained,
}

/// A question, which looks at the Commander's state and answers itself.
pub struct SwarmQuery(pub(super) Box<dyn FnOnce(&mut CommanderState) + Send>);

impl fmt::Debug for SwarmQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SwarmQuery")
    }
}

/// An order that is stored before it is carried out.
#[derive(Debug)]
pub enum PendingOrder {
    Create {
        record: Box<MysisRecord>,
        start: bool,
    },
    Delete(MysisId),
    Broadcast(Mission),
    ClearMission(MissionId),
}

impl PendingOrder {
    pub(super) fn changes_mission(&self) -> bool {
        match self {
            PendingOrder::Broadcast(_) | PendingOrder::ClearMission(_) => true,
            PendingOrder::Create { .. } | PendingOrder::Delete(_) => false,
        }
    }

    pub(super) fn write(&self, at: Timestamp) -> Write {
        match self {
            PendingOrder::Create { record, .. } => Write::Create(Box::new(NewMysis {
                id: record.id,
                profile: record.profile.clone(),
                at: record.created_at,
            })),
            PendingOrder::Delete(mysis) => Write::Delete { mysis: *mysis },
            PendingOrder::Broadcast(mission) => Write::Mission(mission.clone()),
            PendingOrder::ClearMission(mission) => Write::ClearMission {
                mission: *mission,
                at,
            },
        }
    }
}

//! Messages: all that can wake the Commander.

use std::sync::Arc;

use ractor::RpcReplyPort;

use crate::domain::budget::BudgetStatus;
use crate::domain::event::{MysisReport, MysisStatus, SwarmEvent};
use crate::domain::event_record::OrderSource;
use crate::domain::ids::{MissionId, MysisId};
use crate::domain::login_progress::LoginProgress;
use crate::domain::order::{Order, OrderResult};
use crate::domain::outages::ServerOutages;
use crate::domain::record::{Mission, MysisRecord};
use crate::domain::rules::SwarmRules;
use crate::ports::{Configuration, LedgerFault};
use crate::reply::{OrderReply, OrderRequest};
use crate::ui::TerminalLink;

use super::Watcher;

/// What the Commander is told.
#[derive(Debug)]
pub enum CommanderMsg {
    /// The operator wants something.
    Order(OrderRequest),
    /// This was ordered and is carried out already; it is only to be recorded.
    Ordered(Order, OrderSource),
    /// A Mysis tells what happens to it.
    Report(MysisReport),
    /// The Store has news for the operator.
    News(SwarmEvent),
    /// Somebody wants to watch, and hears how everything stands.
    Watch(Watcher),
    /// A terminal of another process is to be drawn for, too.
    Attach(TerminalLink),
    /// How do the Myses stand?
    Statuses(RpcReplyPort<Vec<Arc<MysisStatus>>>),
    /// How does the budget stand?
    BudgetStatus(RpcReplyPort<Arc<BudgetStatus>>),
    /// Which servers are away?
    Outages(RpcReplyPort<Arc<ServerOutages>>),
    /// How far is the swarm with logging in?
    LoginProgress(RpcReplyPort<Option<LoginProgress>>),
    /// What is the mission?
    Mission(RpcReplyPort<Option<Mission>>),
    /// Is the store in trouble, and which?
    Trouble(RpcReplyPort<Option<Arc<str>>>),
    /// The rules changed.
    RulesChanged(Arc<SwarmRules>),
    /// The configuration can be read again by this.
    Configured(Arc<dyn Configuration>),
    /// These are secrets, too; answered once everybody has been told.
    SecretsKnown(Vec<Arc<str>>, RpcReplyPort<()>),
    /// A new Mysis is stored, or not.
    Created {
        /// The Mysis.
        record: Box<MysisRecord>,
        /// Whether to start it at once.
        start: bool,
        /// What came of it.
        stored: Result<(), LedgerFault>,
        /// Who waits.
        reply: OrderReply,
    },
    /// A Mysis is gone from the store, or not.
    Deleted {
        /// Who.
        mysis: MysisId,
        /// What came of it.
        stored: Result<(), LedgerFault>,
        /// Who waits.
        reply: OrderReply,
    },
    /// A mission is stored, or not.
    MissionStored {
        /// The mission.
        mission: Mission,
        /// What came of it.
        stored: Result<(), LedgerFault>,
        /// Who waits.
        reply: OrderReply,
    },
    /// The mission is cleared in the store, or not.
    MissionCleared {
        /// Which.
        mission: MissionId,
        /// What came of it.
        stored: Result<(), LedgerFault>,
        /// Who waits.
        reply: OrderReply,
    },
    /// A Mysis has taken a mission, or not.
    Delivered {
        /// Which mission.
        mission: MissionId,
        /// Who.
        name: Arc<str>,
        /// What came of it.
        answer: OrderResult,
    },
    /// Time to bring an errored Mysis back.
    Relaunch(MysisId),
    /// The program is to close.
    Close(RpcReplyPort<()>),
    /// Those who have not left by now are stopped.
    CloseNow,
    /// The Store has nothing left to write.
    Drained,
}

impl From<OrderRequest> for CommanderMsg {
    fn from(request: OrderRequest) -> Self {
        CommanderMsg::Order(request)
    }
}

impl From<MysisReport> for CommanderMsg {
    fn from(report: MysisReport) -> Self {
        CommanderMsg::Report(report)
    }
}

impl From<SwarmEvent> for CommanderMsg {
    fn from(news: SwarmEvent) -> Self {
        CommanderMsg::News(news)
    }
}

/// A message that is not of the kind that was asked for; ractor's derived addresses want a way
/// back.
#[derive(Debug)]
pub struct WrongCommanderMsg;

impl TryFrom<CommanderMsg> for OrderRequest {
    type Error = WrongCommanderMsg;

    fn try_from(message: CommanderMsg) -> Result<Self, WrongCommanderMsg> {
        if let CommanderMsg::Order(request) = message {
            Ok(request)
        } else {
            Err(WrongCommanderMsg)
        }
    }
}

impl TryFrom<CommanderMsg> for MysisReport {
    type Error = WrongCommanderMsg;

    fn try_from(message: CommanderMsg) -> Result<Self, WrongCommanderMsg> {
        if let CommanderMsg::Report(report) = message {
            Ok(report)
        } else {
            Err(WrongCommanderMsg)
        }
    }
}

impl TryFrom<CommanderMsg> for SwarmEvent {
    type Error = WrongCommanderMsg;

    fn try_from(message: CommanderMsg) -> Result<Self, WrongCommanderMsg> {
        if let CommanderMsg::News(news) = message {
            Ok(news)
        } else {
            Err(WrongCommanderMsg)
        }
    }
}

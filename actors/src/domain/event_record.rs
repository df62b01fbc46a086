//! Event records: what happened in the swarm and who ordered what, as it is stored and read back.

use std::fmt;
use std::sync::Arc;

use super::event::{EventKind, MysisRef, SwarmEvent};
use super::ids::Timestamp;
use super::message::{HostMeta, RowBody, Severity};
use super::order::{Order, describe_settings, quote_beginning, with_details};
use super::record::PoolAccount;
use super::state::LifeState;

/// Names a record, so that storing it twice changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventId(pub i64);

/// Something that happened, or that somebody ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// Its name.
    pub id: EventId,
    /// When.
    pub at: Timestamp,
    /// What sort of event it is.
    pub kind: EventRecordKind,
    /// Whom it is about; absent: the swarm.
    pub mysis: Option<MysisRef>,
    /// How much it matters.
    pub severity: Severity,
    /// A short stable word: the new state, the notice's code, the need, or the order.
    pub code: Arc<str>,
    /// What is said about it.
    pub text: Arc<str>,
    /// Where the order came from; absent where it is none.
    pub source: Option<OrderSource>,
}

/// What sort of event a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRecordKind {
    /// A Mysis changed its state.
    State,
    /// The operator was told something.
    Notice,
    /// A Mysis that runs began to need the operator.
    Need,
    /// The operator did something.
    Order,
}

impl EventRecordKind {
    /// Every kind.
    pub const ALL: [EventRecordKind; 4] = [
        EventRecordKind::State,
        EventRecordKind::Notice,
        EventRecordKind::Need,
        EventRecordKind::Order,
    ];

    /// The word used in the database and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            EventRecordKind::State => "state",
            EventRecordKind::Notice => "notice",
            EventRecordKind::Need => "need",
            EventRecordKind::Order => "order",
        }
    }

    /// Reads the word back; `None` for a word that is none of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<EventRecordKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Where an order comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderSource {
    /// The program's own terminal.
    Terminal,
    /// A terminal that is attached.
    AttachedTerminal,
    /// The control interface, by which commands reach a program that runs.
    Control,
    /// A command that works on the database itself.
    CommandLine,
    /// The configuration.
    Configuration,
    /// A signal to the process.
    Signal,
    /// The program itself, by a rule of the configuration.
    Program,
}

impl OrderSource {
    /// Every source.
    pub const ALL: [OrderSource; 7] = [
        OrderSource::Terminal,
        OrderSource::AttachedTerminal,
        OrderSource::Control,
        OrderSource::CommandLine,
        OrderSource::Configuration,
        OrderSource::Signal,
        OrderSource::Program,
    ];

    /// The word used in the database and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            OrderSource::Terminal => "terminal",
            OrderSource::AttachedTerminal => "attached_terminal",
            OrderSource::Control => "control",
            OrderSource::CommandLine => "command_line",
            OrderSource::Configuration => "configuration",
            OrderSource::Signal => "signal",
            OrderSource::Program => "program",
        }
    }

    /// Reads the word back; `None` for a word that is none of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<OrderSource> {
        Self::ALL.into_iter().find(|source| source.as_str() == text)
    }
}

impl fmt::Display for OrderSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_str().replace('_', " "))
    }
}

/// The record of an event under a name; `None` for what is stored elsewhere or not worth it.
#[must_use]
pub fn record_of(event: &SwarmEvent, id: EventId) -> Option<EventRecord> {
    let (kind, severity, code, text): (_, _, Arc<str>, Arc<str>) = match &event.what {
        EventKind::StateChanged { from, to, reason } => (
            EventRecordKind::State,
            change_severity(*to),
            to.as_str().into(),
            describe_change(*from, *to, reason.as_deref()).into(),
        ),
        EventKind::Notice {
            severity,
            code,
            text,
        } => (
            EventRecordKind::Notice,
            *severity,
            (*code).into(),
            text.clone(),
        ),
        EventKind::Stored(row) => {
            let (meta, text) = warning_of(&row.body)?;
            (
                EventRecordKind::Notice,
                meta.severity,
                meta.code.clone(),
                text.clone(),
            )
        }
        EventKind::Shutdown => (
            EventRecordKind::Notice,
            Severity::Info,
            "closing".into(),
            "the program closes".into(),
        ),
        EventKind::Created
        | EventKind::Deleted
        | EventKind::TurnStarted
        | EventKind::ModelReplied { .. }
        | EventKind::ToolCalled { .. }
        | EventKind::ToolReturned { .. }
        | EventKind::Mission(_)
        | EventKind::StatusChanged(_)
        | EventKind::BudgetChanged(_)
        | EventKind::OutagesChanged(_)
        | EventKind::Learned(_) => return None,
    };
    Some(EventRecord {
        id,
        at: event.at,
        kind,
        mysis: event.mysis.clone(),
        severity,
        code,
        text,
        source: None,
    })
}

fn change_severity(to: LifeState) -> Severity {
    match to {
        LifeState::Errored => Severity::Error,
        LifeState::Idle | LifeState::Running | LifeState::Stopped => Severity::Info,
    }
}

/// The notice that a row is, where it says more than that something happened.
fn warning_of(body: &RowBody) -> Option<(&HostMeta, &Arc<str>)> {
    match body {
        RowBody::Host { text, meta } => (meta.severity > Severity::Info).then_some((meta, text)),
        RowBody::Prompt { .. }
        | RowBody::Mission { .. }
        | RowBody::Peer { .. }
        | RowBody::Note { .. }
        | RowBody::Reply(_)
        | RowBody::Call { .. }
        | RowBody::Result { .. }
        | RowBody::Audit { .. }
        | RowBody::Unknown { .. } => None,
    }
}

/// A change of state in words.
#[must_use]
pub fn describe_change(from: LifeState, to: LifeState, reason: Option<&str>) -> String {
    let (from, to) = (from.as_str(), to.as_str());
    match reason {
        Some(reason) => format!("{from} → {to}: {reason}"),
        None => format!("{from} → {to}"),
    }
}

/// What the record of an order says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSummary {
    /// A short stable word for the order.
    pub code: &'static str,
    /// The name of the Mysis it is for, if it is for one.
    pub name: Option<String>,
    /// The order in words.
    pub text: String,
}

impl OrderSummary {
    /// What is said about an order; `None` for one that is itself a row of a conversation, and for
    /// one that changes nothing.
    #[must_use]
    pub fn of(order: &Order) -> Option<OrderSummary> {
        let (code, name, text) = match order {
            Order::Create {
                name,
                provider,
                model,
                start,
            } => {
                let started = start.then(|| "started".to_string());
                let settings = describe_settings(provider.as_deref(), model.as_deref(), None);
                (
                    "create",
                    Some(name),
                    with_details("created", settings.chain(started)),
                )
            }
            Order::ForMysis { name, order } => {
                let (code, text) = order.summary()?;
                (code, Some(name), text)
            }
            Order::Delete { name } => ("delete", Some(name), "deleted".to_string()),
            Order::Broadcast { text } => (
                "mission",
                None,
                format!("the mission: {}", quote_beginning(text)),
            ),
            Order::ClearMission => ("clear_mission", None, "the mission is cleared".to_string()),
            Order::PoolAccounts(accounts) => ("accounts", None, describe_accounts(accounts)),
            Order::Reload => (
                "reload",
                None,
                "the configuration was read again".to_string(),
            ),
            Order::ShowRequest { .. } => return None,
        };
        Some(OrderSummary {
            code,
            name: name.cloned(),
            text,
        })
    }
}

/// The names of accounts; nothing else of them is told.
fn describe_accounts(accounts: &[PoolAccount]) -> String {
    let names = accounts.iter().map(|pooled| {
        let name = &pooled.account.username;
        let assigned = pooled.owner.map(|_| " (assigned)");
        format!("{name}{}", assigned.unwrap_or_default())
    });
    let names: Vec<String> = names.collect();
    let text = format!("{} accounts taken: {}", names.len(), names.join(", "));
    quote_beginning(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::MysisOrder;
    use crate::record::GameAccount;

    #[test]
    fn words_are_read_back() {
        for kind in EventRecordKind::ALL {
            assert_eq!(EventRecordKind::parse(kind.as_str()), Some(kind));
        }
        for source in OrderSource::ALL {
            assert_eq!(OrderSource::parse(source.as_str()), Some(source));
        }
        assert_eq!(EventRecordKind::parse("dream"), None);
    }

    #[test]
    fn the_record_of_accounts_holds_names_and_no_password() {
        let account = GameAccount {
            username: "captain".into(),
            password: "open sesame".into(),
        };
        let order = Order::PoolAccounts(vec![PoolAccount {
            account,
            owner: None,
        }]);
        let summary = OrderSummary::of(&order).unwrap();
        assert_eq!(summary.text, "1 accounts taken: captain");
    }

    #[test]
    fn an_order_says_what_it_sets() {
        let change = MysisOrder::configure(Some("local".into()), None, Some(0.5));
        let order = change.for_mysis("alpha");
        let summary = OrderSummary::of(&order).unwrap();
        let (code, name) = (summary.code, summary.name.as_deref());
        assert_eq!((code, name), ("configure", Some("alpha")));
        assert_eq!(summary.text, "configured: provider local, temperature 0.5");
        let text = "ä".repeat(1000);
        let mission = OrderSummary::of(&Order::Broadcast { text }).unwrap();
        assert!(mission.text.chars().count() < 250);
    }
}

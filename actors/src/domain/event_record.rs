//! Event records: the stored form of events and of orders.

mod order_summary;

use std::sync::Arc;

use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::event::{EventKind, MysisRef, MysisStatus, SwarmEvent};
use super::ids::{Seq, Timestamp};
use super::message::{HostMeta, Severity};
use super::needs::{operator_need, over_need};
use super::state::LifeState;

pub use super::ids::EventId;
pub use order_summary::OrderSummary;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    pub id: EventId,
    pub at: Timestamp,
    pub kind: EventRecordKind,
    /// The Mysis that it is about; `None` for the swarm.
    pub mysis: Option<MysisRef>,
    pub severity: Severity,
    /// A short stable word: the new state, the notice's code, the need, or the order.
    pub code: Arc<str>,
    pub text: Arc<str>,
    /// The source of an order; `None` for other events.
    pub source: Option<OrderSource>,
    /// The row of the Mysis' conversation that it became or that tells it.
    pub row: Option<Seq>,
    /// The row in which the Mysis answered a message. It is not stored: who reads records looks it up, and
    /// who listens waits for it.
    pub answered: Option<Seq>,
}

pub const MESSAGE_CODE: &str = "message";

impl EventRecord {
    /// Whether it is a message that the Mysis has not answered yet.
    pub fn awaits_answer(&self) -> bool {
        let is_message = self.kind == EventRecordKind::Order && *self.code == *MESSAGE_CODE;
        is_message && self.row.is_some() && self.answered.is_none()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum EventRecordKind {
    State,
    Notice,
    Need,
    Order,
}

zoea_records::read_by_word!(pub EventRecordKind);
zoea_records::read_by_word!(pub OrderSource);

impl EventRecordKind {
    /// The word in the database and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum OrderSource {
    Terminal,
    AttachedTerminal,
    /// The control interface, through which commands reach a running program.
    Control,
    /// A command that works on the database itself.
    CommandLine,
    Configuration,
    Signal,
    /// The program itself, by a rule of the configuration.
    Program,
}

impl OrderSource {
    /// The word in the database and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    #[must_use]
    pub fn describe(self, code: &str) -> &'static str {
        match self {
            OrderSource::Terminal => "by terminal",
            OrderSource::AttachedTerminal => "by attached terminal",
            OrderSource::Control => "zoea command or MCP client",
            OrderSource::CommandLine => "zoea command",
            OrderSource::Configuration => "by configuration",
            OrderSource::Signal => "by signal",
            OrderSource::Program if code == RELAUNCH_CODE => "automatic",
            OrderSource::Program => "first start",
        }
    }
}

/// The record of an event; `None` if the event is stored elsewhere or is not recorded.
pub fn record_of(event: &SwarmEvent, id: EventId) -> Option<EventRecord> {
    let (mut row, noticed) = (None, EventRecordKind::Notice);
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
        } => (noticed, *severity, (*code).into(), text.clone()),
        EventKind::Stored(stored) => {
            let is_event = |meta: &&HostMeta| !OF_EACH_TURN.contains(&&*meta.code);
            let meta = stored.host().filter(is_event)?;
            row = Some(stored.seq);
            let text = stored.text().clone();
            (noticed, meta.severity, meta.code.clone(), text)
        }
        EventKind::Shutdown => {
            let text = "the program closes".into();
            (noticed, Severity::Info, "closing".into(), text)
        }
        EventKind::Roster(_)
        | EventKind::Turn(_)
        | EventKind::Condition(_)
        | EventKind::Mission(_)
        | EventKind::StatusChanged(_)
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
        row,
        answered: None,
    })
}

/// The code of the notice that a Mysis repeats a circle, which the operator can start as a routine.
pub const OFFER_CODE: &str = "routine_offered";

pub const RELAUNCH_CODE: &str = "relaunch";

pub const NEED_OVER_CODE: &str = "need_over";

/// The record of a need of the operator that begins or ends between two statuses of a Mysis that
/// runs now. A change of its state is recorded anyway.
pub fn record_of_need(
    before: &MysisStatus,
    now: &MysisStatus,
    at: Timestamp,
) -> Option<EventRecord> {
    if now.state != LifeState::Running {
        return None;
    }
    let known = operator_need(before).map(|need| need.what);
    let (kind, severity, code, text) = match (operator_need(now), known) {
        (Some(need), known) if known != Some(need.what) => {
            (EventRecordKind::Need, Severity::Warn, need.what, need.why)
        }
        (None, Some(known)) if before.state == LifeState::Running => {
            let (kind, severity) = (EventRecordKind::Notice, Severity::Info);
            let text = over_need(known).into();
            (kind, severity, NEED_OVER_CODE, text)
        }
        (Some(_) | None, _) => return None,
    };
    Some(EventRecord {
        id: EventId(0),
        at,
        kind,
        mysis: Some(MysisRef {
            id: now.id,
            name: now.name.clone(),
        }),
        severity,
        code: code.into(),
        text,
        source: None,
        row: None,
        answered: None,
    })
}

fn change_severity(to: LifeState) -> Severity {
    match to {
        LifeState::Errored => Severity::Error,
        LifeState::Idle | LifeState::Running | LifeState::Stopped => Severity::Info,
    }
}

/// What a turn says of itself stands in its conversation alone: it comes with every turn, and would drive all
/// else out of the newest events.
const OF_EACH_TURN: [&str; 3] = ["nudge", "continuation", "turn_limit"];

pub fn describe_change(from: LifeState, to: LifeState, reason: Option<&str>) -> String {
    let (from, to) = (from.as_str(), to.as_str());
    match reason {
        Some(reason) => format!("{from} → {to}: {reason}"),
        None => format!("{from} → {to}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::LinkState;
    use crate::ids::{MysisId, TurnNumber};
    use crate::message::{Row, RowBody};
    use crate::order::{MysisOrder, Order, OrderRefusal};
    use crate::record::{GameAccount, MysisProfile, MysisRecord, PoolAccount};
    use crate::rules::SwarmRules;

    #[test]
    fn a_need_is_recorded_when_it_begins_and_when_it_ends_in_a_running_mysis() {
        let record = MysisRecord::new(MysisId(1), MysisProfile::of("alpha", "local"), Timestamp(0));
        let status = |state, link| MysisStatus {
            state,
            link,
            ..MysisStatus::from_record(&record, &SwarmRules::default(), Timestamp(0))
        };
        let well = status(LifeState::Running, LinkState::Ok);
        let lost = status(LifeState::Running, LinkState::Down);
        let shut = status(LifeState::Running, LinkState::NoAccess);
        let idle = status(LifeState::Idle, LinkState::Down);
        let code = |before: &MysisStatus, now: &MysisStatus| {
            let record = record_of_need(before, now, Timestamp(7))?;
            assert_eq!(record.at, Timestamp(7));
            Some((record.kind, record.code.to_string()))
        };
        let need = |word: &str| Some((EventRecordKind::Need, word.to_string()));
        assert_eq!(code(&well, &lost), need("no tools"));
        assert_eq!(code(&lost, &lost), None, "reported once");
        assert_eq!(code(&lost, &shut), need("no access"));
        let over = (EventRecordKind::Notice, NEED_OVER_CODE.to_string());
        assert_eq!(code(&shut, &well), Some(over));
        assert_eq!(code(&well, &well), None);
        assert_eq!(code(&lost, &idle), None, "the state is recorded");
        assert_eq!(code(&idle, &well), None, "and its change ends the need");
    }

    #[test]
    fn a_notice_of_a_mysis_is_recorded_unless_it_comes_with_every_turn() {
        let stored = |code: &str, severity| {
            let meta = HostMeta {
                severity,
                code: code.into(),
                attempt: None,
                bill: None,
            };
            let text = "alpha repeats a circle".into();
            let row = Row {
                seq: Seq(4),
                at: Timestamp(7),
                turn: TurnNumber(1),
                body: RowBody::Host { text, meta },
            };
            let event = SwarmEvent {
                at: Timestamp(7),
                mysis: None,
                what: EventKind::Stored(Arc::new(row)),
            };
            record_of(&event, EventId(1)).map(|record| record.code.to_string())
        };
        for code in [OFFER_CODE, "routine_started", "released", "tier"] {
            assert_eq!(stored(code, Severity::Info).as_deref(), Some(code));
        }
        assert!(stored("mcp_down", Severity::Warn).is_some());
        for code in OF_EACH_TURN {
            assert_eq!(
                stored(code, Severity::Info),
                None,
                "it comes with every turn"
            );
        }
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
        let change = MysisOrder::configure(Some("local".into()), None, Some(0.5), None);
        let order = change.for_mysis("alpha");
        let summary = OrderSummary::of(&order).unwrap();
        let (code, name) = (summary.code, summary.name.as_deref());
        assert_eq!((code, name), ("configure", Some("alpha")));
        assert_eq!(summary.text, "configured: provider local, temperature 0.5");
        let text = "ä".repeat(1000);
        let mission = OrderSummary::of(&Order::Broadcast { text }).unwrap();
        assert!(mission.text.chars().count() < 250);
    }

    #[test]
    fn a_refused_order_says_why_but_quotes_no_answer() {
        let summary = || OrderSummary::of(&MysisOrder::Stop.for_mysis("alpha")).unwrap();
        let stopped = summary().refused(&OrderRefusal::AlreadyStopped);
        let expected = format!("stop was refused: {}", OrderRefusal::AlreadyStopped);
        assert_eq!(stopped.text, expected);
        let secret = OrderRefusal::BadAnswer("`hunter2` is not a number".to_string());
        assert!(!summary().refused(&secret).text.contains("hunter2"));
    }
}

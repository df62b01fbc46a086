//! The order of the table.

use std::cmp::Ordering;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::ids::Timestamp;
use actors::domain::message::Severity;
use actors::domain::needs::operator_need;
use actors::domain::outages::ServerOutages;

use zoea_text::natural::compare_natural;

use super::columns::Column;
use super::seen_state::SeenState;
use crate::dashboard::earning::EarnRate;
use crate::dashboard::money::percent;

/// A column and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorting {
    pub by: Column,
    /// The direction.
    pub from: SortDirection,
}

/// The direction of a sorting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortDirection {
    /// The useful end of this column first: `a`, the errored, the most, the newest.
    Normal,
    /// The other end first.
    Reversed,
}

impl Default for Sorting {
    fn default() -> Self {
        Sorting {
            by: Column::Mark,
            from: SortDirection::Normal,
        }
    }
}

impl Sorting {
    /// Sorts by a column. The same column again reverses the direction.
    #[must_use]
    pub fn with_column(self, by: Column) -> Sorting {
        if self.by == by {
            return self.reverse();
        }
        Sorting {
            by,
            from: SortDirection::Normal,
        }
    }

    /// The reversed direction.
    #[must_use]
    pub fn reverse(self) -> Sorting {
        let from = match self.from {
            SortDirection::Normal => SortDirection::Reversed,
            SortDirection::Reversed => SortDirection::Normal,
        };
        Sorting { from, ..self }
    }

    /// The rank of a Mysis in the orders that need more than a comparison: by need, by state and by what it earned.
    #[must_use]
    pub fn rank(self, status: &MysisStatus, now: Timestamp, outages: &ServerOutages) -> i64 {
        match self.by {
            Column::Mark => match need_rank(status) {
                NeedRank::Error => 0,
                NeedRank::Warning => 1,
                NeedRank::None => 2,
            },
            Column::State => SeenState::of(status, outages) as i64,
            Column::Trend => {
                let figures = &status.figures;
                let rate = EarnRate::of(&figures.trend.points(now), now).per_minute;
                let earned = figures.earned_last_hour(now);
                earned.map_or(i64::MAX, |_| rate.saturating_neg())
            }
            Column::Earned => {
                // Who is not known to earn comes last.
                let earned = status.figures.earned_last_hour(now);
                earned.map_or(i64::MAX, i64::saturating_neg)
            }
            Column::Name
            | Column::Doing
            | Column::Process
            | Column::Place
            | Column::Credits
            | Column::Cargo
            | Column::Fuel
            | Column::Words
            | Column::Account
            | Column::Role
            | Column::Provider
            | Column::Model
            | Column::Nudges
            | Column::Turns
            | Column::Tokens
            | Column::Cost
            | Column::Value
            | Column::Latency
            | Column::Seen => 0,
        }
    }

    /// Compares two Myses together with their ranks.
    #[must_use]
    pub fn compare_ranked(self, a: (i64, &MysisStatus), b: (i64, &MysisStatus)) -> Ordering {
        let order = match self.from {
            SortDirection::Normal => a.0.cmp(&b.0),
            SortDirection::Reversed => b.0.cmp(&a.0),
        };
        order.then_with(|| self.compare(a.1, b.1))
    }

    fn compare(self, a: &MysisStatus, b: &MysisStatus) -> Ordering {
        let order = by_column(self.by, a, b);
        let order = match self.from {
            SortDirection::Normal => order,
            SortDirection::Reversed => order.reverse(),
        };
        order
            .then_with(|| compare_natural(&a.name, &b.name))
            .then_with(|| a.id.cmp(&b.id))
    }
}

/// The place of a Mysis in the order by needs: the errors first, who needs nothing last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeedRank {
    /// It needs the operator, and does nothing until he acts.
    Error,
    /// It needs the operator.
    Warning,
    /// It needs nobody.
    None,
}

/// The place of a Mysis in the order by needs.
#[must_use]
pub fn need_rank(status: &MysisStatus) -> NeedRank {
    match operator_need(status).map(|need| need.severity) {
        Some(Severity::Error) => NeedRank::Error,
        Some(Severity::Warn | Severity::Info) => NeedRank::Warning,
        None => NeedRank::None,
    }
}

fn by_column(column: Column, a: &MysisStatus, b: &MysisStatus) -> Ordering {
    let tokens = |status: &MysisStatus| {
        let totals = status.totals;
        totals.tokens_in.saturating_add(totals.tokens_out)
    };
    match column {
        Column::Mark | Column::State | Column::Earned | Column::Trend => Ordering::Equal,
        Column::Place => place_key(a).cmp(&place_key(b)),
        Column::Credits => b.figures.facts.credits.cmp(&a.figures.facts.credits),
        // The fullest hold and the emptiest tank first, unknown ones last.
        Column::Cargo => percent(b.figures.facts.cargo).cmp(&percent(a.figures.facts.cargo)),
        Column::Fuel => fuel_key(a).cmp(&fuel_key(b)),
        Column::Name => compare_natural(&a.name, &b.name),
        Column::Doing => activity_rank(&a.activity).cmp(&activity_rank(&b.activity)),
        Column::Words | Column::Seen => b.last_activity_at.cmp(&a.last_activity_at),
        // Myses without an account come last.
        Column::Account => {
            (a.account.is_none(), &a.account).cmp(&(b.account.is_none(), &b.account))
        }
        // Myses without a role come last.
        Column::Role => {
            let key = |of: &MysisStatus| (of.profile.role.is_none(), of.profile.role.clone());
            key(a).cmp(&key(b))
        }
        Column::Process => {
            let process =
                |of: &MysisStatus| of.elsewhere.as_ref().map(|place| place.process.clone());
            process(a).cmp(&process(b))
        }
        Column::Provider => a.profile.provider.cmp(&b.profile.provider),
        Column::Model => a.model.cmp(&b.model),
        Column::Nudges => b.nudges.cmp(&a.nudges),
        Column::Turns => b.totals.turns.cmp(&a.totals.turns),
        Column::Tokens => tokens(b).cmp(&tokens(a)),
        Column::Cost => b.totals.cost_micros.cmp(&a.totals.cost_micros),
        Column::Value => value(b).cmp(&value(a)),
        Column::Latency => b.last_call_ms.cmp(&a.last_call_ms),
    }
}

/// Myses of one place together, those without a known place last.
fn place_key(status: &MysisStatus) -> (bool, Option<&str>, Option<&str>) {
    let facts = &status.figures.facts;
    let (system, poi) = (facts.system.as_deref(), facts.poi.as_deref());
    (system.is_none(), system, poi)
}

/// The credits for a US dollar. Where they are not known, the Mysis comes last.
fn value(status: &MysisStatus) -> Option<i64> {
    status.figures.value.credits_per_dollar()
}

fn fuel_key(status: &MysisStatus) -> (bool, Option<u32>) {
    let percent = percent(status.figures.facts.fuel);
    (percent.is_none(), percent)
}

fn activity_rank(activity: &Activity) -> u8 {
    match activity {
        Activity::AwaitingLogin(_) | Activity::Paused(_) | Activity::Asked(_) => 0,
        Activity::CoolingDown(_) => 1,
        Activity::Queueing(_) => 2,
        Activity::Connecting => 3,
        Activity::CallingModel | Activity::Answering(_) => 4,
        Activity::CallingTool(_) => 5,
        Activity::Travelling | Activity::Mining | Activity::Fighting => 6,
        Activity::Recording => 7,
        Activity::Pausing | Activity::Waiting | Activity::InTransit | Activity::OnCooldown => 8,
        Activity::Rebuilding => 9,
        Activity::Done => 10,
        Activity::Resting => 11,
    }
}

//! By what columns sort, where that is more than a comparison.

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::ids::Timestamp;
use actors::domain::message::Severity;
use actors::domain::needs::operator_need;

use crate::dashboard::earning::EarnRate;
use crate::dashboard::money::percent;

/// The place of a Mysis in the order by needs: the errors first, who needs nothing last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NeedRank {
    /// It needs the operator, and does nothing until he acts.
    Error,
    Warning,
    /// It needs nobody.
    None,
}

#[must_use]
pub(super) fn need_rank(status: &MysisStatus) -> NeedRank {
    match operator_need(status).map(|need| need.severity) {
        Some(Severity::Error) => NeedRank::Error,
        Some(Severity::Warn | Severity::Info) => NeedRank::Warning,
        None => NeedRank::None,
    }
}

/// Myses of one place together, those without a known place last.
pub(super) fn place_key(status: &MysisStatus) -> (bool, Option<&str>, Option<&str>) {
    let facts = &status.figures.facts;
    let (system, poi) = (facts.system.as_deref(), facts.poi.as_deref());
    (system.is_none(), system, poi)
}

pub(super) fn fuel_key(status: &MysisStatus) -> (bool, Option<u32>) {
    let percent = percent(status.figures.facts.fuel);
    (percent.is_none(), percent)
}

pub(super) fn activity_rank(activity: &Activity) -> u8 {
    match activity {
        Activity::AwaitingLogin(_) | Activity::Paused(_) | Activity::Asked(_) => 0,
        Activity::CoolingDown(..) => 1,
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

/// Who earns most a minute first; who is not known to earn comes last.
pub(super) fn trend_rank(status: &MysisStatus, now: Timestamp) -> i64 {
    let points = status.figures.rate_points(now);
    let since = Some(status.created_at);
    let rate = points.map(|points| EarnRate::of(&points, now, since).per_minute);
    rate.map_or(i64::MAX, i64::saturating_neg)
}

/// Who earned most first; who is not known to earn comes last.
pub(super) fn earned_rank(status: &MysisStatus, now: Timestamp) -> i64 {
    let earned = status.figures.earned_last_hour(now);
    earned.map_or(i64::MAX, i64::saturating_neg)
}

/// The process that runs it, if it is another one.
pub(super) fn process_of(status: &MysisStatus) -> Option<&str> {
    status.elsewhere.as_ref().map(|place| &*place.process)
}

/// Myses of one role together, those without a role last.
pub(super) fn role_key(status: &MysisStatus) -> (bool, Option<&str>) {
    let role = status.profile.role.as_deref();
    (role.is_none(), role)
}

pub(super) fn tokens(status: &MysisStatus) -> u64 {
    let totals = status.totals;
    totals.tokens_in.saturating_add(totals.tokens_out)
}

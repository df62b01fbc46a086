//! By what columns sort, where that is more than a comparison.

use std::cmp::Ordering;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::ids::Timestamp;
use actors::domain::message::Severity;
use actors::domain::needs::operator_need;

use crate::dashboard::earning::EarnRate;

/// The place of a Mysis in the order by needs: the errors first, who needs nothing last.
pub(super) fn need_rank(status: &MysisStatus) -> i64 {
    match operator_need(status).map(|need| need.severity) {
        Some(Severity::Error) => 0,
        Some(Severity::Warn | Severity::Info) => 1,
        None => 2,
    }
}

/// The least first, what is not known last.
pub(super) fn compare_known<T: Ord>(a: Option<T>, b: Option<T>) -> Ordering {
    (a.is_none(), a).cmp(&(b.is_none(), b))
}

/// Myses of one place together, those without a known place last.
pub(super) fn place_key(status: &MysisStatus) -> (bool, Option<&str>, Option<&str>) {
    let facts = &status.figures.facts;
    let (system, poi) = (facts.system.as_deref(), facts.poi.as_deref());
    (system.is_none(), system, poi)
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
    most_first(points.map(|points| EarnRate::of(&points, now, since).per_minute))
}

/// Who earned most first; who is not known to earn comes last.
pub(super) fn earned_rank(status: &MysisStatus, now: Timestamp) -> i64 {
    most_first(status.figures.earned_last_hour(now))
}

fn most_first(figure: Option<i64>) -> i64 {
    figure.map_or(i64::MAX, i64::saturating_neg)
}

/// The process that runs it, if it is another one.
pub(super) fn process_of(status: &MysisStatus) -> Option<&str> {
    status.elsewhere.as_ref().map(|place| &*place.process)
}

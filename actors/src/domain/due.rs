//! Myses whose next call is due and that make none. Who waits on purpose is not due.
//!
//! Activities have times of the wall clock. Here they count by the monotonic one from the first look on, so that a
//! wall clock that is set makes no Mysis due.

use std::collections::BTreeMap;
use std::time::Duration;

use super::event::{Activity, ActivityFamily, MysisStatus};
use super::ids::{Moment, MysisId, Now, Timestamp};
use super::outages::ServerOutages;
use super::state::LifeState;

/// How long it may take until a Mysis makes its next call where nothing holds it up.
const OWN_WORK: Duration = Duration::from_secs(30);
/// The same where a server or a limit says when: longer than a limit per minute, a task's pause or a wait between
/// two tries makes it wait.
const TURN_OF_OTHERS: Duration = Duration::from_secs(120);
/// Looks are not further apart than this, as a rule.
const LOOKS: Duration = Duration::from_secs(15);

/// Since when each running Mysis is due, by its activity.
#[derive(Clone, Debug, Default)]
pub struct DueMyses(BTreeMap<MysisId, DueMysis>);

#[derive(Clone, Copy, Debug)]
struct DueMysis {
    /// When its activity began, by which it is known again.
    activity_since: Timestamp,
    from: Moment,
    patience: Duration,
}

impl DueMyses {
    pub fn look<'a>(
        &mut self,
        statuses: impl Iterator<Item = &'a MysisStatus>,
        outages: &ServerOutages,
        now: Now,
    ) {
        let before = std::mem::take(&mut self.0);
        let due = statuses.filter_map(|status| {
            let patience = wait_limit(status, outages)?;
            let known = before.get(&status.id);
            let known = known.filter(|known| known.activity_since == status.activity_since);
            let from = known.map_or_else(|| due_from(status, now), |known| known.from);
            let due = DueMysis {
                activity_since: status.activity_since,
                from,
                patience,
            };
            Some((status.id, due))
        });
        self.0 = due.collect();
    }

    /// The Myses that have been due for too long while nothing moved, and since when.
    pub fn overdue(
        &self,
        now: Moment,
        moved: Option<Moment>,
    ) -> impl Iterator<Item = (MysisId, Moment)> {
        self.0.iter().filter_map(move |(mysis, due)| {
            let since = moved.map_or(due.from, |moved| moved.max(due.from));
            (now.since(since) > due.patience).then_some((*mysis, since))
        })
    }

    /// The whole process stood still for this long.
    pub fn stood_still(&mut self, by: Duration) {
        for due in self.0.values_mut() {
            due.from = due.from.plus(by);
        }
    }
}

/// When a Mysis is due that is seen in its activity for the first time.
fn due_from(status: &MysisStatus, now: Now) -> Moment {
    match status.activity_until {
        Some(until) if until > now.wall => {
            let left = Duration::from_millis(until.since(now.wall));
            now.moment.plus(left)
        }
        Some(until) => now.moment_of(until, LOOKS),
        None => now.moment_of(status.activity_since, LOOKS),
    }
}

/// How long a Mysis of this process may be due without a call; `None` if it waits on purpose, or does not run.
fn wait_limit(status: &MysisStatus, outages: &ServerOutages) -> Option<Duration> {
    if status.state != LifeState::Running || status.elsewhere.is_some() {
        return None;
    }
    if status.activity.waits_on_purpose() {
        return None;
    }
    if let Activity::Queueing(lane) = &status.activity {
        // A server in trouble is asked again when that is due, and its light says so.
        let is_served = outages.worst_of(lane).is_none();
        return is_served.then_some(TURN_OF_OTHERS);
    }
    match status.activity.family() {
        ActivityFamily::Held => None,
        ActivityFamily::Connecting | ActivityFamily::ToolCall | ActivityFamily::Server => {
            Some(TURN_OF_OTHERS)
        }
        ActivityFamily::Rest | ActivityFamily::OwnWork | ActivityFamily::Model => Some(OWN_WORK),
    }
}

/// What a Mysis waits for that is due, in words behind `waits`.
pub fn due_words(activity: &Activity) -> String {
    match activity == &Activity::Recording {
        true => " for the store".to_string(),
        false => format!(", though the next call is due ({activity})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Lane;
    use crate::record::{MysisProfile, MysisRecord};
    use crate::rules::SwarmRules;

    const SECOND: i64 = 1_000;

    fn doing(activity: Activity, since: i64, until: Option<i64>) -> MysisStatus {
        let record = MysisRecord::new(MysisId(1), MysisProfile::of("m1", "local"), Timestamp(0));
        MysisStatus {
            state: LifeState::Running,
            activity,
            activity_since: Timestamp(since * SECOND),
            activity_until: until.map(|until| Timestamp(until * SECOND)),
            ..MysisStatus::from_record(&record, &SwarmRules::default(), Timestamp(0))
        }
    }

    fn at(seconds: i64) -> Now {
        Now::from_timestamp(Timestamp(seconds * SECOND))
    }

    /// After how many seconds it is due for too long, looked at each five seconds; `None` if not within an hour.
    fn overdue_after(status: &MysisStatus) -> Option<i64> {
        let (mut due, outages) = (DueMyses::default(), ServerOutages::default());
        (0..3600).step_by(5).find(|seconds| {
            due.look(std::iter::once(status), &outages, at(*seconds));
            due.overdue(at(*seconds).moment, None).count() == 1
        })
    }

    #[test]
    fn a_mysis_is_due_when_its_wait_is_over_and_one_that_waits_on_purpose_is_not() {
        assert_eq!(
            overdue_after(&doing(Activity::Recording, 0, None)),
            Some(35)
        );
        let pausing = doing(Activity::Pausing, 0, Some(600));
        assert_eq!(overdue_after(&pausing), Some(635));
        let alone = doing(Activity::Waiting, 0, Some(300));
        assert_eq!(overdue_after(&alone), Some(335));
        let queueing = doing(Activity::Queueing(Lane::Logins), 0, None);
        assert_eq!(overdue_after(&queueing), Some(125));
        for on_purpose in [
            Activity::Travelling,
            Activity::Paused("budget spent".into()),
        ] {
            assert_eq!(overdue_after(&doing(on_purpose, 0, None)), None);
        }
        let idle = MysisStatus {
            state: LifeState::Idle,
            ..doing(Activity::Resting, 0, None)
        };
        assert_eq!(overdue_after(&idle), None);
    }

    #[test]
    fn a_wall_clock_that_is_set_makes_no_mysis_due() {
        let waiting = doing(Activity::Waiting, 0, Some(300));
        let (mut due, outages) = (DueMyses::default(), ServerOutages::default());
        due.look(std::iter::once(&waiting), &outages, at(0));
        let set = Now {
            wall: Timestamp(3_600 * SECOND),
            ..at(15)
        };
        due.look(std::iter::once(&waiting), &outages, set);
        assert_eq!(due.overdue(at(299).moment, None).count(), 0);
        assert_eq!(due.overdue(at(331).moment, None).count(), 1);
        // One that began before the clock was set forward, as far as is known.
        let calling = doing(Activity::CallingModel, 0, None);
        due.look(std::iter::once(&calling), &outages, set);
        assert_eq!(due.overdue(at(29).moment, None).count(), 0);
    }

    #[test]
    fn it_counts_from_the_last_call_that_ended_and_not_while_the_process_stood_still() {
        let calling = doing(Activity::CallingModel, 0, None);
        let (mut due, outages) = (DueMyses::default(), ServerOutages::default());
        due.look(std::iter::once(&calling), &outages, at(0));
        let moved = Some(at(20).moment);
        assert_eq!(due.overdue(at(50).moment, moved).count(), 0);
        let overdue: Vec<_> = due.overdue(at(51).moment, moved).collect();
        assert_eq!(overdue, [(MysisId(1), at(20).moment)]);
        due.stood_still(Duration::from_secs(600));
        assert_eq!(due.overdue(at(630).moment, None).count(), 0);
    }
}

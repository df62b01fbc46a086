//! The operator's clock: in which time zone a report is written, and when a day begins there.

use actors::domain::ids::Timestamp;
use actors::domain::period::Period;
use chrono::{
    DateTime, FixedOffset, Local, LocalResult, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Utc,
};

/// The steps in which a time that a clock skips is looked for.
const SKIPPED_STEP: TimeDelta = TimeDelta::minutes(15);
const MAX_SKIPPED_STEPS: i32 = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WallClock {
    /// That of this machine.
    Local,
    #[default]
    Utc,
}

impl WallClock {
    #[must_use]
    pub fn show(self, at: Timestamp) -> DateTime<FixedOffset> {
        let utc = DateTime::from_timestamp_millis(at.0).unwrap_or_default();
        match self {
            WallClock::Local => utc.with_timezone(&Local).fixed_offset(),
            WallClock::Utc => utc.fixed_offset(),
        }
    }

    /// The milliseconds by which the clock is ahead of UTC at a moment.
    #[must_use]
    pub fn offset_ms(self, at: Timestamp) -> i64 {
        i64::from(self.show(at).offset().local_minus_utc()) * 1000
    }

    #[must_use]
    pub fn date(self, at: Timestamp) -> NaiveDate {
        self.show(at).date_naive()
    }

    /// The moment in which this clock shows a time: the first of two, and the next one where it skips that time.
    #[must_use]
    pub fn moment(self, shown: NaiveDateTime) -> Timestamp {
        let find = |shown: &NaiveDateTime| match self {
            WallClock::Local => first_of(&Local, shown),
            WallClock::Utc => first_of(&Utc, shown),
        };
        let steps = (0..MAX_SKIPPED_STEPS).map(|step| shown + SKIPPED_STEP * step);
        let mut found = steps.filter_map(|shown| find(&shown));
        Timestamp(found.next().unwrap_or(shown.and_utc().timestamp_millis()))
    }

    /// A day of this clock, which may have 23 or 25 hours.
    #[must_use]
    pub fn day(self, date: NaiveDate) -> Period {
        let next = date.succ_opt().unwrap_or(date);
        Period {
            from: self.moment(date.and_time(chrono::NaiveTime::MIN)),
            until: self.moment(next.and_time(chrono::NaiveTime::MIN)),
        }
    }

    /// How the clock differs from UTC at a moment, as `UTC` or `UTC+01:00`.
    #[must_use]
    pub fn zone(self, at: Timestamp) -> String {
        match self.offset_ms(at) {
            0 => "UTC".to_string(),
            _ => format!("UTC{}", self.show(at).format("%:z")),
        }
    }
}

fn first_of<Z: TimeZone>(zone: &Z, shown: &NaiveDateTime) -> Option<i64> {
    match zone.from_local_datetime(shown) {
        LocalResult::Single(found) | LocalResult::Ambiguous(found, _) => {
            Some(found.timestamp_millis())
        }
        LocalResult::None => None,
    }
}

//! A time from one moment up to another: what a report is of.

use super::books::Day;
use super::ids::Timestamp;

/// A time from one moment up to another, which is not part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    pub from: Timestamp,
    /// The first moment after it.
    pub until: Timestamp,
}

impl Period {
    /// A whole day (UTC).
    pub fn of_day(day: Day) -> Period {
        Period {
            from: day.start_time(),
            until: day.end_time(),
        }
    }

    #[must_use]
    pub fn holds(self, at: Timestamp) -> bool {
        self.from <= at && at < self.until
    }

    #[must_use]
    pub fn covers(self, other: Period) -> bool {
        self.from <= other.from && other.until <= self.until
    }

    /// Its days (UTC), each with the part that is of this time.
    pub fn days(self) -> impl Iterator<Item = (Day, Period)> {
        let last = Timestamp(self.until.0.saturating_sub(1));
        let days = Day::of(self.from).0..=Day::of(last).0;
        days.map(move |day| {
            let whole = Period::of_day(Day(day));
            let part = Period {
                from: whole.from.max(self.from),
                until: whole.until.min(self.until),
            };
            (Day(day), part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_is_the_end_of_one_day_and_the_beginning_of_the_next() {
        let hour = |hour: i64| Timestamp(Day(7).start_time().0 + hour * 3_600_000);
        let night = Period {
            from: hour(22),
            until: hour(32),
        };
        let parts: Vec<_> = night.days().collect();
        let part = |from, until| Period {
            from: hour(from),
            until: hour(until),
        };
        assert_eq!(parts, [(Day(7), part(22, 24)), (Day(8), part(24, 32))]);
        assert!(night.holds(hour(22)) && !night.holds(hour(32)));
        assert!(!night.covers(Period::of_day(Day(7))));
        let day = Period::of_day(Day(7));
        assert_eq!(day.days().collect::<Vec<_>>(), [(Day(7), day)]);
    }
}

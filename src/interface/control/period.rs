//! Times as people write them, and the period that a report is of.

use std::time::Duration;

use actors::domain::ids::Timestamp;
use actors::domain::period::Period;
use chrono::{NaiveDate, NaiveTime, TimeDelta};
use zoea_grammar::units::parse_duration;
use zoea_grammar::when::WrittenTime;
use zoea_ledger::SqlLedger;
use zoea_settings::prices::PriceBook;

use crate::interface::report::{PeriodReport, WallClock};

use super::parameters::{AskReport, ReadSamples};

/// The longest period of a report.
pub(crate) const MAX_DAYS: u64 = 31;
/// The time of samples if none is named.
const USUAL_TIME: &str = "1h";
const DAY_MS: u64 = 86_400_000;
/// The end of a report may be so far in the future: a day that is not over is asked of whole.
const MOST_AHEAD: Duration = Duration::from_secs(2 * 86_400);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedPeriod {
    pub period: Period,
    /// The date, if it is a day.
    pub day: Option<String>,
}

impl AskedPeriod {
    /// Reads what is asked: a day, or from when until when.
    ///
    /// # Errors
    /// A text is no time, or the period is none that anything can have happened in.
    pub fn read(asked: &AskReport, now: Timestamp, clock: WallClock) -> Result<Self, String> {
        let Some(since) = &asked.since else {
            if asked.until.is_some() {
                return Err("`until` needs `since`: say when the report begins".to_string());
            }
            let day = asked.day.as_deref().unwrap_or("today");
            return AskedPeriod::of_day(day, now, clock);
        };
        if asked.day.is_some() {
            return Err("give `day` or `since`, not both".to_string());
        }
        let until = asked.until.as_deref();
        let until = until.map_or(Ok(now), |until| read_time(until, (now, now), clock))?;
        let from = read_time(since, (now, until.min(now)), clock)?;
        if from >= now {
            return Err(format!("`{since}` is not in the past"));
        }
        // A day that is not over has nothing after now.
        let until = until.min(now.plus(MOST_AHEAD));
        if from >= until {
            let since = clock.show(from).format("%Y-%m-%d %H:%M");
            return Err(format!("a report that begins at {since} cannot end before"));
        }
        if until.since(from) > MAX_DAYS * DAY_MS {
            return Err(format!(
                "a report is of {MAX_DAYS} days at most, as `--since {MAX_DAYS}d`; `zoea books --days N` \
                 goes back further"
            ));
        }
        Ok(AskedPeriod {
            period: Period { from, until },
            day: None,
        })
    }

    fn of_day(word: &str, now: Timestamp, clock: WallClock) -> Result<AskedPeriod, String> {
        let today = clock.date(now);
        let date = match word {
            "today" => today,
            "yesterday" => today.pred_opt().unwrap_or(today),
            written => NaiveDate::parse_from_str(written, "%Y-%m-%d").map_err(|_| {
                format!(
                    "`{written}` is not a day; write today, yesterday or a date such as 2026-11-22"
                )
            })?,
        };
        if date > today {
            return Err(format!("{date} is in the future"));
        }
        Ok(AskedPeriod {
            period: clock.day(date),
            day: Some(date.to_string()),
        })
    }

    /// Reads the report of the period, with what the same hours came to before.
    pub async fn report(
        self,
        books: (&SqlLedger, &PriceBook),
        now: Timestamp,
    ) -> Result<PeriodReport, String> {
        let before = PeriodReport::read(books, self.before(now), now).await?;
        let report = PeriodReport::read(books, self.period, now).await?;
        Ok(PeriodReport {
            day: self.day,
            ..report.compared_with(&before)
        })
    }

    /// The same hours a day before, or as many days before as the period has. What is still to come is in none.
    fn before(&self, now: Timestamp) -> Period {
        let Period { from, until } = self.period;
        let until = until.min(now).max(from);
        let days = until.since(from).div_ceil(DAY_MS).max(1);
        let back = i64::try_from(days.saturating_mul(DAY_MS)).unwrap_or(i64::MAX);
        let earlier = |at: Timestamp| Timestamp(at.0.saturating_sub(back));
        Period {
            from: earlier(from),
            until: earlier(until),
        }
    }
}

/// From when until when samples are asked for.
pub fn sampled_times(
    asked: &ReadSamples,
    now: Timestamp,
    clock: WallClock,
) -> Result<(Timestamp, Timestamp), String> {
    let until = asked.until.as_deref();
    let until = until.map_or(Ok(now), |until| read_time(until, (now, now), clock))?;
    let until = until.min(now);
    let since = asked.since.as_deref().unwrap_or(USUAL_TIME);
    let since = read_time(since, (now, until), clock)?;
    match since > until {
        true => Err("`since` is later than `until`, or than now".to_string()),
        false => Ok((since, until)),
    }
}

/// Reads a time: how long before now (`10h`), a time of day (`22:00`: the last one up to another time), a date, a
/// date and a time, or a time of RFC 3339.
pub fn read_time(
    text: &str,
    (now, up_to): (Timestamp, Timestamp),
    clock: WallClock,
) -> Result<Timestamp, String> {
    let text = text.trim();
    if let Ok(before) = parse_duration(text) {
        let before = i64::try_from(before.as_millis()).unwrap_or(i64::MAX);
        return Ok(Timestamp(now.0.saturating_sub(before)));
    }
    match WrittenTime::read(text) {
        Some(WrittenTime::OfDay(time)) => Ok(last_time_of_day(time, up_to, clock)),
        Some(WrittenTime::Day(date)) => Ok(clock.moment(date.and_time(NaiveTime::MIN))),
        Some(WrittenTime::Shown(shown)) => Ok(clock.moment(shown)),
        Some(WrittenTime::Moment(at)) => Ok(Timestamp(at)),
        None => Err(format!(
            "`{text}` is not a time; write how long ago as 10h, a time of day as 22:00, or a time as \
             2026-11-22T10:00:00Z"
        )),
    }
}

/// The last moment before another one in which the clock shows this time.
fn last_time_of_day(time: NaiveTime, up_to: Timestamp, clock: WallClock) -> Timestamp {
    let today = clock.date(up_to);
    let days = [0, 1, 2].map(|back| today - TimeDelta::days(back));
    let mut moments = days.into_iter().map(|day| clock.moment(day.and_time(time)));
    moments.find(|at| *at < up_to).unwrap_or(up_to)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-27 10:00 UTC.
    const NOW: Timestamp = Timestamp(1_795_773_600_000);
    const HOUR: i64 = 3_600_000;

    fn read(
        day: Option<&str>,
        since: Option<&str>,
        until: Option<&str>,
    ) -> Result<AskedPeriod, String> {
        let text = |text: Option<&str>| text.map(str::to_string);
        let asked = AskReport {
            day: text(day),
            since: text(since),
            until: text(until),
        };
        AskedPeriod::read(&asked, NOW, WallClock::Utc)
    }

    fn hours(period: Period) -> (i64, i64) {
        (
            (period.from.0 - NOW.0) / HOUR,
            (period.until.0 - NOW.0) / HOUR,
        )
    }

    #[test]
    fn a_period_is_written_as_people_write_it() {
        for (since, until, expected) in [
            ("10h", None, (-10, 0)),
            ("2d", Some("1d"), (-48, -24)),
            ("22:00", None, (-12, 0)),
            ("09:00", None, (-1, 0)),
            ("10:00", None, (-24, 0)),
            ("22:00", Some("08:00"), (-12, -2)),
            ("22:00", Some("2026-11-26 23:00"), (-12, -11)),
            ("23:00", Some("22:00"), (-35, -12)),
            ("2026-11-26", None, (-34, 0)),
            ("2026-11-26T22:00", None, (-12, 0)),
            ("2026-11-26T22:00:00+01:00", None, (-13, 0)),
            ("22:00", Some("2030-01-01"), (-12, 48)),
        ] {
            let asked = read(None, Some(since), until).unwrap();
            assert_eq!(hours(asked.period), expected, "{since} {until:?}");
            assert_eq!(asked.day, None);
        }
        let today = read(None, None, None).unwrap();
        assert_eq!(hours(today.period), (-10, 14));
        assert_eq!(today.day.as_deref(), Some("2026-11-27"));
        assert_eq!(hours(today.before(NOW)), (-34, -24), "as far as today is");
        let yesterday = read(Some("yesterday"), None, None).unwrap();
        assert_eq!(hours(yesterday.before(NOW)), (-58, -34));
        let week = read(None, Some("7d"), None).unwrap();
        assert_eq!(hours(week.before(NOW)), (-336, -168));
    }

    #[test]
    fn what_is_no_period_is_told() {
        for (day, since, until, reason) in [
            (None, Some("sunset"), None, "`sunset` is not a time"),
            (None, Some("25:00"), None, "`25:00` is not a time"),
            (None, Some(""), None, "`` is not a time"),
            (
                None,
                Some("2030-01-01"),
                None,
                "`2030-01-01` is not in the past",
            ),
            (None, Some("0s"), None, "`0s` is not in the past"),
            (
                None,
                Some("1h"),
                Some("2h"),
                "a report that begins at 2026-11-27 09:00 cannot end before",
            ),
            (None, Some("32d"), None, "a report is of 31 days at most"),
            (None, None, Some("1h"), "`until` needs `since`"),
            (Some("today"), Some("1h"), None, "not both"),
            (Some("tomorrow"), None, None, "`tomorrow` is not a day"),
            (
                Some("2026-11-28"),
                None,
                None,
                "2026-11-28 is in the future",
            ),
        ] {
            let why = read(day, since, until).unwrap_err();
            assert!(why.contains(reason), "{since:?}: {why}");
        }
    }
}

//! Times as people write them: `22:00`, `2026-11-28T22:00`, `2026-11-28T22:00:00Z`, or a duration from now.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

use crate::units::parse_duration;

/// A time of a clock, as far as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenTime {
    /// Of a day that is not named.
    OfDay(NaiveTime),
    Day(NaiveDate),
    /// In a zone that is not named.
    Shown(NaiveDateTime),
    /// In milliseconds since 1970.
    Moment(i64),
}

impl WrittenTime {
    /// Reads a time of a clock; `None` if the text is none.
    pub fn read(text: &str) -> Option<WrittenTime> {
        let text = text.trim().to_ascii_uppercase().replacen(' ', "T", 1);
        let clocks = ["%H:%M", "%H:%M:%S%.f"];
        let dated = |zone: &str| clocks.map(|clock| format!("%Y-%m-%dT{clock}{zone}"));
        let of_day = |form: &&str| NaiveTime::parse_from_str(&text, form).ok();
        let shown = |form: &String| NaiveDateTime::parse_from_str(&text, form).ok();
        let moment = |form: &String| DateTime::parse_from_str(&text, form).ok();
        if let Some(time) = clocks.iter().find_map(of_day) {
            return Some(WrittenTime::OfDay(time));
        }
        if let Ok(day) = NaiveDate::parse_from_str(&text, "%Y-%m-%d") {
            return Some(WrittenTime::Day(day));
        }
        if let Some(shown) = dated("").iter().find_map(shown) {
            return Some(WrittenTime::Shown(shown));
        }
        let moment = dated("%#z").iter().find_map(moment)?;
        Some(WrittenTime::Moment(moment.timestamp_millis()))
    }
}

/// Reads a time to come: a duration from now, or a time of a clock. Times are in milliseconds since 1970.
pub fn parse_when(text: &str, now: i64, offset_at: impl Fn(i64) -> i64) -> Result<i64, String> {
    match text.contains(':') {
        true => parse_time(text, now, offset_at),
        false => parse_wait(text, now),
    }
}

/// Reads how long from now.
pub fn parse_wait(text: &str, now: i64) -> Result<i64, String> {
    let wait = parse_duration(text).map_err(|why| format!("`{text}`: {why}"))?;
    let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    match wait {
        0 => Err(format!("`{text}` is not a future time")),
        wait => Ok(now.saturating_add(wait)),
    }
}

/// Reads a time of a clock. A time without a day is the next one. One without a zone is of the zone whose
/// offset from UTC at a time is given in milliseconds. Parts of a second are left out.
pub fn parse_time(text: &str, now: i64, offset_at: impl Fn(i64) -> i64) -> Result<i64, String> {
    let to_utc = |shown: NaiveDateTime| {
        let local = shown.and_utc().timestamp() * 1000;
        // The offset at the time that is meant, which a change of clocks may have moved.
        let about = local.saturating_sub(offset_at(now));
        local.saturating_sub(offset_at(about))
    };
    let at = match WrittenTime::read(text) {
        Some(WrittenTime::OfDay(time)) => {
            let local = DateTime::from_timestamp_millis(now.saturating_add(offset_at(now)));
            let today = local.unwrap_or_default().date_naive();
            match to_utc(today.and_time(time)) {
                at if at > now => at,
                _ => to_utc(today.succ_opt().unwrap_or(today).and_time(time)),
            }
        }
        Some(WrittenTime::Shown(shown)) => to_utc(shown),
        Some(WrittenTime::Moment(at)) => at - at.rem_euclid(1000),
        Some(WrittenTime::Day(_)) | None => {
            return Err(format!(
                "`{text}` is not a time; write one as 22:00, 2026-11-28T22:00 or 2026-11-28T22:00:00Z"
            ));
        }
    };
    match at > now {
        true => Ok(at),
        false => Err(format!("`{text}` is past")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-27T14:30:00Z
    const NOW: i64 = 1_795_789_800_000;
    const HOUR: i64 = 3_600_000;

    fn read(text: &str) -> Result<i64, String> {
        parse_when(text, NOW, |_| HOUR)
    }

    #[test]
    fn a_time_without_a_day_is_the_next_one_in_the_zone() {
        assert_eq!(read("22:00"), Ok(NOW + 6 * HOUR + HOUR / 2));
        assert_eq!(read("15:30"), Ok(NOW + 24 * HOUR), "now is not to come");
        assert_eq!(read("15:30:00.9"), Ok(NOW + 24 * HOUR));
        assert_eq!(read("15:30:01"), Ok(NOW + 1000));
        assert_eq!(read("9:05"), Ok(NOW + 17 * HOUR + 35 * 60_000));
        assert_eq!(
            parse_when("00:10", NOW, |_| -14 * HOUR),
            Ok(NOW + 40 * 60_000 + 23 * HOUR)
        );
    }

    #[test]
    fn days_and_zones_are_read() {
        assert_eq!(read("2026-11-27T16:00"), Ok(NOW + HOUR / 2));
        assert_eq!(read("2026-11-27 16:00:00"), Ok(NOW + HOUR / 2));
        assert_eq!(read("2026-11-27T16:00:00Z"), Ok(NOW + 3 * HOUR / 2));
        assert_eq!(read("2026-11-27T16:00:00.123Z"), Ok(NOW + 3 * HOUR / 2));
        assert_eq!(read("2026-11-27T16:00-02:30"), Ok(NOW + 4 * HOUR));
        assert_eq!(read("2028-02-29T00:00:00Z"), Ok(1_835_395_200_000));
    }

    #[test]
    fn durations_are_counted_from_now() {
        assert_eq!(read("2h"), Ok(NOW + 2 * HOUR));
        assert_eq!(read("1h30m"), Ok(NOW + 3 * HOUR / 2));
    }

    #[test]
    fn a_change_of_clocks_before_the_time_counts() {
        let summer = |at: i64| if at < NOW + 5 * HOUR { 2 * HOUR } else { HOUR };
        // At 16:30 local time now; clocks go back an hour in five hours.
        assert_eq!(
            parse_when("22:00", NOW, summer),
            Ok(NOW + 6 * HOUR + HOUR / 2)
        );
    }

    #[test]
    fn what_is_no_time_to_come_is_refused() {
        for bad in [
            "",
            "0s",
            "-5m",
            "soon",
            "25:00",
            "24:00",
            "22:60",
            "22",
            "22:",
            ":00",
            "1:2:3:4",
            "2020-01-01T00:00",
            "2026-11-27T15:30",
            "2026-11-27T14:30:00.9Z",
            "2026-02-30T10:00",
            "2026-13-01T10:00",
            "26-11-28T10:00",
            "2026-11-28T10:00+x",
            "99999999999999999999h",
            "22:00pm",
            "١٢:٠٠",
            "2026-11-28",
            "200years",
        ] {
            assert!(read(bad).is_err(), "{bad}: {:?}", read(bad));
        }
        assert_eq!(
            read("2026-11-27T15:30"),
            Err("`2026-11-27T15:30` is past".to_string())
        );
    }
}

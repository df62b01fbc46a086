//! Times to come, as people write them: `22:00`, `2026-11-28T22:00`, `2026-11-28T22:00:00Z`, or a duration
//! from now.

use crate::units::parse_duration;

const DAY: i64 = 24 * 3600;

/// Reads a time to come: a duration from now, or a time of a clock. Times are in milliseconds since 1970.
///
/// # Errors
/// It is neither, or it is past.
pub fn parse_when(text: &str, now: i64, offset_at: impl Fn(i64) -> i64) -> Result<i64, String> {
    match text.contains(':') {
        true => parse_time(text, now, offset_at),
        false => parse_wait(text, now),
    }
}

/// Reads how long from now.
///
/// # Errors
/// It is no duration, or none at all.
pub fn parse_wait(text: &str, now: i64) -> Result<i64, String> {
    let wait = parse_duration(text).map_err(|why| format!("`{text}`: {why}"))?;
    let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    match wait {
        0 => Err(format!("`{text}` is not a future time")),
        wait => Ok(now.saturating_add(wait)),
    }
}

/// Reads a time of a clock. A time without a day is the next one. One without a zone is of the zone whose
/// offset from UTC at a time is given in milliseconds.
///
/// # Errors
/// It is no time, or it is past.
pub fn parse_time(text: &str, now: i64, offset_at: impl Fn(i64) -> i64) -> Result<i64, String> {
    let wrong = || {
        format!(
            "`{text}` is not a time; write one as 22:00, 2026-11-28T22:00 or 2026-11-28T22:00:00Z"
        )
    };
    let to_utc = |local: i64| {
        // The offset at the time that is meant, which a change of clocks may have moved.
        let about = local.saturating_sub(offset_at(now));
        local.saturating_sub(offset_at(about))
    };
    let trimmed = text.trim();
    let Some((day, rest)) = trimmed.split_once(['T', 't', ' ']) else {
        let clock = read_clock(trimmed).ok_or_else(wrong)?;
        let today = now.saturating_add(offset_at(now)).div_euclid(DAY * 1000) * DAY;
        let at = to_utc((today + clock) * 1000);
        return Ok(match at > now {
            true => at,
            false => to_utc((today + DAY + clock) * 1000),
        });
    };
    let day = read_day(day).ok_or_else(wrong)? * DAY;
    let (clock, offset) = split_offset(rest.trim()).ok_or_else(wrong)?;
    let local = (day + read_clock(clock).ok_or_else(wrong)?) * 1000;
    let at = match offset {
        Some(offset) => local - offset * 1000,
        None => to_utc(local),
    };
    match at > now {
        true => Ok(at),
        false => Err(format!("`{text}` is past")),
    }
}

/// The seconds of `HH:MM` or `HH:MM:SS`. Parts of a second are left out.
fn read_clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let hour = number(parts.next()?, 23)?;
    let minute = number(parts.next()?, 59)?;
    let second = match parts.next() {
        Some(second) => {
            let (whole, part) = second.split_once('.').unwrap_or((second, "0"));
            number(whole, 59).filter(|_| part.bytes().all(|digit| digit.is_ascii_digit()))?
        }
        None => 0,
    };
    parts
        .next()
        .is_none()
        .then_some(hour * 3600 + minute * 60 + second)
}

fn number(text: &str, most: i64) -> Option<i64> {
    let is_number =
        (1..=2).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_number)?;
    (number <= most).then_some(number)
}

/// The days since 1970 of `YYYY-MM-DD`.
fn read_day(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let year = parts.next().filter(|year| year.len() == 4)?;
    let year: i64 = year.parse().ok().filter(|year| (0..=9999).contains(year))?;
    let month = number(parts.next()?, 12).filter(|month| *month > 0)?;
    let day = number(parts.next()?, 31).filter(|day| *day > 0)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if parts.next().is_some() || day > longest {
        return None;
    }
    // Years begin in March, so that the leap day is the last one.
    let year = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// A time of day, and the seconds by which its zone is ahead of UTC, if it names one.
fn split_offset(text: &str) -> Option<(&str, Option<i64>)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, Some(0)));
    }
    let Some(place) = text.rfind(['+', '-']) else {
        return Some((text, None));
    };
    let (clock, offset) = text.split_at(place);
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    Some((clock, Some(sign * read_clock(&offset[1..])?)))
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

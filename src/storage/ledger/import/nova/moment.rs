//! Parses the times of a Zoea-Nova database, which several drivers and versions wrote in different
//! layouts.

use actors::domain::ids::Timestamp;
use chrono::{DateTime, NaiveDate, NaiveDateTime};

/// Layouts with an offset from UTC.
const OFFSET_LAYOUTS: [&str; 4] = [
    "%Y-%m-%d %H:%M:%S%.f %z",
    "%Y-%m-%d %H:%M:%S%.f%:z",
    "%Y-%m-%dT%H:%M:%S%.f%z",
    "%Y-%m-%d %H:%M:%S%.f%z",
];

/// Layouts without an offset. They mean UTC.
const UTC_LAYOUTS: [&str; 4] = [
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S%.fZ",
];

/// Parses a time. Returns `None` for an unknown layout or a year out of range.
pub(crate) fn parse_moment(text: &str) -> Option<Timestamp> {
    in_any_layout(strip_go_suffix(text)).filter(|at| at.has_four_digit_year())
}

fn in_any_layout(text: &str) -> Option<Timestamp> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(Timestamp(to_millis(number)));
    }
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Some(Timestamp(moment.timestamp_millis()));
    }
    let with_offset = OFFSET_LAYOUTS
        .iter()
        .find_map(|layout| DateTime::parse_from_str(text, layout).ok())
        .map(|moment| moment.timestamp_millis());
    let in_utc = || {
        UTC_LAYOUTS
            .iter()
            .find_map(|layout| NaiveDateTime::parse_from_str(text, layout).ok())
            .map(|moment| moment.and_utc().timestamp_millis())
    };
    let whole_day = || {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Some(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
    };
    with_offset
        .or_else(in_utc)
        .or_else(whole_day)
        .map(Timestamp)
}

/// Removes what Go appends: the reading of its monotonic clock, and the zone's name after the
/// offset.
fn strip_go_suffix(text: &str) -> &str {
    let text = text.split(" m=").next().unwrap_or(text).trim();
    match text.rsplit_once(' ') {
        Some((before, zone))
            if zone.starts_with(|c: char| c.is_ascii_alphabetic())
                && before.contains([' ', 'T']) =>
        {
            before
        }
        // Go writes the offset in place of the name of an unnamed zone.
        Some((before, zone)) if before.ends_with(zone) && zone.starts_with(['+', '-']) => before,
        Some(_) | None => text,
    }
}

/// Converts a count since 1970 to milliseconds. The unit is the one that gives a time of this era.
fn to_millis(count: i64) -> i64 {
    match count.unsigned_abs() {
        0..100_000_000_000 => count * 1000,
        100_000_000_000..100_000_000_000_000 => count,
        100_000_000_000_000..100_000_000_000_000_000 => count / 1000,
        100_000_000_000_000_000.. => count / 1_000_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_is_the_same_moment() {
        for text in [
            "2026-02-07 12:34:56.789123456 +0000 UTC",
            "2026-02-07 12:34:56.789123456 +0000 UTC m=+12.345",
            "2026-02-07 13:34:56.789 +0100 CET",
            "2026-02-07 09:34:56.789 -0300 -0300",
            "2026-02-07T12:34:56.789Z",
            "2026-02-07T13:34:56.789+01:00",
            "2026-02-07 13:34:56.789+01:00",
            "2026-02-07 12:34:56.789",
            "2026-02-07T12:34:56.789",
            " 2026-02-07 12:34:56.789 ",
            "1770467696789",
            "1770467696789123",
            "1770467696789123456",
        ] {
            assert_eq!(
                parse_moment(text),
                Some(Timestamp(1_770_467_696_789)),
                "{text}"
            );
        }
        assert_eq!(
            parse_moment("2026-02-07 12:34:56"),
            Some(Timestamp(1_770_467_696_000))
        );
        assert_eq!(
            parse_moment("1770467696"),
            Some(Timestamp(1_770_467_696_000))
        );
        assert_eq!(
            parse_moment("2026-02-07"),
            Some(Timestamp(1_770_422_400_000))
        );
        for none in [
            "",
            "yesterday",
            "2026-13-07 12:34:56",
            "12:34",
            "+10000-01-01 00:00:00",
            "+262142-12-31 23:59:59",
            "-0001-01-01 00:00:00",
        ] {
            assert_eq!(parse_moment(none), None, "{none}");
        }
    }
}

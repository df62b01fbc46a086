//! Parses the times of a Zoea-Nova database, which several drivers and versions wrote in different
//! layouts.

use actors::domain::ids::Timestamp;
use chrono::{DateTime, FixedOffset};

/// What may be missing at the end of a time. One without an offset means UTC. What chrono reads has a space or a `T`
/// before the hour, and an offset with or without a colon.
const ENDINGS: [&str; 4] = ["", "Z", ":00Z", " 00:00:00Z"];

/// Parses a time. Returns `None` for an unknown layout or a year out of range.
pub(crate) fn parse_moment(text: &str) -> Option<Timestamp> {
    // Behind the offset, Go writes the name of the zone and the reading of its monotonic clock.
    let mut words: Vec<&str> = text.split_whitespace().take(3).collect();
    // The name of a zone without an offset means UTC.
    if words
        .get(2)
        .is_some_and(|word| !word.starts_with(['+', '-']))
    {
        words.pop();
    }
    let text = words.join(" ");
    let read = |ending: &&str| {
        format!("{text}{ending}")
            .parse::<DateTime<FixedOffset>>()
            .ok()
    };
    let millis = match text.parse::<i64>() {
        Ok(number) => to_millis(number),
        Err(_) => ENDINGS.iter().find_map(read)?.timestamp_millis(),
    };
    Some(Timestamp(millis)).filter(|at| at.has_four_digit_year())
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
            "2026-02-07 12:34:56.789 GMT",
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

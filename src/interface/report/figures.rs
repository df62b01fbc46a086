//! How a report writes numbers, times and durations.

use zoea_text::figures::group_digits;

use super::NOT_REPORTED;

/// The length of a minute in milliseconds.
const MINUTE_MS: u64 = 60_000;

/// A number with commas between thousands and a proper minus.
pub(super) fn group_thousands(value: i64) -> String {
    let sign = if value < 0 { "−" } else { "" };
    format!("{sign}{}", group_digits(value.unsigned_abs()))
}

/// A number of credits, where a result had one.
pub(super) fn credits(value: Option<i64>) -> String {
    value.map_or(NOT_REPORTED.to_string(), group_thousands)
}

/// A change: a number with its sign.
pub(super) fn with_sign(value: i64) -> String {
    let sign = if value > 0 { "+" } else { "" };
    format!("{sign}{}", group_thousands(value))
}

/// A number in at most six letters, for axes: `0.002`, `12`, `4.5k`, `1.2M`.
pub(super) fn short_number(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    let size = value.abs();
    let (scaled, unit) = match size {
        size if size >= 1e12 => (size / 1e12, "T"),
        size if size >= 1e9 => (size / 1e9, "G"),
        size if size >= 1e6 => (size / 1e6, "M"),
        size if size >= 1e3 => (size / 1e3, "k"),
        size => (size, ""),
    };
    let digits = match scaled {
        scaled if scaled >= 100.0 => 0,
        scaled if scaled >= 10.0 => 1,
        scaled if scaled >= 1.0 => 2,
        _ => 4,
    };
    let text = format!("{scaled:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{sign}{text}{unit}")
}

/// A count in at most six letters.
#[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
pub(super) fn short_count(value: u64) -> String {
    short_number(value as f64)
}

/// Millionths of a dollar, as `$1.2345`.
pub(super) fn dollars(micros: u64) -> String {
    let parts = micros / 100;
    format!("${}.{:04}", group_digits(parts / 10_000), parts % 10_000)
}

/// A duration in its two largest units, as `2 h 14 min`.
pub(super) fn duration(ms: u64) -> String {
    let (hours, minutes) = (ms / MINUTE_MS / 60, ms / MINUTE_MS % 60);
    match (hours, minutes) {
        (0, 0) => format!("{} s", ms / 1000),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_on_an_axis_and_whole_in_a_table() {
        for (value, text) in [
            (0.0, "0"),
            (0.0025, "0.0025"),
            (0.5, "0.5"),
            (12.0, "12"),
            (4500.0, "4.5k"),
            (250_000.0, "250k"),
            (-1_200_000.0, "−1.2M"),
        ] {
            assert_eq!(short_number(value), text);
        }
        assert_eq!(short_count(192_225_110), "192M");
        assert_eq!(group_thousands(-1_234_567), "−1,234,567");
        assert_eq!(dollars(1_234_567_890), "$1,234.5678");
        assert_eq!(duration(59_000), "59 s");
        assert_eq!(duration(8_040_000), "2 h 14 min");
    }
}

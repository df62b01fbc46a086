//! Units that people write: durations (`500ms`, `2s`, `1h30m`) and sizes (`64KiB`, bytes).

use std::time::Duration;

/// The longest duration: a hundred years. Longer ones overflow what is computed from them.
pub const MAX_DURATION: Duration = Duration::from_secs(36_500 * 86_400);

/// Reads a duration such as `500ms`, `2s`, `5m` or `1h30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text.trim())
        .map_err(|error| format!("{error}; a duration looks like 500ms, 2s, 5m or 1h30m"))?;
    if duration > MAX_DURATION {
        return Err(format!(
            "`{text}` is longer than a hundred years, the longest duration"
        ));
    }
    Ok(duration)
}

/// Reads a size such as `64KiB`, `1MiB` or a plain number of bytes.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(not_a_size(text)),
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .ok_or_else(|| not_a_size(text))
}

fn not_a_size(text: &str) -> String {
    format!("`{text}` is not a size; a size looks like 64KiB, 1MiB or a number of bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert!(parse_duration("5 parsecs").is_err());
        assert!(parse_duration("").is_err());
        assert!(parse_duration("101years").is_err());
        assert!(parse_duration("18446744073709551615s").is_err());
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(parse_size("64KiB"), Ok(65536));
        assert_eq!(parse_size("1 MiB"), Ok(1 << 20));
        assert_eq!(parse_size("4096"), Ok(4096));
        assert!(parse_size("64kb").is_err());
        assert!(parse_size("-1").is_err());
        assert!(parse_size("99999999999GiB").is_err());
    }
}

//! Times, figures and names as a person at the prompt reads them.

use chrono::{DateTime, Local, TimeZone};
use serde_json::Value;
use zoea_text::figures::group_digits;

use crate::interface::cli::out;

/// A stored time: in the time of this machine on a terminal, and as it is (UTC) elsewhere, where
/// programs read it.
pub(super) fn time(stored: &str) -> String {
    match out::is_at_a_terminal() {
        true => time_in(&Local, stored),
        false => stored.to_string(),
    }
}

/// A stored time in a time zone, in full seconds. What is no time stays as it is.
fn time_in<Z: TimeZone>(zone: &Z, stored: &str) -> String
where
    Z::Offset: std::fmt::Display,
{
    match DateTime::parse_from_rfc3339(stored) {
        Ok(time) => time
            .with_timezone(zone)
            .format("%Y-%m-%d %H:%M:%S")
            .to_string(),
        Err(_) => stored.to_string(),
    }
}

/// A server that is reached through a proxy, of `status`.
pub(super) fn proxied(server: &Value) -> String {
    let [name, address, proxy, variable] =
        ["server", "address", "proxy", "variable"].map(|key| server[key].as_str().unwrap_or("?"));
    format!("proxied: {name} at {address} is reached through {proxy}, which {variable} names")
}

/// A whole number of an answer, with commas between thousands; a hyphen where it is not known.
pub(super) fn figure(value: &Value) -> String {
    match (value.as_u64(), value.as_i64()) {
        (Some(number), _) => group_digits(number),
        (None, Some(negative)) => format!("-{}", group_digits(negative.unsigned_abs())),
        (None, None) => "-".to_string(),
    }
}

/// An amount of dollars; `unknown` where there is none.
pub(super) fn dollars(cost: Option<f64>) -> String {
    let Some(cost) = cost else {
        return "unknown".to_string();
    };
    // Beyond a dollar nobody reads hundredths of cents.
    let decimals = if cost < 1.0 { 4 } else { 2 };
    let text = format!("{cost:.decimals$}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, "00"));
    match whole.parse() {
        Ok(whole) => format!("${}.{part}", group_digits(whole)),
        Err(_) => format!("${text}"),
    }
}

/// The name of a Mysis of an answer, or that it was deleted.
pub(super) fn owner(entry: &Value) -> String {
    let deleted = || {
        format!(
            "(deleted) {}",
            entry["mysis_id"].as_str().unwrap_or_default()
        )
    };
    entry["mysis"].as_str().map_or_else(deleted, str::to_string)
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_those_of_a_zone_and_what_is_no_time_stays() {
        let zone = FixedOffset::east_opt(9 * 3600).unwrap();
        let shown = time_in(&zone, "2026-11-23T20:34:17.801Z");
        assert_eq!(shown, "2026-11-24 05:34:17");
        assert_eq!(time_in(&zone, "-"), "-");
    }

    #[test]
    fn figures_have_separators_and_unknown_ones_are_not_guessed() {
        assert_eq!(figure(&json!(1_234_567)), "1,234,567");
        assert_eq!(figure(&json!(-1_234)), "-1,234");
        assert_eq!(figure(&Value::Null), "-");
        assert_eq!(dollars(Some(0.01234)), "$0.0123");
        assert_eq!(dollars(Some(1234.5)), "$1,234.50");
        assert_eq!(dollars(None), "unknown");
    }
}

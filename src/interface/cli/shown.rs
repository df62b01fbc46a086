//! Times, figures and names as a person at the prompt reads them.

use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Local, TimeZone};
use zoea_contract::ProxiedServerJson;
use zoea_text::figures::{group_digits, group_signed};

use crate::interface::report::WallClock;

/// Whether times are those of UTC: the option `--utc`, set before a command prints anything.
static IS_UTC: AtomicBool = AtomicBool::new(false);

/// Shows all further times in UTC, or in the time of this machine.
pub(super) fn show_utc(is_utc: bool) {
    IS_UTC.store(is_utc, Ordering::Relaxed);
}

pub(super) fn clock() -> WallClock {
    match IS_UTC.load(Ordering::Relaxed) {
        true => WallClock::Utc,
        false => WallClock::Local,
    }
}

/// A stored time in the time of this machine; with `--utc` as it is stored.
pub(super) fn time(stored: &str) -> String {
    match IS_UTC.load(Ordering::Relaxed) {
        false => time_in(&Local, stored),
        true => stored.to_string(),
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
pub(super) fn proxied(server: &ProxiedServerJson) -> String {
    let ProxiedServerJson {
        server: name,
        address,
        proxy,
        variable,
    } = server;
    format!("proxied: {name} at {address} is reached through {proxy}, which {variable} names")
}

/// A whole number with commas between thousands; a hyphen where it is not known.
pub(super) fn number_or_hyphen(number: Option<i64>) -> String {
    number.map_or("-".to_string(), group_signed)
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

/// The name of a Mysis, or that it was deleted.
pub(super) fn owner(name: Option<&str>, id: Option<&str>) -> String {
    let deleted = || format!("(deleted) {}", id.unwrap_or_default());
    name.map_or_else(deleted, str::to_string)
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

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
        assert_eq!(number_or_hyphen(Some(1_234_567)), "1,234,567");
        assert_eq!(number_or_hyphen(Some(-1_234)), "-1,234");
        assert_eq!(number_or_hyphen(None), "-");
        assert_eq!(dollars(Some(0.01234)), "$0.0123");
        assert_eq!(dollars(Some(1234.5)), "$1,234.50");
        assert_eq!(dollars(None), "unknown");
    }
}

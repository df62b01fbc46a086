//! How times, sizes and amounts are written on screen.

use serde::{Deserialize, Serialize};

use actors::domain::ids::Timestamp;
use zoea_text::figures::group_digits;
use zoea_text::names::plural;

/// How many offsets of a zone are known: the first one, and its changes of three years.
const OFFSETS: usize = 8;
const DAY_MINUTES: u32 = 24 * 60;
const YEAR_MINUTES: u32 = 365 * DAY_MINUTES;

/// The operator's offset from UTC, as their time zone changes it: each minute since 1970 from which on an offset
/// holds, and the offset in minutes. The first one holds before it as well. Places that are left repeat the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UtcOffset([(u32, i16); OFFSETS]);

impl UtcOffset {
    /// The offset as a zone has it from a year before this time to two years after it.
    #[must_use]
    pub fn of_zone(now: Timestamp, minutes_at: impl Fn(Timestamp) -> i16) -> UtcOffset {
        let offset_at = |minute: u32| minutes_at(Timestamp(i64::from(minute) * 60_000));
        let minute = u32::try_from(now.0 / 60_000).unwrap_or_default();
        let begin = minute.saturating_sub(YEAR_MINUTES);
        let mut last = (begin, offset_at(begin));
        let mut known = vec![last];
        let days = (YEAR_MINUTES * 3) / DAY_MINUTES;
        for day in 0..days {
            let mut before = begin.saturating_add(day * DAY_MINUTES);
            let mut after = before.saturating_add(DAY_MINUTES);
            if offset_at(after) == last.1 {
                continue;
            }
            while after - before > 1 {
                let between = before + (after - before) / 2;
                if offset_at(between) == last.1 {
                    before = between;
                } else {
                    after = between;
                }
            }
            last = (after, offset_at(after));
            known.push(last);
        }
        UtcOffset(std::array::from_fn(|place| {
            known.get(place).copied().unwrap_or(last)
        }))
    }

    /// The milliseconds by which local time is ahead of UTC at a time.
    #[must_use]
    pub fn millis_at(self, at: Timestamp) -> i64 {
        let begins = |(from, _): &(u32, i16)| i64::from(*from) * 60_000;
        let [first, ..] = self.0;
        let begun = self
            .0
            .into_iter()
            .rev()
            .find(|offset| begins(offset) <= at.0);
        i64::from(begun.unwrap_or(first).1) * 60_000
    }

    fn local(self, at: Timestamp) -> Timestamp {
        Timestamp(at.0.saturating_add(self.millis_at(at)))
    }

    /// The local time of day, as `12:41:07`.
    #[must_use]
    pub fn clock(self, at: Timestamp) -> String {
        let text = self.local(at).to_string();
        text.get(11..19).unwrap_or("--:--:--").to_string()
    }

    /// The local time of day, as `12:41`.
    #[must_use]
    pub fn short_clock(self, at: Timestamp) -> String {
        let clock = self.clock(at);
        clock.get(..5).unwrap_or(&clock).to_string()
    }

    /// The local day, as `2026-11-22`.
    #[must_use]
    pub fn day(self, at: Timestamp) -> String {
        let text = self.local(at).to_string();
        text.get(..10).unwrap_or("").to_string()
    }
}

/// A duration to the second, as `0:07`, `12:30` or `1:02:30`.
pub fn stopwatch(ms: u64) -> String {
    let seconds = ms / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        return format!("{hours}:{minutes:02}:{seconds:02}");
    }
    format!("{minutes}:{seconds:02}")
}

/// A short duration, as `840ms`, `1.2s`, `25s`, `3m`, `2h`, `5d`.
pub fn span(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms}ms"),
        1000..10_000 => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
        10_000..60_000 => format!("{}s", ms / 1000),
        60_000..3_600_000 => format!("{}m", ms / 60_000),
        3_600_000..86_400_000 => format!("{}h", ms / 3_600_000),
        _ => format!("{}d", ms / 86_400_000),
    }
}

/// The time that a call took; empty where it is not known, as in an imported conversation, or below a millisecond.
pub fn took(ms: Option<u64>) -> String {
    match ms {
        None | Some(0) => String::new(),
        Some(ms) => span(ms),
    }
}

/// The time since an event, in coarse steps so that it does not change with every picture.
pub fn ago(ms: u64) -> String {
    match ms {
        0..5_000 => "now".to_string(),
        5_000..60_000 => format!("{}s", (ms / 10_000 * 10).max(5)),
        _ => span(ms),
    }
}

/// When something was seen: `seen now`, `seen 40s ago`.
pub fn seen(ms: u64) -> String {
    format!("seen {} ago", ago(ms)).replace("now ago", "now")
}

/// A count of things whose name takes an `s`: `1 call`, `28 calls`.
pub fn counted(count: u64, one: &str) -> String {
    format!("{} {}", amount(count), plural(count, one))
}

/// An amount in at most five columns, as `940`, `12.4k`, `3.1M`.
pub fn amount(count: u64) -> String {
    let (scaled, unit) = match count {
        0..1000 => return count.to_string(),
        1000..1_000_000 => (count / 100, 'k'),
        1_000_000..1_000_000_000 => (count / 100_000, 'M'),
        1_000_000_000..1_000_000_000_000 => (count / 100_000_000, 'G'),
        _ => (count / 100_000_000_000, 'T'),
    };
    match scaled {
        0..1000 => format!("{}.{}{unit}", scaled / 10, scaled % 10),
        _ => format!("{}{unit}", scaled / 10),
    }
}

/// A size in bytes, as `312 B`, `2.1 KiB`, `1.0 MiB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{}.{} KiB", bytes / 1024, bytes % 1024 * 10 / 1024),
        _ => {
            let tenths = bytes / (1_048_576 / 10);
            format!("{}.{} MiB", tenths / 10, tenths % 10)
        }
    }
}

/// Millionths of a dollar, as `$0.0042`, `$0.42`, `$12.40`.
pub fn money(micros: u64) -> String {
    match micros {
        0 => "$0".to_string(),
        1..10_000 => format!("$0.{:04}", micros / 100),
        _ => format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000),
    }
}

/// Millionths of a dollar with commas between thousands, as `$0.0042`, `$12.40`, `$1,204.00`.
pub fn dollars(micros: u64) -> String {
    match micros {
        0 => "$0".to_string(),
        // Beyond a dollar nobody reads hundredths of cents.
        1..1_000_000 => format!("$0.{:04}", micros / 100),
        _ => format!(
            "${}.{:02}",
            group_digits(micros / 1_000_000),
            micros % 1_000_000 / 10_000
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_the_operators() {
        let at = Timestamp(1_773_254_527_042);
        let zone = |minutes: i16| UtcOffset::of_zone(at, |_| minutes);
        assert_eq!(UtcOffset::default().clock(at), "18:42:07");
        assert_eq!(zone(0).clock(at), "18:42:07");
        assert_eq!(zone(-300).clock(at), "13:42:07");
        assert_eq!(zone(600).day(at), "2026-03-12");
        assert_eq!(zone(0).clock(Timestamp(i64::MAX)).len(), 8);
    }

    #[test]
    fn a_time_is_of_the_offset_that_holds_then() {
        const HOUR: i64 = 3_600_000;
        let day = |days: i64| Timestamp(20_523 * 24 * HOUR + days * 24 * HOUR);
        // From one o'clock UTC on, it is summer for half a year, and winter then.
        let is_summer = |at: Timestamp| {
            let since = at.0 - day(18).0 - HOUR;
            since.div_euclid(182 * 24 * HOUR).rem_euclid(2) == 0
        };
        let zone = UtcOffset::of_zone(day(0), |at| if is_summer(at) { 120 } else { 60 });
        for days in -360..720 {
            for at in [day(days), Timestamp(day(days).0 + HOUR)] {
                let hours = if is_summer(at) { 2 } else { 1 };
                assert_eq!(zone.millis_at(at), hours * HOUR, "{days} days");
            }
        }
        let change = Timestamp(day(18).0 + HOUR);
        assert_eq!(zone.clock(Timestamp(change.0 - 1)), "01:59:59");
        assert_eq!(zone.clock(change), "03:00:00");
    }

    #[test]
    fn stretches_and_amounts_are_short() {
        assert_eq!(stopwatch(7_999), "0:07");
        assert_eq!(stopwatch(3_750_000), "1:02:30");
        assert_eq!(
            [span(840), span(1_250), span(25_000)],
            ["840ms", "1.2s", "25s"]
        );
        assert_eq!([span(180_000), span(7_200_000)], ["3m", "2h"]);
        assert_eq!([seen(300), seen(42_000)], ["seen now", "seen 40s ago"]);
        assert_eq!([ago(300), ago(42_000), ago(61_000)], ["now", "40s", "1m"]);
        assert_eq!(
            [amount(940), amount(12_400), amount(99_999)],
            ["940", "12.4k", "99.9k"]
        );
        assert_eq!([amount(999_999), amount(3_100_000)], ["999k", "3.1M"]);
        assert_eq!(
            [size(312), size(2_150), size(1_048_576)],
            ["312 B", "2.0 KiB", "1.0 MiB"]
        );
        assert_eq!(
            [money(0), money(4_200), money(420_000)],
            ["$0", "$0.0042", "$0.42"]
        );
        assert_eq!(money(12_400_000), "$12.40");
        assert_eq!(
            [dollars(0), dollars(4_200), dollars(1_204_005_000)],
            ["$0", "$0.0042", "$1,204.00"]
        );
    }
}

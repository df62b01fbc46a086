//! Waits: how long a server wants to be left alone, in every notation in which servers state it.
//!
//! A wait can be as long as a server likes. Whoever obeys it limits it.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// The longest wait that a receiver of alerts or spans may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// The units of a duration in words and in Go's notation, in seconds.
const UNITS: [(&[&str], f64); 7] = [
    (&["us", "µs"], 1e-6),
    (&["ms", "milliseconds"], 1e-3),
    (&["s", "sec", "secs", "second", "seconds"], 1.0),
    (&["m", "min", "mins", "minute", "minutes"], 60.0),
    (&["h", "hr", "hrs", "hour", "hours"], 3600.0),
    (&["d", "day", "days"], 86_400.0),
    (&["w", "week", "weeks"], 604_800.0),
];

/// The forms of a time of day after a date, the longest first.
const TIME_FORMS: [&str; 4] = ["%H:%M:%S%.f", "%H:%M", "%I:%M %p", "%I %p"];
const DATE_FORMS: [&str; 5] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%B %d %Y",
    "%d %B %Y",
    "%A %B %d %Y",
];

/// The wait in the `Retry-After` header, or in milliseconds in the one that some servers add.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let millis = text("retry-after-ms").and_then(|text| text.parse().ok());
    if let Some(millis) = millis {
        return Some(Duration::from_millis(millis));
    }
    parse_wait(text("retry-after")?, now)
}

/// The wait before another try of a request behind which others wait: what the server asked for within a limit, else
/// the usual one.
pub fn before_retry(asked: Option<Duration>, usual: Duration) -> Duration {
    asked.map_or(usual, |asked| asked.min(MAX_RETRY_AFTER))
}

/// A wait in any notation: a duration, seconds, a date, or a time since 1970 in seconds or
/// milliseconds.
pub fn parse_wait(text: &str, now: SystemTime) -> Option<Duration> {
    /// From here on a number is a time in seconds, and a time in milliseconds. No wait is so long.
    const FIRST_SECONDS: f64 = 1e9;
    const FIRST_MILLIS: f64 = 1e12;
    let text = text.trim();
    let until = |at: SystemTime| at.duration_since(now).ok();
    if let Ok(number) = text.parse::<f64>() {
        let since_1970 = match number {
            number if (FIRST_MILLIS..1e15).contains(&number) => number / 1000.0,
            number if (FIRST_SECONDS..FIRST_MILLIS).contains(&number) => number,
            number => return seconds_as_wait(number),
        };
        let since_1970 = Duration::try_from_secs_f64(since_1970).ok()?;
        return until(SystemTime::UNIX_EPOCH.checked_add(since_1970)?);
    }
    let date = chrono::DateTime::parse_from_rfc2822(text);
    if let Ok(date) = date.or_else(|_| chrono::DateTime::parse_from_rfc3339(text)) {
        return until(SystemTime::from(date));
    }
    duration_at_start(text).or_else(|| time_at_start(text, now))
}

/// The time until a date at the beginning of a text: `2030-01-01 05:38:28`, `2030-01-01 at 00:00 UTC`,
/// `Jan 1, 2030, 12:00 AM (UTC)`. A time without a zone is UTC, and a date without a time its beginning.
pub fn time_at_start(text: &str, now: SystemTime) -> Option<Duration> {
    let until = |at: SystemTime| at.duration_since(now).ok();
    let words = text.split_whitespace().take(8);
    let words: Vec<String> = words.map(cleaned_word).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words: Vec<&str> = words
        .into_iter()
        .filter(|word| !matches!(*word, "at" | "on" | ""))
        .collect();
    if let Some(first) = words.first()
        && let Ok(date) = chrono::DateTime::parse_from_rfc3339(first)
    {
        return until(SystemTime::from(date));
    }
    let dates = (1..=4).rev().filter_map(|count| {
        let written = words.get(..count)?.join(" ");
        let written = written.replacen('T', " ", usize::from(count == 1));
        let (day, time) = match written.split_once(' ') {
            Some((day, time)) if count == 1 => (day.to_string(), Some(time.to_string())),
            Some(_) | None => (written, None),
        };
        let mut forms = DATE_FORMS.iter();
        let date = forms.find_map(|form| chrono::NaiveDate::parse_from_str(&day, form).ok())?;
        Some((date, time, &words[count..]))
    });
    let (date, joined, rest) = dates.into_iter().next()?;
    let rest: Vec<&str> = joined
        .iter()
        .map(String::as_str)
        .chain(rest.iter().copied())
        .collect();
    let times = (1..=2).rev().filter_map(|count| {
        let written = rest.get(..count)?.join(" ");
        let written = written.trim_end_matches('Z');
        let mut forms = TIME_FORMS.iter();
        let time = forms.find_map(|form| chrono::NaiveTime::parse_from_str(written, form).ok())?;
        Some((time, rest.get(count).copied().unwrap_or_default()))
    });
    let (time, zone) = times.into_iter().next().unwrap_or_default();
    let at = date.and_time(time).and_utc();
    let at = at.checked_sub_signed(zone_offset(zone))?;
    until(SystemTime::from(at))
}

/// A word of a date without what encloses it, its month and zone in full letters.
fn cleaned_word(word: &str) -> String {
    let word = word
        .trim_matches(|sign: char| "()[],;\"'`".contains(sign))
        .trim_end_matches('.');
    let day = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| word.strip_suffix(end));
    let day = day.filter(|day| !day.is_empty() && day.bytes().all(|sign| sign.is_ascii_digit()));
    day.unwrap_or(word).to_string()
}

/// How far a zone is ahead of UTC: `+08:00`, `UTC+8`; nothing of a name that is not known.
fn zone_offset(zone: &str) -> chrono::TimeDelta {
    let written = zone.trim_start_matches("UTC").trim_start_matches("GMT");
    let (sign, digits) = match written.split_at_checked(1) {
        Some(("+", digits)) => (1, digits),
        Some(("-", digits)) => (-1, digits),
        Some(_) | None => return chrono::TimeDelta::zero(),
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let number = |text: &str, most: u8| i64::from(text.parse::<u8>().unwrap_or(0).min(most));
    chrono::TimeDelta::minutes(sign * (number(hours, 14) * 60 + number(minutes, 59)))
}

/// The duration at the beginning of a text: `6m0s`, `2m59.56s`, `20 seconds`.
pub fn duration_at_start(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds: Option<f64> = None;
    loop {
        let digits = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
                .len();
        let (number, after) = rest.split_at(digits);
        let Ok(number) = number.parse::<f64>() else {
            break;
        };
        let after = after.strip_prefix(' ').unwrap_or(after);
        let letters = after.len() - after.trim_start_matches(char::is_alphabetic).len();
        let (word, after) = after.split_at(letters);
        let Some((_, unit)) = UNITS.iter().find(|(words, _)| words.contains(&word)) else {
            break;
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * unit);
        // `3h 20m`, `3 hours, 20 minutes`, `3 hours and 20 minutes`
        let next = after.trim_start_matches([' ', ',']);
        rest = next.strip_prefix("and ").unwrap_or(next);
    }
    seconds_as_wait(seconds?)
}

/// The first duration in a sentence: `Too many requests. Retry in 7 seconds.`
pub fn first_duration(text: &str) -> Option<Duration> {
    let is_in_word = |letter: char| letter.is_alphanumeric() || letter == '.';
    let numbers = text.match_indices(|letter: char| letter.is_ascii_digit());
    let mut places = numbers
        .map(|(place, _)| place)
        .filter(|place| !text[..*place].ends_with(is_in_word));
    places.find_map(|place| duration_at_start(&text[place..]))
}

/// A number of seconds as a duration; `None` if it is not a possible one. One that is too large for
/// a duration is the longest one.
fn seconds_as_wait(seconds: f64) -> Option<Duration> {
    match seconds >= Duration::MAX.as_secs_f64() {
        true => Some(Duration::MAX),
        false => Duration::try_from_secs_f64(seconds).ok(),
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_773_254_520)
    }

    fn asked(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
        let headers = headers.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        retry_after(&headers.collect(), now())
    }

    #[test]
    fn a_zone_out_of_all_bounds_is_no_zone() {
        for text in [
            "2030-01-01 00:00 UTC+-99999999999999999",
            "2030-01-01 00:00 UTC-99999999999999999:-99999999999999999",
            "+262142-12-31 23:59 UTC-14",
        ] {
            let _ = time_at_start(text, now());
            let _ = asked(&[("retry-after", text)]);
        }
        let west = time_at_start("2030-01-01 00:00 UTC-08:30", now());
        let here = time_at_start("2030-01-01 00:00 UTC", now());
        assert_eq!(west, here.map(|here| here + Duration::from_secs(30_600)));
    }

    #[test]
    fn a_wait_before_another_try_has_a_limit() {
        let (second, day) = (Duration::from_secs(1), Duration::from_secs(86_400));
        assert_eq!(before_retry(None, second), second);
        assert_eq!(before_retry(Some(second), day), second);
        assert_eq!(before_retry(Some(day), second), MAX_RETRY_AFTER);
    }

    #[test]
    fn retry_after_is_read_in_every_notation() {
        let seconds = |count| Some(Duration::from_secs_f64(count));
        for (name, value, expected) in [
            ("retry-after", "54", seconds(54.0)),
            ("retry-after", " 54 ", seconds(54.0)),
            ("retry-after", "0.5", seconds(0.5)),
            ("retry-after", "54s", seconds(54.0)),
            ("retry-after", "6m0s", seconds(360.0)),
            ("retry-after-ms", "20", seconds(0.02)),
            (
                "retry-after",
                "Wed, 11 Mar 2026 18:42:30 GMT",
                seconds(30.0),
            ),
            ("retry-after", "2026-03-11T18:42:30Z", seconds(30.0)),
            ("retry-after", "1773254550", seconds(30.0)),
            ("retry-after", "1773254550000", seconds(30.0)),
            ("retry-after", "soon", None),
            ("retry-after", "", None),
            ("retry-after", "18446744073709551615", Some(Duration::MAX)),
            ("retry-after", "1e308", Some(Duration::MAX)),
            ("retry-after", "inf", Some(Duration::MAX)),
            (
                "retry-after-ms",
                "18446744073709551615",
                Some(Duration::from_millis(u64::MAX)),
            ),
            ("retry-after", "Fri, 01 Jan 0000 00:00:00 GMT", None),
            ("retry-after", "Wed, 11 Mar 2026 18:41:00 GMT", None),
            ("retry-after", "NaN", None),
            ("retry-after", "-1", None),
            ("retry-after", "-1e308", None),
        ] {
            assert_eq!(asked(&[(name, value)]), expected, "{name}: {value}");
        }
        let far = asked(&[("retry-after", "Fri, 31 Dec 99999 23:59:59 GMT")]);
        assert!(
            far.is_some_and(|wait| wait > Duration::from_secs(1 << 40)),
            "{far:?}"
        );
        // The finer figure counts.
        let both = [("retry-after", "1"), ("retry-after-ms", "20")];
        assert_eq!(asked(&both), seconds(0.02));
        assert_eq!(asked(&[]), None);
    }

    #[test]
    fn a_duration_is_read_at_the_beginning_of_a_text() {
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        for (text, expected) in [
            ("2m59.56s", seconds(179.56)),
            ("10h17m5.7s. Then", seconds(37_025.7)),
            ("20 seconds", seconds(20.0)),
            ("156ms", seconds(0.156)),
            ("5 parsecs", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(duration_at_start(text), expected, "{text}");
        }
    }

    #[test]
    fn a_time_is_read_in_every_notation_in_which_servers_write_one() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_893_456_000 - 7200);
        for text in [
            "2030-01-01 00:00:00",
            "2030-01-01 at 00:00 UTC.",
            "2030-01-01T00:00:00Z",
            "2030-01-01T00:00:00.000+00:00",
            "2030-01-01T00:00:00",
            "2030-01-01T00:00",
            "2030-01-01",
            "2030/01/01 00:00",
            "2030-01-01 08:00:00 +08:00",
            "2030-01-01 08:00 (UTC+8)",
            "January 1, 2030",
            "Jan 1, 2030 at 12:00 AM UTC",
            "Jan 1st, 2030, 12 AM",
            "1 January 2030 00:00 GMT",
            "1893456000",
            "1893456000000",
            "2h",
            "1 hour and 60 minutes",
            "1h 60m",
            "7200",
        ] {
            let read = parse_wait(text, now);
            assert_eq!(read, Some(Duration::from_secs(7200)), "{text}");
        }
        for past in [
            "2029-12-31 00:00:00",
            "2020-01-01",
            "soon",
            "2030",
            "99-99-99",
        ] {
            let read = time_at_start(past, now);
            assert_eq!(read, None, "{past}");
        }
    }

    #[test]
    fn the_first_duration_of_a_sentence_is_found() {
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        for (text, expected) in [
            ("Too many requests. Retry in 7 seconds.", seconds(7.0)),
            ("5 of 5 requests; wait 1m30s, then 2m", seconds(90.0)),
            ("é: in 0.5 s (-32029)", seconds(0.5)),
            ("v2s and 1.5.2s", None),
            ("Too many requests (-32029)", None),
            ("", None),
        ] {
            assert_eq!(first_duration(text), expected, "{text}");
        }
    }
}

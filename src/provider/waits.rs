//! Waits: how long a server wants to be left alone, in every place and notation in which servers
//! state it.

use std::time::{Duration, SystemTime};

use actors::domain::bounds::MAX_STATED_WAIT;
use http::HeaderMap;
use serde_json::Value;

/// The pairs of headers that state how much of a limit is left and when it is whole again.
const LIMIT_HEADERS: [(&str, &str); 7] = [
    (
        "x-ratelimit-remaining-requests",
        "x-ratelimit-reset-requests",
    ),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    (
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    (
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ),
    (
        "anthropic-ratelimit-input-tokens-remaining",
        "anthropic-ratelimit-input-tokens-reset",
    ),
    (
        "anthropic-ratelimit-output-tokens-remaining",
        "anthropic-ratelimit-output-tokens-reset",
    ),
];

/// What stands before a wait in a server's sentence.
const WAIT_PHRASES: [&str; 3] = ["try again in ", "retry in ", "retry after "];

/// The units of a duration in words and in Go's notation, in seconds.
const UNITS: [(&[&str], f64); 6] = [
    (&["us", "µs"], 1e-6),
    (&["ms", "milliseconds"], 1e-3),
    (&["s", "sec", "secs", "second", "seconds"], 1.0),
    (&["m", "min", "mins", "minute", "minutes"], 60.0),
    (&["h", "hr", "hrs", "hour", "hours"], 3600.0),
    (&["d", "day", "days"], 86_400.0),
];

/// The waits that the headers of an answer state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeaderWaits {
    /// In `retry-after` or `retry-after-ms`.
    pub(super) asked: Option<Duration>,
    /// Until the limits are whole of which nothing is left.
    pub(super) reset: Option<Duration>,
}

impl HeaderWaits {
    /// Reads the headers of an answer.
    pub(super) fn read(headers: &HeaderMap, now: SystemTime) -> HeaderWaits {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        let resets = LIMIT_HEADERS.iter().filter_map(|(left, reset)| {
            let is_spent = text(left)?
                .trim()
                .parse::<f64>()
                .is_ok_and(|left| left <= 0.0);
            parse_wait(text(reset)?, now).filter(|_| is_spent)
        });
        HeaderWaits {
            reset: resets.max(),
            asked: asked_in_headers(headers, now),
        }
    }

    /// The wait until another request makes sense: what is asked for, else what the body states,
    /// else the reset of the spent limits.
    pub(super) fn until_next(
        self,
        error: &Value,
        message: &str,
        now: SystemTime,
    ) -> Option<Duration> {
        self.asked
            .or_else(|| stated_in_body(error, message, now))
            .or(self.reset)
    }

    /// The longest of all stated waits, for limits of a day: their reset may be stated beside the
    /// pause between two requests.
    pub(super) fn longest(self, error: &Value, message: &str, now: SystemTime) -> Option<Duration> {
        let stated = stated_in_body(error, message, now);
        [self.asked, stated, self.reset].into_iter().flatten().max()
    }
}

fn asked_in_headers(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let millis = text("retry-after-ms").and_then(|text| text.parse().ok());
    if let Some(millis) = millis {
        return Some(Duration::from_millis(millis).min(MAX_STATED_WAIT));
    }
    parse_wait(text("retry-after")?, now)
}

/// The longest wait in the text or the details of an error.
fn stated_in_body(error: &Value, message: &str, now: SystemTime) -> Option<Duration> {
    let details = error["details"].as_array().into_iter().flatten();
    let delays = details.filter_map(|detail| detail["retryDelay"].as_str());
    let of_router = error["metadata"]["headers"]["X-RateLimit-Reset"].as_str();
    let raw = error["metadata"]["raw"].as_str().and_then(wait_in_words);
    let parsed = delays.chain(of_router);
    let parsed = parsed.filter_map(|text| parse_wait(text, now));
    parsed.chain(raw).chain(wait_in_words(message)).max()
}

/// The wait in a sentence: `Please try again in 41.724s.`
fn wait_in_words(text: &str) -> Option<Duration> {
    let lower = text.to_ascii_lowercase();
    let after = |phrase: &&str| {
        let (_, rest) = lower.split_once(*phrase)?;
        duration_at_start(rest)
    };
    WAIT_PHRASES.iter().filter_map(after).max()
}

/// A wait in any notation: a duration, seconds, a date, or a time since 1970 in seconds or
/// milliseconds.
fn parse_wait(text: &str, now: SystemTime) -> Option<Duration> {
    /// From here on a number is a time in seconds, and a time in milliseconds. No wait is so long.
    const FIRST_SECONDS: f64 = 1e9;
    const FIRST_MILLIS: f64 = 1e12;
    let text = text.trim();
    let until = |at: SystemTime| {
        at.duration_since(now)
            .ok()
            .map(|wait| wait.min(MAX_STATED_WAIT))
    };
    if let Ok(number) = text.parse::<f64>() {
        let since_1970 = match number {
            number if (FIRST_MILLIS..1e15).contains(&number) => number / 1000.0,
            number if (FIRST_SECONDS..FIRST_MILLIS).contains(&number) => number,
            number => return bounded_seconds(number),
        };
        let since_1970 = Duration::try_from_secs_f64(since_1970).ok()?;
        return until(SystemTime::UNIX_EPOCH.checked_add(since_1970)?);
    }
    let date = chrono::DateTime::parse_from_rfc2822(text);
    if let Ok(date) = date.or_else(|_| chrono::DateTime::parse_from_rfc3339(text)) {
        return until(SystemTime::from(date));
    }
    duration_at_start(text)
}

/// The duration at the beginning of a text: `6m0s`, `2m59.56s`, `20 seconds`.
fn duration_at_start(text: &str) -> Option<Duration> {
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
        rest = after;
    }
    bounded_seconds(seconds?)
}

/// A number of seconds as a duration; `None` if it is not a possible one.
fn bounded_seconds(seconds: f64) -> Option<Duration> {
    match seconds > MAX_STATED_WAIT.as_secs_f64() {
        true => Some(MAX_STATED_WAIT),
        false => Duration::try_from_secs_f64(seconds).ok(),
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_773_254_520)
    }

    fn waits(headers: &[(&'static str, &'static str)]) -> HeaderWaits {
        let headers = headers.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        HeaderWaits::read(&headers.collect(), now())
    }

    #[test]
    fn retry_after_is_read_as_seconds_milliseconds_or_a_date() {
        let asked = |name, value| waits(&[(name, value)]).asked;
        let longest = Some(MAX_STATED_WAIT);
        let seconds = |count| Some(Duration::from_secs(count));
        for (name, value, expected) in [
            ("retry-after", "54", seconds(54)),
            ("retry-after-ms", "20", Some(Duration::from_millis(20))),
            ("retry-after", "Wed, 11 Mar 2026 18:42:30 GMT", seconds(30)),
            ("retry-after", "soon", None),
            ("retry-after", "18446744073709551615", longest),
            ("retry-after", "1e308", longest),
            ("retry-after", "inf", longest),
            ("retry-after-ms", "18446744073709551615", longest),
            ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", longest),
            ("retry-after", "Fri, 31 Dec 99999 23:59:59 GMT", longest),
            ("retry-after", "Fri, 01 Jan 0000 00:00:00 GMT", None),
            ("retry-after", "NaN", None),
            ("retry-after", "-1", None),
            ("retry-after", "-1e308", None),
        ] {
            assert_eq!(asked(name, value), expected, "{name}: {value}");
        }
    }

    #[test]
    fn the_reset_of_a_limit_counts_where_nothing_is_left_of_it() {
        let requests = [
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "2m59.56s"),
            ("x-ratelimit-remaining-tokens", "11972"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ];
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        assert_eq!(waits(&requests).reset, seconds(179.56));
        let router = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1773258120000"),
        ];
        assert_eq!(waits(&router).reset, seconds(3600.0));
        let anthropic = [
            ("anthropic-ratelimit-tokens-remaining", "0"),
            ("anthropic-ratelimit-tokens-reset", "2026-03-11T18:42:30Z"),
        ];
        assert_eq!(waits(&anthropic).reset, seconds(30.0));
    }

    #[test]
    fn a_wait_is_found_in_the_words_and_the_details_of_an_error() {
        let of_body =
            |error: Value, message: &str| HeaderWaits::default().until_next(&error, message, now());
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        for (message, expected) in [
            (
                "Rate limit reached. Please try again in 41.724s. Visit …",
                seconds(41.724),
            ),
            ("Please try again in 7m12s.", seconds(432.0)),
            ("Please retry in 10h17m5.7s.", seconds(37_025.7)),
            ("Please try again in 156ms.", seconds(0.156)),
            ("Please try again in 20 seconds", seconds(20.0)),
            ("try again in a while", None),
            ("try again in 5 parsecs", None),
            ("try again in 999999999h", Some(MAX_STATED_WAIT)),
        ] {
            assert_eq!(of_body(json!({}), message), expected, "{message}");
        }
        let google = json!({"details": [
            {"@type": "type.googleapis.com/google.rpc.Help"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.837906927s"},
        ]});
        assert_eq!(of_body(google.clone(), ""), seconds(45.837_906_927));
        let header = waits(&[("retry-after", "3")]);
        assert_eq!(header.until_next(&google, "", now()), seconds(3.0));
        let day = header.longest(&google, "Please retry in 10h17m5.7s.", now());
        assert_eq!(day, seconds(37_025.7));
    }
}

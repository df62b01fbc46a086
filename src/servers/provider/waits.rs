//! Waits: how long a server wants to be left alone, in every place in which servers state it.

use std::time::{Duration, SystemTime};

use actors::domain::bounds::MAX_STATED_WAIT;
use http::HeaderMap;
use serde_json::Value;
use zoea_http::retry_after;
use zoea_http::waits::{duration_at_start, parse_wait, time_at_start};

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

/// What stands before a wait, or before the time when it ends, in a server's sentence.
const WAIT_PHRASES: [&str; 24] = [
    "try again in ",
    "try again at ",
    "try again after ",
    "try again on ",
    "retry in ",
    "retry after ",
    "retry at ",
    "reset in ",
    "resets in ",
    "reset at ",
    "resets at ",
    "reset on ",
    "resets on ",
    "reset after ",
    "reset time: ",
    "resets: ",
    "renews at ",
    "renews on ",
    "regain access on ",
    "regain access at ",
    "regain access in ",
    "available again at ",
    "available again in ",
    "wait until ",
];
const WAIT_MEMBERS: [&str; 13] = [
    "retry_after",
    "retryAfter",
    "retry_after_seconds",
    "retry_after_ms",
    "reset_at",
    "resetAt",
    "resets_at",
    "resetsAt",
    "reset_time",
    "resets_in_seconds",
    "reset_in_seconds",
    "reset_after",
    "reset",
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeaderWaits {
    /// In `retry-after` or `retry-after-ms`.
    pub(super) asked: Option<Duration>,
    /// Until the limits are whole of which nothing is left.
    pub(super) reset: Option<Duration>,
}

impl HeaderWaits {
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
            reset: resets.max().map(bounded),
            asked: retry_after(headers, now).map(bounded),
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

/// The longest wait in the text or the details of an error.
fn stated_in_body(error: &Value, message: &str, now: SystemTime) -> Option<Duration> {
    let details = error["details"].as_array().into_iter().flatten();
    let delays = details.filter_map(|detail| detail["retryDelay"].as_str());
    let of_router = error["metadata"]["headers"]["X-RateLimit-Reset"].as_str();
    let raw = error["metadata"]["raw"].as_str();
    let raw = raw.and_then(|raw| wait_in_words(raw, now));
    let parsed = delays.chain(of_router);
    let parsed = parsed.filter_map(|text| parse_wait(text, now));
    let places = [
        error,
        &error["metadata"],
        &error["error"],
        &error["details"],
    ];
    let members = places.into_iter().flat_map(|place| members_of(place, now));
    let in_words = wait_in_words(message, now);
    let longest = parsed.chain(raw).chain(members).chain(in_words).max();
    longest.map(bounded)
}

fn members_of(value: &Value, now: SystemTime) -> impl Iterator<Item = Duration> {
    WAIT_MEMBERS.iter().filter_map(move |key| {
        let member = &value[*key];
        let text = member.as_str().map(str::to_string);
        let text = text.or_else(|| member.is_number().then(|| member.to_string()))?;
        let wait = parse_wait(&text, now)?;
        Some(if key.ends_with("_ms") {
            wait / 1000
        } else {
            wait
        })
    })
}

/// The longest wait that is believed, for a longer one.
fn bounded(wait: Duration) -> Duration {
    wait.min(MAX_STATED_WAIT)
}

/// The wait in a sentence: `Please try again in 41.724s.`, `It will reset at 2030-01-01 05:38:28.`
fn wait_in_words(text: &str, now: SystemTime) -> Option<Duration> {
    let lower = text.to_ascii_lowercase();
    let after = |phrase: &&str| {
        let rest = lower.find(*phrase)? + phrase.len();
        let (rest, lower) = (text.get(rest..)?, lower.get(rest..)?);
        duration_at_start(lower).or_else(|| {
            let time = time_at_start(rest, now);
            let first = lower.split_whitespace().next()?;
            let first = first.trim_end_matches(['.', ',', ')', ';']);
            // A number alone is a time in seconds or milliseconds.
            let number = || parse_wait(first, now).filter(|_| first.len() >= 10);
            time.or_else(number)
        })
    };
    WAIT_PHRASES.iter().filter_map(after).max()
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
    fn no_wait_is_believed_to_be_longer_than_a_day() {
        let asked = |name, value| waits(&[(name, value)]).asked;
        let longest = Some(MAX_STATED_WAIT);
        for (name, value, expected) in [
            ("retry-after", "54", Some(Duration::from_secs(54))),
            ("retry-after", "1e308", longest),
            ("retry-after-ms", "18446744073709551615", longest),
            ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", longest),
            ("retry-after", "never", None),
        ] {
            assert_eq!(asked(name, value), expected, "{name}: {value}");
        }
        let endless = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "999999999h"),
        ];
        assert_eq!(waits(&endless).reset, longest);
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

    /// The seconds that are read of messages, and the messages.
    const STATED_WAITS: &str = r#"
41.724 | Rate limit reached. Please try again in 41.724s. Visit …
432.0 | Please try again in 7m12s.
37025.7 | Please retry in 10h17m5.7s.
0.156 | Please try again in 156ms.
20.0 | Please try again in 20 seconds
none | try again in a while
none | try again in 5 parsecs
3600.0 | Your limit will reset at 2026-03-11 19:42:00
3600.0 | You will regain access on 2026-03-11 at 19:42 UTC.
12000.0 | Your quota resets in 3h 20m.
3600.0 | Limit resets at 1773258120.
3600.0 | resets at 1773258120000
3600.0 | It resets on Mar 11, 2026 at 7:42 PM (UTC)
none | Your limit will reset at 2020-03-11 19:42:00
"#;

    #[test]
    fn a_wait_is_found_in_the_words_and_the_details_of_an_error() {
        let of_body =
            |error: Value, message: &str| HeaderWaits::default().until_next(&error, message, now());
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        for line in STATED_WAITS.trim().lines() {
            let (expected, message) = line.split_once(" | ").unwrap();
            let expected = expected.parse().ok().and_then(seconds);
            assert_eq!(of_body(json!({}), message), expected, "{message}");
        }
        let endless = of_body(json!({}), "try again in 999999999h");
        assert_eq!(endless, Some(MAX_STATED_WAIT));
        let google = json!({"details": [
            {"@type": "type.googleapis.com/google.rpc.Help"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.837906927s"},
        ]});
        assert_eq!(of_body(google.clone(), ""), seconds(45.837_906_927));
        for stated in [
            json!({"resets_at": 1_773_258_120}),
            json!({"metadata": {"reset_time": "2026-03-11T19:42:00Z"}}),
            json!({"resets_in_seconds": 3600}),
            json!({"retry_after_ms": "3600000"}),
        ] {
            assert_eq!(of_body(stated.clone(), ""), seconds(3600.0), "{stated}");
        }
        let header = waits(&[("retry-after", "3")]);
        assert_eq!(header.until_next(&google, "", now()), seconds(3.0));
        let day = header.longest(&google, "Please retry in 10h17m5.7s.", now());
        assert_eq!(day, seconds(37_025.7));
    }
}

//! Reads what the game answers to `login_link` and `login_link_poll`.
//!
//! The names of the members and states are known, the form around them is not. So members are found
//! wherever they are, and errors with the same words mean the same.

use std::sync::Arc;
use std::time::Duration;

use zoea_text::clean::one_line;

use crate::ports::LinkAnswer;

use super::answer::error_code;
use super::credentials::find_member;

/// The pause between two questions if the server names none, and the bounds of what it can name.
const USUAL_INTERVAL: Duration = Duration::from_secs(5);
const MIN_INTERVAL: Duration = Duration::from_secs(1);
const MAX_INTERVAL: Duration = Duration::from_secs(60);
/// How long a link is valid if the server does not say, and the longest time that is believed.
const USUAL_LIFE: Duration = Duration::from_secs(600);
const MAX_LIFE: Duration = Duration::from_secs(3600);
/// The longest address, code for the operator and code for the server, in bytes.
const MAX_ADDRESS_BYTES: usize = 500;
const MAX_USER_CODE_BYTES: usize = 40;
const MAX_DEVICE_CODE_BYTES: usize = 4096;

#[derive(PartialEq, Eq)]
pub(super) struct OfferedLink {
    pub(super) device_code: Arc<str>,
    pub(super) user_code: String,
    /// Where the operator enters the code.
    pub(super) address: String,
    pub(super) complete: Option<String>,
    pub(super) interval: Duration,
    pub(super) valid: Duration,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum LinkNews {
    /// The operator has not decided. The server may name another pause.
    Pending(Option<Duration>),
    /// It was asked too soon.
    SlowDown,
    Denied,
    Expired,
    LoggedIn,
    /// An error that says nothing about the link.
    Failed,
}

/// The link in an answer; `None` if it has none that can be used.
pub(super) fn read_link(answer: &LinkAnswer) -> Option<OfferedLink> {
    let member = |name: &str| member(answer, name);
    let fits = |text: &String, most: usize| !text.is_empty() && text.len() <= most;
    let is_address = |text: &String| {
        let is_web = text.starts_with("https://") || text.starts_with("http://");
        is_web && fits(text, MAX_ADDRESS_BYTES) && !text.contains(char::is_whitespace)
    };
    let shown = |name: &str| Some(one_line(&member(name)?).trim().to_string());
    let complete = shown("verification_uri_complete").filter(is_address);
    Some(OfferedLink {
        device_code: member("device_code")
            .filter(|code| fits(code, MAX_DEVICE_CODE_BYTES))?
            .into(),
        user_code: shown("user_code").filter(|code| fits(code, MAX_USER_CODE_BYTES))?,
        address: shown("verification_uri")
            .filter(is_address)
            .or_else(|| complete.clone())?,
        complete,
        interval: interval(answer).unwrap_or(USUAL_INTERVAL),
        valid: seconds(answer, "expires_in")
            .unwrap_or(USUAL_LIFE)
            .clamp(MIN_INTERVAL, MAX_LIFE),
    })
}

pub(super) fn read_news(answer: &LinkAnswer) -> LinkNews {
    let words = ["status", "error"].into_iter();
    let mut words = words
        .filter_map(|name| member(answer, name))
        .chain(error_code(answer).map(str::to_string));
    let known = words.find_map(|word| match word.as_str() {
        "authorization_pending" => Some(LinkNews::Pending(interval(answer))),
        "slow_down" => Some(LinkNews::SlowDown),
        "access_denied" => Some(LinkNews::Denied),
        "expired_token" => Some(LinkNews::Expired),
        _ => None,
    });
    match known {
        Some(known) => known,
        None if answer.is_error => LinkNews::Failed,
        None => LinkNews::LoggedIn,
    }
}

/// The longer pause after a question that came too soon.
pub(super) fn slower(interval: Duration) -> Duration {
    (interval + Duration::from_secs(5)).min(MAX_INTERVAL)
}

fn interval(answer: &LinkAnswer) -> Option<Duration> {
    let asked = seconds(answer, "interval")?;
    Some(asked.clamp(MIN_INTERVAL, MAX_INTERVAL))
}

fn seconds(answer: &LinkAnswer, name: &str) -> Option<Duration> {
    let number: f64 = member(answer, name)?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

fn member(answer: &LinkAnswer, name: &str) -> Option<String> {
    let mut texts = answer.structured.iter().chain([&answer.text]);
    texts.find_map(|text| find_member(text, name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(text: impl ToString, is_error: bool) -> LinkAnswer {
        LinkAnswer {
            text: text.to_string(),
            structured: None,
            is_error,
        }
    }

    #[test]
    fn a_link_is_read_within_bounds_and_nothing_odd_is_one() {
        let whole = json!({
            "verification_uri": "https://game.example/link",
            "verification_uri_complete": "https://game.example/link?code=KXRW-PLDT",
            "user_code": "KXRW-PLDT", "device_code": "d-1", "interval": 0, "expires_in": 1e9,
        });
        let read = |value: &serde_json::Value| read_link(&answer(value, false));
        let link = read(&json!({ "result": whole })).unwrap();
        let complete = "https://game.example/link?code=KXRW-PLDT";
        assert_eq!(link.complete.as_deref(), Some(complete));
        assert_eq!((link.interval, link.valid), (MIN_INTERVAL, MAX_LIFE));
        assert_eq!((&*link.device_code, &*link.user_code), ("d-1", "KXRW-PLDT"));
        let mut plain = whole.clone();
        plain["verification_uri_complete"] = "javascript:alert(1)".into();
        plain.as_object_mut().unwrap().remove("interval");
        let link = read(&plain).unwrap();
        assert_eq!(link.address, "https://game.example/link");
        assert_eq!((link.interval, link.complete), (USUAL_INTERVAL, None));
        for (name, value) in [
            ("verification_uri", json!("file:///etc/passwd")),
            ("user_code", json!("A".repeat(41))),
            ("device_code", json!(null)),
        ] {
            let mut odd = plain.clone();
            odd[name] = value;
            assert!(read(&odd).is_none(), "{name}");
        }
        assert!(read_link(&answer("Come back later.", false)).is_none());
    }

    #[test]
    fn states_are_read_from_answers_and_from_errors() {
        let pending = |seconds| LinkNews::Pending(Some(Duration::from_secs(seconds)));
        for (text, is_error, news) in [
            (
                r#"{"status":"authorization_pending","interval":7}"#,
                false,
                pending(7),
            ),
            (
                r#"{"status":"authorization_pending","interval":7000}"#,
                false,
                pending(60),
            ),
            (
                r#"{"status":"authorization_pending"}"#,
                false,
                LinkNews::Pending(None),
            ),
            (r#"{"error":"slow_down"}"#, false, LinkNews::SlowDown),
            ("Error: slow_down: wait", true, LinkNews::SlowDown),
            (r#"{"status":"access_denied"}"#, false, LinkNews::Denied),
            ("Error: expired_token: too late", true, LinkNews::Expired),
            ("Error: rate_limited: too many", true, LinkNews::Failed),
            ("Error: internal_error: again", true, LinkNews::Failed),
            (
                "Welcome back, Quill! Session ID: 4f1c9a0be27d4c58",
                false,
                LinkNews::LoggedIn,
            ),
            (
                r#"{"player":{"status":"docked"},"session_id":"9"}"#,
                false,
                LinkNews::LoggedIn,
            ),
        ] {
            assert_eq!(read_news(&answer(text, is_error)), news, "{text}");
        }
        assert_eq!(slower(Duration::from_secs(5)), Duration::from_secs(10));
        assert_eq!(slower(MAX_INTERVAL), MAX_INTERVAL);
    }
}

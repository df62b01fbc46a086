//! Refusals: what a server's error means, by who can do something about it.
//!
//! The model is told of its own mistakes. The request is written in another form
//! (`super::quirks`), or shorter. What only the operator or time can end is one outage of the
//! provider for the whole swarm, until the time that the server states.

use std::time::{Duration, SystemTime};

use actors::domain::model::{
    ContextLimit, MAX_OBEYED_RETRY_AFTER, ModelAnswer, ModelFault, RefusalHint, RequestedCall,
    ServiceReturn,
};
use actors::domain::written_call;
use serde_json::Value;

use super::own_words::own_words;
use super::waits::HeaderWaits;
use super::{account, error_hints, misreading, too_long, weather};

/// How long an account without credit is left alone if the server states no time.
const ACCOUNT_WAIT: Duration = Duration::from_secs(15 * 60);
const MIN_WINDOW_WAIT: Duration = Duration::from_secs(1);
/// How long a server is left alone that was started without something that is needed.
const START_WAIT: Duration = Duration::from_secs(60);
/// The most letters of a refused call that the model is shown.
const MAX_QUOTED_LETTERS: usize = 500;

/// An error of a server, instead of an answer or inside of one.
pub(super) struct Refusal<'a> {
    /// The HTTP status, or the one that the error states.
    pub(super) status: u16,
    /// The body without secrets.
    pub(super) body: &'a str,
    pub(super) waits: HeaderWaits,
}

impl Refusal<'_> {
    /// What the refusal means: a fault, or an answer of the model that its server did not accept, or that
    /// ended before its first word.
    pub(super) fn judge(&self, now: SystemTime) -> Result<ModelAnswer, ModelFault> {
        let value = first_of_list(serde_json::from_str(self.body).unwrap_or(Value::Null));
        let error = value.get("error").filter(|error| error.is_object());
        let error = error.unwrap_or(&value);
        let message = server_message(&value, self.body);
        if error_hints::is_about_spent_answer(&own_words(&message)) {
            return Ok(ModelAnswer {
                finish_reason: Some("length".to_string()),
                ..ModelAnswer::default()
            });
        }
        match refused_calls(error, &excerpt(&message)) {
            Some(answer) => Ok(answer),
            None => Err(self.fault(error, &message, now)),
        }
    }

    fn fault(&self, error: &Value, message: &str, now: SystemTime) -> ModelFault {
        let status = self.status;
        let text = format!(
            "HTTP {status}: {}{}",
            excerpt(message),
            place_of(error, message)
        );
        // What the server quotes says nothing.
        let quoting = message;
        let message = &own_words(message);
        if let Some(advice) = error_hints::missing_start_option(message) {
            return out_of_service(&text, advice, START_WAIT);
        }
        if let Some(advice) = self.account_trouble(error, message) {
            let stated = self.waits.longest(error, message, now);
            // A window ends when the server says so; an account without credit does not by a short pause.
            let is_window = account::is_about_window(&words_of(error, message));
            let stated = stated.filter(|wait| is_window || *wait > MAX_OBEYED_RETRY_AFTER);
            let wait = stated.map_or(ACCOUNT_WAIT, |wait| wait.max(MIN_WINDOW_WAIT));
            return out_of_service(&text, advice, wait);
        }
        if let Some(limit) = error_hints::beyond_a_minute(message) {
            let limit = Some(limit);
            return ModelFault::TooLong { text, limit };
        }
        // A 429 may mention tokens, too, but those are tokens per minute.
        let is_misread = misreading::is_misread(message);
        let may_pass = status >= 500 || matches!(status, 402 | 408 | 409 | 425 | 429);
        let is_too_long = || {
            let said = words_of(error, message);
            match may_pass {
                true => too_long::is_surely_too_long(&said),
                false => too_long::is_too_long(&said),
            }
        };
        if status == 413 || (status != 429 && !is_misread && is_too_long()) {
            let limit = context_limit(error).or_else(|| too_long::stated_limit(message));
            return ModelFault::TooLong { text, limit };
        }
        // Of a payment that is refused, what is left here ends by itself.
        let is_weather = matches!(status, 400 | 403 | 404 | 422);
        let cause = weather::cause(status, self.body, message).filter(|_| is_weather);
        let text = cause.map_or(text.clone(), |cause| format!("{text}; {cause}"));
        if may_pass || cause.is_some() {
            return match self.waits.until_next(error, message, now) {
                Some(wait) if wait > MAX_OBEYED_RETRY_AFTER => ModelFault::OutOfService {
                    text,
                    wait,
                    ends_by: ServiceReturn::Time,
                },
                retry_after => ModelFault::Transient { text, retry_after },
            };
        }
        let text = format!("{text}{}", setup_advice(status, quoting));
        match status == 401 || error_hints::is_about_key(message) {
            true => ModelFault::Permanent { text },
            false => ModelFault::Refused {
                text,
                usage: None,
                hint: RefusalHint::default(),
            },
        }
    }

    /// What helps where the provider's account is the reason; `None` if it is not. The message of a
    /// server that fails does not count, since it may quote what the model wrote of a game's credits.
    fn account_trouble(&self, error: &Value, message: &str) -> Option<&'static str> {
        let holds = |word: &str| self.body.contains(word);
        let is_limited = matches!(self.status, 402 | 403 | 429);
        // A limit of requests in flight is stated as a payment, too.
        if holds("openrouter_in_flight_budget") {
            return None;
        }
        if is_limited && holds("PerDay") && holds("quotaId") {
            return Some(
                "the account's quota of a day is used up: wait for its reset, or choose a larger plan",
            );
        }
        if self.status == 429 && holds("limit: 0") {
            return Some(
                "the account's plan does not contain this model: choose another plan or model",
            );
        }
        if misreading::is_misread(message) {
            return None;
        }
        if account::is_about_window(&words_of(error, message)) {
            return Some(
                "the account has used up what it may use for now: wait for its reset, or raise its \
                 limit at the provider",
            );
        }
        let is_spent = self.status == 402
            || codes_of(error).any(account::is_about_credit)
            || (self.status < 500 && account::is_about_credit(message));
        is_spent.then_some(
            "the account has no credit left: add credit or raise its limit at the provider",
        )
    }
}

/// What a server says of an error: its words for the kind, and its message.
fn words_of(error: &Value, message: &str) -> String {
    let words: Vec<&str> = codes_of(error).chain([message]).collect();
    words.join("\n")
}

/// The tool's definition at which an error points in a member of its own, unless its message is about
/// tools.
fn place_of(error: &Value, message: &str) -> String {
    let place = error["param"].as_str().unwrap_or_default();
    let is_of_tools = place.starts_with("tools") && !error_hints::is_about_tools(message);
    match is_of_tools {
        true => format!(" ({})", excerpt(place)),
        false => String::new(),
    }
}

/// The words by which a server itself says what kind of error it is.
fn codes_of(error: &Value) -> impl Iterator<Item = &str> {
    let codes = [
        &error["code"],
        &error["type"],
        &error["metadata"]["error_type"],
    ];
    codes.into_iter().filter_map(Value::as_str)
}

fn setup_advice(status: u16, message: &str) -> &'static str {
    match status {
        _ if error_hints::is_about_key(message) => {
            "; LiteLLM's proxy says so of a key that is missing or not its own: check the \
             provider's api_key_env or api_key_name"
        }
        401 | 403 => "; check the provider's api_key_env or api_key_name",
        404 => "; check the provider's endpoint and model",
        _ => "",
    }
}

fn out_of_service(text: &str, advice: &str, wait: Duration) -> ModelFault {
    ModelFault::OutOfService {
        text: format!("{text}; {advice}"),
        wait,
        ends_by: ServiceReturn::Operator,
    }
}

/// Gemini's errors are lists with one element.
fn first_of_list(value: Value) -> Value {
    let first = value.get(0).cloned();
    first.unwrap_or(value)
}

/// By how much the prompt exceeds the context, if the error states it.
fn context_limit(error: &Value) -> Option<ContextLimit> {
    let context = error["n_ctx"].as_u64().filter(|context| *context > 0)?;
    let prompt = error["n_prompt_tokens"].as_u64()?;
    Some(ContextLimit { prompt, context })
}

/// The calls of a model that its own server did not accept, with what the server says of them. They
/// are an answer of the model, which learns from the refusal as from any failed call.
fn refused_calls(error: &Value, message: &str) -> Option<ModelAnswer> {
    let is_of_model = error["code"] == "tool_use_failed" || error_hints::is_about_a_call(message);
    if !is_of_model {
        return None;
    }
    let written = error["failed_generation"].as_str().unwrap_or_default();
    let calls = written_call::parse_calls(written).unwrap_or_default();
    let mut calls: Vec<RequestedCall> = calls.into_iter().map(RequestedCall::from).collect();
    let mut why = format!(
        "Error: refused_call: the model server did not accept this call, so it was not made: \
         {message}. Call again, with a tool of the list and arguments by its schema."
    );
    if calls.is_empty() {
        calls.push(RequestedCall::default());
        if !written.is_empty() {
            let quoted: String = written.chars().take(MAX_QUOTED_LETTERS).collect();
            why = format!("{why} It was: {quoted}");
        }
    }
    Some(ModelAnswer {
        calls,
        refusal: Some(why),
        ..ModelAnswer::default()
    })
}

fn server_message(value: &Value, body: &str) -> String {
    let found = ["/error/message", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|path| value.pointer(path).and_then(Value::as_str));
    let found = found.map(str::to_string).or_else(|| details_of(value));
    // A router keeps the message of the server behind it in another member.
    let raw = value.pointer("/error/metadata/raw").and_then(Value::as_str);
    match (found, raw) {
        (Some(found), Some(raw)) => format!("{found}: {raw}"),
        (Some(text), None) => text,
        (None, Some(text)) => text.to_string(),
        (None, None) => body.to_string(),
    }
}

/// What FastAPI says of each mistake, without the values that it quotes. Mistral has it within the message.
fn details_of(value: &Value) -> Option<String> {
    let details = value.get("detail");
    let details = details.or_else(|| value.pointer("/message/detail"));
    let details = details?.as_array()?.iter();
    let said = details.filter_map(|detail| {
        let place = detail["loc"].as_array().into_iter().flatten();
        let place = place.map(|part| {
            part.as_str()
                .map_or_else(|| part.to_string(), str::to_string)
        });
        let place: Vec<String> = place.collect();
        Some(format!("{}: {}", place.join("."), detail["msg"].as_str()?))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

pub(super) fn excerpt(text: &str) -> String {
    match zoea_http::excerpt(text) {
        shown if shown.is_empty() => "(no text)".to_string(),
        shown => shown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(status: u16, body: &str) -> Result<ModelAnswer, ModelFault> {
        let refusal = Refusal {
            status,
            body,
            waits: HeaderWaits::default(),
        };
        refusal.judge(SystemTime::UNIX_EPOCH)
    }

    #[test]
    fn a_request_that_is_too_large_for_whoever_takes_it_is_too_long() {
        let proxy = judged(413, "<html>413 Request Entity Too Large</html>");
        assert!(
            matches!(proxy, Err(ModelFault::TooLong { .. })),
            "{proxy:?}"
        );
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_is_wrong_is_not() {
        for status in [408, 429, 500, 502, 503, 529] {
            let fault = judged(status, "");
            assert!(
                matches!(fault, Err(ModelFault::Transient { .. })),
                "{status}"
            );
        }
        for status in [400, 403, 404, 422] {
            let fault = judged(status, "");
            assert!(
                matches!(fault, Err(ModelFault::Refused { .. })),
                "{status}: trials judge it"
            );
        }
        let key = judged(401, "");
        assert!(matches!(key, Err(ModelFault::Permanent { .. })), "{key:?}");
    }

    #[test]
    fn a_filter_of_contents_that_asks_to_try_again_is_no_weather() {
        for (message, may_pass) in [
            (
                "Invalid prompt: your prompt was flagged as potentially violating our usage policy. \
                 Please try again with a different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting",
                false,
            ),
            ("The server had an error. Please try again.", true),
        ] {
            let error = json!({"message": message, "type": "invalid_request_error", "code": "invalid_prompt"});
            let fault = judged(400, &json!({ "error": error }).to_string());
            let is_weather = matches!(fault, Err(ModelFault::Transient { .. }));
            let is_refused = matches!(fault, Err(ModelFault::Refused { .. }));
            assert_eq!((is_weather, is_refused), (may_pass, !may_pass), "{fault:?}");
        }
    }

    /// llama.cpp quotes what its model wrote when it cannot read it.
    #[test]
    fn what_the_model_wrote_of_the_game_says_nothing_of_the_account_or_the_server() {
        let written = "Failed to parse input at pos 12: I have insufficient credits, so I sell ore. \
                       payment_required, they said.";
        let body = json!({"error": {"code": 500, "message": written, "type": "server_error"}});
        let fault = judged(500, &body.to_string());
        assert!(
            matches!(fault, Err(ModelFault::Transient { .. })),
            "{fault:?}"
        );
        // Beside the message, too.
        let quoted = json!({"error": {
            "message": "Invalid value",
            "input": "insufficient credits; start it with --enable-auto-tool-choice; prompt is too long",
        }});
        let fault = judged(400, &quoted.to_string());
        assert!(
            matches!(fault, Err(ModelFault::Refused { .. })),
            "{fault:?}"
        );
        // A server's own word for it counts for any status.
        let own = json!({"error": {"message": "x", "type": "insufficient_quota"}});
        let fault = judged(500, &own.to_string());
        assert!(
            matches!(fault, Err(ModelFault::OutOfService { .. })),
            "{fault:?}"
        );
    }

    #[test]
    fn a_message_is_judged_whole_and_shown_in_part() {
        let long = "é".repeat(5000);
        let body = json!({"error": {"message": format!("{long} maximum context length")}});
        let fault = judged(400, &body.to_string()).unwrap_err();
        assert!(matches!(fault, ModelFault::TooLong { .. }));
        assert!(fault.text().len() < 2000, "{}", fault.text().len());
    }

    #[test]
    fn the_servers_words_are_found_in_every_form() {
        for (body, words) in [
            (r#"{"error":{"message":"no such model"}}"#, "no such model"),
            (
                r#"[{"error":{"message":"no such model"}}]"#,
                "no such model",
            ),
            (r#"{"error":"overloaded"}"#, "overloaded"),
            (r#"{"detail":"nope"}"#, "nope"),
            ("plain text", "plain text"),
            ("", "(no text)"),
        ] {
            let fault = judged(400, body).unwrap_err();
            assert_eq!(fault.text(), format!("HTTP 400: {words}"));
        }
    }
}

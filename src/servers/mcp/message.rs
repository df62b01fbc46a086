//! Messages of a server, parsed only as far as needed to know what they answer.
//!
//! No tree of values is built, because a small text can make a large tree. A result stays text
//! until the caller parses it into its own types, piece by piece. What is wrong about a message
//! costs no more than that part of it.

use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;
use zoea_http::excerpt;
use zoea_http::mend::mend_json;
use zoea_http::raw_json;

use super::{McpFailure, unexpected_answer};

pub(super) const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
pub(super) const CANCELLED: &str = "notifications/cancelled";
/// The most requests of a server in one text.
pub(super) const MAX_REQUESTS: usize = 256;

pub(super) struct RpcMessage<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) method: Option<String>,
    pub(super) params: Option<&'a str>,
    result: Option<&'a str>,
    pub(super) error: Option<&'a str>,
    /// Whether it says which protocol it is of.
    is_named: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct RpcError {
    /// `None` if it has none, or another kind of code. That is part of the message then.
    pub(super) code: Option<i64>,
    pub(super) message: String,
}

/// A result that is not parsed yet.
#[derive(Debug)]
pub(super) struct RawResult(Box<RawValue>);

impl RawResult {
    pub(super) fn from_text(text: String) -> Result<RawResult, McpFailure> {
        let raw = RawValue::from_string(text);
        raw.map(RawResult)
            .map_err(|_| unexpected_answer("the request"))
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.get().len()
    }

    /// Whether it is the same, byte by byte.
    pub(super) fn is_same(&self, other: &RawResult) -> bool {
        self.0.get() == other.0.get()
    }

    pub(super) fn text(&self) -> &str {
        self.0.get()
    }

    pub(super) fn kind(&self) -> Option<String> {
        raw_json::member(self.text(), "resultType").and_then(raw_json::as_text)
    }

    pub(super) fn read<'a, T: Deserialize<'a>>(&'a self, to: &str) -> Result<T, McpFailure> {
        serde_json::from_str(self.0.get()).map_err(|_| unexpected_answer(to))
    }
}

pub(super) enum MessageMeaning {
    Answer(Result<RawResult, McpFailure>),
    /// It is a request of the server, or takes one back.
    Asks,
    NewTools,
    /// It answers another request, or none.
    NotOurs,
    /// It is of no interest.
    Other,
}

/// The messages in a text, as far as they are of interest to the request that waits for an answer.
#[derive(Default)]
pub(super) struct MatchedMessages<'a> {
    /// The answer. What stands behind it is not read.
    pub(super) answer: Option<Result<RawResult, McpFailure>>,
    /// The requests of the server, and what it takes back, in their order.
    pub(super) requests: Vec<RpcMessage<'a>>,
    pub(super) has_new_tools: bool,
    pub(super) is_message: bool,
    other_id: Option<&'a str>,
    is_json: bool,
}

impl<'a> MatchedMessages<'a> {
    /// Finds the messages in a text that [`readable`] has mended: one, a list of them, or several in
    /// a row. What is no message is passed over.
    pub(super) fn find(text: &'a str, id: i64, status: u16) -> MatchedMessages<'a> {
        let mut received = MatchedMessages::default();
        let read = for_each_value(text, |value| received.take(value, id, status));
        received.is_json = read > 0;
        received
    }

    /// Takes a value. Returns whether the next one is of interest.
    fn take(&mut self, value: &'a str, id: i64, status: u16) -> bool {
        let Some(message) = RpcMessage::read(value) else {
            return true;
        };
        self.is_message = true;
        match message.classify(id, status) {
            MessageMeaning::Answer(answer) => self.answer = Some(answer),
            MessageMeaning::Asks if self.requests.len() < MAX_REQUESTS => {
                self.requests.push(message);
            }
            MessageMeaning::NewTools => self.has_new_tools = true,
            MessageMeaning::NotOurs => self.other_id = Some(message.id.unwrap_or("none")),
            MessageMeaning::Asks | MessageMeaning::Other => {}
        }
        self.answer.is_none()
    }
}

impl<'a> RpcMessage<'a> {
    /// Reads a value; `None` if it is no message.
    pub(super) fn read(value: &'a str) -> Option<RpcMessage<'a>> {
        let keys = ["id", "method", "params", "result", "error", "jsonrpc"];
        let [id, method, params, result, error, named] = raw_json::pick_with_nulls(value, keys);
        let is_given = |value: &&str| *value != "null";
        let (id, error) = (id.filter(is_given), error.filter(is_given));
        let method = method.and_then(raw_json::as_text);
        let is_message = method.is_some() || result.is_some() || error.is_some() || id.is_some();
        is_message.then_some(RpcMessage {
            id,
            method,
            params,
            // Some answers have both, one of them empty.
            result: result.filter(|result| *result != "null" || error.is_none()),
            error,
            is_named: named.is_some(),
        })
    }

    /// What the message means for request `id`. An error without an id counts as its answer,
    /// because server-everything sends such errors after a restart. A result without an id or with
    /// another one does not.
    pub(super) fn classify(&self, id: i64, status: u16) -> MessageMeaning {
        if self.method.is_some() {
            return match (self.id, self.method.as_deref()) {
                (Some(_), _) | (None, Some(CANCELLED)) => MessageMeaning::Asks,
                (None, Some(TOOLS_CHANGED)) => MessageMeaning::NewTools,
                (None, Some(_) | None) => MessageMeaning::Other,
            };
        }
        let is_ours = self.id.is_some_and(|given| is_same_id(given, id));
        match (self.result, self.error) {
            (Some(result), _) if is_ours => {
                MessageMeaning::Answer(RawResult::from_text(result.to_string()))
            }
            (None, Some(error)) if is_ours || self.is_for_all(error) => {
                MessageMeaning::Answer(Err(RpcError::read(error).into_refusal(status)))
            }
            (Some(_), _) | (_, Some(_)) => MessageMeaning::NotOurs,
            (None, None) if self.id.is_some() => MessageMeaning::NotOurs,
            (None, None) => MessageMeaning::Other,
        }
    }

    /// Whether this error is that of a message without an id.
    fn is_for_all(&self, error: &str) -> bool {
        self.id.is_none() && (self.is_named || error.starts_with('{'))
    }

    pub(super) fn taken_back(&self) -> Option<RequestId> {
        if self.method.as_deref() != Some(CANCELLED) {
            return None;
        }
        let id = raw_json::member(self.params?, "requestId")?;
        serde_json::from_str(id).ok()
    }
}

impl RpcError {
    pub(super) fn read(error: &str) -> RpcError {
        let [code, message, data] = raw_json::pick(error, ["code", "message", "data"]);
        let text = |json: &str| raw_json::as_text(json).unwrap_or_else(|| json.to_string());
        let said = message.or(data).map(text);
        let message = said.filter(|said| !said.trim().is_empty());
        let message = message.unwrap_or_else(|| text(error));
        let code = code.map(text).filter(|code| !code.trim().is_empty());
        let number = code.as_deref().and_then(whole_number);
        match code {
            Some(code) if number.is_none() => RpcError {
                code: None,
                message: format!("{message} ({})", excerpt(&code)),
            },
            Some(_) | None => RpcError {
                code: number,
                message,
            },
        }
    }

    pub(super) fn into_refusal(self, status: u16) -> McpFailure {
        McpFailure::Refused {
            code: self.code,
            message: self.message,
            status,
        }
    }
}

/// Whether an id is this number. Some servers write it as a string, or with a fraction.
pub(super) fn is_same_id(given: &str, id: i64) -> bool {
    whole_number(given.trim_matches('"')) == Some(id)
}

fn whole_number(text: &str) -> Option<i64> {
    let text = text.trim();
    let from_fraction = || {
        let (whole, fraction) = text.split_once('.')?;
        let is_whole = fraction.bytes().all(|digit| digit == b'0');
        whole.parse().ok().filter(|_| is_whole)
    };
    text.parse().ok().or_else(from_fraction)
}

/// Calls `take` with each value in a text until it returns false: with one, with those of a list, or
/// with several in a row. Returns how many bytes were read as JSON.
pub(super) fn for_each_value<'a>(text: &'a str, mut take: impl FnMut(&'a str) -> bool) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut goes_on = true;
    while goes_on && let Some(Ok(value)) = values.next() {
        let value = value.get();
        if value.starts_with('[') {
            raw_json::for_each_element(value, |value| {
                goes_on = take(value);
                goes_on
            });
        } else {
            goes_on = take(value);
        }
    }
    values.byte_offset()
}

/// The text of a body, of an event, or of a line, without what no reader takes.
pub(super) fn readable(text: &str) -> std::borrow::Cow<'_, str> {
    mend_json(text.trim_matches(|c: char| c == '\u{feff}' || c == '\0' || c.is_whitespace()))
}

/// The result of request `id` in a body. If no message in it answers the request, the outcome of
/// that is unknown.
pub(super) fn parse_result(body: &[u8], id: i64, status: u16) -> Result<RawResult, McpFailure> {
    let text = String::from_utf8_lossy(body);
    let text = readable(&text);
    let received = MatchedMessages::find(&text, id, status);
    if let Some(answer) = received.answer {
        return answer;
    }
    Err(match received.other_id {
        Some(given) => {
            let given: String = given.chars().take(40).collect();
            McpFailure::Broken(format!(
                "the server answered another request: its id is {given}, ours is {id}"
            ))
        }
        None if received.is_json => unexpected_answer("the request"),
        None => McpFailure::Broken(format!("the answer cannot be read: {}", excerpt(&text))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Result<String, String> {
        let settled = parse_result(body.as_bytes(), 2, 200);
        settled
            .map(|raw| raw.text().to_string())
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn only_what_bears_the_id_of_the_request_is_its_result() {
        for id in ["2", "\"2\"", "2.0", "\"2.0\"", " 2 "] {
            let body = format!(r#"{{"id":{id},"result":{{}}}}"#);
            assert_eq!(answer(&body), Ok("{}".to_string()), "{id}");
        }
        for (body, given) in [
            (r#"{"id":3,"result":{}}"#, "3"),
            (r#"{"id":2.5,"result":{}}"#, "2.5"),
            (r#"{"id":"two","result":{}}"#, "\"two\""),
            (r#"{"id":null,"result":{}}"#, "none"),
            (r#"{"result":{}}"#, "none"),
            (r#"{"id":3,"error":{"code":-1,"message":"no"}}"#, "3"),
            (r#"{"id":2}"#, "2"),
        ] {
            let why = answer(body).unwrap_err();
            assert!(
                why.contains(&format!("its id is {given}, ours is 2")),
                "{why}"
            );
        }
        assert_eq!(
            answer(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}"#),
            Err("no (-1)".to_string())
        );
    }

    #[test]
    fn the_answer_is_found_among_whatever_stands_beside_it() {
        let ours = r#"{"jsonrpc":"2.0","id":2,"result":{"a":"b"}}"#;
        for body in [
            format!("\u{feff}{ours}"),
            format!(" \n{ours}\u{feff}\0"),
            format!("[{ours}]"),
            format!(r#"[{{"method":"notifications/x"}},{{"id":1,"result":{{}}}},7,{ours}]"#),
            format!("{{\"method\":\"x\"}}\n{ours}\nnonsense"),
            format!(r#"{{"id":1,"id":2,"error":null,{}"#, &ours[1..]),
            ours.replace("\"id\":2", "\"error\":{},\"id\":2"),
        ] {
            assert_eq!(answer(&body), Ok(r#"{"a":"b"}"#.to_string()), "{body}");
        }
        assert_eq!(answer(r#"{"id":2,"result":null}"#), Ok("null".to_string()));
        let odd = answer("{\"id\":2,\"result\":\"\\ud83d\u{1}\"}");
        assert_eq!(odd, Ok("\"\\ufffd \"".to_string()));
        let mut body = ours.replace('b', "?").into_bytes();
        let place = body.iter().position(|byte| *byte == b'?').unwrap();
        body[place] = 0xff;
        let read = parse_result(&body, 2, 200).unwrap();
        assert_eq!(read.text(), "{\"a\":\"\u{fffd}\"}");
    }

    #[test]
    fn an_error_is_told_in_the_servers_words_whatever_its_form() {
        for (error, expected) in [
            (r#"{"code":-5,"message":"full"}"#, "full (-5)"),
            (r#"{"code":"-5","message":"full"}"#, "full (-5)"),
            (r#"{"code":-5.0,"message":"full"}"#, "full (-5)"),
            (r#"{"code":"E_FULL","message":"full"}"#, "full (E_FULL)"),
            (r#"{"message":"full"}"#, "full"),
            (r#"{"code":null,"message":"full"}"#, "full"),
            (r#"{"code":-5}"#, r#"{"code":-5} (-5)"#),
            (
                r#"{"code":-5,"message":"","data":"full"}"#,
                "{\"code\":-5,\"message\":\"\",\"data\":\"full\"} (-5)",
            ),
            (r#"{"code":-5,"data":"full"}"#, "full (-5)"),
            (r#"{"code":-5,"message":["full"]}"#, r#"["full"] (-5)"#),
            (r#""full""#, "full"),
            ("true", "true"),
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":2,"error":{error}}}"#);
            assert_eq!(answer(&body), Err(expected.to_string()), "{error}");
        }
    }

    #[test]
    fn what_is_no_message_is_told_as_it_is() {
        let fault = answer("<html>Hello</html>").unwrap_err();
        assert_eq!(fault, "the answer cannot be read: <html>Hello</html>");
        let fault = answer("[1,2]").unwrap_err();
        assert!(fault.contains("something else"), "{fault}");
    }
}

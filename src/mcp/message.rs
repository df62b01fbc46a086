//! Messages of a server, parsed only as far as needed to know what they answer.
//!
//! No tree of values is built, because a small text can make a large tree. A result stays text
//! until the caller parses it into its own types, piece by piece.

use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{McpFailure, unexpected_answer};

/// The notification that the tools of the server have changed.
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
/// The notification that a request is taken back.
const CANCELLED: &str = "notifications/cancelled";

/// A message of the server.
#[derive(Deserialize)]
pub(super) struct RpcMessage<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) method: Option<String>,
    #[serde(borrow, default)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// The JSON-RPC error, as far as it is needed.
#[derive(Deserialize)]
pub(super) struct RpcError {
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
}

/// A result that is not parsed yet.
#[derive(Debug)]
pub(super) struct RawResult(Box<RawValue>);

impl RawResult {
    /// A result that was put together from its parts.
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

    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        self.0.get()
    }

    /// What kind of a result it says that it is.
    pub(super) fn kind(&self, to: &str) -> Result<Option<String>, McpFailure> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct ResultKind {
            #[serde(default)]
            result_type: Option<String>,
        }
        let kind: ResultKind = self.read(to)?;
        Ok(kind.result_type)
    }

    /// Parses the result as this type.
    pub(super) fn read<'a, T: Deserialize<'a>>(&'a self, to: &str) -> Result<T, McpFailure> {
        serde_json::from_str(self.0.get()).map_err(|_| unexpected_answer(to))
    }
}

/// What a message means for the request that waits for an answer.
pub(super) enum MessageMeaning {
    /// It answers the request.
    Answer(Result<RawResult, McpFailure>),
    /// It is a request of the server.
    Asks,
    /// The server takes a request of its own back.
    TakesBack(RequestId),
    /// The tools of the server have changed.
    NewTools,
    /// It is of no interest.
    Other,
}

impl RpcMessage<'_> {
    /// What the message means for request `id`. An error without an id counts as its answer,
    /// because server-everything sends such errors after a restart. A result without an id or with
    /// another one does not.
    pub(super) fn classify(&self, id: i64, status: u16) -> MessageMeaning {
        if self.method.is_some() {
            return match self.id {
                Some(_) => MessageMeaning::Asks,
                None => match self.method.as_deref() {
                    Some(TOOLS_CHANGED) => MessageMeaning::NewTools,
                    Some(CANCELLED) => self.taken_back(),
                    Some(_) | None => MessageMeaning::Other,
                },
            };
        }
        let is_ours = self.id.is_some_and(|given| is_same_id(given, id));
        if let Some(error) = self.error {
            if self.id.is_some() && !is_ours {
                return MessageMeaning::Other;
            }
            return MessageMeaning::Answer(Err(refusal_failure(error, status)));
        }
        match self.result {
            Some(result) if is_ours => MessageMeaning::Answer(Ok(RawResult(result.to_owned()))),
            Some(_) | None => MessageMeaning::Other,
        }
    }
}

impl RpcMessage<'_> {
    fn taken_back(&self) -> MessageMeaning {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct CancelledParams {
            request_id: RequestId,
        }
        let params = self.params.map_or("null", RawValue::get);
        match serde_json::from_str::<CancelledParams>(params) {
            Ok(params) => MessageMeaning::TakesBack(params.request_id),
            Err(_) => MessageMeaning::Other,
        }
    }
}

/// Whether an id is this number. Some servers write it as a string.
fn is_same_id(given: &RawValue, id: i64) -> bool {
    given.get().trim_matches('"').parse() == Ok(id)
}

fn refusal_failure(error: &RawValue, status: u16) -> McpFailure {
    match serde_json::from_str::<RpcError>(error.get()) {
        Ok(RpcError { code, message }) => McpFailure::Refused {
            code,
            message,
            status,
        },
        Err(_) => McpFailure::Broken("the server's error cannot be read".to_string()),
    }
}

/// The result of request `id` in a body with one message. If the message answers another request or
/// none, the outcome of this one is unknown.
pub(super) fn parse_result(body: Vec<u8>, id: i64, status: u16) -> Result<RawResult, McpFailure> {
    let text = String::from_utf8(body)
        .map_err(|_| McpFailure::Broken("the answer is no UTF-8".to_string()))?;
    let message: RpcMessage<'_> = serde_json::from_str(&text)
        .map_err(|error| McpFailure::Broken(format!("the answer cannot be read: {error}")))?;
    match message.classify(id, status) {
        MessageMeaning::Answer(answer) => answer,
        MessageMeaning::Asks => Err(unexpected_answer("the request")),
        MessageMeaning::TakesBack(_) | MessageMeaning::NewTools | MessageMeaning::Other => {
            let given = message.id.map_or("none", RawValue::get);
            let given: String = given.chars().take(40).collect();
            Err(McpFailure::Broken(format!(
                "the server answered another request: its id is {given}, ours is {id}"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Result<String, String> {
        let settled = parse_result(body.as_bytes().to_vec(), 2, 200);
        settled
            .map(|raw| raw.text().to_string())
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn only_what_bears_the_id_of_the_request_is_its_result() {
        assert_eq!(answer(r#"{"id":2,"result":{}}"#), Ok("{}".to_string()));
        assert_eq!(answer(r#"{"id":"2","result":{}}"#), Ok("{}".to_string()));
        for (body, given) in [
            (r#"{"id":3,"result":{}}"#, "3"),
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
            answer(r#"{"id":null,"error":{"code":-1,"message":"no"}}"#),
            Err("no (-1)".to_string())
        );
    }
}

//! The envelope of a JSON-RPC message: just enough to know whom it is for, and to answer it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The parts of a message that the endpoint needs before rmcp reads all of it.
#[derive(Debug)]
pub(super) struct Envelope<'a> {
    /// The id as it came. A notification and a response have none.
    pub(super) id: Option<&'a str>,
    pub(super) kind: RpcMessageKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RpcMessageKind {
    Initialize,
    ToolsList,
    /// `tools/call` of register, login or login_link.
    LogIn,
    Other,
}

/// The reason why a body is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoMessage {
    /// Not JSON: -32700.
    NoJson,
    /// A batch, or not an object: -32600.
    NoRequest,
}

#[derive(Deserialize)]
struct RawEnvelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ActionArgument<'a> {
    #[serde(borrow, default)]
    action: Option<Cow<'a, str>>,
}

impl<'a> Envelope<'a> {
    pub(super) fn read(body: &'a [u8]) -> Result<Self, NoMessage> {
        // serde would accept a list as the fields of the object in their order.
        if body.trim_ascii_start().first() == Some(&b'[') {
            return Err(NoMessage::NoRequest);
        }
        let raw: RawEnvelope = match serde_json::from_slice(body) {
            Ok(raw) => raw,
            Err(error) if error.is_data() => return Err(NoMessage::NoRequest),
            Err(_) => return Err(NoMessage::NoJson),
        };
        let id = raw.id.map(RawValue::get).filter(|id| *id != "null");
        let kind = match raw.method.as_deref() {
            Some("initialize") => RpcMessageKind::Initialize,
            Some("tools/list") if id.is_some() => RpcMessageKind::ToolsList,
            Some("tools/call") => tool_call_kind(raw.params),
            Some(_) | None => RpcMessageKind::Other,
        };
        // A response has an id too, but nobody waits for an answer to it.
        let id = id.filter(|_| raw.method.is_some());
        Ok(Self { id, kind })
    }
}

fn tool_call_kind(params: Option<&RawValue>) -> RpcMessageKind {
    let params = params.and_then(|params| serde_json::from_str::<Params>(params.get()).ok());
    let Some(Params { name, arguments }) = params else {
        return RpcMessageKind::Other;
    };
    let action = || {
        let argument: ActionArgument = serde_json::from_str(arguments?.get()).ok()?;
        argument.action
    };
    let command = match name.as_deref() {
        Some("spacemolt_auth") => action(),
        Some(_) | None => name,
    };
    match command.as_deref() {
        Some("register" | "login" | "login_link") => RpcMessageKind::LogIn,
        Some(_) | None => RpcMessageKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<(Option<&str>, RpcMessageKind), NoMessage> {
        Envelope::read(body.as_bytes()).map(|envelope| (envelope.id, envelope.kind))
    }

    #[test]
    fn requests_are_told_apart() {
        let login = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"login"}}"#;
        assert_eq!(read(login), Ok((Some("\"a\""), RpcMessageKind::LogIn)));
        let list = r#"{"id":7,"method":"tools/list"}"#;
        assert_eq!(read(list), Ok((Some("7"), RpcMessageKind::ToolsList)));
        let action = r#"{"id":7,"method":"tools/call","params":{"name":"spacemolt_auth","arguments":{"action":"login"}}}"#;
        assert_eq!(read(action), Ok((Some("7"), RpcMessageKind::LogIn)));
        let mine = r#"{"id":7,"method":"tools/call","params":{"name":"mine"}}"#;
        assert_eq!(read(mine), Ok((Some("7"), RpcMessageKind::Other)));
        let notification = r#"{"method":"notifications/initialized"}"#;
        assert_eq!(read(notification), Ok((None, RpcMessageKind::Other)));
        assert_eq!(
            read(r#"{"id":1,"result":{}}"#),
            Ok((None, RpcMessageKind::Other))
        );
    }

    #[test]
    fn what_is_no_message_is_told_apart_too() {
        assert_eq!(read("{\"id\":").unwrap_err(), NoMessage::NoJson);
        assert_eq!(read("").unwrap_err(), NoMessage::NoJson);
        assert_eq!(read("[]").unwrap_err(), NoMessage::NoRequest);
        assert_eq!(read("\"hi\"").unwrap_err(), NoMessage::NoRequest);
    }
}

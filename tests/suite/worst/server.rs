//! A server that answers with what it is told, in pieces and without end.

use std::io::Write;
use std::net::TcpStream;

use serde_json::{Value, json};
use zoea_rig::answering::{listen, read_request};

pub(super) const MB: usize = 1 << 20;

/// An answer: written to the connection until the other side closes it, if necessary.
pub(super) type Answer = Box<dyn Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync>;

/// A server that answers each request body as a function says. Returns its address.
pub(super) fn hostile(answer: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> String {
    let address = listen(move |mut stream| {
        let (_, body) = read_request(&stream)?;
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        // The client closes the connection when it has read enough.
        answer(&body)(&mut stream).ok()
    });
    format!("http://{address}")
}

pub(super) fn head(status: u16, kind: &str) -> String {
    format!("HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n")
}

/// An answer in pieces: the first one, a repeated one, and the last one.
pub(super) fn pieces(
    head: String,
    first: String,
    (piece, times): (String, usize),
    last: String,
) -> Answer {
    Box::new(move |stream| {
        stream.write_all(head.as_bytes())?;
        stream.write_all(first.as_bytes())?;
        for _ in 0..times {
            stream.write_all(piece.as_bytes())?;
        }
        stream.write_all(last.as_bytes())
    })
}

/// A list of the same repeated element, of this many bytes.
pub(super) fn list(
    first: &str,
    (element, bytes): (&str, usize),
    last: &str,
) -> (String, (String, usize), String) {
    let piece = format!("{element},").repeat(1024);
    let times = bytes / piece.len();
    (
        first.to_string(),
        (piece, times),
        format!("{element}{last}"),
    )
}

pub(super) fn whole((first, piece, last): (String, (String, usize), String)) -> Answer {
    pieces(head(200, "application/json"), first, piece, last)
}

pub(super) fn streamed((first, piece, last): (String, (String, usize), String)) -> Answer {
    pieces(head(200, "text/event-stream"), first, piece, last)
}

pub(super) fn text(status: u16, body: &Value) -> Answer {
    let none = (String::new(), 0);
    pieces(
        head(status, "application/json"),
        body.to_string(),
        none,
        String::new(),
    )
}

pub(super) fn words() -> Answer {
    let message = json!({"role": "assistant", "content": "All well."});
    text(
        200,
        &json!({"choices": [{"message": message, "finish_reason": "stop"}]}),
    )
}

pub(super) fn wants(tool: &str) -> Answer {
    let call = json!({"id": "c", "function": {"name": tool, "arguments": "{}"}});
    let message = json!({"content": null, "tool_calls": [call]});
    text(
        200,
        &json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]}),
    )
}

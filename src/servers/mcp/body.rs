//! The body of a response: read up to a limit, and known by how it begins, because many servers name
//! another media type than they send, or none.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE};
use tokio::time::timeout;
use zoea_http::sse::BYTE_ORDER_MARK;
use zoea_http::{excerpt, said};

use super::McpFailure;
use super::incidents::Exchange;

/// The most bytes that say nothing before a body begins.
const MAX_BLANK_BYTES: usize = 64 << 10;
/// After so long without another byte, a body that says everything needs no end.
const MAX_IDLE: Duration = Duration::from_secs(1);
const EVENT_LINES: [&str; 5] = ["data:", "event:", "id:", "retry:", ":"];

pub(super) struct OpenBody {
    response: reqwest::Response,
    /// What was received and not taken yet.
    begun: Vec<u8>,
    /// Its media type in small letters, without parameters; empty if it names none.
    media_type: String,
    exchange: Exchange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyKind {
    Empty,
    Json,
    Events,
    /// None of these.
    Foreign,
}

impl OpenBody {
    pub(super) fn new(response: reqwest::Response, exchange: Exchange) -> OpenBody {
        exchange.is_answered(&response);
        let named = response.headers().get(CONTENT_TYPE);
        let named = named.and_then(|named| named.to_str().ok());
        let media_type = named.and_then(|named| named.split([';', ',']).next());
        OpenBody {
            media_type: media_type.unwrap_or_default().trim().to_ascii_lowercase(),
            begun: Vec::new(),
            response,
            exchange,
        }
    }

    /// Waits for the beginning and tells what the body is.
    pub(super) async fn form(&mut self) -> Result<BodyKind, McpFailure> {
        let is_stream = self.media_type == EVENT_STREAM_MIME_TYPE;
        loop {
            if let Some(form) = form_of(&self.begun, is_stream) {
                return Ok(form);
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => {
                    self.exchange.take(&chunk);
                    self.begun.extend_from_slice(&chunk);
                }
                // Its reader finds the end, and knows how to go on.
                Ok(None) | Err(_) if is_stream => return Ok(BodyKind::Events),
                Ok(None) if self.begun.is_empty() => return Ok(BodyKind::Empty),
                Ok(None) => return Ok(BodyKind::Foreign),
                Err(error) => return Err(http_failure(error)),
            }
        }
    }

    /// The next part; `None` at the end. Cancel-safe.
    pub(super) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, McpFailure> {
        if !self.begun.is_empty() {
            return Ok(Some(std::mem::take(&mut self.begun)));
        }
        let chunk = self.response.chunk().await.map_err(http_failure)?;
        if let Some(chunk) = &chunk {
            self.exchange.take(chunk);
        }
        Ok(chunk.map(|chunk| chunk.to_vec()))
    }

    /// The whole body. One that breaks off, or does not end, is taken as it is if it says
    /// everything already.
    pub(super) async fn read(
        mut self,
        max_bytes: usize,
        says_all: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<u8>, McpFailure> {
        let announced = self.response.content_length().unwrap_or(0);
        if announced > max_bytes as u64 {
            return Err(too_large(max_bytes));
        }
        // It is at most `max_bytes`, so it fits.
        let mut body = Vec::with_capacity(usize::try_from(announced).unwrap_or(0));
        loop {
            match timeout(MAX_IDLE, self.chunk()).await {
                Ok(Ok(Some(chunk))) if chunk.len() > max_bytes - body.len() => {
                    return Err(too_large(max_bytes));
                }
                Ok(Ok(Some(chunk))) => body.extend_from_slice(&chunk),
                Ok(Ok(None)) => return Ok(body),
                Ok(Err(_)) | Err(_) if says_all(&body) => return Ok(body),
                Ok(Err(failure)) => return Err(failure),
                Err(_) => {}
            }
        }
    }

    /// The failure of a body that is no message, with its first words.
    pub(super) async fn into_foreign(self) -> McpFailure {
        let named = match &*self.media_type {
            "" | JSON_MIME_TYPE | EVENT_STREAM_MIME_TYPE => "something".to_string(),
            named => format!("`{}`", excerpt(named)),
        };
        let body = self.read(MAX_BLANK_BYTES, |_| true).await;
        let said = said(&String::from_utf8_lossy(&body.unwrap_or_default()));
        McpFailure::Broken(format!(
            "the server answered with {named} which is not MCP; is the URL right?{said}"
        ))
    }
}

/// What a body is that begins so; `None` if more of it has to be known.
fn form_of(begun: &[u8], is_stream: bool) -> Option<BodyKind> {
    let mut rest = begun;
    while let [b' ' | b'\t' | b'\r' | b'\n' | 0, after @ ..] =
        rest.strip_prefix(BYTE_ORDER_MARK).unwrap_or(rest)
    {
        rest = after;
    }
    rest = rest.strip_prefix(BYTE_ORDER_MARK).unwrap_or(rest);
    let is_cut = BYTE_ORDER_MARK.starts_with(rest)
        || EVENT_LINES
            .iter()
            .any(|line| line.as_bytes().starts_with(rest) && rest.len() < line.len());
    match rest {
        [b'{' | b'[', ..] => Some(BodyKind::Json),
        _ if is_cut && begun.len() <= MAX_BLANK_BYTES => None,
        _ if is_stream
            || EVENT_LINES
                .iter()
                .any(|line| rest.starts_with(line.as_bytes())) =>
        {
            Some(BodyKind::Events)
        }
        _ => Some(BodyKind::Foreign),
    }
}

/// Converts an error without its URL, which may contain a secret.
pub(super) fn http_failure(error: reqwest::Error) -> McpFailure {
    McpFailure::Http {
        text: zoea_http::error_text(&error),
        error: error.without_url(),
    }
}

pub(super) fn too_large(max_bytes: usize) -> McpFailure {
    McpFailure::Broken(format!(
        "the answer is larger than the {} KiB that are read",
        max_bytes >> 10
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_known_by_how_it_begins() {
        let mark = "\u{feff}";
        for (begun, form) in [
            ("{", Some(BodyKind::Json)),
            ("\r\n [", Some(BodyKind::Json)),
            (&*format!("{mark}{{"), Some(BodyKind::Json)),
            (&*format!(" {mark}\n{mark}{{"), Some(BodyKind::Json)),
            ("data: {", Some(BodyKind::Events)),
            ("\n: hello", Some(BodyKind::Events)),
            (&*format!("{mark}event:x"), Some(BodyKind::Events)),
            ("", None),
            (" \n", None),
            ("ev", None),
            ("eve!", Some(BodyKind::Foreign)),
            ("<html>", Some(BodyKind::Foreign)),
            ("ore", Some(BodyKind::Foreign)),
        ] {
            assert_eq!(form_of(begun.as_bytes(), false), form, "{begun:?}");
            let in_stream = match form {
                Some(BodyKind::Foreign) => Some(BodyKind::Events),
                form => form,
            };
            assert_eq!(form_of(begun.as_bytes(), true), in_stream, "{begun:?}");
        }
        assert_eq!(form_of(b"\xef\xbb", false), None);
        let blank = vec![b' '; MAX_BLANK_BYTES + 1];
        assert_eq!(form_of(&blank, false), Some(BodyKind::Foreign));
    }
}

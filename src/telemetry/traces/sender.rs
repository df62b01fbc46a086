//! Brings spans to a collector by OTLP over HTTP.

use std::io::Write;
use std::time::{Duration, SystemTime};

use actors::secrets::Secrets;
use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use serde_json::Value;
use zoea_http::answers::{read_beginning, readable};
use zoea_settings::TraceProtocol;
use zoea_text::redact::Redactor;

use super::otlp::{ExportTraceServiceRequest, ExportTraceServiceResponse};

const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The waits before further tries, where the collector names none.
pub(super) const RETRY_WAITS: [Duration; 4] = [
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(10),
];

pub(super) struct OtlpSender {
    pub(super) http: reqwest::Client,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) protocol: TraceProtocol,
    pub(super) is_compressed: bool,
    /// The waits before further tries, where the collector names none.
    pub(super) waits: &'static [Duration],
    /// What is removed from the collector's words, before they are cut.
    pub(super) secrets: Secrets,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) rejected: u64,
    /// What it says, if anything.
    pub(super) message: String,
}

struct FailedTry {
    why: String,
    is_final: bool,
    wait: Option<Duration>,
}

impl OtlpSender {
    /// Sends spans, again where that may help.
    pub(super) async fn send(&self, spans: &ExportTraceServiceRequest) -> Result<Taken, String> {
        let body = self.encode(spans)?;
        let mut waits = self.waits.iter();
        loop {
            let failed = match self.try_once(body.clone()).await {
                Ok(taken) => return Ok(taken),
                Err(failed) => failed,
            };
            let Some(usual) = waits.next().filter(|_| !failed.is_final) else {
                return Err(failed.why);
            };
            let wait = zoea_http::waits::before_retry(failed.wait, *usual);
            // The collectors of a house are not asked by all of its programs at once.
            tokio::time::sleep(wait + wait.mul_f64(fastrand::f64() / 10.0)).await;
        }
    }

    fn encode(&self, spans: &ExportTraceServiceRequest) -> Result<Vec<u8>, String> {
        let plain = match self.protocol {
            TraceProtocol::Protobuf => spans.encode_to_vec(),
            TraceProtocol::Json => serde_json::to_vec(spans).map_err(|error| error.to_string())?,
        };
        if !self.is_compressed {
            return Ok(plain);
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        let written = packed.write_all(&plain).and_then(|()| packed.finish());
        written.map_err(|error| error.to_string())
    }

    async fn try_once(&self, body: Vec<u8>) -> Result<Taken, FailedTry> {
        let mut request = self.http.post(&self.url).timeout(REQUEST_TIMEOUT);
        request = request.headers(self.headers.clone());
        let kind = match self.protocol {
            TraceProtocol::Protobuf => "application/x-protobuf",
            TraceProtocol::Json => "application/json",
        };
        request = request.header(CONTENT_TYPE, kind).header(ACCEPT, kind);
        if self.is_compressed {
            request = request.header(CONTENT_ENCODING, "gzip");
        }
        let answer = request.body(body).send().await;
        let answer = answer.map_err(|error| FailedTry {
            is_final: error.is_redirect() || error.is_builder(),
            why: zoea_http::error_text(&error),
            wait: None,
        })?;
        let status = answer.status();
        let wait = zoea_http::retry_after(answer.headers(), SystemTime::now());
        let kind = answer.headers().get(CONTENT_TYPE);
        let is_of = |begin: &[u8]| {
            kind.and_then(|kind| kind.as_bytes().get(..begin.len()))
                .is_some_and(|kind| kind.eq_ignore_ascii_case(begin))
        };
        let (is_json, is_html) = (is_of(b"application/json"), is_of(b"text/html"));
        let said = read_beginning(answer).await;
        let known = self.secrets.redactor();
        if status.is_success() && is_page(&said, is_html) {
            let why = format!(
                "HTTP {status} with a web page, not a collector's answer{}; check [traces] endpoint",
                zoea_http::said(&known.clean(&readable(&said)))
            );
            return Err(FailedTry {
                why,
                is_final: true,
                wait,
            });
        }
        if status.is_success() {
            return Ok(read_taken(&said, is_json, &known));
        }
        Err(FailedTry {
            why: refusal_text(status, &said, &known),
            is_final: !may_pass(status),
            wait,
        })
    }
}

/// Whether OTLP says that a request with this answer is sent again.
fn may_pass(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// Whether an answer is a web page, as a server gives it at an address that takes no spans. No answer by OTLP begins
/// with `<`; an empty one may be called HTML, and is taken.
fn is_page(said: &[u8], is_html: bool) -> bool {
    let said = match is_html {
        true => said.trim_ascii_start(),
        false => said,
    };
    said.starts_with(b"<")
}

/// What the collector says about a request that it took. An answer that cannot be read says
/// nothing.
fn read_taken(said: &[u8], is_json: bool, known: &Redactor) -> Taken {
    let (rejected, message) = if is_json {
        let said: Value = serde_json::from_slice(said).unwrap_or_default();
        let partial = &said["partialSuccess"];
        // Proto3 writes a number of 64 bits as text; some collectors write a number.
        let rejected = &partial["rejectedSpans"];
        let number = rejected.as_str().and_then(|text| text.parse().ok());
        let message = partial["errorMessage"].as_str().unwrap_or_default();
        (
            number.or(rejected.as_i64()).unwrap_or(0),
            message.to_string(),
        )
    } else {
        let said = ExportTraceServiceResponse::decode(said).unwrap_or_default();
        let partial = said.partial_success.unwrap_or_default();
        (partial.rejected_spans, partial.error_message)
    };
    Taken {
        rejected: u64::try_from(rejected).unwrap_or(0),
        message: zoea_http::excerpt(&known.clean(&message)),
    }
}

fn refusal_text(status: StatusCode, said: &[u8], known: &Redactor) -> String {
    let advice = match status.as_u16() {
        401 | 403 => "; check the variable that [traces] headers_env names",
        404 | 405 => "; check [traces] endpoint",
        415 => "; set [traces] protocol to the other form",
        _ => "",
    };
    let said = zoea_http::said(&known.clean(&readable(said)));
    format!("HTTP {status}{said}{advice}")
}

#[cfg(test)]
mod tests;

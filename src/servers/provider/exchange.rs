//! One exchange with a provider: sends the request and reads the answer to its end.

use std::time::{Duration, SystemTime};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use tokio::time::Instant;
use zoea_http::kept::RawAnswer;
use zoea_http::redirects::{Redirected, sent_once};

use super::answer::ReceivedAnswer;
use super::failure::{BadBody, HttpFailure};
use super::probe::{ResponseForm, ResponseProbe};
use super::stream::{AnswerBody, AnswerReader};
use super::usage::parse_dollars;
use super::waits::HeaderWaits;

/// How long a connection may stay open after the end of a stream before it is closed instead of
/// reused.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(250);
/// How long a stream may take to report the usage after the model has finished.
const USAGE_TIMEOUT: Duration = Duration::from_secs(1);
/// The same where more of the answer may come, because each piece may name an end: models pause to think.
const NEXT_PIECE_TIMEOUT: Duration = Duration::from_secs(30);
/// The header in which LiteLLM states the cost of a call in dollars.
const COST_HEADER: &str = "x-litellm-response-cost";
/// The body that the library gets when the answer has been read already.
const NO_BODY: &str = "null";

/// Sends a request once and reads the whole answer, so that an incomplete one is noticed here.
/// Reports the progress meanwhile.
pub(super) async fn send_request(
    http: &reqwest::Client,
    factory: HttpRequestFactory,
    hearing: &ResponseProbe,
) -> Result<reqwest::Response, OpenAIError> {
    let mut response = send_body(http, factory, hearing).await?;
    let status = response.status();
    let waits = HeaderWaits::read(response.headers(), SystemTime::now());
    let cost = response.headers().get(COST_HEADER);
    let cost = cost.and_then(|cost| parse_dollars(cost.to_str().ok()?));
    let head = RawAnswer::of_head(&response);
    hearing.note(|observed| {
        observed.stated_cost = cost;
        observed.raw = Some(head);
    });
    let is_answer = status.is_success();
    let mut reader = if is_answer {
        AnswerReader::new()
    } else {
        AnswerReader::of_refusal()
    };
    let end = read_body(&mut response, &mut reader, hearing).await?;
    match (reader.finish(), end) {
        (AnswerBody::Whole(_), BodyEnd::Broken(error)) => Err(error.into()),
        (AnswerBody::Whole(body), BodyEnd::Complete | BodyEnd::GivenUp) if !is_answer => {
            Err(OpenAIError::Boxed(Box::new(HttpFailure {
                status: status.as_u16(),
                waits,
                body: String::from_utf8_lossy(&body).into_owned(),
            })))
        }
        (AnswerBody::Whole(body), BodyEnd::Complete | BodyEnd::GivenUp) => {
            hearing.note(|observed| observed.form = Some(ResponseForm::Whole));
            Ok(http::Response::new(body).into())
        }
        // An error after the model has finished does not affect the answer.
        (AnswerBody::Joined(answer), end) => {
            // Of an answer that was cut nothing else can be known.
            let has_usage = answer.has_usage() || answer.is_runaway();
            hearing.note(|observed| {
                observed.form = Some(end.form_of_stream(has_usage));
                observed.joined = Some(*answer);
            });
            Ok(http::Response::new(NO_BODY).into())
        }
        (AnswerBody::Cut(what), end) => {
            hearing.note(|observed| observed.form = Some(ResponseForm::Cut));
            Err(bad_body(format!("{what}{}", end.why())))
        }
    }
}

/// How the reading of a body ended.
enum BodyEnd {
    /// All came that is needed.
    Complete,
    /// The model has finished, and nothing more came in time. The usage may only be late.
    GivenUp,
    Broken(reqwest::Error),
}

impl BodyEnd {
    /// The form of a streamed answer that ended so. Only a whole body shows that no usage is stated.
    fn form_of_stream(&self, has_usage: bool) -> ResponseForm {
        match self {
            BodyEnd::GivenUp | BodyEnd::Broken(_) if !has_usage => ResponseForm::Late,
            BodyEnd::Complete | BodyEnd::GivenUp | BodyEnd::Broken(_) => {
                ResponseForm::InPieces { has_usage }
            }
        }
    }

    fn why(&self) -> String {
        match self {
            BodyEnd::Complete | BodyEnd::GivenUp => String::new(),
            BodyEnd::Broken(error) => format!(": {}", zoea_http::error_text(error)),
        }
    }
}

/// Sends a request, whose bytes are gone once they are sent.
async fn send_body(
    http: &reqwest::Client,
    factory: HttpRequestFactory,
    hearing: &ResponseProbe,
) -> Result<reqwest::Response, OpenAIError> {
    let request = factory.build().await?;
    // It could build the request again, and keeps its bytes for that.
    drop(factory);
    let bytes = request.body().and_then(reqwest::Body::as_bytes);
    let bytes = bytes.map(<[u8]>::len);
    hearing.note(|observed| observed.sent_bytes = bytes.unwrap_or(0) as u64);
    tracing::debug!(bytes, stage = "sent", "request");
    let response = http.execute(sent_once(request)).await?;
    match Redirected::of_answer(&response) {
        Some(redirected) => Err(OpenAIError::Boxed(Box::new(redirected))),
        None => Ok(response),
    }
}

/// Reads a body to its end. After the model has finished, it only waits as long as reporting the
/// usage, or the next piece, may take.
async fn read_body(
    response: &mut reqwest::Response,
    reader: &mut AnswerReader,
    hearing: &ResponseProbe,
) -> Result<BodyEnd, OpenAIError> {
    // Since when no further part of a stream has come.
    let mut silent_since = Instant::now();
    loop {
        let next = response.chunk();
        let patience = match (reader.is_over(), reader.is_finished()) {
            (true, _) => Some(CLOSE_TIMEOUT),
            (false, true) if reader.may_go_on() => Some(NEXT_PIECE_TIMEOUT),
            (false, true) => Some(USAGE_TIMEOUT),
            (false, false) => None,
        };
        let next = match patience {
            None => next.await,
            Some(patience) => match tokio::time::timeout_at(silent_since + patience, next).await {
                Ok(next) => next,
                Err(_) if reader.is_over() => return Ok(BodyEnd::Complete),
                Err(_) => return Ok(BodyEnd::GivenUp),
            },
        };
        let stood = (reader.arrived(), reader.is_over(), reader.is_finished());
        hearing.meter.gives_sign_of_life();
        match next {
            Ok(Some(bytes)) => {
                hearing.keep(&bytes);
                reader.take(&bytes).map_err(bad_body)?;
            }
            Ok(None) => return Ok(BodyEnd::Complete),
            Err(error) => return Ok(BodyEnd::Broken(error)),
        }
        if stood != (reader.arrived(), reader.is_over(), reader.is_finished()) {
            silent_since = Instant::now();
        }
        hearing.meter.stands_at(reader.arrived());
        if reader.is_enough() {
            return Ok(BodyEnd::Complete);
        }
    }
}

/// What a body is that came at once, as far as it was an answer at all.
pub(super) fn read_whole(
    status: u16,
    body: &str,
) -> (Result<ReceivedAnswer, OpenAIError>, Option<ResponseForm>) {
    if !(200..300).contains(&status) {
        let failure = HttpFailure {
            status,
            waits: HeaderWaits::default(),
            body: body.to_string(),
        };
        return (Err(OpenAIError::Boxed(Box::new(failure))), None);
    }
    let mut reader = AnswerReader::new();
    if let Err(why) = reader.take(body.as_bytes()) {
        return (Err(bad_body(why)), None);
    }
    match reader.finish() {
        AnswerBody::Whole(_) => {
            let answer = ReceivedAnswer::from_body(body);
            (Ok(answer), Some(ResponseForm::Whole))
        }
        AnswerBody::Joined(answer) => {
            let has_usage = answer.has_usage();
            (Ok(*answer), Some(ResponseForm::InPieces { has_usage }))
        }
        AnswerBody::Cut(what) => (Err(bad_body(what.to_string())), Some(ResponseForm::Cut)),
    }
}

fn bad_body(text: String) -> OpenAIError {
    OpenAIError::Boxed(Box::new(BadBody(text)))
}

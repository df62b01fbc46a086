//! Classifies failures of model calls by whether another attempt can help (DESIGN 2).

use std::time::SystemTime;

use actors::domain::model::{ModelAnswer, ModelFault, RefusalHint, TokenUsage};
use async_openai::error::OpenAIError;
use thiserror::Error;
use zoea_http::redirects::Redirected;
use zoea_text::redact::Redactor;

use super::answer::{EMPTY_BODY, is_usual_end};
use super::probe::ResponseForm;
use super::refusal::{Refusal, excerpt};
use super::too_long;
use super::waits::HeaderWaits;

#[derive(Debug, Error)]
#[error("HTTP {status}")]
pub(super) struct HttpFailure {
    pub(super) status: u16,
    pub(super) waits: HeaderWaits,
    pub(super) body: String,
}

/// The answer could not be read to its end.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct BadBody(pub(super) String);

/// What an error means. Secrets are removed from the server's text before it is cut, because a cut
/// secret could not be recognised.
///
/// # Errors
/// There is no answer. Only calls that the server itself refuses are one.
pub(super) fn judge_error(
    error: OpenAIError,
    secrets: &Redactor,
) -> Result<ModelAnswer, ModelFault> {
    Err(match error {
        OpenAIError::Boxed(error) => match error.downcast::<HttpFailure>() {
            Ok(failure) => {
                let refusal = Refusal {
                    status: failure.status,
                    body: &secrets.clean(&failure.body),
                    waits: failure.waits,
                };
                return refusal.judge(SystemTime::now());
            }
            Err(error) if error.is::<Redirected>() => redirect_fault(&error.to_string()),
            Err(error) => transient_fault(error.to_string()),
        },
        OpenAIError::Reqwest(error) => connection_fault(error),
        OpenAIError::JSONDeserialize(_, body) if body.trim().is_empty() => ModelFault::Empty {
            text: EMPTY_BODY.to_string(),
            usage: None,
        },
        OpenAIError::JSONDeserialize(error, body) => transient_fault(format!(
            "{NOT_JSON} ({error}): {}",
            excerpt(&secrets.clean(&body))
        )),
        OpenAIError::ApiError(error) => transient_fault(error.to_string()),
        OpenAIError::InvalidArgument(why) => ModelFault::Permanent { text: why },
        OpenAIError::StreamError(error) => transient_fault(error.to_string()),
        OpenAIError::FileSaveError(why) | OpenAIError::FileReadError(why) => transient_fault(why),
    })
}

/// How what is told of an answer begins that no model server gives.
pub const NOT_JSON: &str = "the answer is not JSON";

/// What is told of a server that completes an answer without writing anything.
const SILENT: &str = "the server ended its answer without text, as LM Studio does where a \
     request exceeds the model's context: give it a larger Context Length on loading";

/// The same where that cannot be the reason. Gemini does this now and then.
const SILENT_NOW: &str = "the server ended its answer without text, and has answered requests as \
     long as this one";

/// Shorter requests exceed no model's context.
const MIN_LONG_BYTES: u64 = 8 << 10;
const MIN_LONG_TOKENS: u64 = 2048;

/// The answer, or the fault of a request that is too long, if its server completes an answer and
/// writes nothing: no choice at all, or one of which it says itself that no token is in it. A request
/// that is no longer than one that was served is not too long.
pub(super) fn judge_silence(
    answer: Result<ModelAnswer, ModelFault>,
    came: Option<ResponseForm>,
    (sent_bytes, served_bytes): (u64, u64),
) -> Result<ModelAnswer, ModelFault> {
    if let Err(fault) = &answer
        && sent_bytes >= MIN_REFUSED_BYTES
        && may_be_too_long(fault)
    {
        let text = format!("{}; {MAY_BE_TOO_LONG}", fault.text());
        return Err(ModelFault::TooLong { text, limit: None });
    }
    let is_in_pieces = matches!(came, Some(ResponseForm::InPieces { .. }));
    let (usage, is_silent) = match &answer {
        Ok(answer) => {
            let is_ended = matches!(
                answer.finish_reason.as_deref(),
                None | Some("stop" | "length")
            );
            let is_counted = answer.usage.is_some_and(|usage| usage.output == 0);
            (
                answer.usage,
                !says_something(answer) && is_ended && is_counted,
            )
        }
        Err(fault) => {
            let is_empty = matches!(fault, ModelFault::Empty { .. });
            let is_counted = fault.usage().is_none_or(|usage| usage.output == 0);
            (fault.usage(), is_empty && is_in_pieces && is_counted)
        }
    };
    let has_many_tokens = |usage: TokenUsage| usage.input >= MIN_LONG_TOKENS;
    let is_long = sent_bytes >= MIN_LONG_BYTES || usage.is_some_and(has_many_tokens);
    if !is_silent || !is_long {
        return answer;
    }
    if sent_bytes <= served_bytes {
        return Err(ModelFault::Empty {
            text: SILENT_NOW.to_string(),
            usage,
        });
    }
    Err(ModelFault::TooLong {
        text: SILENT.to_string(),
        limit: None,
    })
}

/// Whether the model wrote anything.
pub(super) fn says_something(answer: &ModelAnswer) -> bool {
    !answer.text.trim().is_empty() || answer.reasoning.is_some() || !answer.calls.is_empty()
}

/// Shorter requests need little memory, and are refused for other reasons.
const MIN_REFUSED_BYTES: u64 = 12 << 10;
const MAY_BE_TOO_LONG: &str = "a long request may be the reason";

/// Whether a failure may mean that the request is too long: its server lacks memory, or refuses without a
/// word, as Cerebras does.
fn may_be_too_long(fault: &ModelFault) -> bool {
    match fault {
        ModelFault::Transient { text, .. } => {
            text.starts_with("HTTP 5") && too_long::lacks_memory(text)
        }
        ModelFault::Refused { text, .. } => {
            let silent = [
                "HTTP 400: (no text)",
                "HTTP 400: null",
                "HTTP 422: (no text)",
            ];
            silent.contains(&text.as_str())
        }
        ModelFault::Unreachable { .. }
        | ModelFault::NoDescriptor { .. }
        | ModelFault::Empty { .. }
        | ModelFault::TooLong { .. }
        | ModelFault::OutOfService { .. }
        | ModelFault::Adapted { .. }
        | ModelFault::Permanent { .. } => false,
    }
}

/// The answer, or a refusal if the server ended it without a word for a reason of its own, as filters
/// of contents do, and those who cannot read a call.
pub(super) fn judge_end(
    answer: Result<ModelAnswer, ModelFault>,
) -> Result<ModelAnswer, ModelFault> {
    let answer = answer?;
    let is_empty = answer.text.trim().is_empty() && answer.calls.is_empty();
    let end = answer.finish_reason.as_deref().unwrap_or("stop");
    if !is_empty || is_usual_end(end) {
        return Ok(answer);
    }
    Err(ModelFault::Refused {
        text: format!("the server ended the answer without text: {}", excerpt(end)),
        usage: answer.usage,
        hint: RefusalHint::Ended,
    })
}

fn transient_fault(text: String) -> ModelFault {
    ModelFault::Transient {
        text,
        retry_after: None,
    }
}

fn connection_fault(error: reqwest::Error) -> ModelFault {
    if let Some(text) = zoea_http::descriptor_advice(&error) {
        return ModelFault::NoDescriptor { text };
    }
    let (is_connect, is_redirect) = (error.is_connect(), error.is_redirect());
    let text = zoea_http::error_text(&error);
    if is_connect {
        return ModelFault::Unreachable { text };
    }
    if is_redirect {
        return redirect_fault(&text);
    }
    transient_fault(text)
}

fn redirect_fault(text: &str) -> ModelFault {
    ModelFault::Permanent {
        text: format!("{text} (the provider's endpoint)"),
    }
}

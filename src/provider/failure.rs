//! Classifies failures of model calls by whether another attempt can help (DESIGN 2).

use std::time::SystemTime;

use actors::domain::model::{ModelAnswer, ModelFault};
use actors::domain::redact::Redactor;
use async_openai::error::OpenAIError;
use thiserror::Error;

use super::refusal::{Refusal, excerpt};
use super::waits::HeaderWaits;

/// A failure with an HTTP status.
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
            Err(error) => transient_fault(error.to_string()),
        },
        OpenAIError::Reqwest(error) => connection_fault(error),
        OpenAIError::JSONDeserialize(_, body) if body.trim().is_empty() => ModelFault::Empty {
            text: EMPTY_BODY.to_string(),
            usage: None,
        },
        OpenAIError::JSONDeserialize(error, body) => transient_fault(format!(
            "the answer is no JSON ({error}): {}",
            excerpt(&secrets.clean(&body))
        )),
        OpenAIError::ApiError(error) => transient_fault(error.to_string()),
        OpenAIError::InvalidArgument(why) => ModelFault::Permanent { text: why },
        OpenAIError::StreamError(error) => transient_fault(error.to_string()),
        OpenAIError::FileSaveError(why) | OpenAIError::FileReadError(why) => transient_fault(why),
    })
}

/// What is told of an answer without a byte.
pub(super) const EMPTY_BODY: &str = "the answer is empty; LM Studio answers so where a request \
     exceeds its context: give it a larger Context Length on loading";

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
    let text = zoea_http::error_text(error);
    if is_connect {
        let text = format!("the provider cannot be reached ({text}); is its server running?");
        return ModelFault::Unreachable { text };
    }
    if is_redirect {
        return ModelFault::Permanent {
            text: format!("{text} (the provider's endpoint)"),
        };
    }
    transient_fault(format!("the answer could not be had: {text}"))
}

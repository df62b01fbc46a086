//! The HTTP response of a decision: whole, in pieces, slowly, or cut off.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio_util::sync::CancellationToken;

use super::decision::{AnswerDecision, CompletionForm, DeliveryPlan, Payload};
use crate::wire;

/// The number of pieces of a body that is sent slowly, unless it is a stream of pieces already.
const TRICKLE_PIECES: usize = 16;

const GARBAGE_HTML: &str = "<html>\n<head><title>502 Bad Gateway</title></head>\n<body><center><h1>502 Bad Gateway</h1></center></body>\n</html>\n";

/// Builds the response. A body that is still being sent at the shutdown ends in an error.
pub(super) fn build_response(decision: AnswerDecision, shutdown: CancellationToken) -> Response {
    let delivery = decision.delivery;
    match decision.payload {
        Payload::Refused(refused) => {
            let mut response = match refused.body.as_str() {
                Some(text) => text.to_owned().into_response(),
                None => typed_response("application/json", Body::from(refused.body.to_string())),
            };
            *response.status_mut() =
                StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_REQUEST);
            if let Some(seconds) = refused.retry_after {
                response
                    .headers_mut()
                    .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            response
        }
        Payload::Garbage => typed_response("text/html", Body::from(GARBAGE_HTML)),
        Payload::Completion { completion, form } => match form {
            CompletionForm::Whole => {
                whole_response(Bytes::from(completion.to_string()), delivery, shutdown)
            }
            CompletionForm::Stream { include_usage } => {
                let events = wire::stream_events(&completion, include_usage);
                let pieces = events.into_iter().map(Bytes::from).collect();
                let mut response =
                    typed_response("text/event-stream", split_body(pieces, delivery, shutdown));
                response
                    .headers_mut()
                    .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
                response
            }
        },
    }
}

fn whole_response(bytes: Bytes, delivery: DeliveryPlan, shutdown: CancellationToken) -> Response {
    let length = bytes.len();
    let body = if delivery.trickle.is_some() || delivery.is_cut {
        let size = length.div_ceil(TRICKLE_PIECES).max(1);
        let pieces = (0..length)
            .step_by(size)
            .map(|start| bytes.slice(start..length.min(start + size)))
            .collect();
        split_body(pieces, delivery, shutdown)
    } else {
        Body::from(bytes)
    };
    let mut response = typed_response("application/json", body);
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    response
}

fn typed_response(kind: &'static str, body: Body) -> Response {
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

/// A body of pieces, with equal pauses between them if it is sent slowly. A cut body fails after
/// the first half.
fn split_body(mut pieces: Vec<Bytes>, delivery: DeliveryPlan, shutdown: CancellationToken) -> Body {
    let pause = delivery
        .trickle
        .map(|over| over / u32::try_from(pieces.len()).unwrap_or(u32::MAX).max(1));
    if delivery.is_cut {
        pieces.truncate(pieces.len().div_ceil(2));
    }
    let rest = pieces
        .into_iter()
        .map(Ok)
        .chain(delivery.is_cut.then(|| Err(cut_error())));
    Body::from_stream(futures::stream::unfold(
        (rest, shutdown),
        move |(mut rest, shutdown)| async move {
            let piece = rest.next()?;
            let piece = match pause {
                Some(pause) => wait_for_piece(pause, piece, &shutdown).await,
                None => {
                    if piece.is_err() {
                        // Lets hyper send the pieces so far before the body fails.
                        tokio::task::yield_now().await;
                    }
                    piece
                }
            };
            Some((piece, (rest, shutdown)))
        },
    ))
}

async fn wait_for_piece(
    pause: Duration,
    piece: io::Result<Bytes>,
    shutdown: &CancellationToken,
) -> io::Result<Bytes> {
    // Both branches only wait; nothing is lost when one is dropped.
    tokio::select! {
        () = tokio::time::sleep(pause) => piece,
        () = shutdown.cancelled() => Err(cut_error()),
    }
}

fn cut_error() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}

//! `POST /v1/chat/completions`: decide the answer, wait, record, send.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::Response;

use super::PilotServer;
use super::decision::{AnswerDecision, DeliveryPlan};
use super::sending::build_response;
use crate::faults::{error_body, invalid_request};
use crate::request_stats::RequestRecord;

pub(super) async fn complete_chat(
    State(server): State<Arc<PilotServer>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let mut in_flight = server.stats.begin_request();
    if let Ok(bytes) = &body
        && let Some(answer) = server.replay(bytes)
    {
        return answer;
    }
    let (mut decision, line) = match body {
        Ok(bytes) => server.judge_request(&headers, &bytes),
        Err(rejection) => refuse_unread(&rejection),
    };
    let line = decision.complete_record(line);
    in_flight.describe(line.clone());
    if !server.wait_before_answer(decision.delivery).await {
        decision = AnswerDecision::from_error(
            503,
            error_body(
                "The server is shutting down.",
                "service_unavailable",
                None,
                None,
            ),
        );
        in_flight.describe(decision.complete_record(line));
    }
    in_flight.close(decision.reported_usage());
    build_response(decision, server.shutdown.clone())
}

fn refuse_unread(rejection: &BytesRejection) -> (AnswerDecision, RequestRecord) {
    let reason = rejection.body_text();
    let body = invalid_request(&reason, None);
    let line = RequestRecord {
        refusal: Some(reason),
        ..RequestRecord::default()
    };
    (
        AnswerDecision::from_error(rejection.status().as_u16(), body),
        line,
    )
}

impl PilotServer {
    fn replay(&self, request: &[u8]) -> Option<Response> {
        let request = String::from_utf8_lossy(request);
        let mut replays = self.options.replays.iter();
        let incident = replays.find(|incident| incident.answers(&request))?;
        let mut response = Response::builder().status(incident.status);
        for (name, value) in &incident.headers {
            response = response.header(name, value);
        }
        // What no header can be was no header of a server.
        response.body(incident.body.clone().into()).ok()
    }

    /// Waits as planned. Returns false if the shutdown came first.
    async fn wait_before_answer(&self, delivery: DeliveryPlan) -> bool {
        let pause = async {
            if !delivery.pause.is_zero() {
                tokio::time::sleep(delivery.pause).await;
            }
            if delivery.hangs {
                std::future::pending::<()>().await;
            }
        };
        // Both branches only wait; nothing is lost when one is dropped.
        tokio::select! {
            biased;
            () = pause => true,
            () = self.shutdown.cancelled() => false,
        }
    }
}

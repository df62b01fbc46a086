//! `POST /v1/chat/completions`: judge, wait as long as it pretends to think, book, send.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::Response;

use super::PilotServer;
use super::decision::{AnswerDecision, DeliveryPlan};
use super::sending::build_response;
use crate::faults::error_body;
use crate::request_stats::RequestRecord;

/// Answers a chat request.
pub(super) async fn complete_chat(
    State(server): State<Arc<PilotServer>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let mut visit = server.books.begin_request();
    let (mut verdict, line) = match body {
        Ok(bytes) => server.judge_request(&headers, &bytes),
        Err(rejection) => refuse_unread(&rejection),
    };
    let line = verdict.complete_record(line);
    visit.describe(line.clone());
    if !server.wait_before_answer(verdict.manner).await {
        verdict = AnswerDecision::from_error(
            503,
            error_body(
                "The server is shutting down.",
                "service_unavailable",
                None,
                None,
            ),
        );
        visit.describe(verdict.complete_record(line));
    }
    visit.close(verdict.told_usage());
    build_response(verdict, server.shutdown.clone())
}

fn refuse_unread(rejection: &BytesRejection) -> (AnswerDecision, RequestRecord) {
    let reason = rejection.body_text();
    let body = error_body(&reason, "invalid_request_error", None, None);
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
    /// Waits as the manner says; false if the shutdown came first.
    async fn wait_before_answer(&self, manner: DeliveryPlan) -> bool {
        let pause = async {
            if !manner.pause.is_zero() {
                tokio::time::sleep(manner.pause).await;
            }
            if manner.hangs {
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

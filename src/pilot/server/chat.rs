//! `POST /v1/chat/completions`: judge, wait as long as it pretends to think, book, send.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::Response;

use super::Server;
use super::sending::response;
use super::verdict::{Manner, Verdict};
use crate::books::Line;
use crate::faults::error_body;

/// Answers a chat request.
pub(super) async fn complete(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let mut visit = server.books.arrive();
    let (mut verdict, line) = match body {
        Ok(bytes) => server.judge(&headers, &bytes),
        Err(rejection) => unreceived(&rejection),
    };
    let line = verdict.book(line);
    visit.describe(line.clone());
    if !server.wait(verdict.manner).await {
        verdict = Verdict::refused(
            503,
            error_body(
                "The server is shutting down.",
                "service_unavailable",
                None,
                None,
            ),
        );
        visit.describe(verdict.book(line));
    }
    visit.close(verdict.told());
    response(verdict, server.shutdown.clone())
}

fn unreceived(rejection: &BytesRejection) -> (Verdict, Line) {
    let reason = rejection.body_text();
    let body = error_body(&reason, "invalid_request_error", None, None);
    let line = Line {
        refusal: Some(reason),
        ..Line::default()
    };
    (Verdict::refused(rejection.status().as_u16(), body), line)
}

impl Server {
    /// Waits as the manner says; false if the shutdown came first.
    async fn wait(&self, manner: Manner) -> bool {
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

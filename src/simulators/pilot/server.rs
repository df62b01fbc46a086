//! The pilot's HTTP server: its routes, its start and its end.

mod answering;
mod chat;
mod decision;
mod judging;
mod listener;
mod sending;

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Json;
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::faults::{invalid_request, wrong_key};
use super::options::PilotOptions;
use super::prompt_cache::PromptCache;
use super::request_stats::RequestStats;
use super::tools::ToolListCache;
use listener::CancellableListener;

/// The largest body, in bytes. A larger one is refused with 413.
const MAX_BODY_BYTES: usize = 8 << 20;

/// The time that requests in flight get to end after the shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

struct PilotServer {
    options: PilotOptions,
    stats: Arc<RequestStats>,
    tool_lists: ToolListCache,
    prompts: Mutex<PromptCache>,
    shutdown: CancellationToken,
}

/// Serves until the shutdown. Requests in flight then end within a second, and every connection has
/// ended when this returns.
///
/// # Errors
/// The record cannot be opened, or the listener fails.
pub async fn serve(
    listener: TcpListener,
    options: PilotOptions,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let server = Arc::new(PilotServer {
        stats: Arc::new(RequestStats::open(&options)?),
        tool_lists: ToolListCache::default(),
        prompts: Mutex::default(),
        options,
        shutdown: shutdown.clone(),
    });
    // Cuts the connections that outlast the grace period, and all of them when this future is
    // dropped.
    let cut = CancellationToken::new();
    let _cut_at_the_end = cut.clone().drop_guard();
    let closing = {
        let (shutdown, cut) = (shutdown.clone(), cut.clone());
        async move {
            // Both futures are cancel-safe: they only wait for a token.
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = cut.cancelled() => {}
            }
        }
    };
    let serving = axum::serve(
        CancellableListener::new(listener, cut.clone()),
        build_router(server),
    )
    .with_graceful_shutdown(closing)
    .into_future();
    let cutting = async {
        shutdown.cancelled().await;
        tokio::time::sleep(SHUTDOWN_GRACE).await;
        cut.cancel();
        std::future::pending::<()>().await;
    };
    // The first branch ends the function. The other one never ends and may be dropped at any point.
    tokio::select! {
        served = serving => served.context("serve the pilot"),
        () = cutting => Ok(()),
    }
}

fn build_router(server: Arc<PilotServer>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat::complete_chat))
        .route("/v1/models", get(list_models))
        .route("/health", get(async || Json(json!({"status": "ok"}))))
        .route("/stats", get(show_stats))
        .route("/faults", get(show_faults))
        .fallback(unknown_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(server)
}

async fn list_models(State(server): State<Arc<PilotServer>>, headers: HeaderMap) -> Response {
    if !server.admits(&headers) {
        return error_response(StatusCode::UNAUTHORIZED, wrong_key());
    }
    Json(json!({
        "object": "list",
        "data": [{"id": "pilot", "object": "model", "created": 0, "owned_by": "zoea"}],
    }))
    .into_response()
}

async fn show_stats(State(server): State<Arc<PilotServer>>) -> Json<Value> {
    Json(server.stats.stats_json())
}

async fn show_faults(State(server): State<Arc<PilotServer>>) -> Json<Value> {
    Json(server.stats.faults_json())
}

async fn unknown_route() -> Response {
    let body = invalid_request("Unknown request URL.", Some("unknown_url"));
    error_response(StatusCode::NOT_FOUND, body)
}

async fn wrong_method() -> Response {
    let body = invalid_request("Not allowed with this method.", None);
    error_response(StatusCode::METHOD_NOT_ALLOWED, body)
}

fn error_response(status: StatusCode, body: Value) -> Response {
    (status, Json(body)).into_response()
}

impl PilotServer {
    /// Whether the caller sent the API key, where one is needed.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(key) = &self.options.api_key else {
            return true;
        };
        headers
            .get(axum::http::header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "))
            == Some(key.as_str())
    }
}

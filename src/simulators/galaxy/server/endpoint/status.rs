//! Pages about the state of the server, as JSON.

use axum::{extract::State, response::Response};
use http::StatusCode;
use serde_json::json;
use tokio::sync::oneshot;

use super::super::{owner::OwnerRequest, response};
use super::GalaxyEndpoint;

pub(super) async fn show_faults(State(endpoint): State<GalaxyEndpoint>) -> Response {
    response::json(StatusCode::OK, endpoint.0.faults.tally().json().to_string())
}

pub(super) async fn show_health(State(endpoint): State<GalaxyEndpoint>) -> Response {
    let (reply, health) = oneshot::channel();
    let asked = endpoint
        .0
        .requests
        .send(OwnerRequest::GalaxyHealth { reply })
        .await;
    match (asked, health.await) {
        (Ok(()), Ok(health)) => {
            let body = json!({
                "ok": true,
                "tick": health.tick,
                "players": health.players,
                "online": health.online,
                "waiting": health.waiting,
                "requests": endpoint.0.traffic.requests(),
            });
            response::json(StatusCode::OK, body.to_string())
        }
        _ => response::plain_error(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping"),
    }
}

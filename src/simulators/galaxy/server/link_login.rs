//! The login by a link and a code: the two commands of it, and the page for the person.
//!
//! The real page belongs to a website where the person is signed in, and shows that person's own
//! characters. This one asks for no password and takes any character of the galaxy.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Form, Query, State};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use http::StatusCode;
use rmcp::ErrorData;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use super::super::{
    limits::whole_seconds,
    options::GalaxyClock,
    world::{GameAnswer, GameRefusal},
};
use super::gate::{AddressGate, TooMany};
use super::handler::{Caller, Handler, stopping};
use super::links::{LinkDecision, LinkStatus, LoginLinks};
use super::owner::OwnerRequest;
use super::response;

/// The most characters that the page lists.
const MAX_LISTED: usize = 200;

impl Handler {
    /// Answers a command of the login by a link; `None` for any other command.
    pub(super) async fn answer_link(
        &self,
        command: &str,
        arguments: &Map<String, Value>,
        caller: Caller,
    ) -> Result<Option<GameAnswer>, ErrorData> {
        match command {
            "login_link" => Ok(Some(self.begin_link(caller))),
            "login_link_poll" => {
                let code = arguments.get("device_code").and_then(Value::as_str);
                let answer = self.poll_link(code.unwrap_or_default(), caller).await?;
                Ok(Some(answer))
            }
            _ => Ok(None),
        }
    }

    fn begin_link(&self, caller: Caller) -> GameAnswer {
        let now = self.clock.now();
        let Some(link) = self.links.begin(caller.address, now) else {
            let message = "Too many links wait already. Retry in 60 seconds.";
            return Err(GameRefusal::new("rate_limited", message));
        };
        let page = &self.link_page;
        Ok(json!({
            "verification_uri": page,
            "verification_uri_complete": format!("{page}?code={}", link.user_code),
            "user_code": link.user_code,
            "device_code": link.device_code,
            "interval": whole_seconds(link.interval),
            "expires_in": whole_seconds(link.valid),
            "instructions": "Show the link and the code to your human, who enters the code and picks \
                             a character. Meanwhile call login_link_poll(device_code) every \
                             `interval` seconds.",
        }))
    }

    async fn poll_link(&self, code: &str, caller: Caller) -> Result<GameAnswer, ErrorData> {
        let status = match self.links.poll(code, self.clock.now()) {
            LinkStatus::Decided(LinkDecision::Allowed(name)) => {
                return self.log_in_linked(name, caller).await;
            }
            LinkStatus::Pending(interval) => json!({
                "status": "authorization_pending",
                "interval": whole_seconds(interval),
            }),
            LinkStatus::Decided(LinkDecision::Denied) => json!({ "status": "access_denied" }),
            LinkStatus::Expired => json!({ "status": "expired_token" }),
        };
        Ok(Ok(status))
    }

    async fn log_in_linked(&self, name: String, caller: Caller) -> Result<GameAnswer, ErrorData> {
        let (reply, answer) = oneshot::channel();
        let request = OwnerRequest::LoginLinked {
            connection: caller.connection,
            name,
            reply,
        };
        self.requests.send(request).await.map_err(|_| stopping())?;
        answer.await.map_err(|_| stopping())
    }
}

#[derive(Clone)]
pub(super) struct LinkPage {
    pub(super) requests: mpsc::Sender<OwnerRequest>,
    pub(super) gate: Arc<AddressGate>,
    pub(super) links: Arc<LoginLinks>,
    pub(super) clock: GalaxyClock,
}

impl LinkPage {
    pub(super) fn into_router(self) -> Router {
        Router::new()
            .route("/link", get(show_page).post(take_answer))
            .with_state(self)
    }
}

/// What the address of the page holds.
#[derive(Deserialize)]
struct LinkPageQuery {
    #[serde(default)]
    code: String,
}

/// What the person sends.
#[derive(Deserialize)]
struct PageAnswer {
    #[serde(default)]
    code: String,
    #[serde(default)]
    character: String,
    /// `allow`, or anything else to deny.
    #[serde(default)]
    answer: String,
}

/// Shows the page: a code, a character, and two buttons.
async fn show_page(State(parts): State<LinkPage>, Query(query): Query<LinkPageQuery>) -> Response {
    let Some(names) = account_names(&parts.requests).await else {
        return stopping_page();
    };
    let options: String = names
        .iter()
        .take(MAX_LISTED)
        .map(|name| format!("<option value=\"{}\">", escaped(name)))
        .collect();
    let code = escaped(&query.code);
    let form = format!(
        "<form method=post action=/link>\
         <p><label>Code <input name=code value=\"{code}\" required></label>\
         <p><label>Character <input name=character list=characters></label>\
         <datalist id=characters>{options}</datalist>\
         <p><button name=answer value=allow>Log this character in</button> \
         <button name=answer value=deny>Deny</button></form>"
    );
    page(StatusCode::OK, &form)
}

/// Takes the person's decision. Wrong codes count as failed logins of the address.
async fn take_answer(
    State(parts): State<LinkPage>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Form(answer): Form<PageAnswer>,
) -> Response {
    let (gate, links, now) = (&parts.gate, &parts.links, parts.clock.now());
    let address = peer.ip();
    let admitted = gate.admit_request(address, now);
    let admitted = admitted.and_then(|()| gate.check_failed_logins(address, now));
    if let Err(TooMany(wait)) = admitted {
        return response::too_many(wait);
    }
    if !links.is_open(&answer.code, now) {
        gate.on_wrong_password(address, now);
        return page(StatusCode::NOT_FOUND, "<p>No login waits for this code.");
    }
    let decision = if answer.answer == "allow" {
        let Some(names) = account_names(&parts.requests).await else {
            return stopping_page();
        };
        let wanted = answer.character.trim().to_lowercase();
        let Some(name) = names.into_iter().find(|name| name.to_lowercase() == wanted) else {
            return page(StatusCode::NOT_FOUND, "<p>There is no such character.");
        };
        LinkDecision::Allowed(name)
    } else {
        LinkDecision::Denied
    };
    let text = match &decision {
        LinkDecision::Allowed(name) => format!("<p>{} is logged in.", escaped(name)),
        LinkDecision::Denied => "<p>Denied.".to_owned(),
    };
    if links.decide(&answer.code, decision, now) {
        page(StatusCode::OK, &text)
    } else {
        page(StatusCode::NOT_FOUND, "<p>No login waits for this code.")
    }
}

async fn account_names(requests: &mpsc::Sender<OwnerRequest>) -> Option<Vec<String>> {
    let (reply, names) = oneshot::channel();
    requests.send(OwnerRequest::Names { reply }).await.ok()?;
    names.await.ok()
}

fn page(status: StatusCode, body: &str) -> Response {
    let text = format!("<!doctype html><title>Log in by a link</title>{body}\n");
    (status, Html(text)).into_response()
}

fn stopping_page() -> Response {
    response::plain_error(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

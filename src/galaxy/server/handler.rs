//! The tools as rmcp calls them: every call goes to the owner, and every caller gets an answer.

use std::{borrow::Cow, net::IpAddr, panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
        CustomResult, ErrorCode, Implementation, ProtocolVersion, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::{
    super::{
        frontend::{ConnectionId, GameCall},
        limits::whole_seconds,
        options::GalaxyClock,
        world::{GameAnswer, GameRefusal, VERSION},
    },
    gate::AddressGate,
    owner::OwnerRequest,
};

/// The key of `_meta` under which a request may carry its caller's own name for it.
const CALL_NAME_KEY: &str = "zoea/call";

/// The sender of a request. The endpoint attaches it to the request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    pub(super) connection: ConnectionId,
    pub(super) address: IpAddr,
}

/// One handler for each request. All of them share their parts.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) requests: mpsc::Sender<OwnerRequest>,
    pub(super) gate: Arc<AddressGate>,
    pub(super) clock: GalaxyClock,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let implementation = Implementation::new("spacemolt-gameserver", VERSION)
            .with_title("SpaceMolt (simulated by zoea)");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
            .with_protocol_version(ProtocolVersion::V_2025_03_26)
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_06_18))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // rmcp never answers a call whose handler panics.
        let answer = AssertUnwindSafe(self.answer_call(request, &context))
            .catch_unwind()
            .await
            .unwrap_or_else(|_| Ok(Err(GameRefusal::internal_error())))?;
        let (text, is_error) = match answer {
            Ok(answer) => (answer.to_string(), None),
            Err(refusal) => (format!("Error: {refusal}"), Some(true)),
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.is_error = is_error;
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "tools/call" {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                request.method,
                None,
            ));
        }
        // The arguments are not an object but, for example, the text "{}".
        let text = "Error: invalid_json: Invalid JSON in request body";
        Ok(CustomResult::new(json!({
            "content": [{ "type": "text", "text": text }],
            "isError": true,
        })))
    }
}

impl Handler {
    async fn answer_call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GameAnswer, ErrorData> {
        let caller = context
            .extensions
            .get::<http::request::Parts>()
            .and_then(|parts| parts.extensions.get::<Caller>())
            .copied()
            .ok_or_else(|| {
                ErrorData::internal_error("a call did not come through the endpoint", None)
            })?;
        let is_login = request.name == "login";
        if is_login
            && let Err(wait) = self
                .gate
                .check_failed_logins(caller.address, self.clock.now())
        {
            let message = format!(
                "Too many failed logins. Retry in {} seconds.",
                whole_seconds(wait.0)
            );
            return Ok(Err(GameRefusal::new("rate_limited", message)));
        }
        let name = context
            .meta
            .get(CALL_NAME_KEY)
            .and_then(|name| name.as_str());
        let call = GameCall {
            tool: request.name.into_owned(),
            arguments: request.arguments.unwrap_or_default(),
            name: name.map(str::to_owned),
        };
        let answer = self.ask_owner(caller.connection, call).await?;
        if let Err(refusal) = &answer {
            match refusal.code {
                "auth_failed" if is_login => {
                    self.gate
                        .on_wrong_password(caller.address, self.clock.now());
                }
                "rate_limited" => self.gate.on_refusal(caller.address, self.clock.now()),
                _ => {}
            }
        }
        Ok(answer)
    }

    async fn ask_owner(
        &self,
        connection: ConnectionId,
        call: GameCall,
    ) -> Result<GameAnswer, ErrorData> {
        let stopping = || ErrorData::internal_error("the server is stopping", None);
        let (reply, answer) = oneshot::channel();
        let request = OwnerRequest::Call {
            connection,
            call,
            reply,
        };
        self.requests.send(request).await.map_err(|_| stopping())?;
        answer.await.map_err(|_| stopping())
    }
}

const INSTRUCTIONS: &str = "\
SpaceMolt is a multiplayer game for AI agents; this server simulates it. \
First call register(username, empire, registration_code), or login(username, password) if you have an \
account: save the password, it is shown once. Both return a session_id; pass it along if your client \
does not keep the connection, and log in again when a call answers session_invalid. \
Queries answer at once. Mutations take one tick each and block until it has run; travel and jump \
block until the ship has arrived, so allow for minutes. \
Earn your living: travel to an asteroid belt, mine until the hold is full, travel back to a station, \
dock, sell, refuel. Missions pay best. Keep a captain's log: its newest entry is shown at every login. \
Poll get_notifications now and then; nothing is pushed.";

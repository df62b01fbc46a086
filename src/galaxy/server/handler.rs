//! The tools as rmcp calls them: every call goes to the owner, and every caller gets an answer.

use std::{borrow::Cow, net::IpAddr, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CustomRequest,
        CustomResult, ErrorCode, GetTaskParams, GetTaskResult, Implementation, ListToolsResult,
        PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use super::{
    super::{
        frontend::{ConnectionId, GameCall},
        grouped::{self, GroupedAnswer, GroupedCall, ReadCall, STATE_COMMAND},
        limits::whole_seconds,
        options::{GalaxyClock, StatelessRules},
        tools::{self, SessionArgument},
        world::{CommandKind, GameAnswer, GameRefusal, VERSION, command_kind},
    },
    gate::AddressGate,
    owner::OwnerRequest,
    tasks::{Tasks, text_result},
};

/// The key of `_meta` under which a request may carry its caller's own name for it.
const CALL_NAME_KEY: &str = "zoea/call";

/// The sender of a request. The endpoint attaches it to the request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    pub(super) connection: ConnectionId,
    pub(super) address: IpAddr,
}

/// The interface of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameInterface {
    /// A tool for each command, at `/mcp`.
    Flat,
    /// Tools with actions, at `/mcp/v2`.
    Grouped,
}

/// One handler for each request. All of them share their parts.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) interface: GameInterface,
    pub(super) requests: mpsc::Sender<OwnerRequest>,
    pub(super) gate: Arc<AddressGate>,
    pub(super) clock: GalaxyClock,
    pub(super) stateless: Option<Arc<Stateless>>,
}

/// What serves requests without an MCP session.
#[derive(Debug)]
pub(super) struct Stateless {
    pub(super) list_ttl: Duration,
    /// `None`: no call is answered by a task.
    pub(super) tasks: Option<Tasks>,
    /// All tools, as such clients see them.
    tools: Vec<Tool>,
}

impl Stateless {
    pub(super) fn new(rules: StatelessRules, tick: Duration) -> Self {
        let entries = tools::listing_entries(SessionArgument::Listed).into_iter();
        let tools = entries.filter_map(|entry| serde_json::from_value(entry).ok());
        Self {
            list_ttl: rules.list_ttl,
            tasks: rules.tasks.then(|| Tasks::new(tick)),
            tools: tools.collect(),
        }
    }

    pub(super) fn ttl_ms(&self) -> u64 {
        u64::try_from(self.list_ttl.as_millis()).unwrap_or(u64::MAX)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let (title, instructions) = match self.interface {
            GameInterface::Flat => ("SpaceMolt (simulated by zoea)", INSTRUCTIONS),
            GameInterface::Grouped => ("SpaceMolt (v2, simulated by zoea)", GROUPED_INSTRUCTIONS),
        };
        let implementation = Implementation::new("spacemolt-gameserver", VERSION).with_title(title);
        let capabilities = match self.tasks() {
            Some(_) => ServerCapabilities::builder()
                .enable_tools()
                .enable_tasks()
                .build(),
            None => ServerCapabilities::builder().enable_tools().build(),
        };
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_protocol_version(ProtocolVersion::V_2025_03_26)
            .with_instructions(instructions)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let newest = match self.stateless {
            Some(_) => ProtocolVersion::V_2026_07_28,
            None => ProtocolVersion::V_2025_06_18,
        };
        Cow::Borrowed(ProtocolVersion::known_up_to(&newest))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let Some(stateless) = &self.stateless else {
            return Err(ErrorData::internal_error(
                "a list did not come through the endpoint",
                None,
            ));
        };
        Ok(ListToolsResult::with_all_items(stateless.tools.clone())
            .with_ttl_ms(stateless.ttl_ms())
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let stateless = self.stateless.as_ref()?;
        stateless
            .tools
            .iter()
            .find(|tool| tool.name == name)
            .cloned()
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let found = self
            .tasks()
            .and_then(|tasks| tasks.look_up(&request.task_id));
        found.ok_or_else(|| ErrorData::invalid_params("Task not found", None))
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match self.tasks() {
            Some(tasks) if tasks.is_known(&request.task_id) => Ok(()),
            Some(_) | None => Err(ErrorData::invalid_params("Task not found", None)),
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let takes_tasks = context
            .client_capabilities()
            .is_some_and(|of| of.supports_tasks());
        if let Some(tasks) = self.tasks().filter(|_| takes_tasks)
            && command_kind(&request.name) == Some(CommandKind::Act)
        {
            let caller = caller_of(&context)?;
            let answer = self
                .send_to_owner(caller.connection, call_of(request, &context))
                .await?;
            return Ok(tasks.begin(answer, self.clock.now()).into());
        }
        // rmcp never answers a call whose handler panics.
        let answered = async {
            match self.interface {
                GameInterface::Flat => {
                    let answer = self.answer_flat(request, &context).await?;
                    Ok(answer.map(|answer| answer.to_string()))
                }
                GameInterface::Grouped => self.answer_grouped(request, &context).await,
            }
        };
        let answer = AssertUnwindSafe(answered)
            .catch_unwind()
            .await
            .unwrap_or_else(|_| Ok(Err(GameRefusal::internal_error())))?;
        Ok(text_result(answer).into())
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

fn caller_of(context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
    let parts = context.extensions.get::<http::request::Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
    caller
        .copied()
        .ok_or_else(|| ErrorData::internal_error("a call did not come through the endpoint", None))
}

fn call_of(request: CallToolRequestParams, context: &RequestContext<RoleServer>) -> GameCall {
    let name = context
        .meta
        .get(CALL_NAME_KEY)
        .and_then(|name| name.as_str());
    GameCall {
        tool: request.name.into_owned(),
        arguments: request.arguments.unwrap_or_default(),
        name: name.map(str::to_owned),
    }
}

impl Handler {
    fn tasks(&self) -> Option<&Tasks> {
        self.stateless.as_ref()?.tasks.as_ref()
    }

    async fn answer_flat(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GameAnswer, ErrorData> {
        if request.name == STATE_COMMAND {
            return Ok(Err(GameRefusal::unknown_command(STATE_COMMAND)));
        }
        let arguments = request.arguments.unwrap_or_default();
        self.answer_command((request.name.into_owned(), arguments), context)
            .await
    }

    /// Answers a call of the second interface, in text.
    async fn answer_grouped(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<String, GameRefusal>, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let call = match grouped::read_call(&request.name, arguments) {
            Ok(ReadCall::Command(call)) => call,
            Ok(ReadCall::Explained(text)) => return Ok(Ok(text)),
            Ok(ReadCall::NoSuchTool) => {
                let message = format!("Unknown tool: {}", request.name);
                return Err(ErrorData::invalid_params(message, None));
            }
            Err(refusal) => return Ok(Err(refusal)),
        };
        let GroupedCall {
            action,
            command,
            needs_state,
            arguments,
        } = call;
        let session = arguments.get("session_id").cloned();
        let answer = match self.answer_command((command, arguments), context).await? {
            Ok(answer) => answer,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut state = None;
        if needs_state {
            let session = session.map(|id| ("session_id".to_owned(), id));
            let asked = (STATE_COMMAND.to_owned(), session.into_iter().collect());
            state = self.answer_command(asked, context).await?.ok();
        }
        Ok(Ok(grouped::render(&GroupedAnswer {
            action: &action,
            answer: &answer,
            state: state.as_ref(),
        })))
    }

    async fn answer_command(
        &self,
        (tool, arguments): (String, Map<String, Value>),
        context: &RequestContext<RoleServer>,
    ) -> Result<GameAnswer, ErrorData> {
        let caller = caller_of(context)?;
        let is_login = tool == "login";
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
            tool,
            arguments,
            name: name.map(str::to_owned),
        };
        let answer = self.send_to_owner(caller.connection, call).await?;
        let answer = answer.await.map_err(|_| stopping())?;
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

    /// Hands a call to the owner. The answer comes from the receiver.
    async fn send_to_owner(
        &self,
        connection: ConnectionId,
        call: GameCall,
    ) -> Result<oneshot::Receiver<GameAnswer>, ErrorData> {
        let (reply, answer) = oneshot::channel();
        let request = OwnerRequest::Call {
            connection,
            call,
            reply,
        };
        self.requests.send(request).await.map_err(|_| stopping())?;
        Ok(answer)
    }
}

fn stopping() -> ErrorData {
    ErrorData::internal_error("the server is stopping", None)
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

const GROUPED_INSTRUCTIONS: &str = "\
SpaceMolt is a multiplayer game for AI agents; this server simulates its second interface. \
First call spacemolt_auth(action=\"register\", username, empire, registration_code), or \
spacemolt_auth(action=\"login\", username, password) if you have an account: save the password, it is \
shown once. The answer tells a session id; pass it as session_id in later calls, and log in again when \
a call answers session_invalid. Each tool's description lists its actions and their parameters; \
action=\"help\" tells more. Queries answer at once, in text. Mutations take one tick each and block until \
it has run; travel and jump block until the ship has arrived. Earn your living: undock, travel, mine, \
travel, dock, sell, refuel. Poll get_notifications now and then; nothing is pushed.";

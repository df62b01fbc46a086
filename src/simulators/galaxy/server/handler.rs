//! The tools as rmcp calls them: every call goes to the owner, and every caller gets an answer.

use std::{borrow::Cow, net::IpAddr, panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
        CompleteRequestMethod, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
        ErrorCode, GetTaskParams, GetTaskResult, Implementation, ListPromptsRequestMethod,
        ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
        ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use super::{
    super::{
        frontend::{ConnectionId, GameCall},
        grouped::{self, GroupedCall, ReadCall, STATE_COMMAND},
        limits::whole_seconds,
        options::GalaxyClock,
        world::{CommandKind, GameAnswer, GameRefusal, VERSION, command_kind},
    },
    gate::AddressGate,
    instructions,
    links::LoginLinks,
    owner::OwnerRequest,
    stateless::Stateless,
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
    pub(super) links: Arc<LoginLinks>,
    /// The address of the page for logins by a link.
    pub(super) link_page: Arc<str>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let (title, instructions) = match self.interface {
            GameInterface::Flat => ("SpaceMolt (simulated by zoea)", instructions::FLAT),
            GameInterface::Grouped => ("SpaceMolt (v2, simulated by zoea)", instructions::GROUPED),
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
            .with_ttl_ms(stateless.ttl_ms)
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
            let arguments = request.arguments.unwrap_or_default();
            let call = call_of(request.name.into_owned(), arguments, &context);
            let answer = self.send_to_owner(caller.connection, call).await?;
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

    // By default rmcp answers these with an empty list. What is not declared shall not exist.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
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

fn call_of(
    tool: String,
    arguments: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> GameCall {
    let name = context
        .meta
        .get(CALL_NAME_KEY)
        .and_then(|name| name.as_str());
    GameCall {
        tool,
        arguments,
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
        Ok(Ok(grouped::render(&action, &answer, state.as_ref())))
    }

    async fn answer_command(
        &self,
        (tool, arguments): (String, Map<String, Value>),
        context: &RequestContext<RoleServer>,
    ) -> Result<GameAnswer, ErrorData> {
        let caller = caller_of(context)?;
        if let Some(answer) = self.answer_link(&tool, &arguments, caller).await? {
            return Ok(answer);
        }
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
        let call = call_of(tool, arguments, context);
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

pub(super) fn stopping() -> ErrorData {
    ErrorData::internal_error("the server is stopping", None)
}

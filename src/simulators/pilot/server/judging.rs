//! Admission: the key of the caller, the checks of the request, and the decision about it.

use axum::http::{HeaderMap, header};
use serde_json::{Value, json};

use super::PilotServer;
use super::decision::AnswerDecision;
use crate::answer::count_tokens;
use crate::body::{self, RequestBody};
use crate::chance::Mix;
use crate::faults::{error_body, wrong_key};
use crate::grouped;
use crate::identity;
use crate::request::PilotRequest;
use crate::request_stats::RequestRecord;
use crate::tools::ToolList;
use crate::validate::{RequestRefusal, validate_beside_tools};

/// The longest `user` that names a caller unchanged, in bytes.
const MAX_USER_BYTES: usize = 64;

/// The most bytes of a refusal's reason that are recorded. The reason may quote the request.
const MAX_REASON_BYTES: usize = 500;

impl PilotServer {
    pub(super) fn judge_request(
        &self,
        headers: &HeaderMap,
        bytes: &[u8],
    ) -> (AnswerDecision, RequestRecord) {
        let parsed = body::read_body(bytes);
        let tools = parsed
            .as_ref()
            .ok()
            .and_then(|body| body.tools)
            .map(|tools| self.tool_lists.look_up(tools.get()));
        let grouped = grouped_body(&parsed, tools.as_deref());
        let request = read_request(&parsed, tools.as_deref(), grouped.as_ref());
        let mut line = RequestRecord {
            caller: caller_name(headers, parsed.as_ref().ok(), &request),
            agent: identity::agent_name(&request),
            messages: request.entries.len(),
            bytes: bytes.len(),
            body: self.stats.keeps_bodies().then(|| recorded_body(bytes)),
            ..RequestRecord::default()
        };
        if !self.admits(headers) {
            return (AnswerDecision::from_error(401, wrong_key()), line);
        }
        match self.check_body(&parsed, tools.as_deref()) {
            Ok(body) => {
                line.valid = true;
                let cached = self.read_cache(tools.as_deref(), body, bytes.len());
                (self.decide_answer(body, &request, cached, &line), line)
            }
            Err(refusal) => {
                let param = refusal.param.as_deref();
                let body = error_body(
                    &refusal.message,
                    "invalid_request_error",
                    param,
                    refusal.code,
                );
                let mut reason = param.map_or(String::new(), |param| format!("{param}: "));
                reason.push_str(&refusal.message);
                reason.truncate(reason.floor_char_boundary(MAX_REASON_BYTES));
                line.refusal = Some(reason);
                (AnswerDecision::from_error(400, body), line)
            }
        }
    }

    /// How many tokens of this request come from the cache of prompts.
    fn read_cache(&self, tools: Option<&ToolList>, body: &Value, bytes: usize) -> u64 {
        let tools = tools.map_or("", ToolList::text);
        let messages = body["messages"].to_string();
        let mut cache = self.prompts.lock();
        let cached = cache.read_through(&[tools, &messages], self.stats.uptime());
        cached.min(count_tokens(bytes))
    }

    /// The body, if it is JSON and a valid request.
    fn check_body<'a>(
        &self,
        parsed: &'a serde_json::Result<RequestBody<'_>>,
        tools: Option<&ToolList>,
    ) -> Result<&'a Value, RequestRefusal> {
        let body = parsed.as_ref().map_err(|error| {
            RequestRefusal::of_body(format!(
                "We could not parse the JSON body of your request: {error}."
            ))
        })?;
        let names = tools.map_or(Ok(None), |tools| tools.names.as_ref().map(Option::as_deref));
        validate_beside_tools(&body.value, names, self.options.strictness)?;
        Ok(&body.value)
    }
}

/// The request as the player sees it; an empty one if the body cannot be read.
fn read_request<'a>(
    parsed: &'a serde_json::Result<RequestBody<'_>>,
    tools: Option<&'a ToolList>,
    grouped: Option<&'a Value>,
) -> PilotRequest<'a> {
    if let Some(body) = grouped {
        return PilotRequest {
            tools: tools.map_or_else(Vec::new, offered_commands),
            is_grouped: true,
            ..PilotRequest::read(body)
        };
    }
    let request = parsed
        .as_ref()
        .map(|body| PilotRequest::read(&body.value))
        .unwrap_or_default();
    match tools {
        Some(tools) => request.offering(tools),
        None => request,
    }
}

fn offered_commands(tools: &ToolList) -> Vec<&str> {
    tools.commands.iter().map(String::as_str).collect()
}

fn tool_names(tools: Option<&ToolList>) -> impl Iterator<Item = &str> {
    tools.into_iter().flat_map(ToolList::offered_names)
}

/// The body with the names of the game's first interface, if its tools are the second's.
fn grouped_body(
    parsed: &serde_json::Result<RequestBody<'_>>,
    tools: Option<&ToolList>,
) -> Option<Value> {
    let body = parsed.as_ref().ok()?;
    grouped::is_spoken(tool_names(tools)).then(|| grouped::read_as_first(&body.value))
}

fn recorded_body(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|_| json!(String::from_utf8_lossy(bytes)))
}

/// A name that distinguishes callers without revealing their keys: made of the key, and of `user`,
/// else of the agent's name, else of the first line of the prompt.
fn caller_name(
    headers: &HeaderMap,
    body: Option<&RequestBody<'_>>,
    request: &PilotRequest<'_>,
) -> String {
    let hash = |text: &str| format!("{:012x}", Mix::new(0).with_text(text).bits() >> 16);
    let user = body.and_then(|body| body.value["user"].as_str());
    let first_line = || {
        let line = request.system_texts().next()?.lines().next()?;
        Some(line.to_owned())
    };
    let prompt = identity::agent_name(request).or_else(first_line);
    let agent = match (user, prompt) {
        (Some(user), _) if user.len() <= MAX_USER_BYTES => format!("user:{user}"),
        (Some(user), _) => format!("user:{}", hash(user)),
        (None, Some(line)) => format!("prompt:{}", hash(&line)),
        (None, None) => "nobody".to_owned(),
    };
    let key = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    key.map_or(agent.clone(), |key| format!("key:{} {agent}", hash(key)))
}

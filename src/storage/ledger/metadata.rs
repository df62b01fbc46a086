//! The metadata of rows, as the database stores it and as exports hold it.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::bounds;
use actors::domain::game::GameRef;
use actors::domain::message::{CallStatus, HostMeta, ReplyMeta, ResultMeta, Severity};
use actors::domain::model::{Charge, Echo, TokenUsage};
use serde_json::{Value, json};

/// That of a reply or a call, without its echo.
pub(super) fn of_reply(meta: &Value) -> ReplyMeta {
    ReplyMeta {
        usage: usage_of(meta),
        ms: meta["ms"].as_u64(),
        model: text_member(meta, "model"),
        provider: text_member(meta, "provider"),
        finish_reason: meta["finish_reason"].as_str().map(Into::into),
        cost_micros: cost_of(meta),
        echo: None,
        is_from_text: meta["from_text"] == true,
    }
}

/// That of the result with this text; `None` without a status that a result can have.
pub(super) fn of_result(meta: &Value, text: &str) -> Option<ResultMeta> {
    let status = meta["status"].as_str().and_then(CallStatus::parse);
    Some(ResultMeta {
        call_id: text_member(meta, "call_id"),
        tool: text_member(meta, "tool"),
        status: status.filter(|status| !status.is_open())?,
        ms: meta["ms"].as_u64(),
        tick: meta["tick"].as_i64(),
        // A stored text is never cut.
        bytes: meta["bytes"].as_u64().unwrap_or(text.len() as u64),
        game: GameRef::of_key(meta["game"].as_str()),
        kept: None,
    })
}

pub(super) fn of_host(meta: &Value) -> HostMeta {
    let attempt = meta["attempt"].as_u64();
    HostMeta {
        severity: Severity::parse(meta["severity"].as_str().unwrap_or_default()),
        code: text_member(meta, "code"),
        attempt: attempt.and_then(|attempt| u32::try_from(attempt).ok()),
        bill: bill_of(meta),
    }
}

/// The member of the metadata that holds what a provider wants back. It is no part of the contract.
pub(super) const ECHO_KEY: &str = "echo";

/// The member of the echo's reasoning that names the member in which all of the row's reasoning came.
const REASONING_IN: &str = "in";

/// An echo as it is stored. Reasoning that the row holds is not stored twice.
pub(super) fn stored_echo(echo: &Echo, reasoning: Option<&str>) -> Value {
    let members: BTreeMap<String, String> =
        serde_json::from_str(&echo.reasoning).unwrap_or_default();
    let mut names = members.keys();
    let name =
        names.find(|name| reasoning.is_some_and(|text| in_member(name, text) == *echo.reasoning));
    let reasoning = match name {
        Some(name) => json!({ REASONING_IN: name }),
        None => json!(*echo.reasoning),
    };
    let calls: Vec<&str> = echo.calls.iter().map(|call| &**call).collect();
    json!({
        "provider": *echo.provider,
        "model": *echo.model,
        "message": *echo.message,
        "reasoning": reasoning,
        "calls": calls,
    })
}

/// Reasoning as the one member of an echo.
fn in_member(name: &str, text: &str) -> String {
    json!({ name: text }).to_string()
}

/// What a provider wants back with a reply.
pub(super) fn echo_of(meta: &Value, reasoning: Option<&str>) -> Option<Arc<Echo>> {
    let echo = meta.get(ECHO_KEY)?;
    let name = echo["reasoning"][REASONING_IN].as_str();
    let of_row = name.zip(reasoning);
    let calls = echo["calls"].as_array().into_iter().flatten();
    Some(Arc::new(Echo {
        provider: text_member(echo, "provider"),
        model: text_member(echo, "model"),
        message: text_member(echo, "message"),
        reasoning: match of_row {
            Some((name, text)) => in_member(name, text).into(),
            None => text_member(echo, "reasoning"),
        },
        calls: calls
            .map(|call| call.as_str().unwrap_or_default().into())
            .collect(),
    }))
}

fn usage_of(meta: &Value) -> Option<TokenUsage> {
    let usage = &meta["usage"];
    let tokens = |key: &str| usage[key].as_u64();
    Some(bounds::usage_of_a_call(TokenUsage {
        input: tokens("input")?,
        output: tokens("output")?,
        // Older rows say nothing where the provider did not.
        cached: tokens("cached").unwrap_or_default(),
    }))
}

fn cost_of(meta: &Value) -> Option<u64> {
    meta["cost_micros"].as_u64().map(bounds::cost_of_a_call)
}

pub(super) fn parse_bill(metadata: &str) -> Option<Charge> {
    let meta: Value = serde_json::from_str(metadata).ok()?;
    bill_of(&meta)
}

fn bill_of(meta: &Value) -> Option<Charge> {
    usage_of(meta).map(|usage| Charge {
        provider: text_member(meta, "provider"),
        usage,
        cost_micros: cost_of(meta),
    })
}

/// The id and the status of a call, in the metadata of its result.
pub(super) fn parse_result(metadata: &str) -> Option<(Arc<str>, CallStatus)> {
    let meta: Value = serde_json::from_str(metadata).ok()?;
    let status = meta["status"].as_str().and_then(CallStatus::parse)?;
    Some((text_member(&meta, "call_id"), status))
}

fn text_member(meta: &Value, key: &str) -> Arc<str> {
    meta[key].as_str().unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_stored_once_and_comes_back_in_the_member_in_which_it_came() {
        let echo = |reasoning: &str| Echo {
            reasoning: reasoning.into(),
            ..Echo::default()
        };
        let back = |stored: &Value, reasoning: Option<&str>| {
            echo_of(&json!({ ECHO_KEY: stored }), reasoning).map(|echo| Echo::clone(&echo))
        };
        let of_row = Some("First \"ore\".");
        let same = echo(&in_member("reasoning_content", "First \"ore\"."));
        let stored = stored_echo(&same, of_row);
        assert!(!stored.to_string().contains("ore"), "{stored}");
        assert_eq!(back(&stored, of_row), Some(same.clone()));
        let parts = echo(r#"{"content":[{"type":"thinking"}]}"#);
        for (kept, reasoning) in [(same, None), (parts, of_row), (echo(""), of_row)] {
            let stored = stored_echo(&kept, reasoning);
            assert_eq!(back(&stored, reasoning), Some(kept));
        }
    }
}

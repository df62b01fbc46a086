//! The tick cache: the answers that one session received in the current tick.

use std::sync::Arc;
use std::time::Duration;

use actors::ports::{LinkAnswer, LinkCall};
use serde_json::Value;
use tokio::time::Instant;
use zoea_spacemolt::commands;

/// The most bytes and answers that are kept.
const MAX_CACHED_BYTES: usize = 24 << 10;
const MAX_CACHED_ANSWERS: usize = 8;

/// The tool that empties its queue. The server fills the queue once in a tick.
const NOTIFICATIONS_TOOL: &str = "get_notifications";

/// The answers that this session received since its last action.
#[derive(Debug, Default)]
pub(super) struct TickCache(Vec<CachedResult>);

#[derive(Debug)]
struct CachedResult {
    tool: Arc<str>,
    arguments: String,
    text: String,
    at: Instant,
}

/// A call's arguments in a form that is equal for equal calls.
pub(super) fn arguments(call: &LinkCall) -> String {
    Value::Object(call.arguments.clone()).to_string()
}

/// Whether a call reads the queue.
pub(super) fn is_queue(call: &LinkCall) -> bool {
    commands::command(&call.tool, &call.arguments) == NOTIFICATIONS_TOOL
}

/// Whether an answer says that the queue is empty now.
fn is_emptied(text: &str) -> bool {
    text.contains(r#""remaining":0"#) || text.trim() == "No notifications."
}

impl TickCache {
    pub(super) fn recall(
        &mut self,
        call: &LinkCall,
        fresh: Duration,
        now: Instant,
    ) -> Option<LinkAnswer> {
        self.0.retain(|cached| now - cached.at < fresh);
        let wanted = arguments(call);
        let same = |cached: &&CachedResult| cached.tool == call.tool && cached.arguments == wanted;
        let cached = self.0.iter().find(same)?;
        let age = (now - cached.at).as_secs();
        let text = if is_queue(call) {
            // New notifications wait at the server until the next tick.
            format!(
                "[you asked {age} s ago, in this tick; the game tells what is new once in a tick]\n\
                 {{\"count\":0,\"notifications\":[],\"remaining\":0}}"
            )
        } else {
            format!(
                "[seen {age} s ago, in this tick, and told again]\n{}",
                cached.text
            )
        };
        Some(LinkAnswer {
            structured: None,
            text,
            is_error: false,
        })
    }

    /// Keeps the answer of a successful query: of its tool and arguments, and whether it reads the
    /// queue.
    pub(super) fn saw(
        &mut self,
        (tool, arguments, is_queue): (&Arc<str>, String, bool),
        answer: &LinkAnswer,
        now: Instant,
    ) {
        // One that only looks into the queue leaves it as it is.
        let empties = !arguments.contains(r#""clear":false"#);
        let is_drained = !is_queue || (empties && is_emptied(&answer.text));
        if answer.is_error || !is_drained {
            return;
        }
        self.0
            .retain(|cached| cached.tool != *tool || cached.arguments != arguments);
        // Of a queue only the fact is kept that it is empty now.
        let text = if is_queue {
            String::new()
        } else {
            answer.text.clone()
        };
        let held: usize = self.0.iter().map(|cached| cached.text.len()).sum();
        if self.0.len() < MAX_CACHED_ANSWERS && held + text.len() <= MAX_CACHED_BYTES {
            let tool = tool.clone();
            self.0.push(CachedResult {
                tool,
                arguments,
                text,
                at: now,
            });
        }
    }

    /// Drops all answers, because this session acted.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

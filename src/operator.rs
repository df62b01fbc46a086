//! Operator: news for the operator of what happens around the swarm, on the screen and in the log.

use std::sync::{Arc, OnceLock};

use actors::commander::CommanderMsg;
use actors::domain::event::{EventKind, SwarmEvent};
use actors::domain::message::Severity;
use actors::ports::Clock;
use ractor::ActorRef;

use zoea_system::clock::MachineClock;

/// The operator; before the Commander is there, only the log hears what they are told.
#[derive(Clone, Default)]
pub struct Operator(Arc<OnceLock<ActorRef<CommanderMsg>>>);

impl Operator {
    /// Through whom the operator is told.
    pub fn is_reached_by(&self, commander: &ActorRef<CommanderMsg>) {
        // It is always the same one.
        let _ = self.0.set(commander.clone());
    }

    /// Tells the operator.
    pub fn tell(&self, severity: Severity, code: &'static str, text: &str) {
        let Some(commander) = self.0.get() else {
            return log(severity, code, text);
        };
        let news = CommanderMsg::News(SwarmEvent {
            at: MachineClock.now(),
            mysis: None,
            what: EventKind::Notice {
                severity,
                code,
                text: text.into(),
            },
        });
        if commander.cast(news).is_err() {
            log(severity, code, text);
        }
    }
}

/// The Commander logs whatever it hears; without it nobody else does.
fn log(severity: Severity, code: &'static str, text: &str) {
    match severity {
        Severity::Info => tracing::info!(code, "{text}"),
        Severity::Warn => tracing::warn!(code, "{text}"),
        Severity::Error => tracing::error!(code, "{text}"),
    }
}

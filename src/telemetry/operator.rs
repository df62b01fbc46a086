//! Notices to the operator about events around the swarm, on the screen and in the log.

use std::sync::{Arc, OnceLock};

use actors::commander::CommanderMsg;
use actors::domain::event::{EventKind, SwarmEvent};
use actors::domain::message::Severity;
use actors::domain::standing::StandingKind;
use actors::ports::Clock;
use ractor::ActorRef;

use zoea_system::clock::MachineClock;

/// The way to the operator. Until the Commander is known, notices go to the log only.
#[derive(Clone, Default)]
pub struct Operator(Arc<OnceLock<ActorRef<CommanderMsg>>>);

impl Operator {
    pub fn set_commander(&self, commander: &ActorRef<CommanderMsg>) {
        // A second call has the same Commander.
        let _ = self.0.set(commander.clone());
    }

    pub fn notify(&self, severity: Severity, code: &'static str, text: &str) {
        let Some(commander) = self.0.get() else {
            return log(severity, code, text);
        };
        let notice = EventKind::notice(severity, code, text);
        let news = SwarmEvent::of_swarm(MachineClock.now(), notice);
        if commander.cast(CommanderMsg::News(news)).is_err() {
            log(severity, code, text);
        }
    }

    /// Says what is known of a condition of the whole program: its text, or `None` if it is over.
    pub fn notify_standing(&self, kind: StandingKind, text: Option<&str>) {
        let message = CommanderMsg::Standing(kind, text.map(Into::into));
        let is_sent = self.0.get().is_some_and(|it| it.cast(message).is_ok());
        if let Some(text) = text.filter(|_| !is_sent) {
            log(kind.severity(), kind.code(), text);
        }
    }
}

/// Logs a notice. The Commander logs the notices that it gets; without it this is the only log.
fn log(severity: Severity, code: &'static str, text: &str) {
    match severity {
        Severity::Info => tracing::info!(code, "{text}"),
        Severity::Warn => tracing::warn!(code, "{text}"),
        Severity::Error => tracing::error!(code, "{text}"),
    }
}

//! Learnt: what a provider turned out to be particular about, from its own refusals. It holds for
//! the whole swarm until the program ends or the configuration is loaded again.

use std::sync::{Mutex, PoisonError};

use actors::domain::model::{ModelFault, ModelRequest};

use super::Manners;
use super::complaint;

/// How requests to one provider are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) manners: Manners,
    pub(super) has_temperature: bool,
    /// The tools that it refuses, by name.
    pub(super) left_out: Vec<String>,
}

impl Style {
    pub(super) fn of(manners: Manners) -> Style {
        Style {
            manners,
            has_temperature: true,
            left_out: Vec::new(),
        }
    }
}

/// The style that is known to work best so far.
#[derive(Debug)]
pub(super) struct Learnt(Mutex<Style>);

impl Learnt {
    pub(super) fn new(manners: Manners) -> Learnt {
        Learnt(Mutex::new(Style::of(manners)))
    }

    pub(super) fn style(&self) -> Style {
        let style = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        style.clone()
    }

    /// Learns from a refusal of a request that was written in a style; what the style knew already
    /// teaches nothing, so that nobody asks for ever.
    pub(super) fn learn(
        &self,
        fault: ModelFault,
        request: &ModelRequest,
        written: &Style,
    ) -> ModelFault {
        let said = match &fault {
            ModelFault::Permanent { text } | ModelFault::Transient { text, .. } => text,
            ModelFault::TooLong { .. }
            | ModelFault::Adapted { .. }
            | ModelFault::Unreachable { .. }
            | ModelFault::Empty { .. } => return fault,
        };
        let mut style = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_final = matches!(fault, ModelFault::Permanent { .. });
        if written.manners == Manners::OpenAi && complaint::is_about_system_messages(said) {
            style.manners = Manners::OneSystemMessage;
            let text = format!("system messages are joined into one from here on: {said}");
            return ModelFault::Adapted { text };
        }
        if written.has_temperature && is_final && complaint::is_about_temperature(said) {
            style.has_temperature = false;
            let text = format!("no temperature is sent from here on: {said}");
            return ModelFault::Adapted { text };
        }
        let sent = complaint::names(&request.tools, &written.left_out);
        let refused = complaint::refused_tools(said, &sent);
        if !is_final || refused.is_empty() {
            return fault;
        }
        let text = format!(
            "left out from here on, since the provider refuses it: {}: {said}",
            refused.join(", ")
        );
        for tool in refused {
            if !style.left_out.contains(&tool) {
                style.left_out.push(tool);
            }
        }
        ModelFault::Adapted { text }
    }
}

//! Learnt: what a provider turned out to be particular about, from its own refusals. It holds for
//! the whole swarm until the program ends or the configuration is loaded again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use actors::domain::model::{ModelFault, ModelRequest};

use super::error_hints;
use super::probe::ResponseForm;
use super::{ProviderEndpoint, WireProfile};

/// So many streams that were cut one after the other are no bad luck: something between us and the
/// model does not let them through.
const MAX_CUT_STREAMS: u32 = 3;

const ONE_PIECE_NOTICE: &str = "answers are asked for in one piece from here on";

/// How requests to one provider are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) manners: WireProfile,
    pub(super) has_temperature: bool,
    /// Whether answers are asked for in pieces.
    pub(super) is_streamed: bool,
    /// The tools that it refuses, by name.
    pub(super) left_out: Vec<String>,
}

impl Style {
    pub(super) fn of(manners: WireProfile) -> Style {
        Style {
            manners,
            has_temperature: true,
            is_streamed: false,
            left_out: Vec::new(),
        }
    }
}

/// What was learnt of a server, as far as it can be kept for another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearntStyle {
    /// What it is particular about.
    pub profile: WireProfile,
    /// Whether it takes a temperature.
    pub has_temperature: bool,
    /// Whether answers are best asked for in pieces.
    pub is_streamed: bool,
}

/// The style that is known to work best so far.
#[derive(Debug)]
pub(super) struct ServerQuirks {
    style: Mutex<Style>,
    /// Streams that were cut since one was not.
    cuts: AtomicU32,
}

impl ServerQuirks {
    pub(super) fn new(endpoint: &ProviderEndpoint) -> ServerQuirks {
        let style = Style {
            is_streamed: endpoint.is_streamed,
            ..Style::of(WireProfile::default())
        };
        ServerQuirks {
            style: Mutex::new(style),
            cuts: AtomicU32::new(0),
        }
    }

    pub(super) fn style(&self) -> Style {
        let style = self.style.lock().unwrap_or_else(PoisonError::into_inner);
        style.clone()
    }

    pub(super) fn learnt(&self) -> LearntStyle {
        let style = self.style();
        LearntStyle {
            profile: style.manners,
            has_temperature: style.has_temperature,
            is_streamed: style.is_streamed,
        }
    }

    /// Begins with what was learnt before. What the configuration does not want stays so.
    pub(super) fn teach(&self, learnt: LearntStyle) {
        let mut style = self.style.lock().unwrap_or_else(PoisonError::into_inner);
        style.manners = learnt.profile;
        style.has_temperature &= learnt.has_temperature;
        style.is_streamed &= learnt.is_streamed;
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
            | ModelFault::NoDescriptor { .. }
            | ModelFault::Empty { .. } => return fault,
        };
        let mut style = self.style.lock().unwrap_or_else(PoisonError::into_inner);
        let is_final = matches!(fault, ModelFault::Permanent { .. });
        if let Some(text) = learn_manners(said, written.manners, &mut style.manners) {
            let text = format!("{text} from here on: {said}");
            return ModelFault::Adapted { text };
        }
        if written.has_temperature && is_final && error_hints::is_about_temperature(said) {
            style.has_temperature = false;
            let text = format!("no temperature is sent from here on: {said}");
            return ModelFault::Adapted { text };
        }
        // A server that cannot do it may say so as if it had broken down over it.
        let may_mean_it = is_final || said.starts_with("HTTP 5");
        if written.is_streamed && may_mean_it && error_hints::is_about_streaming(said) {
            style.is_streamed = false;
            return ModelFault::Adapted {
                text: format!("{ONE_PIECE_NOTICE}: {said}"),
            };
        }
        let sent = error_hints::names(&request.tools, &written.left_out);
        let refused = error_hints::refused_tools(said, &sent);
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

    /// Learns from how an answer came that was asked for in pieces; a fault where that is why there
    /// is no answer. What is not told about its cost in pieces may be told with the whole, and what
    /// comes whole anyway is better asked for like that.
    pub(super) fn heard(&self, came: Option<ResponseForm>, written: &Style) -> Option<ModelFault> {
        let why = match came.filter(|_| written.is_streamed)? {
            ResponseForm::Cut => {
                let cuts = self.cuts.fetch_add(1, Ordering::Relaxed) + 1;
                if cuts < MAX_CUT_STREAMS {
                    return None;
                }
                let text = format!("{ONE_PIECE_NOTICE}: {cuts} streams in a row were cut");
                self.ask_for_one_piece(&text);
                return Some(ModelFault::Adapted { text });
            }
            ResponseForm::InPieces { has_usage } => {
                self.cuts.store(0, Ordering::Relaxed);
                if has_usage {
                    return None;
                }
                "a stream did not say what it cost"
            }
            ResponseForm::Whole => "that is how they come",
        };
        self.ask_for_one_piece(&format!("{ONE_PIECE_NOTICE}: {why}"));
        None
    }

    fn ask_for_one_piece(&self, why: &str) {
        let mut style = self.style.lock().unwrap_or_else(PoisonError::into_inner);
        if style.is_streamed {
            tracing::info!("{why}");
        }
        style.is_streamed = false;
    }
}

/// How messages are written from here on, where a refusal is about that; the form in which they were
/// written teaches nothing.
fn learn_manners(
    said: &str,
    written: WireProfile,
    manners: &mut WireProfile,
) -> Option<&'static str> {
    if !written.has_no_system_role && error_hints::is_about_system_messages(said) {
        manners.has_no_system_role = true;
        return Some("the system prompt opens the first user message");
    }
    if !written.wants_short_ids && error_hints::is_about_call_ids(said) {
        manners.wants_short_ids = true;
        return Some("calls have ids of nine digits");
    }
    if !written.wants_single_calls && error_hints::is_about_several_calls(said) {
        manners.wants_single_calls = true;
        return Some("messages hold one call each");
    }
    if !written.wants_bare_calls && error_hints::is_about_words_beside_calls(said) {
        manners.wants_bare_calls = true;
        return Some("what the model said beside calls is left out");
    }
    if !written.wants_reasoning && error_hints::is_about_reasoning(said) {
        manners.wants_reasoning = true;
        return Some("messages of the model have an empty field for its reasoning");
    }
    None
}

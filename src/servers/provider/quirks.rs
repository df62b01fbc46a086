//! Quirks: what a provider requires for each of its models, learnt from its refusals. It is valid for
//! the whole swarm until the program ends or the configuration is reloaded.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use actors::domain::ids::MysisId;
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest, RefusalHint};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cut_streams::{CutStreams, EndedStreaming, MAX_CUT_STREAMS};
use super::error_hints;
use super::failure::says_something;
use super::manners::{interrupts_results, learn_manners};
use super::misreading::Misreadings;
use super::own_words::own_words;
use super::probe::ResponseForm;
use super::thoughts::KeptReasoning;
use super::tools::ToolsCache;
use super::{ProviderEndpoint, WireProfile};

/// The most models of one provider of which something is kept. What is dropped is learnt again.
const MAX_MODELS: usize = 64;

/// After so many streams in a row whose usage did not come in time, it is not expected any more.
const MAX_LATE_STREAMS: u32 = 3;

const ONE_PIECE_NOTICE: &str = "answers are requested in one piece from now on";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) manners: WireProfile,
    pub(super) has_temperature: bool,
    pub(super) is_streamed: bool,
    pub(super) extra: Arc<Map<String, Value>>,
    /// Whether reasoning goes back, if the configuration says so.
    pub(super) reasoning_back: Option<bool>,
    /// Whether requests say up to where they are worth caching.
    pub(super) marks_cache: bool,
    /// How many answers in a row the server could not read, for who asks.
    pub(super) misread: u8,
}

impl Style {
    pub(super) fn of(manners: WireProfile) -> Style {
        Style {
            manners,
            has_temperature: true,
            is_streamed: false,
            extra: Arc::default(),
            reasoning_back: None,
            marks_cache: false,
            misread: 0,
        }
    }

    /// The temperature of a request. Where the last answer could not be read, it is a higher one, so
    /// that the model writes something else.
    pub(super) fn temperature(&self, wanted: Option<f32>) -> Option<f32> {
        match self.misread {
            0 => wanted,
            misread => Some((wanted.unwrap_or(0.7) + 0.1 * f32::from(misread)).min(1.5)),
        }
    }

    /// Whether this reasoning goes back to a model.
    pub(super) fn returns(&self, kept: &KeptReasoning, model: &str) -> bool {
        let is_wanted = || kept.is_wanted(self.manners.wants_reasoning, model);
        self.reasoning_back.unwrap_or_else(is_wanted)
    }

    /// Whether this reasoning is kept for requests: a member, too, that is not demanded, because a later
    /// refusal demands that of the messages before it.
    pub(super) fn keeps(&self, kept: &KeptReasoning, model: &str) -> bool {
        matches!(kept, KeptReasoning::Members(_)) || self.returns(kept, model)
    }
}

/// What was learnt about a server and a model, in the form that is kept for another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearntStyle {
    #[serde(flatten)]
    pub profile: WireProfile,
    #[serde(rename = "temperature")]
    pub has_temperature: bool,
    #[serde(rename = "streamed")]
    pub is_streamed: bool,
}

/// What is known of the models of one server. A router has models of many makers, and what one of
/// them refuses the others may need.
#[derive(Debug)]
pub(super) struct ServerQuirks {
    /// The style for a model of which nothing is known.
    first: Style,
    models: Mutex<BTreeMap<Arc<str>, Arc<ModelQuirks>>>,
}

impl ServerQuirks {
    pub(super) fn new(endpoint: &ProviderEndpoint) -> ServerQuirks {
        let first = Style {
            is_streamed: endpoint.is_streamed,
            extra: endpoint.extra.clone(),
            reasoning_back: endpoint.reasoning_back,
            marks_cache: endpoint.marks_cache,
            ..Style::of(WireProfile::default())
        };
        ServerQuirks {
            first,
            models: Mutex::default(),
        }
    }

    pub(super) fn of_model(&self, model: &str) -> Arc<ModelQuirks> {
        let mut models = self.models.lock();
        if let Some(known) = models.get(model) {
            return known.clone();
        }
        if models.len() >= MAX_MODELS {
            models.pop_first();
        }
        let known = Arc::new(ModelQuirks::new(self.first.clone()));
        models.insert(model.into(), known.clone());
        known
    }
}

#[derive(Debug)]
pub(super) struct ModelQuirks {
    style: Mutex<Style>,
    cuts: CutStreams,
    /// Whether a stream has come as a whole, so that streaming is not refused.
    has_streamed: AtomicBool,
    /// The streams in a row whose usage did not come in time.
    late_streams: AtomicU32,
    has_answered: AtomicBool,
    /// The bytes of the longest request to which the model wrote something.
    longest_served: AtomicU64,
    /// Whose last answer the server could not read.
    pub(super) misreadings: Misreadings,
    pub(super) tools: ToolsCache,
}

impl ModelQuirks {
    fn new(style: Style) -> ModelQuirks {
        ModelQuirks {
            style: Mutex::new(style),
            cuts: CutStreams::default(),
            has_streamed: AtomicBool::new(false),
            late_streams: AtomicU32::new(0),
            has_answered: AtomicBool::new(false),
            longest_served: AtomicU64::new(0),
            misreadings: Misreadings::default(),
            tools: ToolsCache::default(),
        }
    }

    pub(super) fn style_for(&self, asker: Option<MysisId>) -> Style {
        let style = self.style();
        Style {
            misread: self.misreadings.of(asker),
            is_streamed: style.is_streamed && !self.cuts.end_streaming_of(asker),
            ..style
        }
    }

    pub(super) fn style(&self) -> Style {
        let style = self.style.lock();
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

    pub(super) fn in_words(&self) -> Vec<String> {
        let style = self.style();
        let manners = style.manners;
        let lines = [
            (manners.has_no_system_role, "no system role"),
            (manners.wants_short_ids, "calls with ids of nine digits"),
            (manners.wants_single_calls, "one call in a message"),
            (manners.wants_bare_calls, "no words beside calls"),
            (manners.wants_reasoning, "the reasoning sent back"),
            (manners.wants_completion_limit, "max_completion_tokens"),
            (manners.wants_no_effort, "reasoning_effort \"none\""),
            (manners.wants_signatures, "signatures of thoughts"),
            (
                manners.wants_bridges,
                "a message of the model after results",
            ),
            (!style.has_temperature, "no temperature"),
        ];
        let lines = lines.into_iter().filter(|(is_so, _)| *is_so);
        lines.map(|(_, line)| line.to_string()).collect()
    }

    /// Starts with what was learnt before. What the configuration switched off stays off.
    pub(super) fn teach(&self, learnt: LearntStyle) {
        let mut style = self.style.lock();
        style.manners = learnt.profile;
        style.has_temperature &= learnt.has_temperature;
        style.is_streamed &= learnt.is_streamed;
    }

    /// Notes that the model answered. If its server says later that it is not there, that may pass: it
    /// is loaded anew, or something before it is set up.
    pub(super) fn note_answer(&self, answer: &ModelAnswer, sent_bytes: u64) {
        self.has_answered.store(true, Ordering::Relaxed);
        if answer.refusal.is_none() && says_something(answer) {
            self.longest_served.fetch_max(sent_bytes, Ordering::Relaxed);
        }
    }

    /// A request of so many bytes was served, so that one as long is hardly too long.
    pub(super) fn longest_served(&self) -> u64 {
        self.longest_served.load(Ordering::Relaxed)
    }

    pub(super) fn or_gone_for_now(&self, fault: ModelFault) -> ModelFault {
        if let ModelFault::Permanent { text } | ModelFault::Refused { text, .. } = &fault
            && text.starts_with("HTTP 404")
            && self.has_answered.load(Ordering::Relaxed)
        {
            return ModelFault::Transient {
                text: format!("{text}; it existed before, so its Myses wait for it"),
                retry_after: None,
            };
        }
        fault
    }

    /// Learns from the refusal of a request in a certain style. If that style already avoids the
    /// cause, nothing is learnt, so the request is not repeated forever.
    pub(super) fn learn(
        &self,
        fault: ModelFault,
        request: &ModelRequest,
        written: &Style,
    ) -> ModelFault {
        let (ModelFault::Permanent { text: said }
        | ModelFault::Refused { text: said, .. }
        | ModelFault::Transient { text: said, .. }) = &fault
        else {
            return fault;
        };
        let own = own_words(said);
        let mut style = self.style.lock();
        let is_final = matches!(
            fault,
            ModelFault::Permanent { .. } | ModelFault::Refused { .. }
        );
        // First, since such a refusal may name other parameters by the way.
        if written.has_temperature && is_final && error_hints::is_about_temperature(&own) {
            style.has_temperature = false;
            return adapted(format!("no temperature is sent from now on: {said}"));
        }
        let interrupts = interrupts_results(&request.messages);
        if let Some(text) = learn_manners(&own, written.manners, interrupts, &mut style.manners) {
            let text = format!("{text} from now on: {said}");
            return ModelFault::Adapted { text };
        }
        let is_limited = request.max_tokens.is_some() && !written.manners.wants_completion_limit;
        if is_limited && is_final && error_hints::is_about_answer_limit(&own) {
            style.manners.wants_completion_limit = true;
            return adapted(format!("max_completion_tokens is sent from now on: {said}"));
        }
        // A server that cannot stream may report that as a server error.
        let may_mean_it = is_final || said.starts_with("HTTP 5");
        let may_mean_it = may_mean_it && !self.has_streamed.load(Ordering::Relaxed);
        if written.is_streamed && may_mean_it && error_hints::is_about_streaming(&own) {
            style.is_streamed = false;
            return adapted(format!("{ONE_PIECE_NOTICE}: {said}"));
        }
        naming_refused_tools(fault, &own, request)
    }

    /// Learns from the form of an answer that should be streamed. Returns a fault if that form is
    /// why there is no answer. Streaming is given up if streams come without usage, or too late with it
    /// several times in a row, or if answers come as a whole anyway. Where streams are cut, those are
    /// asked for in one piece that got them.
    pub(super) fn observed(
        &self,
        came: Option<ResponseForm>,
        written: &Style,
        asker: Option<MysisId>,
    ) -> Option<ModelFault> {
        let why = match came.filter(|_| written.is_streamed)? {
            ResponseForm::Cut => {
                let ended = self.cuts.note_cut(asker)?;
                let text =
                    format!("{ONE_PIECE_NOTICE}: {MAX_CUT_STREAMS} streams in a row were cut");
                if ended == EndedStreaming::ForAll {
                    self.ask_for_one_piece(&text);
                }
                return Some(ModelFault::Adapted { text });
            }
            ResponseForm::InPieces { has_usage: true } => {
                self.note_stream(asker);
                self.late_streams.store(0, Ordering::Relaxed);
                return None;
            }
            ResponseForm::InPieces { has_usage: false } => {
                self.note_stream(asker);
                "a stream did not say what it cost"
            }
            ResponseForm::Late => {
                self.note_stream(asker);
                let before = self.late_streams.fetch_add(1, Ordering::Relaxed);
                if before.saturating_add(1) < MAX_LATE_STREAMS {
                    return None;
                }
                "streams did not say in time what they cost"
            }
            ResponseForm::Whole => "that is how they come",
        };
        self.ask_for_one_piece(&format!("{ONE_PIECE_NOTICE}: {why}"));
        None
    }

    /// Notes that a stream came to its end.
    fn note_stream(&self, asker: Option<MysisId>) {
        self.cuts.note_whole(asker);
        self.has_streamed.store(true, Ordering::Relaxed);
    }

    fn ask_for_one_piece(&self, why: &str) {
        let mut style = self.style.lock();
        if style.is_streamed {
            tracing::info!("{why}");
        }
        style.is_streamed = false;
    }
}

/// A refusal with the tools of the request at which the server's own words point.
fn naming_refused_tools(mut fault: ModelFault, own: &str, request: &ModelRequest) -> ModelFault {
    if let ModelFault::Refused { hint, .. } = &mut fault {
        let tools = error_hints::refused_tools(own, &error_hints::names(&request.tools));
        if !tools.is_empty() {
            *hint = RefusalHint::Tools(tools);
        }
    }
    fault
}

fn adapted(text: String) -> ModelFault {
    ModelFault::Adapted { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_models_without_end_only_so_many_are_kept() {
        let quirks = ServerQuirks::new(&ProviderEndpoint::default());
        for number in 0..1000 {
            quirks.of_model(&format!("model-{number}"));
        }
        assert_eq!(quirks.models.lock().len(), MAX_MODELS);
        let known = quirks.of_model("model-999");
        assert!(Arc::ptr_eq(&known, &quirks.of_model("model-999")));
    }
}

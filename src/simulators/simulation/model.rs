//! The model: the pilot's player, called without a wire. Every request is validated as a provider
//! would.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::held::HELD_SENTENCE;
use actors::domain::model::{
    ChatMessage, ModelAnswer, ModelFault, ModelRequest, RequestedCall, TokenUsage,
};
use actors::ports::{AnswerMeter, Models};
use futures::FutureExt;
use futures::future::BoxFuture;

use zoea_pilot::{Habits, Persona, PilotRequest};

use super::ProgramParts;
use super::chaos::{Chaos, InjectedFault, PANIC};
use super::poison::{self, FoundMark, PoisonMistake, PoisonShape};
use super::rules::MAIN_PROVIDER;
use super::tool_reader::ToolReader;
use super::verdict::InvariantMonitor;

const MAX_PROVIDER_OUTAGE: Duration = Duration::from_secs(240);

/// How many bytes a token has.
const BYTES_PER_TOKEN: u64 = 4;

pub struct PilotModels {
    habits: Habits,
    /// The longest time that an answer usually takes.
    thinking: Duration,
    adapters: ProgramParts,
    /// Whether it reports as many input tokens as a request has, and not always the same number.
    counts_tokens: bool,
    tools: Arc<ToolReader>,
    chaos: Arc<Chaos>,
    watch: Arc<InvariantMonitor>,
    mistake: Option<PoisonMistake>,
}

impl PilotModels {
    pub fn new(
        seed: u64,
        thinking: Duration,
        adapters: ProgramParts,
        chaos: Arc<Chaos>,
        watch: Arc<InvariantMonitor>,
    ) -> PilotModels {
        PilotModels {
            habits: Habits {
                seed,
                nonsense: 0.03,
                persona: Persona::Steady,
            },
            thinking,
            counts_tokens: false,
            tools: Arc::new(ToolReader::new(adapters.request_text)),
            adapters,
            chaos,
            watch,
            mistake: None,
        }
    }

    /// The same models, and a mistake in what is made of their refusals.
    pub fn making(self, mistake: Option<PoisonMistake>) -> PilotModels {
        PilotModels { mistake, ..self }
    }

    pub fn counting_tokens(self) -> PilotModels {
        PilotModels {
            counts_tokens: true,
            ..self
        }
    }
}

/// The tokens of a request, as these models count them.
pub fn input_tokens(parts: ProgramParts, request: &ModelRequest) -> u64 {
    let body = (parts.request_without_tools)(request).to_string();
    tokens_of_bytes(body.len() + request.tools.bytes())
}

fn tokens_of_bytes(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

impl Models for PilotModels {
    fn ask(
        &self,
        request: ModelRequest,
        _meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let (habits, longest, counts) = (self.habits, self.thinking, self.counts_tokens);
        let tools = self.tools.clone();
        let request_without_tools = self.adapters.request_without_tools;
        let (chaos, watch) = (self.chaos.clone(), self.watch.clone());
        let mistake = self.mistake;
        async move {
            let body = request_without_tools(&request);
            let read = PilotRequest::read(&body);
            let who = zoea_pilot::agent_name(&read).unwrap_or_default();
            watch.on_asked(&who);
            let usual = chaos.duration_of(&who, longest / 8, longest);
            tokio::time::sleep(usual).await;
            if mistake == Some(PoisonMistake::OthersWait) && watch.is_another_refused(&who) {
                tokio::time::sleep(Duration::from_secs(10)).await;
            }
            assert!(
                !chaos.draw_fault(InjectedFault::ModelPanic, 0.0005),
                "{PANIC}"
            );
            if chaos.draw_fault(InjectedFault::ModelSlow, 0.002) {
                tokio::time::sleep(Duration::from_secs(240)).await;
            }
            if let Some(fault) = draw_model_fault(&chaos, &request) {
                watch.on_request_failed();
                return Err(fault);
            }
            if let Err(refusal) = zoea_pilot::validate(&body) {
                let text = refusal.to_string();
                watch.on_request_refused(&text);
                return Err(ModelFault::Permanent { text });
            }
            if let Some((found, fault)) = refuse_text(&request, mistake) {
                watch.on_text_refused(&who, &found);
                return Err(fault);
            }
            watch.on_request(&request);
            if chaos.draw_fault(InjectedFault::ModelMute, 0.002) {
                watch.on_request_failed();
                return Ok(ModelAnswer::default());
            }
            watch.on_served(&who);
            let tools = tools.read(&request);
            let said = match tools.as_deref() {
                Some(tools) => zoea_pilot::answer_request(&read.offering(tools), &habits),
                None => zoea_pilot::answer_request(&read, &habits),
            };
            let mut answer = model_answer(said);
            if let Some(usage) = answer.usage.as_mut().filter(|_| counts) {
                usage.input = tokens_of_bytes(body.to_string().len() + request.tools.bytes());
            }
            Ok(answer)
        }
        .boxed()
    }

    fn request_body(&self, request: &ModelRequest) -> Option<String> {
        (self.adapters.request_text)(request)
    }
}

fn refuse_text(
    request: &ModelRequest,
    mistake: Option<PoisonMistake>,
) -> Option<(FoundMark, ModelFault)> {
    let found = poison::mark_in(request).or_else(|| {
        let holds_back = mistake != Some(PoisonMistake::HoldsNothingBack);
        (!holds_back && is_anything_held(request)).then(|| FoundMark {
            shape: PoisonShape::Risk,
            mark: "held".to_string(),
            place: String::new(),
        })
    })?;
    let fault = match (found.shape.fault(), mistake) {
        (fault, Some(PoisonMistake::NoTrials)) => ModelFault::Permanent {
            text: fault.text().to_string(),
        },
        (fault, _) => fault,
    };
    Some((found, fault))
}

/// Whether a sentence of the runtime stands in the place of a text.
fn is_anything_held(request: &ModelRequest) -> bool {
    request.messages.iter().any(|message| match message {
        ChatMessage::System(text) | ChatMessage::User(text) | ChatMessage::Tool { text, .. } => {
            text.contains(HELD_SENTENCE)
        }
        ChatMessage::Assistant { .. } => false,
    })
}

fn draw_model_fault(chaos: &Chaos, request: &ModelRequest) -> Option<ModelFault> {
    // Only the first provider has outages; its fallback is another one.
    let is_first = &*request.provider == MAIN_PROVIDER;
    if is_first && chaos.draw_lasting_fault(InjectedFault::ModelAway, 0.001, MAX_PROVIDER_OUTAGE) {
        return Some(ModelFault::Transient {
            text: "502 bad gateway".to_string(),
            retry_after: None,
        });
    }
    if chaos.draw_fault(InjectedFault::ModelLimited, 0.01) {
        return Some(ModelFault::Transient {
            text: "429 too many requests".to_string(),
            retry_after: Some(Duration::from_secs(20)),
        });
    }
    if chaos.draw_fault(InjectedFault::ModelTransient, 0.01) {
        return Some(ModelFault::Transient {
            text: "503 service unavailable".to_string(),
            retry_after: None,
        });
    }
    let is_permanent = chaos.draw_fault(InjectedFault::ModelPermanent, 0.0005);
    is_permanent.then(|| ModelFault::Permanent {
        text: "401 invalid key".to_string(),
    })
}

pub fn model_answer(said: zoea_pilot::PilotAnswer) -> ModelAnswer {
    let output = said.token_count();
    let calls = said.calls.into_iter().map(|call| RequestedCall {
        id: call.id,
        name: call.name,
        arguments: call.arguments,
    });
    ModelAnswer {
        refusal: None,
        echo: None,
        text: said.content.unwrap_or_default(),
        reasoning: said.reasoning,
        calls: calls.collect(),
        finish_reason: Some(said.finish.as_str().to_string()),
        usage: Some(TokenUsage {
            input: 1000,
            output,
            cached: 0,
        }),
        ..ModelAnswer::default()
    }
}

//! The model: the pilot's player, asked without a wire, every request checked as a provider would.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::model::{AskedCall, ModelAnswer, ModelFault, ModelRequest, Usage};
use actors::ports::{Meter, Models};
use futures::FutureExt;
use futures::future::BoxFuture;

use zoea_pilot::{Habits, Persona, Request};

use super::ProgramParts;
use super::chaos::{Chaos, InjectedFault, PANIC};
use super::rules::PROVIDER;
use super::verdict::Watch;

/// The longest that the first provider is away.
const LONGEST_ABSENCE: Duration = Duration::from_secs(240);

/// The model server.
pub(super) struct Pilots {
    habits: Habits,
    /// The longest that an answer usually takes.
    thinking: Duration,
    adapters: ProgramParts,
    chaos: Arc<Chaos>,
    watch: Arc<Watch>,
}

impl Pilots {
    pub(super) fn new(
        seed: u64,
        thinking: Duration,
        adapters: ProgramParts,
        chaos: Arc<Chaos>,
        watch: Arc<Watch>,
    ) -> Pilots {
        Pilots {
            habits: Habits {
                seed,
                nonsense: 0.03,
                persona: Persona::Steady,
            },
            thinking,
            adapters,
            chaos,
            watch,
        }
    }
}

impl Models for Pilots {
    fn ask(
        &self,
        request: ModelRequest,
        _meter: Meter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let (habits, longest) = (self.habits, self.thinking);
        let request_without_tools = self.adapters.request_without_tools;
        let (chaos, watch) = (self.chaos.clone(), self.watch.clone());
        async move {
            let usual = chaos.between(longest / 8, longest);
            tokio::time::sleep(usual).await;
            assert!(!chaos.strikes(InjectedFault::ModelPanic, 0.0005), "{PANIC}");
            if chaos.strikes(InjectedFault::ModelSlow, 0.002) {
                tokio::time::sleep(Duration::from_secs(240)).await;
            }
            // Whoever takes over while it is away is another one.
            let is_first = &*request.provider == PROVIDER;
            if is_first && chaos.lasts(InjectedFault::ModelAway, 0.001, LONGEST_ABSENCE) {
                return Err(ModelFault::Transient {
                    text: "502 bad gateway".to_string(),
                    retry_after: None,
                });
            }
            if let Some(fault) = fault(&chaos) {
                return Err(fault);
            }
            let body = request_without_tools(&request);
            if let Err(refusal) = zoea_pilot::validate(&body) {
                let text = refusal.to_string();
                watch.refused(&text);
                return Err(ModelFault::Permanent { text });
            }
            watch.seen(&request);
            if chaos.strikes(InjectedFault::ModelMute, 0.002) {
                return Ok(ModelAnswer::default());
            }
            let mut read = Request::read(&body);
            let tools = request.tools.tools().iter();
            read.tools = tools.map(|tool| &*tool.name).collect();
            Ok(answer(zoea_pilot::fly(&read, &habits)))
        }
        .boxed()
    }

    fn written(&self, request: &ModelRequest) -> Option<String> {
        (self.adapters.request_text)(request)
    }
}

fn fault(chaos: &Chaos) -> Option<ModelFault> {
    if chaos.strikes(InjectedFault::ModelLimited, 0.01) {
        return Some(ModelFault::Transient {
            text: "429 too many requests".to_string(),
            retry_after: Some(Duration::from_secs(20)),
        });
    }
    if chaos.strikes(InjectedFault::ModelTransient, 0.01) {
        return Some(ModelFault::Transient {
            text: "503 service unavailable".to_string(),
            retry_after: None,
        });
    }
    let is_permanent = chaos.strikes(InjectedFault::ModelPermanent, 0.0005);
    is_permanent.then(|| ModelFault::Permanent {
        text: "401 invalid key".to_string(),
    })
}

fn answer(said: zoea_pilot::Answer) -> ModelAnswer {
    let output = said.tokens();
    let calls = said.calls.into_iter().map(|call| AskedCall {
        id: call.id,
        name: call.name,
        arguments: call.arguments,
    });
    ModelAnswer {
        doubt: None,
        text: said.content.unwrap_or_default(),
        reasoning: said.reasoning,
        calls: calls.collect(),
        finish_reason: Some(said.finish.word().to_string()),
        usage: Some(Usage {
            input: 1000,
            output,
            cached: 0,
        }),
        model: None,
    }
}

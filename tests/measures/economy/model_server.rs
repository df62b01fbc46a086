//! The model server of a measurement: the pilot's player without a wire, the cache of prompts that
//! servers have, and the count of what was used.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest, TokenUsage};
use actors::domain::price::TokenPrice;
use actors::domain::rules::SwarmRules;
use actors::ports::{AnswerMeter, Models};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use serde_json::Value;
use zoea_pilot::{
    Habits, PilotAnswer, PilotRequest, PromptCache, ToolList, answer_request, count_tokens,
};

use zoea_simulation::ProgramParts;
use zoea_simulation::chaos::Chaos;
use zoea_simulation::model::model_answer;
use zoea_simulation::tool_reader::ToolReader;
use zoea_simulation::verdict::InvariantMonitor;

use super::real_model::RealModel;
use super::{EconomyOptions, EconomySetup};

/// The tool by which a Mysis finds others.
const SEARCH_TOOL: &str = "zoea_find_tools";

/// What was used of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModelUse {
    /// Requests.
    pub calls: u64,
    /// Those whose answer looked for a tool that was not offered.
    pub searches: u64,
    pub tokens: TokenUsage,
    /// US dollars if cached tokens cost as much as others.
    pub dollars: f64,
    /// US dollars if cached tokens cost a tenth.
    pub discounted: f64,
}

impl ModelUse {
    pub fn add(&mut self, other: &ModelUse) {
        self.calls += other.calls;
        self.searches += other.searches;
        self.tokens.input += other.tokens.input;
        self.tokens.cached += other.tokens.cached;
        self.tokens.output += other.tokens.output;
        self.dollars += other.dollars;
        self.discounted += other.discounted;
    }

    /// One request with these tokens at this price.
    #[expect(
        clippy::cast_precision_loss,
        reason = "tokens of one call are far below 2^52"
    )]
    fn of_call(tokens: TokenUsage, price: TokenPrice, is_search: bool) -> ModelUse {
        let millions = |tokens: u64| tokens as f64 / 1e6;
        let output = millions(tokens.output) * price.output;
        let fresh = millions(tokens.input - tokens.cached) * price.input;
        let cached = millions(tokens.cached) * price.input;
        ModelUse {
            calls: 1,
            searches: u64::from(is_search),
            tokens,
            dollars: fresh + cached + output,
            discounted: fresh + cached / 10.0 + output,
        }
    }
}

/// What all roles share: the player, the chance, and the caches of prompts.
pub(super) struct ModelServer {
    habits: Habits,
    /// The model that plays in the player's place.
    real: Option<RealModel>,
    thinking: Duration,
    price: TokenPrice,
    begun: Instant,
    /// The cache of each provider: another model has another one.
    prompts: Mutex<BTreeMap<Arc<str>, PromptCache>>,
    chaos: Arc<Chaos>,
    watch: Arc<InvariantMonitor>,
}

impl ModelServer {
    pub(super) fn new(
        options: &EconomyOptions,
        real: Option<RealModel>,
        chaos: Arc<Chaos>,
        watch: Arc<InvariantMonitor>,
    ) -> ModelServer {
        ModelServer {
            habits: Habits {
                seed: options.seed,
                ..Habits::default()
            },
            real,
            thinking: options.thinking,
            price: options.price,
            begun: Instant::now(),
            prompts: Mutex::default(),
            chaos,
            watch,
        }
    }

    /// Whether a real model plays.
    pub(super) fn has_real_model(&self) -> bool {
        self.real.is_some()
    }
}

/// The models of one role's swarm.
pub(super) struct RoleModels {
    server: Arc<ModelServer>,
    role: Arc<RoleAccount>,
    parts: ProgramParts,
}

/// What is kept for one role.
struct RoleAccount {
    rules: SwarmRules,
    nonsense: BTreeMap<Arc<str>, f64>,
    tools: ToolReader,
    used: Arc<Mutex<ModelUse>>,
}

impl RoleModels {
    pub(super) fn new(
        server: Arc<ModelServer>,
        setup: &EconomySetup,
        used: Arc<Mutex<ModelUse>>,
    ) -> RoleModels {
        let account = RoleAccount {
            rules: setup.rules.clone(),
            nonsense: setup.nonsense.clone(),
            tools: ToolReader::new(setup.parts.request_text),
            used,
        };
        RoleModels {
            server,
            role: Arc::new(account),
            parts: setup.parts,
        }
    }
}

impl Models for RoleModels {
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let (server, role) = (self.server.clone(), self.role.clone());
        let request_without_tools = self.parts.request_without_tools;
        async move {
            let longest = server.thinking;
            tokio::time::sleep(server.chaos.duration_between(longest / 8, longest)).await;
            let body = request_without_tools(&request);
            if let Err(refusal) = zoea_pilot::validate(&body) {
                let text = refusal.to_string();
                server.watch.on_request_refused(&text);
                return Err(ModelFault::Permanent { text });
            }
            server.watch.on_request(&request);
            let (answer, tokens) = match &server.real {
                Some(real) => {
                    let answer = real.ask(request.clone(), meter).await?;
                    let tokens = answer.usage.unwrap_or_default();
                    (answer, tokens)
                }
                None => {
                    let said = role.play(&server, &request, &body);
                    let tokens = role.count_tokens(&server, &request, &body, &said);
                    (model_answer(said), tokens)
                }
            };
            role.book(&server, &request, &answer, tokens);
            Ok(ModelAnswer {
                usage: Some(tokens),
                ..answer
            })
        }
        .boxed()
    }

    fn request_body(&self, request: &ModelRequest) -> Option<String> {
        (self.parts.request_text)(request)
    }
}

impl RoleAccount {
    /// What the simulated player answers.
    fn play(&self, server: &ModelServer, request: &ModelRequest, body: &Value) -> PilotAnswer {
        let nonsense = self.nonsense.get(&request.provider).copied();
        let habits = Habits {
            nonsense: nonsense.unwrap_or(server.habits.nonsense),
            ..server.habits
        };
        let read = PilotRequest::read(body);
        match self.tools.read(request).as_deref() {
            Some(tools) => answer_request(&read.offering(tools), &habits),
            None => answer_request(&read, &habits),
        }
    }

    /// The tokens of an answer of the simulated player, with those that a server's cache would have.
    fn count_tokens(
        &self,
        server: &ModelServer,
        request: &ModelRequest,
        body: &Value,
        said: &PilotAnswer,
    ) -> TokenUsage {
        let tools = self.tools.read(request);
        let messages = body["messages"].to_string();
        let prompt = [tools.as_deref().map_or("", ToolList::text), &*messages];
        let mut prompts = server.prompts.lock();
        let cache = prompts.entry(request.provider.clone()).or_default();
        TokenUsage {
            input: count_tokens(prompt.iter().map(|text| text.len()).sum()),
            cached: cache.read_through(&prompt, server.begun.elapsed()),
            output: said.token_count(),
        }
    }

    fn book(
        &self,
        server: &ModelServer,
        request: &ModelRequest,
        answer: &ModelAnswer,
        tokens: TokenUsage,
    ) {
        let price = self.rules.price_of(&request.provider, &request.model);
        let is_search = answer.calls.iter().any(|call| *call.name == *SEARCH_TOOL);
        let call = ModelUse::of_call(tokens, price.unwrap_or(server.price), is_search);
        let mut used = self.used.lock();
        used.add(&call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_costs_what_its_tokens_cost_with_and_without_a_discount() {
        let price = TokenPrice {
            input: 1.0,
            output: 10.0,
            cached: None,
        };
        let tokens = TokenUsage {
            input: 1_000_000,
            cached: 900_000,
            output: 20_000,
        };
        let one = ModelUse::of_call(tokens, price, true);
        assert!((one.dollars - 1.2).abs() < 1e-9, "{one:?}");
        assert!((one.discounted - 0.39).abs() < 1e-9, "{one:?}");
        let mut two = one;
        two.add(&ModelUse::of_call(tokens, price, false));
        assert_eq!((two.calls, two.searches), (2, 1));
        assert_eq!(two.tokens.cached, 1_800_000);
        assert!((two.dollars - 2.4).abs() < 1e-9, "{two:?}");
    }
}

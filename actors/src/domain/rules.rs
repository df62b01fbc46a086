//! Rules that the operator can set, in the form that the pure rules use.

mod tiers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::bounds;
use super::budget::BudgetRules;
use super::gate::circuit::CircuitRules;
use super::model::{Charge, ReportedUse};
use super::number::NamedNumber;
use super::price::{PriceList, TokenPrice};
use super::role::RoleBook;
use super::routine::RoutineRules;
use super::tool::RepeatRules;
use super::tool_filter::ToolFilters;
use super::tool_offer::ToolListMode;

pub use tiers::ProviderTier;

/// The default nudges in their order (docs/design/requests.md).
pub const DEFAULT_NUDGES: [&str; 3] = [
    "Continue your mission. Check notifications and coordinate with the swarm.",
    "You need to respond. Check your notifications and status.",
    "URGENT: Respond immediately. Check your system status.",
];

/// The share of a request that a mission's earlier turns may take, in hundredths.
const DEFAULT_HISTORY_SHARE: u8 = 25;
/// The bytes that a token has at least, in what a Mysis sends.
const CERTAIN_BYTES_PER_TOKEN: u64 = 3;

#[derive(Clone, Debug, PartialEq)]
pub struct SwarmRules {
    pub max_myses: usize,
    /// The provider of a Mysis without a provider of its own.
    pub default_provider: Arc<str>,
    pub turn_pause: Duration,
    pub max_model_calls: u32,
    /// The number of newest sendable rows in which a direct message is found.
    pub context_window: usize,
    /// The maximum bytes of a request's messages as compact JSON.
    pub context_budget: usize,
    /// The number of turns without progress after which the operator and the model are told; at
    /// least 1.
    pub no_progress_turns: u32,
    pub progress: ProgressRules,
    pub value: ValueRules,
    pub routines: RoutineRules,
    /// The texts of the nudges in their order. After the last one the Mysis becomes idle. Never
    /// empty.
    pub nudges: Vec<Arc<str>>,
    /// The operator's template of the system prompt; `None`: the built-in one of the game.
    pub system_prompt: Option<Arc<str>>,
    pub tools: ToolRules,
    pub supervision: SupervisionRules,
    pub budget: BudgetRules,
    pub providers: BTreeMap<Arc<str>, ProviderRules>,
    pub roles: Arc<RoleBook>,
    pub simulated: Simulated,
}

/// The rules of a new configuration (CONTRACT.md), without providers.
impl Default for SwarmRules {
    fn default() -> SwarmRules {
        SwarmRules {
            max_myses: 16,
            default_provider: "local".into(),
            turn_pause: Duration::from_secs(2),
            max_model_calls: 10,
            context_window: 20,
            context_budget: 64 << 10,
            no_progress_turns: 5,
            progress: ProgressRules::default(),
            value: ValueRules::default(),
            routines: RoutineRules::default(),
            nudges: DEFAULT_NUDGES.map(Into::into).to_vec(),
            system_prompt: None,
            tools: ToolRules::default(),
            supervision: SupervisionRules::default(),
            budget: BudgetRules::default(),
            providers: BTreeMap::new(),
            roles: Arc::default(),
            simulated: Simulated::Nothing,
        }
    }
}

impl SwarmRules {
    /// The text of the next nudge after this many were given. The last text is repeated.
    pub fn nudge_after(&self, given: u32) -> Arc<str> {
        let place = usize::try_from(given).unwrap_or(usize::MAX);
        self.nudges
            .get(place)
            .or_else(|| self.nudges.last())
            .cloned()
            .unwrap_or_else(|| "Continue.".into())
    }

    /// The bytes of a result that are kept in memory: as many as a request can contain.
    pub fn held_of_a_result(&self) -> usize {
        (self.context_budget / 4).max(4 << 10)
    }

    /// The most bytes of a mission's earlier turns in a request to a provider. It depends on settings
    /// alone, so that all requests begin at the same turn.
    pub fn earlier_bytes(&self, provider: &str) -> usize {
        let rules = self.providers.get(provider);
        let (context, share) = rules.map_or((None, DEFAULT_HISTORY_SHARE), |rules| {
            (rules.context_tokens, rules.history_share)
        });
        let of_context = context.map(|tokens| tokens.saturating_mul(CERTAIN_BYTES_PER_TOKEN));
        let of_context = of_context.and_then(|bytes| usize::try_from(bytes).ok());
        let most = of_context.map_or(self.context_budget, |of| of.min(self.context_budget));
        most / 100 * usize::from(share)
    }

    /// The same for the provider with the most.
    pub fn most_earlier_bytes(&self) -> usize {
        let providers = self.providers.keys();
        let most = providers.map(|name| self.earlier_bytes(name)).max();
        most.unwrap_or_else(|| self.earlier_bytes(&self.default_provider))
    }

    /// The provider with this name and the chain of its fallbacks, without repetitions.
    pub fn provider_routes(&self, provider: &Arc<str>) -> Vec<Arc<str>> {
        let mut routes = vec![provider.clone()];
        let mut last = provider;
        while let Some(next) = self.providers.get(last).and_then(|of| of.fallback.as_ref())
            && !routes.contains(next)
        {
            routes.push(next.clone());
            last = next;
        }
        routes
    }

    /// The charge of a model call, if the provider reported its usage. A cost that it states outranks
    /// prices, unless the operator says that nothing is paid.
    pub fn call_charge(
        &self,
        provider: &Arc<str>,
        model: &str,
        reported: ReportedUse,
    ) -> Option<Charge> {
        let usage = bounds::usage_of_a_call(reported.usage?);
        let price = self.price_of(provider, model);
        let stated = reported.stated_cost;
        let stated = stated.and_then(|micros| bounds::stated_cost(micros, usage));
        let stated = stated.filter(|_| !price.is_some_and(TokenPrice::is_free));
        Some(Charge {
            provider: provider.clone(),
            usage,
            cost_micros: stated.or_else(|| price.map(|price| price.cost_micros(usage))),
        })
    }

    /// The price of a provider's model, if it is known.
    pub fn price_of(&self, provider: &str, model: &str) -> Option<TokenPrice> {
        let rules = self.providers.get(provider)?;
        rules.price.or_else(|| rules.price_list.find(model))
    }

    pub fn free_providers(&self) -> BTreeSet<Arc<str>> {
        let is_free = |rules: &ProviderRules| rules.price.is_some_and(TokenPrice::is_free);
        let free = self.providers.iter().filter(|(_, rules)| is_free(rules));
        free.map(|(name, _)| name.clone()).collect()
    }

    /// The number of nudged turns after which a Mysis becomes idle.
    pub fn nudge_limit(&self) -> u32 {
        u32::try_from(self.nudges.len()).unwrap_or(u32::MAX)
    }
}

/// The rules of the stall detection (`[progress]`).
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressRules {
    pub is_on: bool,
    /// The number of turns with calls and without a better outcome before the Mysis is told; half
    /// as many before each further step. At least 2.
    pub turns: u32,
    /// The minimum duration of each step. A game may show no change for seconds.
    pub at_least: Duration,
    /// The provider that is asked instead of the Mysis' own. If absent, the fallback of its own
    /// provider, if there is one.
    pub provider: Option<Arc<str>>,
    /// Whether the last step parks the Mysis.
    pub parks: bool,
}

impl Default for ProgressRules {
    fn default() -> ProgressRules {
        ProgressRules {
            is_on: true,
            turns: 40,
            at_least: Duration::from_secs(600),
            provider: None,
            parks: true,
        }
    }
}

/// Which Myses cost more than they bring (`[value]`).
#[derive(Clone, Debug, PartialEq)]
pub struct ValueRules {
    /// The credits for a US dollar below which a Mysis is parked; absent: none is.
    pub park_below: Option<u64>,
    pub window: Duration,
}

impl Default for ValueRules {
    fn default() -> ValueRules {
        ValueRules {
            park_below: None,
            window: Duration::from_secs(6 * 3600),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolRules {
    pub timeout: Duration,
    /// How long the operator may take to answer a question of the server.
    pub answer_timeout: Duration,
    /// The waits before each retry of a call that is safe to repeat.
    pub retry: Vec<Duration>,
    /// The limit for MCP initialise, login and register together, on this machine; absent: none.
    pub logins_per_minute: Option<u32>,
    /// From where this process reaches the game. Processes of one such name share the limit; absent: all do.
    pub logins_address: Option<Arc<str>>,
    /// Whether a Mysis may search the conversations of other Myses.
    pub search_others: bool,
    pub list: ToolListMode,
    pub filters: Arc<ToolFilters>,
    /// How a Mysis without an account logs in.
    pub login: LoginWay,
    /// Which calls are made again where their answers are lost.
    pub repeat: RepeatRules,
    /// The number by which work with tools of no game is judged.
    pub number: Option<NamedNumber>,
}

impl Default for ToolRules {
    fn default() -> ToolRules {
        ToolRules {
            timeout: Duration::from_secs(600),
            answer_timeout: Duration::from_secs(600),
            retry: [2, 5, 10].map(Duration::from_secs).to_vec(),
            logins_per_minute: Some(24),
            logins_address: None,
            search_others: true,
            list: ToolListMode::default(),
            filters: Arc::default(),
            login: LoginWay::default(),
            repeat: RepeatRules::default(),
            number: None,
        }
    }
}

/// How a Mysis without an account logs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoginWay {
    /// Its model registers an account, or takes one of the pool, and it has a password from then on.
    #[default]
    Password,
    /// The operator opens a link and picks its character.
    Link,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ProviderRules {
    /// The model of a Mysis without a model of its own.
    pub model: Arc<str>,
    /// The temperature of a Mysis without a temperature of its own.
    pub temperature: Option<f32>,
    /// The maximum duration of a model call. For a streamed answer, the maximum wait for the next
    /// piece.
    pub timeout: Duration,
    /// The maximum number of concurrent requests of the whole swarm.
    pub max_concurrency: usize,
    /// The maximum number of requests of the whole swarm in a minute; absent: unlimited.
    pub requests_per_minute: Option<u32>,
    /// The maximum number of tokens of the whole swarm in a minute; absent: unlimited.
    pub tokens_per_minute: Option<u64>,
    /// The waits after transient faults. There is one attempt more than there are waits.
    pub retry: Vec<Duration>,
    /// When the circuit opens because the provider fails repeatedly.
    pub circuit: CircuitRules,
    /// The provider that is used while the circuit is open.
    pub fallback: Option<Arc<str>>,
    /// The price of all of the provider's models. If absent, the price list applies.
    pub price: Option<TokenPrice>,
    pub price_list: PriceList,
    /// The size of the model's context in tokens, including tools and answer; absent: not known.
    pub context_tokens: Option<u64>,
    /// The share of a request that a mission's earlier turns may take, in hundredths.
    pub history_share: u8,
    pub reads_text_calls: bool,
    /// How dear it is; absent: it takes no part in tiers.
    pub tier: Option<ProviderTier>,
}

impl Default for ProviderRules {
    fn default() -> ProviderRules {
        ProviderRules {
            model: "qwen3:8b".into(),
            temperature: Some(0.7),
            timeout: Duration::from_secs(300),
            max_concurrency: 4,
            requests_per_minute: None,
            tokens_per_minute: None,
            retry: [5, 10, 15].map(Duration::from_secs).to_vec(),
            circuit: CircuitRules::default(),
            fallback: None,
            price: None,
            price_list: PriceList::default(),
            context_tokens: None,
            history_share: DEFAULT_HISTORY_SHARE,
            reads_text_calls: true,
            tier: None,
        }
    }
}

/// Which servers the program itself simulates. Nothing that is earned there is real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simulated {
    /// None.
    #[default]
    Nothing,
    Game,
    GameAndModel,
}

impl Simulated {
    /// What the operator is told; empty if nothing is simulated.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Simulated::Nothing => "",
            Simulated::Game => "simulated game",
            Simulated::GameAndModel => "simulated game and model",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelaunchPolicy {
    /// None. The operator relaunches them.
    Manual,
    /// Those with provider, network or crash faults.
    Transient,
    Always,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SupervisionRules {
    pub relaunch: RelaunchPolicy,
    /// The first wait. It doubles with each relaunch.
    pub first_wait: Duration,
    pub longest_wait: Duration,
    /// The maximum number of relaunches within `within`. After that the Mysis stays errored.
    pub max_relaunches: u32,
    /// The window of `max_relaunches`. After a healthy period of this length the count begins
    /// again.
    pub within: Duration,
}

impl Default for SupervisionRules {
    fn default() -> SupervisionRules {
        SupervisionRules {
            relaunch: RelaunchPolicy::Transient,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(300),
            max_relaunches: 5,
            within: Duration::from_secs(600),
        }
    }
}

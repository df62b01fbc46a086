//! Rules that the operator can set, in the form in which the inside uses them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::bounds;
use super::budget::BudgetRules;
use super::gate::circuit::CircuitRules;
use super::model::{Charge, TokenUsage};
use super::price::{PriceList, TokenPrice};
use super::system_prompt::DEFAULT_TEMPLATE;

/// The nudges of a new configuration, in their order (DESIGN 5.10).
pub const DEFAULT_NUDGES: [&str; 3] = [
    "Continue your mission. Check notifications and coordinate with the swarm.",
    "You need to respond. Check your notifications and status.",
    "URGENT: Respond immediately. Check your system status.",
];

/// What holds for the whole swarm.
#[derive(Clone, Debug, PartialEq)]
pub struct SwarmRules {
    /// How many Myses may exist.
    pub max_myses: usize,
    /// The provider of a Mysis that names none.
    pub default_provider: Arc<str>,
    /// The pause between two turns.
    pub turn_pause: Duration,
    /// Model calls in one turn.
    pub max_model_calls: u32,
    /// Sendable rows that are searched for a direct message.
    pub context_window: usize,
    /// Bytes of a request's messages as compact JSON.
    pub context_budget: usize,
    /// Turns without progress after which the operator and the model are told; at least 1.
    pub no_progress_turns: u32,
    /// How a Mysis is watched that gets nowhere.
    pub progress: ProgressRules,
    /// The texts of the nudges, in order; after the last the Mysis goes idle. Never empty.
    pub nudges: Vec<Arc<str>>,
    /// The template of the system prompt.
    pub system_prompt: Arc<str>,
    /// How tools are called.
    pub tools: ToolRules,
    /// How a dead or errored Mysis comes back.
    pub supervision: SupervisionRules,
    /// What may be spent in a day.
    pub budget: BudgetRules,
    /// The providers, by name.
    pub providers: BTreeMap<Arc<str>, ProviderRules>,
}

/// Those of a new configuration (CONTRACT.md), for whoever needs rules and has none: no providers.
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
            nudges: DEFAULT_NUDGES.map(Into::into).to_vec(),
            system_prompt: DEFAULT_TEMPLATE.into(),
            tools: ToolRules::default(),
            supervision: SupervisionRules::default(),
            budget: BudgetRules::default(),
            providers: BTreeMap::new(),
        }
    }
}

impl SwarmRules {
    /// The text of the nudge after so many have been given; the last one where they are used up.
    #[must_use]
    pub fn nudge_after(&self, given: u32) -> Arc<str> {
        let place = usize::try_from(given).unwrap_or(usize::MAX);
        self.nudges
            .get(place)
            .or_else(|| self.nudges.last())
            .cloned()
            .unwrap_or_else(|| "Continue.".into())
    }

    /// Bytes of one result that are held in memory: as many as a request can show.
    #[must_use]
    pub fn held_of_a_result(&self) -> usize {
        (self.context_budget / 4).max(4 << 10)
    }

    /// The provider of that name and those that take over for it, one for the other; each once.
    #[must_use]
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

    /// What a model call cost, where the provider said how much it used.
    #[must_use]
    pub fn call_charge(
        &self,
        provider: &Arc<str>,
        model: &str,
        usage: Option<TokenUsage>,
    ) -> Option<Charge> {
        let usage = bounds::usage_of_a_call(usage?);
        let price = self.price_of(provider, model);
        Some(Charge {
            provider: provider.clone(),
            usage,
            cost_micros: price.map(|price| price.cost_micros(usage)),
        })
    }

    /// What a model of a provider costs, where that is known.
    #[must_use]
    pub fn price_of(&self, provider: &str, model: &str) -> Option<TokenPrice> {
        let rules = self.providers.get(provider)?;
        rules.price.or_else(|| rules.price_list.find(model))
    }

    /// The providers whose calls are known to cost nothing.
    #[must_use]
    pub fn free_providers(&self) -> BTreeSet<Arc<str>> {
        let is_free = |rules: &ProviderRules| rules.price.is_some_and(TokenPrice::is_free);
        let free = self.providers.iter().filter(|(_, rules)| is_free(rules));
        free.map(|(name, _)| name.clone()).collect()
    }

    /// How many nudged turns make a Mysis idle.
    #[must_use]
    pub fn nudge_limit(&self) -> u32 {
        u32::try_from(self.nudges.len()).unwrap_or(u32::MAX)
    }
}

/// How a Mysis is watched that gets nowhere (`[progress]`).
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressRules {
    /// Whether it is watched at all.
    pub is_on: bool,
    /// Turns with calls and without a better outcome before it is told so; half as many before the
    /// next rung. At least 2.
    pub turns: u32,
    /// How long each of that lasts at least: in seconds a game can show nothing.
    pub at_least: Duration,
    /// Who is asked in place of its own provider; absent: that one's fallback, if it has one.
    pub provider: Option<Arc<str>>,
    /// Whether it is parked in the end.
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

/// How tools are called.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRules {
    /// The longest a call may take.
    pub timeout: Duration,
    /// Waits before trying again where repeating is safe.
    pub retry: Vec<Duration>,
    /// MCP initialise, login and register together, for this machine; absent: unlimited.
    pub logins_per_minute: Option<u32>,
    /// Whether a Mysis may search the histories of others.
    pub search_others: bool,
}

impl Default for ToolRules {
    fn default() -> ToolRules {
        ToolRules {
            timeout: Duration::from_secs(600),
            retry: [2, 5, 10].map(Duration::from_secs).to_vec(),
            logins_per_minute: Some(24),
            search_others: true,
        }
    }
}

/// What holds for one provider.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderRules {
    /// The model of a Mysis that names none.
    pub model: Arc<str>,
    /// The temperature of a Mysis that sets none.
    pub temperature: Option<f32>,
    /// The longest a model call may take; where its answer comes in pieces, the longest that the
    /// next one is waited for.
    pub timeout: Duration,
    /// Requests in flight for the whole swarm.
    pub max_concurrency: usize,
    /// Requests a minute for the whole swarm; absent: unlimited.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute for the whole swarm; absent: unlimited.
    pub tokens_per_minute: Option<u64>,
    /// Waits after a transient fault; as many tries as waits and one.
    pub retry: Vec<Duration>,
    /// When it is left alone because it fails again and again.
    pub circuit: CircuitRules,
    /// The provider that takes over while it is.
    pub fallback: Option<Arc<str>>,
    /// What a million tokens cost, whatever the model; absent: what the price list says.
    pub price: Option<TokenPrice>,
    /// What its models are known to cost.
    pub price_list: PriceList,
    /// The model's context in tokens, tools and answer included; absent: not known.
    pub context_tokens: Option<u64>,
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
        }
    }
}

/// Which dead or errored Myses come back by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelaunchPolicy {
    /// None: the operator relaunches.
    Manual,
    /// Those that provider, network and crash faults took down.
    Transient,
    /// All.
    Always,
}

/// How a dead or errored Mysis comes back.
#[derive(Clone, Debug, PartialEq)]
pub struct SupervisionRules {
    /// Which.
    pub relaunch: RelaunchPolicy,
    /// The first wait; it doubles.
    pub first_wait: Duration,
    /// The longest wait.
    pub longest_wait: Duration,
    /// How often within `within`, before it stays errored.
    pub max_relaunches: u32,
    /// The window of `max_relaunches`; a healthy stretch of this length forgets them.
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

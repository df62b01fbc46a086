//! Translates settings into the rules of the swarm.

use std::sync::Arc;

use actors::domain::budget::{BudgetLimits, BudgetRules};
use actors::domain::gate::circuit::CircuitRules;
use actors::domain::redact::MIN_EMBEDDED_SECRET_BYTES;
use actors::domain::rules::{
    ProgressRules, ProviderRules, RelaunchPolicy, SupervisionRules, SwarmRules, TokenPrice,
    ToolRules,
};

use super::books::url_passwords;
use super::prompt::prompt_template;
use crate::home::Home;
use crate::provider::ProviderEndpoint;
use crate::settings::{self, ProviderSettings, Settings};

/// The rules of the swarm.
pub(super) fn swarm_rules(settings: &Settings, home: &Home) -> anyhow::Result<SwarmRules> {
    let swarm = &settings.swarm;
    Ok(SwarmRules {
        max_myses: swarm.max_myses as usize,
        default_provider: swarm.default_provider.as_str().into(),
        turn_pause: swarm.turn_pause,
        max_model_calls: swarm.max_tool_iterations,
        context_window: swarm.context_window as usize,
        context_budget: usize::try_from(swarm.context_budget).unwrap_or(usize::MAX),
        no_progress_turns: swarm.no_progress_turns,
        progress: progress_rules(&settings.progress),
        nudges: swarm
            .nudges
            .iter()
            .map(|text| text.as_str().into())
            .collect(),
        system_prompt: prompt_template(home)?.text,
        tools: ToolRules {
            timeout: settings.mcp.tool_timeout,
            retry: settings.mcp.retry.clone(),
            logins_per_minute: Some(settings.mcp.logins_per_minute),
            search_others: swarm.search_others,
        },
        supervision: supervision_rules(&settings.supervision),
        budget: budget_rules(&settings.budget),
        providers: settings
            .providers
            .iter()
            .map(|(name, provider)| (name.as_str().into(), provider_rules(provider)))
            .collect(),
    })
}

fn progress_rules(settings: &settings::ProgressSettings) -> ProgressRules {
    ProgressRules {
        is_on: settings.watch,
        turns: settings.turns,
        at_least: settings.at_least,
        provider: settings.provider.as_deref().map(Into::into),
        parks: settings.park,
    }
}

fn supervision_rules(settings: &settings::SupervisionSettings) -> SupervisionRules {
    SupervisionRules {
        relaunch: match settings.relaunch {
            settings::RelaunchSetting::Manual => RelaunchPolicy::Manual,
            settings::RelaunchSetting::Transient => RelaunchPolicy::Transient,
            settings::RelaunchSetting::Always => RelaunchPolicy::Always,
        },
        first_wait: settings.backoff.first,
        longest_wait: settings.backoff.longest,
        max_relaunches: settings.max_relaunches,
        within: settings.within,
    }
}

fn budget_rules(budget: &settings::BudgetSettings) -> BudgetRules {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a budget is above zero, and far below 2^63 millionths of a dollar"
    )]
    let micros = |dollars: f64| (dollars * 1e6).round() as u64;
    BudgetRules {
        mysis: BudgetLimits {
            tokens: budget.tokens_per_mysis_per_day,
            cost_micros: budget.usd_per_mysis_per_day.map(micros),
        },
        swarm: BudgetLimits {
            tokens: budget.tokens_per_day,
            cost_micros: budget.usd_per_day.map(micros),
        },
    }
}

pub(super) fn provider_rules(provider: &ProviderSettings) -> ProviderRules {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a temperature is from 0 to 2 and providers round it far more coarsely"
    )]
    let temperature = provider.temperature as f32;
    ProviderRules {
        model: provider.model.as_str().into(),
        temperature: Some(temperature),
        timeout: provider.timeout,
        max_concurrency: provider.max_concurrency as usize,
        requests_per_minute: provider.requests_per_minute,
        tokens_per_minute: provider.tokens_per_minute,
        circuit: CircuitRules {
            failures: provider.circuit_failures,
            wait: provider.circuit_wait,
        },
        fallback: provider.fallback.as_deref().map(Into::into),
        retry: provider.retry.clone(),
        price: provider.price.map(|price| TokenPrice {
            input: price.input,
            output: price.output,
            cached: price.cached,
        }),
        context_tokens: provider.context_tokens,
    }
}

/// The endpoints of all providers.
#[must_use]
pub fn provider_endpoints(settings: &Settings) -> Vec<(Arc<str>, ProviderEndpoint)> {
    settings
        .providers
        .iter()
        .map(|(name, provider)| (name.as_str().into(), provider_endpoint(provider)))
        .collect()
}

/// Where one provider is.
pub(super) fn provider_endpoint(provider: &ProviderSettings) -> ProviderEndpoint {
    ProviderEndpoint {
        url: provider.endpoint.clone(),
        api_key: provider
            .api_key
            .as_ref()
            .map(|key| key.expose().to_string()),
        is_streamed: provider.stream,
    }
}

/// The secrets in the configuration.
#[must_use]
pub fn configured_secrets(settings: &Settings) -> Vec<Arc<str>> {
    let database = settings.store.database_url.as_ref();
    let alerts = &settings.alerts;
    settings
        .providers
        .values()
        .filter_map(|provider| provider.api_key.as_ref())
        .chain(&alerts.webhook)
        .chain(&alerts.token)
        .map(|key| key.expose().into())
        .chain(
            database
                .into_iter()
                .flat_map(|url| url_passwords(url.expose())),
        )
        // A short key is a word such as `ollama`, for a server without keys.
        .filter(|secret: &Arc<str>| secret.len() >= MIN_EMBEDDED_SECRET_BYTES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_a_new_configuration_are_the_defaults() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        let rules = swarm_rules(&Settings::default(), &home).unwrap();
        let expected = SwarmRules {
            providers: [("local".into(), ProviderRules::default())].into(),
            ..SwarmRules::default()
        };
        assert_eq!(rules, expected);
    }
}

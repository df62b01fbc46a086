//! Translates settings into the rules of the swarm.

use std::sync::Arc;

use actors::domain::budget::{BudgetRules, DefaultCap};
use actors::domain::price::TokenPrice;
use actors::domain::redact::MIN_EMBEDDED_SECRET_BYTES;
use actors::domain::rules::{SwarmRules, ToolRules};
use zoea_provider::ProviderEndpoint;

use super::books::url_passwords;
use super::prompt::prompt_template;
use crate::home::Home;
use crate::settings::{HeaderSettings, ProviderSettings, Settings};
use crate::toolbox::UpstreamAccess;

/// The rules of the swarm: each section's own, put together.
pub(super) fn swarm_rules(settings: &Settings, home: &Home) -> anyhow::Result<SwarmRules> {
    let swarm = settings.swarm.rules.clone();
    let providers = settings.providers.iter();
    let mut tools = settings.mcp.tools.clone();
    let myses = settings.myses.iter();
    tools.filters.myses = myses
        .map(|mysis| (mysis.name.as_str().into(), mysis.tools.clone()))
        .collect();
    Ok(SwarmRules {
        progress: settings.progress.clone(),
        system_prompt: prompt_template(home)?.text,
        tools: ToolRules {
            search_others: swarm.tools.search_others,
            ..tools
        },
        supervision: settings.supervision.clone(),
        budget: budget_rules(settings),
        providers: providers
            .map(|(name, provider)| (name.as_str().into(), provider.rules.clone()))
            .collect(),
        ..swarm
    })
}

/// The budgets. If all providers are free of charge, there is no default cap.
fn budget_rules(settings: &Settings) -> BudgetRules {
    let mut prices = settings.providers.values().map(|of| of.rules.price);
    match prices.all(|price| price.is_some_and(TokenPrice::is_free)) {
        true => BudgetRules {
            default_cap: DefaultCap::default(),
            ..settings.budget
        },
        false => settings.budget,
    }
}

/// A sentence about the default cap, so that the operator learns of it before it is reached; `None`
/// if there is no default cap.
#[must_use]
pub fn describe_default_cap(settings: &Settings) -> Option<String> {
    let cap = budget_rules(settings).default_cap.describe()?;
    Some(format!(
        "a day's spending is capped at {cap}; usd_per_day or tokens_per_day under [budget] sets another \
         cap, and \"unlimited\" none"
    ))
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

/// The endpoint of one provider.
pub(super) fn provider_endpoint(provider: &ProviderSettings) -> ProviderEndpoint {
    ProviderEndpoint {
        url: provider.endpoint.clone(),
        api_key: provider
            .api_key
            .as_ref()
            .map(|key| key.expose().to_string()),
        is_streamed: provider.stream,
        extra: Arc::new(provider.extra.clone()),
        headers: provider
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), value.expose().to_string()))
            .collect(),
    }
}

/// How the configured MCP server is reached; `None` if there is none.
#[must_use]
pub fn upstream_access(settings: &Settings) -> Option<UpstreamAccess> {
    let mcp = &settings.mcp;
    Some(UpstreamAccess {
        url: mcp.upstream.as_deref()?.into(),
        token: mcp.token.as_ref().map(|token| token.expose().into()),
        headers: mcp
            .headers
            .iter()
            .filter_map(HeaderSettings::to_header)
            .collect(),
        registration_code: registration_code(settings),
    })
}

/// The game's registration code.
pub(super) fn registration_code(settings: &Settings) -> Option<Arc<str>> {
    let code = settings.mcp.registration_code.as_ref();
    code.map(|code| code.expose().into())
}

/// The secrets in the configuration.
#[must_use]
pub fn configured_secrets(settings: &Settings) -> Vec<Arc<str>> {
    let database = settings.store.database_url.as_ref();
    let alerts = &settings.alerts;
    settings
        .providers
        .values()
        .flat_map(|provider| {
            let headers = provider.headers.iter().map(|(_, value)| value);
            provider.api_key.iter().chain(headers)
        })
        .chain(&alerts.webhook)
        .chain(&alerts.token)
        .chain(&settings.mcp.token)
        .chain(
            settings
                .mcp
                .headers
                .iter()
                .filter_map(|header| header.value.as_ref()),
        )
        .map(|key| key.expose())
        .chain(settings.traces.header_secrets())
        .map(Into::into)
        .chain(
            database
                .into_iter()
                .flat_map(|url| url_passwords(url.expose())),
        )
        // A short key is a word such as `ollama`, for a server without keys.
        .filter(|secret: &Arc<str>| secret.len() >= MIN_EMBEDDED_SECRET_BYTES)
        .chain(registration_code(settings))
        .collect()
}

#[cfg(test)]
mod tests {
    use actors::domain::rules::ProviderRules;

    use super::*;

    #[test]
    fn the_rules_of_a_new_configuration_are_the_defaults() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        let rules = swarm_rules(&Settings::default(), &home).unwrap();
        let expected = SwarmRules {
            providers: [("local".into(), ProviderRules::default())].into(),
            budget: BudgetRules {
                default_cap: DefaultCap::WHOLE,
                ..BudgetRules::default()
            },
            ..SwarmRules::default()
        };
        assert_eq!(rules, expected);
    }

    #[test]
    fn no_cap_holds_by_default_where_everything_is_known_to_be_free() {
        let mut settings = Settings::default();
        assert!(describe_default_cap(&settings).is_some());
        for provider in settings.providers.values_mut() {
            provider.rules.price = Some(TokenPrice {
                input: 0.0,
                output: 0.0,
                cached: None,
            });
        }
        assert_eq!(describe_default_cap(&settings), None);
    }
}

//! Translates settings into the rules of the swarm.

use std::sync::Arc;

use actors::domain::redact::MIN_EMBEDDED_SECRET_BYTES;
use actors::domain::rules::{SwarmRules, ToolRules};
use zoea_provider::ProviderEndpoint;

use super::books::url_passwords;
use super::prompt::prompt_template;
use crate::home::Home;
use crate::settings::{ProviderSettings, Settings};

/// The rules of the swarm: each section's own, put together.
pub(super) fn swarm_rules(settings: &Settings, home: &Home) -> anyhow::Result<SwarmRules> {
    let swarm = settings.swarm.rules.clone();
    let providers = settings.providers.iter();
    Ok(SwarmRules {
        progress: settings.progress.clone(),
        system_prompt: prompt_template(home)?.text,
        tools: ToolRules {
            search_others: swarm.tools.search_others,
            ..settings.mcp.tools.clone()
        },
        supervision: settings.supervision.clone(),
        budget: settings.budget,
        providers: providers
            .map(|(name, provider)| (name.as_str().into(), provider.rules.clone()))
            .collect(),
        ..swarm
    })
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
    use actors::domain::rules::ProviderRules;

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

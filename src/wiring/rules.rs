//! Translates settings into the rules of the swarm.

use std::sync::Arc;

use actors::domain::budget::{BudgetRules, DefaultCap};
use actors::domain::price::TokenPrice;
use actors::domain::rules::{SwarmRules, ToolRules};
use actors::domain::tool_filter::ToolFilters;
use zoea_mcp::ChildCommand;
use zoea_provider::ProviderEndpoint;
use zoea_settings::{
    HeaderSettings, McpSettings, ProviderSettings, Secret, Settings, VariableSettings,
};
use zoea_text::redact::{MIN_EMBEDDED_SECRET_BYTES, header_secrets};

use super::prompt::prompt_template;
use super::roles;
use super::url_secrets::{url_keys, url_passwords};
use crate::host::home::Home;
use zoea_toolbox::{ServerPlace, UpstreamAccess};

/// The rules of the swarm: each section's own, put together.
pub(super) fn swarm_rules(settings: &Settings, home: &Home) -> anyhow::Result<SwarmRules> {
    let swarm = settings.swarm.rules.clone();
    let roles = roles::role_book(settings, home);
    let providers = settings.providers.iter();
    let myses = settings.myses.iter();
    let own_filters = myses
        .filter(|mysis| !mysis.tools.is_open())
        .map(|mysis| (mysis.name.as_str().into(), mysis.tools.clone()));
    let filters = ToolFilters {
        swarm: settings.mcp.tools.filters.swarm.clone(),
        myses: own_filters.collect(),
    };
    Ok(SwarmRules {
        progress: settings.progress.clone(),
        value: settings.value.clone(),
        routines: settings.routines,
        system_prompt: prompt_template(home)?.own,
        tools: ToolRules {
            search_others: swarm.tools.search_others,
            filters: Arc::new(filters),
            logins_address: Some(logins_address(settings)),
            ..settings.mcp.tools.clone()
        },
        supervision: settings.supervision.clone(),
        budget: budget_rules(settings),
        providers: providers
            .map(|(name, provider)| (name.as_str().into(), provider.rules.clone()))
            .collect(),
        roles: Arc::new(roles),
        ..swarm
    })
}

/// The address from which this process reaches the game: the machine's own, unless it is named.
fn logins_address(settings: &Settings) -> Arc<str> {
    let named = settings.mcp.tools.logins_address.clone();
    named.unwrap_or_else(|| zoea_system::machine::host_name().into())
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
pub fn describe_default_cap(settings: &Settings) -> Option<String> {
    let cap = budget_rules(settings).default_cap.describe()?;
    Some(format!(
        "a day's spending is capped at {cap}; usd_per_day or tokens_per_day under [budget] sets another \
         cap, and \"unlimited\" none"
    ))
}

/// What is said of the secrets that the configuration names and that are not there; `None` if all are.
pub fn describe_missing_secrets(settings: &Settings) -> Option<String> {
    let missing = &settings.missing_secrets;
    (!missing.is_empty()).then(|| {
        format!(
            "{}; set what is missing, or take its setting out of the configuration, and start zoea again",
            missing.join("; ")
        )
    })
}

pub fn provider_endpoints(settings: &Settings) -> Vec<(Arc<str>, ProviderEndpoint)> {
    settings
        .providers
        .iter()
        .map(|(name, provider)| (name.as_str().into(), provider_endpoint(provider)))
        .collect()
}

pub(super) fn provider_endpoint(provider: &ProviderSettings) -> ProviderEndpoint {
    ProviderEndpoint {
        url: provider.endpoint.clone(),
        api_key: provider
            .api_key
            .as_ref()
            .map(|key| key.expose().to_string()),
        is_streamed: provider.stream,
        extra: Arc::new(provider.extra.clone()),
        headers: HeaderSettings::sent(&provider.headers),
        reasoning_back: provider.reasoning_back,
        marks_cache: provider.marks_cache,
    }
}

/// How the configured MCP server is reached; `None` if there is none.
pub fn upstream_access(settings: &Settings) -> Option<UpstreamAccess> {
    let mcp = &settings.mcp;
    let place = match &mcp.upstream {
        Some(url) => ServerPlace::Url {
            url: url.as_str().into(),
            token: mcp.token.as_ref().map(|token| token.expose().into()),
            headers: HeaderSettings::sent(&mcp.headers),
        },
        None if mcp.command.is_empty() => return None,
        None => ServerPlace::Child(child_command(mcp)),
    };
    Some(UpstreamAccess {
        place,
        registration_code: registration_code(settings),
    })
}

fn child_command(mcp: &McpSettings) -> ChildCommand {
    let named = mcp.variables.iter().filter_map(|variable| {
        let value = variable.value.as_ref()?.expose();
        Some((variable.name.clone(), value.to_owned()))
    });
    ChildCommand {
        command: mcp.command.as_slice().into(),
        environment: mcp.inherited.iter().cloned().chain(named).collect(),
        guard: crate::host::child_guard::guard(),
    }
}

pub(super) fn registration_code(settings: &Settings) -> Option<Arc<str>> {
    let code = settings.mcp.registration_code.as_ref();
    code.map(|code| code.expose().into())
}

pub fn configured_secrets(settings: &Settings) -> Vec<Arc<str>> {
    let database = settings.store.database_url.as_ref();
    let providers = settings.providers.values();
    let alerts = &settings.alerts;
    let addresses = [&settings.traces.collector, &settings.mcp.upstream];
    let addresses = addresses.into_iter().filter_map(Option::as_deref);
    let addresses = addresses.chain(alerts.webhook.as_ref().map(Secret::expose));
    let headers = providers.clone().flat_map(|provider| &provider.headers);
    let variables = settings.mcp.variables.iter();
    providers
        .flat_map(|provider| &provider.api_key)
        .chain(&alerts.webhook)
        .chain(&alerts.token)
        .chain(&settings.mcp.token)
        .chain(variables.filter_map(VariableSettings::secret))
        .map(Secret::expose)
        .chain(headers.chain(&settings.mcp.headers).flat_map(|header| {
            let value = header.value.iter();
            value.flat_map(move |value| header_secrets(header.name.as_str(), value.expose()))
        }))
        .chain(settings.traces.header_secrets())
        .map(Into::into)
        .chain(addresses.flat_map(url_keys))
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
    use std::path::Path;

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
            tools: ToolRules {
                logins_address: Some(zoea_system::machine::host_name().into()),
                ..ToolRules::default()
            },
            ..SwarmRules::default()
        };
        assert_eq!(rules, expected);
    }

    #[test]
    fn a_mysis_without_patterns_of_its_own_takes_no_room_in_the_rules_of_all() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        let text = "[[myses]]\nname = \"alpha\"\n[[myses]]\nname = \"beta\"\ntools = [\"mine\"]\n";
        let settings = Settings::from_text(Path::new("zoea.toml"), text).unwrap();
        let rules = swarm_rules(&settings, &home).unwrap();
        let named: Vec<&str> = rules
            .tools
            .filters
            .myses
            .keys()
            .map(|name| &**name)
            .collect();
        assert_eq!(named, ["beta"]);
    }

    #[test]
    fn what_grants_access_is_secret_and_words_are_not() {
        let secret = |text: &str| Secret::new(text);
        let mut settings = Settings::default();
        let headers = [
            ("X-Title", "spacemolt"),
            ("Authorization", "Bearer sk-of-the-provider"),
        ];
        for provider in settings.providers.values_mut() {
            let headers = headers.map(|(name, value)| HeaderSettings {
                name: http::HeaderName::from_bytes(name.as_bytes()).unwrap(),
                source: zoea_settings::ValueSource::Entry(name.to_string()),
                value: Some(secret(value)),
            });
            provider.headers = headers.to_vec();
        }
        settings.traces.collector = Some("https://c.example/v1?api-key=of-the-collector".into());
        settings.mcp.upstream = Some("https://game.example/mcp?token=of-the-game".into());
        settings.alerts.webhook = Some(secret("https://hook.example/T0123456789ABCDEF"));
        let mut secrets = configured_secrets(&settings);
        secrets.sort();
        let secrets: Vec<&str> = secrets.iter().map(|secret| &**secret).collect();
        assert_eq!(
            secrets,
            [
                "Bearer sk-of-the-provider",
                "T0123456789ABCDEF",
                "https://hook.example/T0123456789ABCDEF",
                "of-the-collector",
                "of-the-game",
                "sk-of-the-provider",
            ]
        );
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

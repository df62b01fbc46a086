//! The existing configuration. Its values are the defaults of the questions.

use std::path::Path;

use actors::domain::budget::DefaultCap;
use anyhow::Context;
use zoea_contract::to_dollars;
use zoea_settings::{
    CONFIG_FILE, Environment, HeaderSettings, KeySource, ProviderSettings, Secret, Settings,
};

use crate::host::home::Home;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::setup::{ConfigurationFiles, DailyCap, KeyAnswer};
use zoea_provider::ProviderEndpoint;

/// The existing configuration, or the path for a new one.
pub(super) struct Present {
    pub(super) files: ConfigurationFiles,
    pub(super) is_there: bool,
    /// Whether a swarm has run here, with a configuration or on the defaults.
    has_swarm: bool,
    pub(super) text: String,
    /// The settings of the file; the defaults if there is no file.
    pub(super) settings: Settings,
    pub(super) environment: Environment,
}

impl Present {
    /// Reads the configuration file.
    pub(super) fn read(global: &GlobalArgs, home: &Home) -> anyhow::Result<Present> {
        let here = Path::new(".").join(CONFIG_FILE);
        let file = match &global.config {
            Some(chosen) => chosen.clone(),
            None if here.exists() => here,
            None => home.config_file(),
        };
        let is_there = file.try_exists().unwrap_or(true);
        let present = Present {
            files: ConfigurationFiles {
                configuration: file.clone(),
                credentials: home.credentials(),
            },
            is_there,
            has_swarm: home.database().exists(),
            text: String::new(),
            settings: Settings::default(),
            environment: global.environment.clone(),
        };
        if !is_there {
            return Ok(present);
        }
        let loaded = global.load_settings(home);
        let settings = loaded.with_context(|| {
            format!(
                "{} has mistakes; correct it or move it away, then set up again",
                file.display()
            )
        });
        let text = std::fs::read_to_string(&file);
        Ok(Present {
            text: text.with_context(|| format!("read {}", file.display()))?,
            settings: settings?.settings,
            ..present
        })
    }

    /// The default provider, if the configuration has it.
    pub(super) fn provider(&self) -> Option<(&str, &ProviderSettings)> {
        let name: &str = &self.settings.swarm.rules.default_provider;
        let provider = self.settings.providers.get(name);
        provider
            .filter(|_| self.is_there)
            .map(|provider| (name, provider))
    }

    pub(super) fn provider_at(&self, endpoint: &str) -> Option<(&str, &ProviderSettings)> {
        let mut known = self.settings.providers.iter().filter(|_| self.is_there);
        let found = known.find(|(_, provider)| provider.endpoint == endpoint);
        found.map(|(name, provider)| (name.as_str(), provider))
    }

    /// How a server is asked with this key. What the configuration adds to requests goes to the server
    /// that it is configured for.
    pub(super) fn access_to(&self, endpoint: &str, key: Option<&Secret>) -> ProviderEndpoint {
        let configured = self.provider_at(endpoint);
        ProviderEndpoint {
            url: endpoint.to_string(),
            api_key: key.map(|key| key.expose().to_string()),
            headers: configured
                .map(|(_, provider)| HeaderSettings::sent(&provider.headers))
                .unwrap_or_default(),
            ..ProviderEndpoint::default()
        }
    }

    /// The default provider until now, if the new default has another name. A swarm that ran on the
    /// defaults has one, too.
    pub(super) fn provider_before(&self, name: &str) -> Option<String> {
        let before: &str = &self.settings.swarm.rules.default_provider;
        let has_one = self.is_there || self.has_swarm;
        (has_one && before != name).then(|| before.to_string())
    }

    /// The configured key of the provider with this endpoint.
    pub(super) fn key_at(&self, endpoint: &str) -> Option<KeyAnswer> {
        let (_, provider) = self.provider_at(endpoint)?;
        match &provider.key_source {
            KeySource::None => None,
            KeySource::Variable(name) => Some(KeyAnswer::Variable(name.clone())),
            KeySource::Credentials(name) => Some(KeyAnswer::Stored(name.clone())),
        }
        .filter(|_| provider.api_key.is_some())
    }

    /// The configured registration code, if the game stays the same.
    pub(super) fn code_at(&self, game: &str) -> KeyAnswer {
        let mcp = &self.settings.mcp;
        let is_same = self.is_there && mcp.upstream.as_deref().unwrap_or_default() == game;
        match &mcp.registration_code_source {
            KeySource::Variable(name) if is_same => KeyAnswer::Variable(name.clone()),
            KeySource::Credentials(name) if is_same => KeyAnswer::Stored(name.clone()),
            KeySource::None | KeySource::Variable(_) | KeySource::Credentials(_) => KeyAnswer::None,
        }
    }

    pub(super) fn key(&self, answer: &KeyAnswer) -> Option<Secret> {
        match answer {
            KeyAnswer::None => None,
            KeyAnswer::Typed(key) => Some(key.clone()),
            KeyAnswer::Variable(name) => self.variable(name),
            KeyAnswer::Stored(name) => {
                let source = KeySource::Credentials(name.clone());
                let mut known = self.settings.providers.values();
                known
                    .find(|provider| provider.key_source == source)
                    .and_then(|provider| provider.api_key.clone())
            }
        }
    }

    pub(super) fn myses(&self) -> Vec<String> {
        let declared = self.settings.myses.iter();
        declared.map(|mysis| mysis.name.clone()).collect()
    }

    /// The daily cap in the configuration, if it has one.
    pub(super) fn cap(&self) -> Option<DailyCap> {
        let budget = &self.settings.budget;
        let dollars = budget.swarm.cost_micros.map(to_dollars);
        let own = dollars.map(DailyCap::Dollars);
        let own = own.or(budget.swarm.tokens.map(DailyCap::Tokens));
        let is_lifted = budget.default_cap == DefaultCap::default();
        own.or(is_lifted.then_some(DailyCap::Unlimited))
    }

    /// The key or code in an environment variable; `None` if the variable is missing or not usable.
    pub(super) fn variable(&self, name: &str) -> Option<Secret> {
        typed_key(self.environment.get(name)?.to_str()?).ok()
    }
}

/// A typed key, if it can be sent in a header.
pub(super) fn typed_key(text: &str) -> Result<Secret, String> {
    let key = text.trim();
    let is_usable = !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic());
    is_usable
        .then(|| Secret::new(key))
        .ok_or_else(|| "a key is visible ASCII characters on one line".to_string())
}

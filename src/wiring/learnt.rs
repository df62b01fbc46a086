//! Lessons of proofs: passes what they learnt about servers to the code that uses it.

use std::sync::Arc;

use actors::domain::message::Severity;
use actors::domain::rules::SwarmRules;
use zoea_provider::Providers;
use zoea_settings::{ProviderSettings, Settings};

use super::RunningSwarm;
use super::rules::provider_endpoint;
use crate::host::home::Home;
use zoea_model_check::kept::{KeptChecks, KeptChecksError};
use zoea_model_check::{CheckLessons, CheckTarget, MAX_ANSWER_WAIT};

pub fn check_target(name: &str, provider: &ProviderSettings, model: Option<&str>) -> CheckTarget {
    let rules = &provider.rules;
    let model = model.map_or_else(|| rules.model.clone(), Into::into);
    CheckTarget {
        provider: name.into(),
        endpoint: provider_endpoint(provider),
        temperature: rules.temperature,
        timeout: rules.timeout.min(MAX_ANSWER_WAIT),
        context_tokens: rules.context_tokens,
        reads_text_calls: rules.reads_text_calls,
        price: rules.price.or_else(|| rules.price_list.find(&model)),
        model,
    }
}

/// Teaches providers what kept proofs learnt about them. A file that cannot be read teaches nothing;
/// the swarm reports it.
pub fn teach_providers(home: &Home, settings: &Settings, providers: &Providers) {
    ConfiguredLessons::read(home, settings).teach(providers);
}

pub(super) struct ConfiguredLessons {
    /// The lessons by provider, about its configured model.
    lessons: Vec<(Arc<str>, Arc<str>, CheckLessons)>,
    /// Why the kept lessons could not be read, if so.
    unread: Option<KeptChecksError>,
}

impl ConfiguredLessons {
    pub(super) fn read(home: &Home, settings: &Settings) -> ConfiguredLessons {
        let (kept, unread) = match KeptChecks::read(&home.model_checks()) {
            Ok(kept) => (kept, None),
            Err(error) => (KeptChecks::default(), Some(error)),
        };
        let of_providers = settings.providers.iter().filter_map(|(name, provider)| {
            let model = &provider.rules.model;
            let lessons = kept.lessons(&provider.endpoint, model)?;
            Some((name.as_str().into(), model.clone(), lessons))
        });
        ConfiguredLessons {
            lessons: of_providers.collect(),
            unread,
        }
    }

    pub(super) fn teach(&self, providers: &Providers) {
        for (name, model, lessons) in &self.lessons {
            providers.teach(name, model, lessons.style);
        }
    }

    /// Adds the contexts that proofs found, where none is configured.
    pub(super) fn complete(&self, mut rules: SwarmRules) -> SwarmRules {
        for (name, _, lessons) in &self.lessons {
            if let Some(provider) = rules.providers.get_mut(name) {
                provider.context_tokens = provider.context_tokens.or(lessons.context_tokens);
            }
        }
        rules
    }
}

impl RunningSwarm {
    /// Tells the operator if the kept lessons could not be read.
    pub(super) fn report_unread_checks(&self, lessons: &ConfiguredLessons) {
        if let Some(error) = &lessons.unread {
            let text = error.to_string();
            self.operator.notify(Severity::Warn, "proofs_unread", &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zoea_settings::prices::price_list;

    #[test]
    fn a_proof_knows_what_the_list_of_prices_knows() {
        let mut provider = ProviderSettings::default();
        provider.rules.model = "gpt-5-mini".into();
        provider.rules.price_list = price_list("https://api.openai.com/v1");
        let price = |model: Option<&str>| check_target("p", &provider, model).price;
        assert!(price(None).is_some());
        assert_eq!(price(Some("nobody-knows-it")), None);
        let said = check_target("p", &provider, None).announcement();
        assert!(said.contains("at most $0."), "{said}");
    }
}

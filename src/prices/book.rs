//! What is known of prices now, for whoever shows a cost: an unknown one is never shown as nothing.

use std::sync::{Arc, PoisonError, RwLock};

use actors::domain::event::MysisStatus;
use actors::domain::rules::SwarmRules;

/// What is known of prices now; a reload replaces it. Clones share it.
#[derive(Clone, Debug)]
pub struct PriceBook(Arc<RwLock<Arc<SwarmRules>>>);

impl PriceBook {
    /// What these rules say of prices.
    #[must_use]
    pub fn new(rules: Arc<SwarmRules>) -> PriceBook {
        PriceBook(Arc::new(RwLock::new(rules)))
    }

    /// Other rules hold from now on.
    pub fn replace(&self, rules: Arc<SwarmRules>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = rules;
    }

    fn rules(&self) -> Arc<SwarmRules> {
        let rules = self.0.read().unwrap_or_else(PoisonError::into_inner);
        rules.clone()
    }

    /// Whether it is known what a Mysis' model costs.
    #[must_use]
    pub fn is_known(&self, status: &MysisStatus) -> bool {
        let rules = self.rules();
        rules
            .price_of(&status.profile.provider, &status.model)
            .is_some()
    }

    /// Whether a provider is known to cost nothing.
    #[must_use]
    pub fn is_free(&self, provider: &str) -> bool {
        self.rules().free_providers().contains(provider)
    }

    /// Whether all providers are known to cost nothing.
    #[must_use]
    pub fn is_all_free(&self) -> bool {
        let rules = self.rules();
        rules.free_providers().len() == rules.providers.len()
    }
}

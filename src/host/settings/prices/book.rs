//! The prices in force, for every part that shows a cost. An unknown cost is never shown as 0.

use parking_lot::RwLock;
use std::sync::Arc;

use zoea_domain::event::MysisStatus;
use zoea_domain::rules::SwarmRules;

/// The prices in force. A reload replaces them for all clones.
#[derive(Clone, Debug)]
pub struct PriceBook(Arc<RwLock<Arc<SwarmRules>>>);

impl PriceBook {
    pub fn new(rules: Arc<SwarmRules>) -> PriceBook {
        PriceBook(Arc::new(RwLock::new(rules)))
    }

    pub fn replace(&self, rules: Arc<SwarmRules>) {
        *self.0.write() = rules;
    }

    fn rules(&self) -> Arc<SwarmRules> {
        let rules = self.0.read();
        rules.clone()
    }

    pub fn is_known(&self, status: &MysisStatus) -> bool {
        let rules = self.rules();
        rules
            .price_of(&status.profile.provider, &status.model)
            .is_some()
    }

    /// Whether a provider is known to be free of charge.
    pub fn is_free(&self, provider: &str) -> bool {
        self.rules().free_providers().contains(provider)
    }
}

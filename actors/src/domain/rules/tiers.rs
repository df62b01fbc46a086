//! The tiers of providers, and the provider that is in force because of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::record::MysisProfile;
use crate::role::TierRange;

use super::SwarmRules;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderTier {
    /// From 1, the cheapest, to 3.
    pub tier: u8,
    /// The provider's place among all that the configuration declares.
    pub place: usize,
}

impl SwarmRules {
    pub fn known_tiers(&self) -> BTreeSet<u8> {
        let tiers = self.providers.values().filter_map(|of| of.tier);
        tiers.map(|of| of.tier).collect()
    }

    pub fn providers_of_tier(&self, tier: u8) -> Vec<Arc<str>> {
        let providers = self.providers.iter();
        let mut fitting: Vec<(usize, &Arc<str>)> = providers
            .filter_map(|(name, rules)| Some((rules.tier.filter(|of| of.tier == tier)?, name)))
            .map(|(of, name)| (of.place, name))
            .collect();
        fitting.sort();
        fitting.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// The tiers that the role of a Mysis allows; `None` if it has a provider of its own, or its role
    /// names no tier.
    pub fn tier_range(&self, own: &MysisProfile) -> Option<TierRange> {
        self.roles
            .rules_of(own)
            .filter(|_| own.follows_role)
            .and_then(|role| role.tiers)
    }

    /// The profile in force. Where a role names tiers, the provider is the first one of the tier that was
    /// reached, or of the lowest that there is.
    pub fn profile_in_force(
        &self,
        own: &Arc<MysisProfile>,
        reached: Option<u8>,
    ) -> Arc<MysisProfile> {
        let provider = self.tier_range(own).and_then(|range| {
            let known = self.known_tiers();
            let allowed = known.iter().filter(|tier| range.contains(**tier));
            let reached = reached.as_ref();
            let tier = allowed
                .clone()
                .find(|tier| Some(*tier) == reached)
                .or(allowed.min())?;
            self.providers_of_tier(*tier).into_iter().next()
        });
        self.roles.profile_in_force(own, provider)
    }
}

//! What is in force of a Mysis: its provider's rules, and what its role gives.

use std::sync::Arc;

use crate::record::ProfileChange;
use crate::role::RoleRules;
use crate::rules::ProviderRules;
use crate::tokens::TokenGauge;

use super::Life;
use super::trying::ServedForm;

impl Life {
    pub(super) fn provider_rules(&self) -> Option<&ProviderRules> {
        self.rules.providers.get(&self.profile.provider)
    }

    /// What its role gives; `None` without a role that the configuration knows.
    pub(super) fn role(&self) -> Option<&Arc<RoleRules>> {
        self.rules.roles.rules_of(&self.own_profile)
    }

    /// Whether it has a role that the configuration does not know.
    pub(super) fn lacks_role(&self) -> bool {
        self.profile.role.is_some() && self.role().is_none()
    }

    /// Puts the profile in force by the operator's words, the role and the rules. What was learnt of
    /// another model is forgotten.
    pub(super) fn put_profile_in_force(&mut self) {
        let profile = self.tier.profile_in_force(&self.rules, &self.own_profile);
        let is_same_model =
            profile.provider == self.profile.provider && profile.model == self.profile.model;
        self.profile = profile;
        if !is_same_model {
            self.gauge = TokenGauge::default();
            self.most_bytes = None;
            self.served = ServedForm::default();
        }
    }

    /// The change of a profile, with the provider in force if it names a model alone: the model is meant
    /// for that provider, whoever names it.
    pub(super) fn with_provider_of_role(&self, change: ProfileChange) -> ProfileChange {
        let follows = self.own_profile.provider != self.profile.provider;
        if follows && change.names_model_alone() && change.role.is_none() {
            return ProfileChange {
                provider: Some(self.profile.provider.clone()),
                ..change
            };
        }
        change
    }

    pub(super) fn routine_of_role(&self, name: &str) -> Option<&Arc<str>> {
        let routines = &self.role()?.routines;
        let named = routines.iter().find(|routine| *routine.name == *name)?;
        named.text.as_ref().ok()
    }

    pub(super) fn routines_of_role(&self) -> Vec<Arc<str>> {
        let routines = self.role().map(|role| role.routines.iter());
        let read = routines
            .into_iter()
            .flatten()
            .filter(|one| one.text.is_ok());
        read.map(|routine| routine.name.clone()).collect()
    }
}

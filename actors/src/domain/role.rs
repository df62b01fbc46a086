//! Roles (`[roles.NAME]`): what a Mysis is for, and what it gets for that.
//!
//! A role gives a text in the first message, a provider or a range of tiers, tools, routines and a
//! budget. What the operator says about the Mysis itself goes before its role, and its role before
//! what holds for all.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::budget::BudgetLimits;
use super::record::{CONFIGURED_ROLE, MysisProfile, NO_ROLE};
use super::tool_filter::ToolFilter;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleRules {
    /// What it is for, in words. It stands in the first message, behind the mission; empty for nothing.
    pub prompt: Arc<str>,
    /// The provider; absent: the Mysis' own.
    pub provider: Option<Arc<str>>,
    /// The model of the provider; absent: the provider's.
    pub model: Option<Arc<str>>,
    pub tiers: Option<TierRange>,
    /// Which tools it may call, of those that the swarm and the Mysis may. Those that are named in
    /// full are always offered.
    pub tools: ToolFilter,
    pub routines: Vec<RoleRoutine>,
    /// The limits of a day that take the place of those for each Mysis.
    pub budget: BudgetLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierRange {
    pub lowest: u8,
    /// How far it goes up.
    pub highest: u8,
}

impl TierRange {
    #[must_use]
    pub fn contains(self, tier: u8) -> bool {
        (self.lowest..=self.highest).contains(&tier)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct RoleRoutine {
    pub name: Arc<str>,
    /// The routine as JSON, or why it cannot be read.
    pub text: Result<Arc<str>, Arc<str>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleBook {
    pub roles: BTreeMap<Arc<str>, Arc<RoleRules>>,
    /// The role of a Mysis that has none of its own.
    pub default: Option<Arc<str>>,
    pub myses: BTreeMap<Arc<str>, Arc<str>>,
}

impl RoleBook {
    /// The role that a Mysis has, known or not.
    pub fn name_of(&self, profile: &MysisProfile) -> Option<Arc<str>> {
        let named = profile.role.as_ref();
        let configured = || self.myses.get(&profile.name).or(self.default.as_ref());
        let name = named.or_else(configured)?;
        (**name != *NO_ROLE).then(|| name.clone())
    }

    /// What the role of a Mysis gives; `None` without a role, or if the configuration does not know it.
    pub fn rules_of(&self, profile: &MysisProfile) -> Option<&Arc<RoleRules>> {
        self.roles.get(&self.name_of(profile)?)
    }

    /// The profile that is in force: the operator's, with what the role names where the operator named
    /// nothing. `of_tier` is the provider of the tier, where the role names tiers.
    pub fn profile_in_force(
        &self,
        own: &Arc<MysisProfile>,
        of_tier: Option<Arc<str>>,
    ) -> Arc<MysisProfile> {
        let role = self.name_of(own);
        let led = self.rules_of(own).filter(|_| own.follows_role);
        let named = led.and_then(|rules| Some((rules.provider.clone()?, rules.model.clone())));
        let provider = named.or(of_tier.map(|provider| (provider, None)));
        if role == own.role && provider.is_none() {
            return own.clone();
        }
        let mut profile = MysisProfile::clone(own);
        profile.role = role;
        if let Some((provider, model)) = provider {
            (profile.provider, profile.model) = (provider, model);
        }
        Arc::new(profile)
    }

    /// The operator's words for roles; none where the configuration has no role.
    pub fn words(&self) -> Vec<String> {
        if self.roles.is_empty() {
            return Vec::new();
        }
        let own = [CONFIGURED_ROLE, NO_ROLE].map(ToString::to_string);
        let named = self.roles.keys().map(ToString::to_string);
        own.into_iter().chain(named).collect()
    }

    /// A sentence for each role that somebody has and the configuration does not know, and for each
    /// routine that cannot be read.
    pub fn troubles<'a>(&self, all: impl Iterator<Item = &'a MysisProfile>) -> Vec<String> {
        let mut without: BTreeMap<Arc<str>, Vec<Arc<str>>> = BTreeMap::new();
        for profile in all {
            if let Some(role) = self
                .name_of(profile)
                .filter(|of| !self.roles.contains_key(of))
            {
                without.entry(role).or_default().push(profile.name.clone());
            }
        }
        let unknown = without.into_iter().map(|(role, names)| {
            format!(
                "roles.{role} is not in the configuration, and these play on without it: {}; add it, or \
                 give them another with `zoea mysis configure NAME --role R|none`",
                names.join(", ")
            )
        });
        let unread = self.roles.iter().flat_map(|(role, rules)| {
            rules.routines.iter().filter_map(move |routine| {
                let why = routine.text.as_ref().err()?;
                Some(format!(
                    "roles.{role} offers the routine {} without having it: {why}",
                    routine.name
                ))
            })
        });
        unknown.chain(unread).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> RoleBook {
        let miner = RoleRules {
            provider: Some("cheap".into()),
            model: Some("small".into()),
            ..RoleRules::default()
        };
        RoleBook {
            roles: BTreeMap::from([
                ("miner".into(), Arc::new(miner)),
                ("scout".into(), Arc::default()),
            ]),
            default: Some("scout".into()),
            myses: BTreeMap::from([("alpha".into(), "miner".into())]),
        }
    }

    fn profile(name: &str, role: Option<&str>) -> Arc<MysisProfile> {
        Arc::new(MysisProfile {
            role: role.map(Into::into),
            ..MysisProfile::of(name, "local")
        })
    }

    #[test]
    fn the_operators_word_goes_before_the_configuration_and_a_single_mysis_before_all() {
        let book = book();
        for (name, role, expected) in [
            ("alpha", None, Some("miner")),
            ("beta", None, Some("scout")),
            ("alpha", Some("scout"), Some("scout")),
            ("alpha", Some("none"), None),
            ("beta", Some("gone"), Some("gone")),
        ] {
            let named = book.name_of(&profile(name, role));
            assert_eq!(named.as_deref(), expected, "{name} {role:?}");
        }
    }

    #[test]
    fn what_a_role_names_is_in_force_until_the_operator_names_something() {
        let book = book();
        let miner = book.profile_in_force(&profile("alpha", None), None);
        assert_eq!(
            (&*miner.provider, miner.model.as_deref()),
            ("cheap", Some("small"))
        );
        assert_eq!(miner.role.as_deref(), Some("miner"));
        let mut own = MysisProfile::clone(&profile("alpha", None));
        own.follows_role = false;
        let own = book.profile_in_force(&Arc::new(own), None);
        assert_eq!((&*own.provider, own.model.as_deref()), ("local", None));
        let plain = profile("alpha", Some("gone"));
        assert!(
            Arc::ptr_eq(&plain, &book.profile_in_force(&plain, None)),
            "nothing is copied"
        );
    }

    #[test]
    fn an_unknown_role_and_an_unread_routine_are_told_with_what_helps() {
        let mut book = book();
        let scout = RoleRules {
            routines: vec![RoleRoutine {
                name: "dig".into(),
                text: Err("no such file".into()),
            }],
            ..RoleRules::default()
        };
        book.roles.insert("scout".into(), Arc::new(scout));
        let all = [profile("alpha", Some("gone")), profile("beta", None)];
        let troubles = book.troubles(all.iter().map(|profile| &**profile));
        assert_eq!(troubles.len(), 2, "{troubles:?}");
        assert!(troubles[0].contains("roles.gone") && troubles[0].contains("alpha; add it"));
        assert!(troubles[1].contains("routine dig") && troubles[1].contains("no such file"));
    }
}

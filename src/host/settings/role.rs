//! `[roles.NAME]`: what Myses are for, and what they get for that.

use std::collections::BTreeMap;
use std::sync::Arc;

use zoea_domain::budget::BudgetLimits;
use zoea_domain::record::{CONFIGURED_ROLE, NO_ROLE};
use zoea_domain::role::{RoleRules, TierRange};
use zoea_domain::tool_filter::ToolFilter;

use super::budget::dollars;
use super::rule::{
    Rule, list_of, mysis_name, non_empty_text, prompt_text, provider_name, quote_text,
    tool_patterns, whole_number, whole_number_from,
};
use super::section::Section;
use super::table::read_keys;

const MAX_ROUTINES: usize = 20;

#[derive(Debug, Clone, PartialEq)]
pub struct RoleSettings {
    /// What it gives, without its routines.
    pub rules: RoleRules,
    /// The names of its routines in the home directory.
    pub routines: Vec<String>,
}

pub(super) fn role_name() -> Rule<Arc<str>> {
    mysis_name().map(Into::into)
}

/// The roles by name. `providers` are the names that they may refer to.
pub(super) fn read_roles(
    root: &mut Section<'_, '_>,
    providers: &[String],
) -> BTreeMap<String, RoleSettings> {
    let roles = root.read_named("roles", |name, section| {
        let is_free = name != NO_ROLE && name != CONFIGURED_ROLE;
        if !is_free || mysis_name().accept_variable(name).is_err() {
            let found = format!("called {}", quote_text(name));
            let allowed = "1 to 32 letters, digits, -, _ or ., and neither none nor default";
            section.reject_whole(&found, allowed);
        }
        (name.to_owned(), read_role(section, providers))
    });
    BTreeMap::from_iter(roles)
}

fn read_role(section: &mut Section<'_, '_>, providers: &[String]) -> RoleSettings {
    read_keys! { section;
        /// What it is for, in words: it stands in the first message, behind the mission.
        optional prompt = "You are a miner: mine what is near, sell it where it is dear, and keep an eye on your fuel.", prompt_text();
        /// The tools, of those that [mcp] and the Mysis allow; * stands for any text. Those that are named in full
        /// are always offered. Left out: all of them.
        optional tools = ["get_*", "mine", "travel", "jump", "dock", "undock", "refuel", "sell"], tool_patterns();
        default deny_tools = [], tool_patterns();
        /// Files in routines/ in the home directory, without .json, that it may start by their names.
        default routines = [], list_of(0..=MAX_ROUTINES, mysis_name());
        /// The provider, in place of the one that the Mysis was created with. One that you name for the Mysis
        /// itself goes before it.
        optional provider = "openai", provider_name(providers, "provider");
        /// The model of that provider. Left out: the provider's.
        optional model = "gpt-4o-mini", non_empty_text();
        /// In place of a provider: where it begins among the tiers of the providers (1 is the cheapest), and how far
        /// it goes up when plans fail, when it is stuck, and when a mission is new. It comes down on success.
        optional tier = 1, whole_number(1..=3);
        default max_tier = 3, whole_number(1..=3);
        /// What each Mysis with the role may spend in a day, in place of the limits of [budget] for each.
        table budget = { tokens_per_mysis_per_day = 500_000, usd_per_mysis_per_day = 0.2 }, read_budget;
    }
    if model.is_some() && provider.is_none() {
        section.reject(
            "model",
            "given without a provider",
            "a model of the role's provider",
        );
    }
    check_tiers(section, (tier, max_tier), provider.is_some());
    RoleSettings {
        rules: RoleRules {
            prompt: prompt.unwrap_or_default(),
            provider,
            model: model.map(Into::into),
            tiers: tier.map(|lowest| TierRange {
                lowest,
                highest: max_tier,
            }),
            tools: ToolFilter {
                allow: tools,
                deny: deny_tools,
            },
            routines: Vec::new(),
            budget: budget.unwrap_or_default(),
        },
        routines,
    }
}

fn check_tiers(
    section: &mut Section<'_, '_>,
    (tier, max_tier): (Option<u8>, u8),
    has_provider: bool,
) {
    if tier.is_some() && has_provider {
        section.reject("tier", "given beside a provider", "one of the two");
    }
    if tier.is_some_and(|lowest| lowest > max_tier) {
        section.reject("max_tier", "below tier", "as much as tier, or more");
    }
    if tier.is_none() && section.is_written("max_tier") {
        section.reject("max_tier", "given without a tier", "a tier beside it");
    }
}

fn read_budget(section: &mut Section<'_, '_>) -> BudgetLimits {
    read_keys! { section;
        optional tokens_per_mysis_per_day = 500_000, whole_number_from(1..);
        optional usd_per_mysis_per_day = 0.2, dollars();
    }
    BudgetLimits {
        tokens: tokens_per_mysis_per_day,
        cost_micros: usd_per_mysis_per_day,
    }
}

//! `[[myses]]`: the Myses that exist after the start.

use std::collections::BTreeSet;
use std::sync::Arc;

use zoea_domain::tool_filter::ToolFilter;

use super::Settings;
use super::role::role_name;
use super::rule::{mysis_name, provider_name, quote_text, tool_patterns};
use super::section::Section;
use super::table::read_keys;

/// A Mysis that exists after the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredMysis {
    /// 1 to 32 characters: letters, digits, `-`, `_`, `.`. The name is unique.
    pub name: String,
    /// One of `providers`; `None` for the default one.
    pub provider: Option<String>,
    /// Its role; `None` for the default one.
    pub role: Option<Arc<str>>,
    /// Which tools it may call, of those that the swarm may.
    pub tools: ToolFilter,
}

/// Reads all declared Myses. `providers` are the names that they may refer to.
pub(super) fn read_roster(root: &mut Section<'_, '_>, providers: &[String]) -> Vec<DeclaredMysis> {
    let mut taken = BTreeSet::new();
    let myses = root.read_listed("myses", |section| {
        read_keys! { section;
            required name = "beta", mysis_name();
            /// Left out: the default provider.
            optional provider = "local", provider_name(providers, "provider").map(|name| name.to_string());
            /// One of [roles], or "none". Left out: swarm.default_role.
            optional role = "miner", role_name();
            /// Of the tools that [mcp] allows. Left out: all of them.
            optional tools = ["get_*", "mine"], tool_patterns();
            default deny_tools = [], tool_patterns();
        }
        let name = name?;
        if !taken.insert(name.clone()) {
            let found = format!("{}, which another Mysis has already", quote_text(&name));
            section.reject("name", &found, "names that differ");
        }
        let tools = ToolFilter {
            allow: tools,
            deny: deny_tools,
        };
        Some(DeclaredMysis {
            name,
            provider,
            role,
            tools,
        })
    });
    myses.into_iter().flatten().collect()
}

/// Checks the limit only if nothing else is wrong, because a wrong limit would be reported twice.
pub(super) fn check_fits(root: &mut Section<'_, '_>, settings: &Settings) {
    let (count, most) = (settings.myses.len(), settings.swarm.rules.max_myses);
    if count > most && root.is_clean() {
        let allowed = format!("up to {most}, the limit that swarm.max_myses sets");
        root.reject("myses", &format!("a list of {count}"), &allowed);
    }
}

//! `[swarm]`: the number of Myses and the rules of their turns.

use std::sync::Arc;

use zoea_domain::role::RoleBook;
use zoea_domain::rules::SwarmRules;

use super::provider::DEFAULT_NAME;
use super::role::role_name;
use super::rule::{
    boolean, byte_size, duration, list_of, non_empty_text, provider_name, whole_number,
};
use super::section::Section;
use super::table::{ReadSection, read_keys};

/// The number of Myses and the rules of their turns.
#[derive(Debug, Clone, PartialEq)]
pub struct SwarmSettings {
    /// The rules of this section. Rules that belong to other sections have their defaults here.
    pub rules: SwarmRules,
    /// Whether `run` starts the Myses that ran when the program ended.
    pub resume: bool,
}

impl ReadSection for SwarmSettings {
    fn read_section(section: &mut Section<'_, '_>, providers: &[String]) -> Self {
        // The default is the only provider, or the one with the name `local`.
        let usual = match providers {
            [only] => Some(only),
            several => several.iter().find(|name| *name == DEFAULT_NAME),
        };
        read_keys! { section;
            /// The most Myses that may exist, 1 to 10000. The variable ZOEA_MAX_MYSES overrides it.
            default max_myses = 16, whole_number(1..=10_000) => "ZOEA_MAX_MYSES";
            /// The provider of Myses that name none. Left out: the only provider, or the one called "local".
            required default_provider = "local" if usual.is_none(), provider_name(providers, "provider");
            /// The role of Myses that name none: one of [roles]. Left out: none.
            optional default_role = "miner", role_name();
            /// The pause between two turns of a Mysis; a message from you ends it at once.
            default turn_pause = "2s", duration();
            /// The most calls of the model in one turn, 1 to 100. Reaching it ends the turn, not the Mysis.
            default max_tool_iterations = 10, whole_number(1..=100);
            /// How far back a direct message from you is looked for, in messages, 1 to 1000.
            default context_window = 20, whole_number(1..=1000);
            /// The most that one request's messages may weigh, 8KiB to 16MiB; tools are not counted.
            default context_budget = "64KiB", byte_size((8 << 10, "8KiB"), (16 << 20, "16MiB"));
            /// Whether `zoea run` starts those that were running when the program ended, as --resume does.
            default resume = false, boolean();
            /// The nudges of a Mysis without orders, one for each turn (1 to 20); then it goes idle.
            default nudges = [
                "Continue your mission. Check notifications and coordinate with the swarm.",
                "You need to respond. Check your notifications and status.",
                "URGENT: Respond immediately. Check your system status.",
            ], list_of(1..=20, non_empty_text().map(Into::into));
            /// After so many turns without a tool call, or with one failing call, you and the Mysis get a notice,
            /// 1 to 1000. Further steps are set under [progress].
            default no_progress_turns = 5, whole_number(1..=1000);
            /// Whether a Mysis may search what others of the swarm said and did (zoea_search_*, by name).
            default search_others = true, boolean();
        }
        let mut rules = SwarmRules {
            max_myses,
            turn_pause,
            max_model_calls: max_tool_iterations,
            context_window,
            context_budget,
            no_progress_turns,
            nudges,
            ..SwarmRules::default()
        };
        let usual = usual.map(|name| name.as_str().into());
        if let Some(provider) = default_provider.or(usual) {
            rules.default_provider = provider;
        }
        rules.tools.search_others = search_others;
        if default_role.is_some() {
            rules.roles = Arc::new(RoleBook {
                default: default_role,
                ..RoleBook::default()
            });
        }
        Self { rules, resume }
    }
}

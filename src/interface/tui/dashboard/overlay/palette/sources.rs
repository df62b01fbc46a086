//! The names that the palette completes from.

use crossterm::event::KeyEvent;
use zoea_text::natural::compare_natural;

use crate::dashboard::facts::Facts;
use crate::dashboard::key_screens::key_tables;

#[derive(Clone, Debug, Default)]
pub struct CompletionSources {
    pub myses: Vec<String>,
    pub providers: Vec<String>,
    /// The roles, and the words for none and the configuration's.
    pub roles: Vec<String>,
    /// What the keys of the current view do, and the keys.
    pub gestures: Vec<(&'static str, KeyEvent)>,
    /// Whether the tools may be a game's. If not, nothing that is a game's only is completed.
    pub may_be_game: bool,
}

impl CompletionSources {
    /// Those of the open conversation, or of the table.
    pub fn of(facts: &Facts, is_open: bool) -> CompletionSources {
        let names = facts.roster.members().values();
        let mut myses: Vec<String> = names.map(|member| member.status.name.to_string()).collect();
        myses.sort_by(|a, b| compare_natural(a, b));
        let rules = facts.rules.as_ref();
        let providers = rules.iter().flat_map(|rules| rules.providers.keys());
        let keymap = &facts.keymap;
        let tables = key_tables();
        let view = match is_open {
            true => tables.conversation,
            false => tables.table,
        };
        let may_be_game = facts.roster.may_tell_facts();
        let gestures = [view, tables.targets, tables.global].into_iter();
        let gestures = gestures.flat_map(|table| keymap.action_help(&table.for_tools(may_be_game)));
        CompletionSources {
            myses,
            providers: providers.map(ToString::to_string).collect(),
            roles: rules.map(|rules| rules.roles.words()).unwrap_or_default(),
            gestures: gestures.collect(),
            may_be_game,
        }
    }
}

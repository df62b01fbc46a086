//! Reloads: what a new configuration changes at once, and what needs a restart.

use super::{AFTER_A_RESTART, AT_ONCE, Settings};

/// A part of the settings that is compared at a reload.
pub(super) struct ReloadPart {
    pub(super) label: &'static str,
    pub(super) copy: fn(&Settings, &mut Settings),
}

impl ReloadPart {
    fn differs(&self, old: &Settings, new: &Settings) -> bool {
        let mut held = new.clone();
        (self.copy)(old, &mut held);
        held != *new
    }
}

/// The keys that need a restart in sections that otherwise need none.
const GAME: [ReloadPart; 4] = [
    ReloadPart {
        label: "mcp.upstream",
        copy: |old, new| new.mcp.upstream.clone_from(&old.mcp.upstream),
    },
    ReloadPart {
        label: "mcp.command and [mcp.env]",
        copy: |old, new| {
            let (old, new) = (&old.mcp, &mut new.mcp);
            new.command.clone_from(&old.command);
            new.variables.clone_from(&old.variables);
            new.inherited.clone_from(&old.inherited);
        },
    },
    ReloadPart {
        label: "mcp.token and [mcp.headers]",
        copy: |old, new| {
            let (old, new) = (&old.mcp, &mut new.mcp);
            new.token.clone_from(&old.token);
            new.token_source.clone_from(&old.token_source);
            new.headers.clone_from(&old.headers);
        },
    },
    ReloadPart {
        label: "mcp.registration_code",
        copy: |old, new| {
            let (old, new) = (&old.mcp, &mut new.mcp);
            new.registration_code.clone_from(&old.registration_code);
            let source = &old.registration_code_source;
            new.registration_code_source.clone_from(source);
        },
    },
];

fn parts_after_a_restart() -> impl Iterator<Item = &'static ReloadPart> {
    GAME.iter().chain(AFTER_A_RESTART)
}

impl Settings {
    /// The differences to another configuration that take effect at once, in words.
    pub fn changes_at_once(&self, new: &Settings) -> Vec<String> {
        let held = self.without_a_restart(new.clone());
        let changed =
            new.providers
                .iter()
                .filter_map(|(name, provider)| match self.providers.get(name) {
                    None => Some(format!("providers.{name} is new")),
                    Some(before) => (before != provider).then(|| format!("providers.{name}")),
                });
        let before = self.providers.keys();
        let gone = before.filter(|name| !new.providers.contains_key(*name));
        let sections = AT_ONCE.iter().filter(|part| part.differs(self, &held));
        let roles = (self.roles != new.roles).then(|| "[roles]".to_owned());
        let myses = (self.myses != new.myses).then(|| "[[myses]]".to_owned());
        changed
            .chain(gone.map(|name| format!("providers.{name} is gone")))
            .chain(sections.map(|part| part.label.to_owned()))
            .chain(roles)
            .chain(myses)
            .collect()
    }

    /// The keys that differ in another configuration and need a restart.
    pub fn changes_after_a_restart(&self, new: &Settings) -> Vec<&'static str> {
        let changed = parts_after_a_restart().filter(|part| part.differs(self, new));
        changed.map(|part| part.label).collect()
    }

    /// Another configuration, with the parts that need a restart left as they are here.
    pub fn without_a_restart(&self, mut new: Settings) -> Settings {
        for part in parts_after_a_restart() {
            (part.copy)(self, &mut new);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::ProviderSettings;
    use super::*;
    use crate::Secret;

    #[test]
    fn what_holds_at_once_and_what_needs_a_restart_are_told_apart() {
        let old = Settings::default();
        let mut new = old.clone();
        assert!(old.changes_at_once(&new).is_empty());
        assert!(old.changes_after_a_restart(&new).is_empty());
        new.budget.swarm.cost_micros = Some(3_000_000);
        new.providers
            .insert("other".into(), ProviderSettings::default());
        new.mcp.upstream = None;
        new.mcp.registration_code = Some(Secret::new("REG-7"));
        new.mcp.tools.timeout = Duration::from_secs(9);
        let at_once = ["providers.other is new", "[mcp]", "[budget]"];
        assert_eq!(old.changes_at_once(&new), at_once);
        let later = ["mcp.upstream", "mcp.registration_code"];
        assert_eq!(old.changes_after_a_restart(&new), later);
        let held = old.without_a_restart(new.clone());
        assert_eq!(held.mcp.upstream, old.mcp.upstream);
        assert!(held.changes_at_once(&new).is_empty());
        assert_eq!(held.changes_after_a_restart(&new), later);
        assert_eq!(new.changes_at_once(&old)[0], "providers.other is gone");
    }
}

//! Reload: what a new configuration changes at once, and what only a restart changes.

use super::{AFTER_A_RESTART, AT_ONCE, Settings};

/// A part of the settings that a reload compares.
pub(super) struct ReloadPart {
    /// How the operator is told of it.
    pub(super) label: &'static str,
    pub(super) differs: fn(&Settings, &Settings) -> bool,
    /// Copies it from one configuration into another.
    pub(super) copy: fn(&Settings, &mut Settings),
}

/// The one key that waits for a restart in a section that does not.
const UPSTREAM: ReloadPart = ReloadPart {
    label: "mcp.upstream",
    differs: |old, new| old.mcp.upstream != new.mcp.upstream,
    copy: |old, new| new.mcp.upstream.clone_from(&old.mcp.upstream),
};

fn parts_after_a_restart() -> impl Iterator<Item = &'static ReloadPart> {
    std::iter::once(&UPSTREAM).chain(AFTER_A_RESTART)
}

impl Settings {
    /// What differs in another configuration and holds at once, in words.
    #[must_use]
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
        let sections = AT_ONCE.iter().filter(|part| (part.differs)(self, &held));
        let myses = (self.myses != new.myses).then(|| "[[myses]]".to_owned());
        changed
            .chain(gone.map(|name| format!("providers.{name} is gone")))
            .chain(sections.map(|part| part.label.to_owned()))
            .chain(myses)
            .collect()
    }

    /// What differs in another configuration and needs a restart, by key.
    #[must_use]
    pub fn changes_after_a_restart(&self, new: &Settings) -> Vec<&'static str> {
        let changed = parts_after_a_restart().filter(|part| (part.differs)(self, new));
        changed.map(|part| part.label).collect()
    }

    /// Another configuration as it holds without a restart.
    #[must_use]
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
        new.mcp.tools.timeout = Duration::from_secs(9);
        let at_once = ["providers.other is new", "[mcp]", "[budget]"];
        assert_eq!(old.changes_at_once(&new), at_once);
        assert_eq!(old.changes_after_a_restart(&new), ["mcp.upstream"]);
        let held = old.without_a_restart(new.clone());
        assert_eq!(held.mcp.upstream, old.mcp.upstream);
        assert!(held.changes_at_once(&new).is_empty());
        assert_eq!(held.changes_after_a_restart(&new), ["mcp.upstream"]);
        assert_eq!(new.changes_at_once(&old)[0], "providers.other is gone");
    }
}

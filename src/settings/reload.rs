//! Reload: what a new configuration changes at once, and what only a restart changes.

use super::Settings;

impl Settings {
    /// What differs in another configuration and holds at once, in words.
    #[must_use]
    pub fn changes_at_once(&self, new: &Settings) -> Vec<String> {
        let mut changed = Vec::new();
        let mut note = |is_different: bool, what: String| {
            if is_different {
                changed.push(what);
            }
        };
        note(self.swarm != new.swarm, "[swarm]".to_string());
        for (name, provider) in &new.providers {
            let before = self.providers.get(name);
            let what = match before {
                None => format!("providers.{name} is new"),
                Some(_) => format!("providers.{name}"),
            };
            note(before != Some(provider), what);
        }
        for name in self.providers.keys() {
            let is_gone = !new.providers.contains_key(name);
            note(is_gone, format!("providers.{name} is gone"));
        }
        let (mut mcp, upstream) = (new.mcp.clone(), self.mcp.upstream.clone());
        mcp.upstream = upstream;
        note(self.mcp != mcp, "[mcp]".to_string());
        note(
            self.supervision != new.supervision,
            "[supervision]".to_string(),
        );
        note(self.budget != new.budget, "[budget]".to_string());
        note(self.progress != new.progress, "[progress]".to_string());
        note(self.myses != new.myses, "[[myses]]".to_string());
        changed
    }

    /// What differs in another configuration and needs a restart, by key.
    #[must_use]
    pub fn changes_after_a_restart(&self, new: &Settings) -> Vec<&'static str> {
        [
            (self.mcp.upstream != new.mcp.upstream, "mcp.upstream"),
            (self.control != new.control, "control.listen"),
            (self.metrics != new.metrics, "metrics.listen"),
            (self.reports != new.reports, "[reports]"),
            (self.alerts != new.alerts, "[alerts]"),
            (self.traces != new.traces, "[traces]"),
            (self.store != new.store, "[store]"),
            (self.tui != new.tui, "[tui]"),
        ]
        .into_iter()
        .filter_map(|(is_different, key)| is_different.then_some(key))
        .collect()
    }

    /// Another configuration as it holds without a restart.
    #[must_use]
    pub fn without_a_restart(&self, mut new: Settings) -> Settings {
        new.mcp.upstream.clone_from(&self.mcp.upstream);
        new.control = self.control.clone();
        new.metrics = self.metrics.clone();
        new.traces = self.traces.clone();
        new.alerts = self.alerts.clone();
        new.reports = self.reports.clone();
        new.store = self.store.clone();
        new.tui = self.tui;
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
        new.budget.usd_per_day = Some(3.0);
        new.providers
            .insert("other".into(), ProviderSettings::default());
        new.mcp.upstream = None;
        new.mcp.tool_timeout = Duration::from_secs(9);
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

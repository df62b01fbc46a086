//! The commented configuration that `zoea init` writes.

/// A `zoea.toml` in which everything is explained and nothing is set: it reads as the defaults.
///
/// A line that begins with `# ` explains; one that begins with `#` alone is a setting that takes
/// effect once that sign is removed.
#[must_use]
pub fn template() -> &'static str {
    include_str!("template/zoea.toml")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::settings::overrides::Overrides;
    use crate::settings::{
        AlertSettings, BudgetSettings, MetricsSettings, ProgressSettings, ReportSettings, Settings,
        StoreSettings, TraceSettings, TuiSettings, document,
    };

    fn parse(text: &str) -> Settings {
        let (settings, mistakes) =
            document::parse(Path::new("zoea.toml"), text, Overrides::default());
        assert_eq!(mistakes, []);
        settings
    }

    /// The template with every setting switched on.
    fn switched_on() -> String {
        let is_text = |line: &str| line == "#" || line.starts_with("# ");
        let switch = |line: &str| match line.strip_prefix('#') {
            Some(setting) if !is_text(line) => format!("{setting}\n"),
            _ => format!("{line}\n"),
        };
        template().lines().map(switch).collect()
    }

    #[test]
    fn as_it_is_written_it_reads_as_the_defaults() {
        assert_eq!(parse(template()), Settings::default());
    }

    #[test]
    fn with_everything_switched_on_it_names_the_true_defaults() {
        let settings = parse(&switched_on());
        let default = Settings::default();
        assert_eq!(settings.swarm, default.swarm);
        assert_eq!(settings.providers["local"], default.providers["local"]);
        assert_eq!(settings.mcp, default.mcp);
        assert_eq!(settings.supervision, default.supervision);
        let progress = settings.progress;
        let provider = Some("openai".to_string());
        assert_eq!(
            progress,
            ProgressSettings {
                provider,
                ..default.progress
            }
        );
        assert_eq!(settings.control, default.control);
        assert_eq!(settings.tui.motion, default.tui.motion);
        assert_eq!(settings.tui.mouse, default.tui.mouse);
        assert_eq!(settings.tui.notify, default.tui.notify);
    }

    #[test]
    fn every_section_stands_in_it() {
        let settings = parse(&switched_on());
        assert_ne!(settings.budget, BudgetSettings::default());
        assert_ne!(settings.metrics, MetricsSettings::default());
        assert_ne!(settings.traces, TraceSettings::default());
        assert_ne!(settings.alerts, AlertSettings::default());
        assert_ne!(settings.reports, ReportSettings::default());
        assert_ne!(settings.store, StoreSettings::default());
        assert_ne!(settings.tui, TuiSettings::default());
        assert_eq!(settings.providers.len(), 5);
        assert_eq!(settings.myses.len(), 2);
    }

    /// Every heading gets a key that it cannot know, so that the mistakes list all that it does know.
    #[test]
    fn every_known_key_stands_in_it() {
        let mut spoilt = String::new();
        for line in switched_on().lines() {
            let is_heading = line.starts_with('[');
            spoilt += &format!(
                "{line}\n{}",
                if is_heading { "zzzzzzzzzz = 1\n" } else { "" }
            );
        }
        let (_, mistakes) = document::parse(Path::new("zoea.toml"), &spoilt, Overrides::default());
        assert_eq!(mistakes.len(), 19);
        for mistake in mistakes {
            let (_, known) = mistake.text.split_once("known here: ").unwrap();
            for key in known.split(", ") {
                assert!(switched_on().contains(&format!("\n{key} = ")), "{key}");
            }
        }
    }
}

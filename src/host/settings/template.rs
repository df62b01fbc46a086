//! The commented configuration that `zoea init` writes.

use toml::de::DeValue;

use super::colours::describe_colours;
use super::document;
use super::key::Key;
use super::keymap::describe_keymap;

/// The text of a `zoea.toml` that explains everything and sets nothing, so that reading it gives
/// the defaults.
///
/// A line that begins with `# ` is an explanation. A line that begins with `#` alone is a setting,
/// which takes effect once that character is removed.
///
/// In the frame, a line `{section key}` is replaced by that key, and `{section}` by all other keys
/// of the section. `{section, close}` leaves out the blank lines between them.
pub fn template() -> String {
    let text = include_str!("template/zoea.toml");
    let text = text.replace("{tui.keys}\n", &describe_keymap());
    let mut text = text.replace("{tui.colors}\n", &describe_colours());
    for (section, mut keys) in document::known_keys() {
        // What excludes another key stands in the frame, as text.
        keys.retain(|key| !key.sample.is_empty());
        keys.retain(|key| {
            let line = format!("{{{section} {}}}\n", key.name);
            let has_line = text.contains(&line);
            text = text.replace(&line, &describe_key(key, "\n"));
            !has_line
        });
        for (end, gap) in [("", "\n"), (", close", "")] {
            let others: String = keys.iter().map(|key| describe_key(key, gap)).collect();
            text = text.replace(&format!("{{{section}{end}}}\n"), &others);
        }
    }
    text
}

/// The key as a commented setting of the template.
fn describe_key(key: &Key, gap: &str) -> String {
    let help: String = key.help.iter().map(|line| format!("#{line}\n")).collect();
    let gap = if help.is_empty() { "" } else { gap };
    let sample = describe_sample(key.sample);
    format!("{gap}{help}#{} = {sample}\n", key.name)
}

/// The sample. A list that is too long for one line gets a line for each item.
fn describe_sample(sample: &str) -> String {
    let value = DeValue::parse(sample).ok();
    let items = value.as_ref().and_then(|value| value.get_ref().as_array());
    match items {
        Some(items) if sample.len() > 80 => {
            let texts = items.iter().filter_map(|item| item.get_ref().as_str());
            let items: String = texts.map(|text| format!("#{text:?},\n")).collect();
            format!("[\n{items}#]")
        }
        Some(_) | None => sample.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use zoea_domain::number::NamedNumber;

    use super::*;
    use crate::tests::parse_as;
    use crate::*;

    fn parse(text: &str) -> Settings {
        let (settings, mistakes) = parse_as("zoea.toml", text);
        assert_eq!(mistakes, []);
        settings
    }

    /// The template with every setting uncommented.
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
        assert_eq!(parse(&template()), Settings::default());
    }

    #[test]
    fn with_everything_switched_on_it_names_the_true_defaults() {
        let settings = parse(&switched_on());
        let default = Settings::default();
        let mut swarm = settings.swarm.clone();
        assert_eq!(swarm.rules.roles.default.as_deref(), Some("miner"));
        swarm.rules.roles = Arc::default();
        assert_eq!(swarm, default.swarm);
        let mut local = settings.providers["local"].clone();
        // By default nothing is added to requests.
        assert!(!local.extra.is_empty() && !local.headers.is_empty());
        local.extra.clear();
        local.headers.clear();
        local.reasoning_back = None;
        local.rules.tier = None;
        assert_eq!(local, default.providers["local"]);
        let variable = "REGISTRATION_CODE".to_string();
        let mut tools = default.mcp.tools.clone();
        let patterns = ["get_*", "travel", "mine", "sell"].map(Into::into);
        Arc::make_mut(&mut tools.filters).swarm.allow = Some(patterns.to_vec());
        tools.logins_address = Some("office".into());
        tools.number = NamedNumber::parse("count_notes/total");
        assert_eq!(
            settings.mcp,
            McpSettings {
                tools,
                registration_code_source: KeySource::Variable(variable),
                token_source: KeySource::Variable("GAME_TOKEN".to_string()),
                headers: vec![HeaderSettings {
                    name: http::HeaderName::from_static("x-tenant"),
                    source: ValueSource::Variable("TENANT".to_string()),
                    value: None,
                }],
                ..default.mcp
            }
        );
        assert_eq!(settings.supervision, default.supervision);
        let progress = settings.progress;
        let provider = Some("openai".into());
        assert_eq!(
            progress,
            ProgressRules {
                provider,
                ..default.progress
            }
        );
        assert_eq!(settings.control, default.control);
        assert_eq!(settings.tui.motion, default.tui.motion);
        assert_eq!(settings.tui.mouse, default.tui.mouse);
        assert_eq!(settings.tui.notify, default.tui.notify);
        let mut actions = zoea_tui::dashboard::key_screens::named_actions().into_iter();
        let quit = actions.find(|action| action.name == "quit").unwrap();
        assert_eq!(settings.tui.keymap.keys(&quit).len(), 2);
    }

    #[test]
    fn every_section_stands_in_it() {
        let settings = parse(&switched_on());
        assert_ne!(settings.budget, BudgetRules::default());
        assert_ne!(settings.value, ValueRules::default());
        assert_ne!(settings.metrics, MetricsSettings::default());
        assert_ne!(settings.traces, TraceSettings::default());
        assert_ne!(settings.alerts, AlertSettings::default());
        assert_ne!(settings.reports, ReportSettings::default());
        assert_ne!(settings.store, StoreSettings::default());
        assert_ne!(settings.tui, TuiSettings::default());
        assert_eq!(settings.providers.len(), 5);
        assert_eq!(settings.myses.len(), 2);
        assert_eq!(settings.roles.len(), 2);
    }

    /// Every heading gets an unknown key, so that the mistakes list all known keys.
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
        let (_, mistakes) = parse_as("zoea.toml", &spoilt);
        assert_eq!(mistakes.len(), 25);
        for mistake in mistakes {
            let (_, known) = mistake.text.split_once("known here: ").unwrap();
            for key in known.split(", ") {
                // What excludes another key stands there as text, a section as a heading.
                let forms = [
                    format!("\n{key} = "),
                    format!("\n#     {key} = "),
                    format!(".{key}]\n"),
                ];
                let text = switched_on();
                assert!(forms.iter().any(|form| text.contains(form)), "{key}");
            }
        }
    }
}

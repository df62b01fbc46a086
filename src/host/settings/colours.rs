//! `[tui.colors]`: colours on top of a theme.

use toml::de::DeValue;
use zoea_tui::dashboard::appearance::{ChosenColour, ColourChoices, TerminalColour, ThemePart};

use super::key::Key;
use super::nearest::nearest;
use super::rule::{Rule, describe_value};
use super::section::Section;

/// Reads the colours that the operator chose.
pub(super) fn read_colours(section: &mut Section<'_, '_>) -> ColourChoices {
    let rule = colour();
    let mut choices = ColourChoices::default();
    for part in ThemePart::ALL {
        let chosen = section.read_optional(Key::of_section(part.as_str()), &rule);
        if let Some(colour) = chosen {
            choices.choose(part, colour);
        }
    }
    choices
}

/// The lines of the template: what each colour is for, with an example.
pub(super) fn describe_colours() -> String {
    let lines = ThemePart::ALL.map(|part| {
        let help = part.help().trim_end_matches('.');
        format!("#{} = \"#8899aa\"  # {help}\n", part.as_str())
    });
    lines.concat()
}

/// `#rrggbb`, or the name of a colour of the terminal's own.
fn colour() -> Rule<ChosenColour> {
    let names = TerminalColour::NAMES;
    let allowed = format!(
        "\"#rrggbb\", or a colour of the terminal: {}",
        names.join(", ")
    );
    Rule::new(allowed, move |value: &DeValue<'_>| {
        let found = describe_value(value);
        let text = value.as_str().ok_or_else(|| found.clone())?;
        ChosenColour::parse(text).ok_or_else(|| match nearest(text, names) {
            Some(name) => format!("{found} (did you mean \"{name}\"?)"),
            None => found,
        })
    })
}

//! Checks the operator's own system prompt: unknown placeholders, their places and suggestions.

use std::path::Path;

use zoea_domain::system_prompt::{PLACEHOLDERS, unknown_placeholders};

use super::mistake::{Mistake, MistakePlace, SettingsError};
use super::nearest::nearest;

/// A placeholder of Zoea-Nova's prompt, and our name for it.
const NOVA_PLACEHOLDER: (&str, &str) = ("LATEST_BROADCAST", "mission");

/// Checks the placeholders of a template, the content of `file`.
///
/// # Errors
/// Lists every unknown placeholder with the one that was probably meant.
pub fn check_prompt(file: &Path, template: &str) -> Result<(), SettingsError> {
    let mistakes = unknown_placeholders(template)
        .into_iter()
        .map(|unknown| Mistake {
            place: MistakePlace::of_offset(file, template, unknown.offset),
            text: describe_unknown(unknown.name),
        });
    SettingsError::check(mistakes.collect())
}

fn describe_unknown(name: &str) -> String {
    let known = PLACEHOLDERS.map(|(name, _)| name);
    let meant = match name.trim() {
        name if name == NOVA_PLACEHOLDER.0 => Some(NOVA_PLACEHOLDER.1),
        name => nearest(name, &known),
    };
    let meant = meant.map(|meant| format!("; did you mean {{{{{meant}}}}}?"));
    let known = known.map(|name| format!("{{{{{name}}}}}")).join(", ");
    format!(
        "unknown placeholder {{{{{name}}}}}{} known here: {known}",
        meant.unwrap_or_else(|| ";".to_owned())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_placeholder_names_the_nearest_known_one() {
        let template = "You are {{nmae}}.\n{{LATEST_BROADCAST}} {{weather}} {{ mission }}";
        let error = check_prompt(Path::new("system-prompt.md"), template).unwrap_err();
        let texts: Vec<String> = error.mistakes.iter().map(ToString::to_string).collect();
        let begins = [
            "system-prompt.md:1:9: unknown placeholder {{nmae}}; did you mean {{name}}?",
            "system-prompt.md:2:1: unknown placeholder {{LATEST_BROADCAST}}; did you mean {{mission}}?",
            "system-prompt.md:2:22: unknown placeholder {{weather}}; known here: {{name}}",
            "system-prompt.md:2:34: unknown placeholder {{ mission }}; did you mean {{mission}}?",
        ];
        assert_eq!(texts.len(), begins.len());
        for (texts, begin) in texts.iter().zip(begins) {
            assert!(texts.starts_with(begin), "{texts}");
        }
        assert_eq!(check_prompt(Path::new("x"), "You are {{name}}."), Ok(()));
    }
}

//! `[tui.keys]`: the keys of actions.

use std::collections::BTreeMap;

use crossterm::event::KeyEvent;
use toml::de::DeValue;
use zoea_tui::dashboard::key_screens::{KeyCollision, key_collisions, key_tables, named_actions};
use zoea_tui::dashboard::keys::{KeyMistake, Keymap, key_text, parse_key};

use super::key::Key;
use super::nearest::nearest;
use super::rule::{Rule, describe_value};
use super::section::Section;

const MAX_KEYS: usize = 8;

/// Reads the keys that the operator chose, and notes those that would do two things in one view.
pub(super) fn read_keymap(section: &mut Section<'_, '_>) -> Keymap {
    let rule = key_list();
    let mut chosen = BTreeMap::new();
    for action in named_actions() {
        let keys = section.read_optional(Key::of_section(action.name), &rule);
        if let Some(keys) = keys {
            chosen.insert(action.name.to_owned(), keys);
        }
    }
    let keymap = Keymap::new(chosen);
    for KeyCollision { key, actions } in key_collisions(&keymap) {
        let [chosen, other] = actions;
        let found = format!(
            "{:?}, which is the key of {} as well ({})",
            key_text(key),
            other.name,
            other.help
        );
        let allowed = format!(
            "a key that is free where both work, or another one for {} too",
            other.name
        );
        section.reject(chosen.name, &found, &allowed);
    }
    keymap
}

/// The lines of the template: each action with its keys.
pub(super) fn describe_keymap() -> String {
    let mut text = String::new();
    for table in key_tables().into_list() {
        text += &format!("\n# {}.\n", table.title);
        for action in table.actions {
            let keys: Vec<String> = action
                .keys
                .iter()
                .map(|key| format!("{:?}", key_text(*key)))
                .collect();
            let keys = match keys.as_slice() {
                [key] => key.clone(),
                keys => format!("[{}]", keys.join(", ")),
            };
            text += &format!("#{} = {keys}  # {}\n", action.name, action.help);
        }
    }
    text.trim_start().to_owned()
}

fn key_list() -> Rule<Vec<KeyEvent>> {
    let allowed = format!(
        "a key such as \"q\", \"ctrl-q\", \"alt-up\", \"f5\" or \"space\", or a list of 1 to {MAX_KEYS} keys"
    );
    Rule::new(allowed, |value: &DeValue<'_>| {
        if value.as_str().is_some() {
            return Ok(vec![read_key(value)?]);
        }
        let list = value.as_array().ok_or_else(|| describe_value(value))?;
        if !(1..=MAX_KEYS).contains(&list.len()) {
            return Err(format!("a list of {}", list.len()));
        }
        list.iter().map(|key| read_key(key.get_ref())).collect()
    })
}

fn read_key(value: &DeValue<'_>) -> Result<KeyEvent, String> {
    let found = describe_value(value);
    let text = value.as_str().ok_or_else(|| found.clone())?;
    parse_key(text).map_err(|mistake| match mistake {
        KeyMistake::Unknown {
            before,
            part,
            known,
        } => match nearest(&part, &known) {
            Some(word) => {
                let after = text.get(before.len() + part.len()..).unwrap_or_default();
                format!("{found} (did you mean \"{before}{word}{after}\"?)")
            }
            None => found,
        },
        KeyMistake::SameAs(other) => {
            format!("{found}, for which terminals send the same as for \"{other}\"")
        }
        KeyMistake::NotSent => {
            format!("{found}, which terminals send like the key without its modifier")
        }
    })
}

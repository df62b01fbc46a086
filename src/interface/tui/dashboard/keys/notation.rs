//! Keys as they are written in the configuration: `"q"`, `"ctrl-q"`, `"shift-up"`, `"f5"`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::dashboard::input_event::key;

/// Keys with a name, and the name that is written for each first.
const NAMED: [(&str, KeyCode); 20] = [
    ("space", KeyCode::Char(' ')),
    ("enter", KeyCode::Enter),
    ("return", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("escape", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("del", KeyCode::Delete),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("pageup", KeyCode::PageUp),
    ("pgup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("pgdn", KeyCode::PageDown),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("minus", KeyCode::Char('-')),
];

const HELD: [(&str, KeyModifiers); 3] = [
    ("ctrl", KeyModifiers::CONTROL),
    ("alt", KeyModifiers::ALT),
    ("shift", KeyModifiers::SHIFT),
];

/// Why a text is no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMistake {
    /// A part of it is not known; `known` has the words that may stand there.
    Unknown {
        before: String,
        part: String,
        known: Vec<&'static str>,
    },
    /// Terminals send the same for it as for another key.
    SameAs(&'static str),
    /// Terminals do not tell it from the key without what is held.
    NotSent,
}

/// Reads a key.
///
/// # Errors
/// The text is no key, or one that no terminal tells from others.
pub fn parse_key(text: &str) -> Result<KeyEvent, KeyMistake> {
    let mut held = KeyModifiers::NONE;
    let mut rest = text;
    while let Some((word, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty()) {
        let lower = word.to_ascii_lowercase();
        let Some((_, modifier)) = HELD.iter().find(|(name, _)| *name == lower) else {
            return Err(KeyMistake::Unknown {
                before: text[..text.len() - rest.len()].to_owned(),
                part: word.to_owned(),
                known: HELD.map(|(name, _)| name).to_vec(),
            });
        };
        held |= *modifier;
        rest = after;
    }
    let code = parse_code(rest).ok_or_else(|| {
        let functions = ["f1", "f2", "f3", "f4", "f5", "f6", "f10", "f11", "f12"];
        KeyMistake::Unknown {
            before: text[..text.len() - rest.len()].to_owned(),
            part: rest.to_owned(),
            known: NAMED
                .map(|(name, _)| name)
                .into_iter()
                .chain(functions)
                .collect(),
        }
    })?;
    held_key(code, held)
}

fn parse_code(word: &str) -> Option<KeyCode> {
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        let is_shown = !letter.is_control() && !letter.is_whitespace();
        return is_shown.then_some(KeyCode::Char(letter));
    }
    let lower = word.to_ascii_lowercase();
    let named = NAMED.iter().find(|(name, _)| *name == lower);
    let function = lower.strip_prefix('f').and_then(|it| it.parse::<u8>().ok());
    let function = function.filter(|number| (1..=12).contains(number));
    named
        .map(|(_, code)| *code)
        .or_else(|| function.map(KeyCode::F))
}

/// The key as a terminal reports it, with what is held.
fn held_key(code: KeyCode, held: KeyModifiers) -> Result<KeyEvent, KeyMistake> {
    let is_shifted = held.contains(KeyModifiers::SHIFT);
    let has_ctrl = held.contains(KeyModifiers::CONTROL);
    if let KeyCode::Char(letter) = code {
        return match (has_ctrl, is_shifted) {
            (true, true) => Err(KeyMistake::NotSent),
            (true, false) => ctrl_letter(letter.to_ascii_lowercase(), held),
            (false, true) if !letter.is_ascii_alphabetic() => Err(KeyMistake::NotSent),
            (false, true) => {
                let upper = KeyCode::Char(letter.to_ascii_uppercase());
                Ok(KeyEvent::new(upper, held - KeyModifiers::SHIFT))
            }
            (false, false) => Ok(KeyEvent::new(code, held)),
        };
    }
    if code == KeyCode::Tab && held == KeyModifiers::SHIFT {
        return Ok(key(KeyCode::BackTab));
    }
    let is_control = matches!(
        code,
        KeyCode::Tab | KeyCode::Enter | KeyCode::Esc | KeyCode::Backspace
    );
    match is_control && (is_shifted || has_ctrl) {
        true => Err(KeyMistake::NotSent),
        false => Ok(KeyEvent::new(code, held)),
    }
}

/// A letter with Ctrl: some are those of other keys, and signs have none.
fn ctrl_letter(letter: char, held: KeyModifiers) -> Result<KeyEvent, KeyMistake> {
    match letter {
        'i' => Err(KeyMistake::SameAs("tab")),
        'm' => Err(KeyMistake::SameAs("enter")),
        '[' => Err(KeyMistake::SameAs("esc")),
        'a'..='z' | ' ' => Ok(KeyEvent::new(KeyCode::Char(letter), held)),
        _ => Err(KeyMistake::NotSent),
    }
}

/// Writes a key so that [`parse_key`] reads it.
pub fn key_text(press: KeyEvent) -> String {
    if press.code == KeyCode::BackTab {
        return "shift-tab".to_owned();
    }
    let held = HELD.iter().filter(|(_, it)| press.modifiers.contains(*it));
    let mut text: String = held.map(|(name, _)| format!("{name}-")).collect();
    let named = NAMED.iter().find(|(_, code)| *code == press.code);
    match (press.code, named) {
        (KeyCode::Char('-'), _) if text.is_empty() => text.push('-'),
        (_, Some((name, _))) => text.push_str(name),
        (KeyCode::Char(letter), None) => text.push(letter),
        (code, None) => text.push_str(&code.to_string().to_ascii_lowercase()),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::input_event::{ctrl, letter};

    #[test]
    fn a_key_is_read_in_every_way_of_writing_it() {
        let shift_up = KeyEvent::new(KeyCode::Up, KeyModifiers::SHIFT);
        let cases = [
            ("q", letter('q')),
            ("Q", letter('Q')),
            ("shift-q", letter('Q')),
            ("?", letter('?')),
            ("-", letter('-')),
            ("ctrl-q", ctrl('q')),
            ("Ctrl-Q", ctrl('q')),
            ("shift-up", shift_up),
            ("F5", key(KeyCode::F(5))),
            ("PgDn", key(KeyCode::PageDown)),
            ("space", letter(' ')),
            ("shift-tab", key(KeyCode::BackTab)),
            (
                "alt-minus",
                KeyEvent::new(KeyCode::Char('-'), KeyModifiers::ALT),
            ),
            (
                "alt--",
                KeyEvent::new(KeyCode::Char('-'), KeyModifiers::ALT),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_key(text), Ok(expected), "{text}");
            assert_eq!(parse_key(&key_text(expected)), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_no_terminal_sends_is_refused() {
        assert_eq!(parse_key("ctrl-i"), Err(KeyMistake::SameAs("tab")));
        for text in ["ctrl-shift-q", "ctrl-enter", "shift-1", "ctrl-1"] {
            assert_eq!(parse_key(text), Err(KeyMistake::NotSent), "{text}");
        }
        for (text, wrong, before) in [
            ("", "", ""),
            ("entr", "entr", ""),
            ("crtl-q", "crtl", ""),
            ("ctrl-entr", "entr", "ctrl-"),
            ("f13", "f13", ""),
        ] {
            let Err(KeyMistake::Unknown {
                part,
                before: found,
                ..
            }) = parse_key(text)
            else {
                panic!("{text}");
            };
            assert_eq!((&*part, &*found), (wrong, before), "{text}");
        }
    }
}

//! Input of a terminal in crossterm's types, and the names of keys on screen.

use std::sync::Arc;

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use serde::{Deserialize, Serialize};

use super::paste::plain_paste;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A key, the mouse, pasted text, the focus or a new size.
    Event(Event),
    /// The terminal was suspended and has to be drawn completely.
    Resumed,
    Performed(Result<String, String>),
    /// What the operator's editor made of a text.
    Edited(Result<Arc<str>, String>),
    Gone,
}

impl Input {
    /// Converts an event that the dashboard uses; `None` for others. Each key gets one form,
    /// although terminals report it differently: a letter is already shifted, and Shift-Tab is
    /// `BackTab`.
    pub fn from_event(event: Event) -> Option<Input> {
        let event = match event {
            Event::Key(press) if press.kind == KeyEventKind::Release => return None,
            Event::Key(press) if means_nothing(press.code) => return None,
            Event::Key(press) => {
                let mut known = KeyModifiers::CONTROL | KeyModifiers::ALT;
                if !matches!(press.code, KeyCode::Char(_) | KeyCode::BackTab) {
                    known |= KeyModifiers::SHIFT;
                }
                Event::Key(KeyEvent::new(press.code, press.modifiers & known))
            }
            Event::Mouse(mouse) => {
                let is_heeded = matches!(
                    mouse.kind,
                    MouseEventKind::Down(MouseButton::Left)
                        | MouseEventKind::ScrollUp
                        | MouseEventKind::ScrollDown
                );
                return is_heeded.then_some(Input::Event(event));
            }
            Event::Paste(text) => Event::Paste(plain_paste(&text)),
            Event::Resize(..) | Event::FocusGained | Event::FocusLost => event,
        };
        Some(Input::Event(event))
    }
}

impl From<KeyEvent> for Input {
    fn from(press: KeyEvent) -> Input {
        Input::Event(Event::Key(press))
    }
}

/// Keys that no view uses. They are dropped here, so that pressing one does not count as an answer.
fn means_nothing(code: KeyCode) -> bool {
    matches!(
        code,
        KeyCode::Insert
            | KeyCode::Null
            | KeyCode::CapsLock
            | KeyCode::ScrollLock
            | KeyCode::NumLock
            | KeyCode::PrintScreen
            | KeyCode::Pause
            | KeyCode::Menu
            | KeyCode::KeypadBegin
            | KeyCode::Media(_)
            | KeyCode::Modifier(_)
    )
}

/// A key without modifiers.
pub const fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// A letter without modifiers.
pub const fn letter(letter: char) -> KeyEvent {
    key(KeyCode::Char(letter))
}

pub const fn ctrl(letter: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
}

pub(super) fn has_ctrl(press: KeyEvent) -> bool {
    press.modifiers.contains(KeyModifiers::CONTROL)
}

pub(super) fn has_alt(press: KeyEvent) -> bool {
    press.modifiers.contains(KeyModifiers::ALT)
}

/// The name of a key on screen. crossterm's own names are too long for the hints.
pub fn key_name(press: KeyEvent) -> String {
    let held = [
        (KeyModifiers::CONTROL, "Ctrl-"),
        (KeyModifiers::ALT, "Alt-"),
        (KeyModifiers::SHIFT, "Shift-"),
    ];
    let held = held.iter().filter(|(it, _)| press.modifiers.contains(*it));
    let name = match (press.code, has_ctrl(press)) {
        (KeyCode::Char(letter), true) => letter.to_ascii_uppercase().to_string(),
        (KeyCode::BackTab, _) => "Shift-Tab".to_string(),
        (KeyCode::Up, _) => "↑".to_string(),
        (KeyCode::Down, _) => "↓".to_string(),
        (KeyCode::Left, _) => "←".to_string(),
        (KeyCode::Right, _) => "→".to_string(),
        (KeyCode::PageUp, _) => "PgUp".to_string(),
        (KeyCode::PageDown, _) => "PgDn".to_string(),
        (code, _) => code.to_string(),
    };
    held.map(|(_, held)| *held).chain([&*name]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::MouseEvent;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    fn mouse(kind: MouseEventKind) -> Event {
        Event::Mouse(MouseEvent {
            kind,
            column: 3,
            row: 4,
            modifiers: KeyModifiers::NONE,
        })
    }

    #[test]
    fn keys_are_named_as_they_stand_on_the_keyboard() {
        assert_eq!(key_name(letter('b')), "b");
        assert_eq!(key_name(letter(' ')), "Space");
        assert_eq!(key_name(ctrl('u')), "Ctrl-U");
        let alt_enter = press(KeyCode::Enter, KeyModifiers::ALT);
        assert_eq!(key_name(alt_enter), "Alt-Enter");
        assert_eq!(key_name(key(KeyCode::BackTab)), "Shift-Tab");
        assert_eq!(key_name(press(KeyCode::Up, KeyModifiers::SHIFT)), "Shift-↑");
        assert_eq!(key_name(key(KeyCode::F(12))), "F12");
        assert_eq!(key_name(key(KeyCode::Delete)), "Del");
    }

    #[test]
    fn a_key_has_one_form() {
        let received = |code, modifiers| Input::from_event(Event::Key(press(code, modifiers)));
        let shift = KeyModifiers::SHIFT;
        assert_eq!(
            received(KeyCode::Char('G'), shift),
            Some(letter('G').into())
        );
        assert_eq!(
            received(KeyCode::Char('?'), shift),
            Some(letter('?').into())
        );
        let back = received(KeyCode::BackTab, shift);
        assert_eq!(back, Some(key(KeyCode::BackTab).into()));
        let super_c = KeyModifiers::CONTROL | KeyModifiers::SUPER;
        assert_eq!(
            received(KeyCode::Char('c'), super_c),
            Some(ctrl('c').into())
        );
        let shift_up = press(KeyCode::Up, shift);
        assert_eq!(received(KeyCode::Up, shift), Some(shift_up.into()));
        let mut held = letter('j');
        held.kind = KeyEventKind::Repeat;
        assert_eq!(
            Input::from_event(Event::Key(held)),
            Some(letter('j').into())
        );
        held.kind = KeyEventKind::Release;
        assert_eq!(Input::from_event(Event::Key(held)), None);
        assert_eq!(Input::from_event(mouse(MouseEventKind::Moved)), None);
        let wheel = mouse(MouseEventKind::ScrollUp);
        assert_eq!(Input::from_event(wheel.clone()), Some(Input::Event(wheel)));
    }

    #[test]
    fn what_the_operator_does_arrives_as_it_was() {
        let done = [
            ctrl('c').into(),
            key(KeyCode::F(12)).into(),
            Input::Event(Event::Paste("two\nlines \u{1f680}".to_string())),
            Input::Event(mouse(MouseEventKind::ScrollUp)),
            Input::Event(Event::Resize(80, 20)),
            Input::Event(Event::FocusLost),
            Input::Resumed,
            Input::Performed(Err("no".to_string())),
            Input::Gone,
        ];
        for input in done {
            let sent = serde_json::to_string(&input).unwrap();
            let received: Input = serde_json::from_str(&sent).unwrap();
            assert_eq!(received, input, "{sent}");
        }
    }
}

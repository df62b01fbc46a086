//! Input: the thread that reads the terminal, in words of the inside.

use std::time::Duration;

use crate::dashboard::input_event::{Attention, Did, Input, Key, Mouse, Press};
use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use crate::drawable::InputSink;
use crate::slot::PictureSlot;

/// How often the thread looks whether the end was called.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// How often the thread looks whether somebody listens.
const SINK_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Reads until the end is called or the terminal is gone.
pub(super) fn run<P>(slot: &PictureSlot<P>, ear: &dyn InputSink) {
    while !slot.is_over() {
        if !ear.is_listening() {
            // The terminal keeps what is typed until somebody listens.
            std::thread::park_timeout(SINK_CHECK_INTERVAL);
            continue;
        }
        let event = match event::poll(POLL_INTERVAL) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        match event {
            Ok(event) => {
                if let Some(input) = translate_event(event) {
                    ear.input(input);
                }
            }
            Err(error) => {
                tracing::error!(%error, "failed to read the terminal");
                return ear.input(Input::Gone);
            }
        }
    }
}

/// What an event of the terminal is to us; `None` where it is nothing.
fn translate_event(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) => translate_key(key).map(Input::Press),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Mouse(event) => translate_mouse(event).map(Input::Mouse),
        Event::Resize(columns, rows) => Some(Input::Resized(columns, rows)),
        Event::FocusGained => Some(Input::Attention(Attention::Here)),
        Event::FocusLost => Some(Input::Attention(Attention::Elsewhere)),
    }
}

fn translate_key(event: KeyEvent) -> Option<Press> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let has = |modifier| event.modifiers.contains(modifier);
    let mut shift = has(KeyModifiers::SHIFT);
    let key = match event.code {
        KeyCode::Char(letter) => {
            shift = false;
            Key::Char(letter)
        }
        KeyCode::BackTab => {
            shift = true;
            Key::Tab
        }
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::F(number) => Key::Function(number),
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
        | KeyCode::Modifier(_) => return None,
    };
    Some(Press {
        key,
        ctrl: has(KeyModifiers::CONTROL),
        alt: has(KeyModifiers::ALT),
        shift,
    })
}

fn translate_mouse(event: MouseEvent) -> Option<Mouse> {
    let did = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Did::Click,
        MouseEventKind::ScrollUp => Did::WheelUp,
        MouseEventKind::ScrollDown => Did::WheelDown,
        MouseEventKind::Down(_)
        | MouseEventKind::Up(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => return None,
    };
    Some(Mouse {
        x: event.column,
        y: event.row,
        did,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_arrive_in_words_of_the_inside() {
        let key = |code, modifiers| translate_key(KeyEvent::new(code, modifiers));
        assert_eq!(
            key(KeyCode::Char('G'), KeyModifiers::SHIFT),
            Some(Press::letter('G'))
        );
        assert_eq!(
            key(KeyCode::BackTab, KeyModifiers::SHIFT),
            Some(Press::shift(Key::Tab))
        );
        assert_eq!(
            key(KeyCode::Char('c'), KeyModifiers::CONTROL),
            Some(Press::ctrl('c'))
        );
        assert_eq!(key(KeyCode::CapsLock, KeyModifiers::NONE), None);
    }
}

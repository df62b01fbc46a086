//! Presses: what comes from the keyboard and the mouse, in words of our own.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A key, with what is held down beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Press {
    /// The key.
    pub key: Key,
    /// Control is held.
    #[serde(default)]
    pub ctrl: bool,
    /// Alt is held.
    #[serde(default)]
    pub alt: bool,
    /// Shift is held; never with a letter, which is then the shifted one.
    #[serde(default)]
    pub shift: bool,
}

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// A letter, digit or sign.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key.
    Function(u8),
}

impl Press {
    /// A key alone.
    #[must_use]
    pub const fn of(key: Key) -> Press {
        Press {
            key,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    /// A letter alone.
    #[must_use]
    pub const fn letter(letter: char) -> Press {
        Press::of(Key::Char(letter))
    }

    /// A letter with control.
    #[must_use]
    pub const fn ctrl(letter: char) -> Press {
        Press {
            ctrl: true,
            ..Press::letter(letter)
        }
    }

    /// A key with alt.
    #[must_use]
    pub const fn alt(key: Key) -> Press {
        Press {
            alt: true,
            ..Press::of(key)
        }
    }

    /// A key with shift.
    #[must_use]
    pub const fn shift(key: Key) -> Press {
        Press {
            shift: true,
            ..Press::of(key)
        }
    }

    /// The letter, where it is one to be written.
    #[must_use]
    pub fn printable_char(self) -> Option<char> {
        match self.key {
            Key::Char(letter) if !self.ctrl && !self.alt => Some(letter),
            Key::Char(_)
            | Key::Enter
            | Key::Esc
            | Key::Tab
            | Key::Backspace
            | Key::Delete
            | Key::Up
            | Key::Down
            | Key::Left
            | Key::Right
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::Function(_) => None,
        }
    }
}

impl fmt::Display for Press {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl-")?;
        }
        if self.alt {
            f.write_str("Alt-")?;
        }
        if self.shift {
            f.write_str("Shift-")?;
        }
        match self.key {
            Key::Char(' ') => f.write_str("Space"),
            Key::Char(letter) if self.ctrl => write!(f, "{}", letter.to_ascii_uppercase()),
            Key::Char(letter) => write!(f, "{letter}"),
            Key::Enter => f.write_str("Enter"),
            Key::Esc => f.write_str("Esc"),
            Key::Tab => f.write_str("Tab"),
            Key::Backspace => f.write_str("Backspace"),
            Key::Delete => f.write_str("Del"),
            Key::Up => f.write_str("↑"),
            Key::Down => f.write_str("↓"),
            Key::Left => f.write_str("←"),
            Key::Right => f.write_str("→"),
            Key::Home => f.write_str("Home"),
            Key::End => f.write_str("End"),
            Key::PageUp => f.write_str("PgUp"),
            Key::PageDown => f.write_str("PgDn"),
            Key::Function(number) => write!(f, "F{number}"),
        }
    }
}

/// What the mouse did, and where; columns and rows count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mouse {
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// What.
    pub did: Did,
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Did {
    /// The left button went down.
    Click,
    /// The wheel turned towards the operator's past.
    WheelUp,
    /// The wheel turned the other way.
    WheelDown,
}

/// What comes from the terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A key.
    Press(Press),
    /// Text that was pasted.
    Paste(String),
    /// The mouse.
    Mouse(Mouse),
    /// The terminal has so many columns and rows now.
    Resized(u16, u16),
    /// The operator looks at the terminal, or no longer does.
    Attention(Attention),
    /// The terminal came back from the background and has to be drawn anew.
    Resumed,
    /// What the terminal was asked to do, and what came of it.
    Performed(Result<String, String>),
    /// There is no terminal any more.
    Gone,
}

/// Whether the operator looks at the terminal, as far as it says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// The operator looks, or the terminal does not tell.
    #[default]
    Here,
    /// The operator looks elsewhere.
    Elsewhere,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_as_they_stand_on_the_keyboard() {
        assert_eq!(Press::letter('b').to_string(), "b");
        assert_eq!(Press::letter(' ').to_string(), "Space");
        assert_eq!(Press::ctrl('u').to_string(), "Ctrl-U");
        assert_eq!(Press::alt(Key::Enter).to_string(), "Alt-Enter");
        assert_eq!(Press::shift(Key::Tab).to_string(), "Shift-Tab");
        assert_eq!(Press::of(Key::Function(12)).to_string(), "F12");
    }

    #[test]
    fn what_the_operator_does_arrives_as_it_was() {
        let done = [
            Input::Press(Press::ctrl('c')),
            Input::Press(Press::of(Key::Function(12))),
            Input::Paste("two\nlines \u{1f680}".to_string()),
            Input::Mouse(Mouse {
                x: 3,
                y: 4,
                did: Did::WheelUp,
            }),
            Input::Resized(80, 20),
            Input::Attention(Attention::Elsewhere),
            Input::Resumed,
            Input::Performed(Err("no".to_string())),
            Input::Gone,
        ];
        for input in done {
            let sent = serde_json::to_string(&input).unwrap();
            let heard: Input = serde_json::from_str(&sent).unwrap();
            assert_eq!(heard, input, "{sent}");
        }
        let short = r#"{"press": {"key": {"char": "q"}}}"#;
        let heard: Input = serde_json::from_str(short).unwrap();
        assert_eq!(heard, Input::Press(Press::letter('q')));
    }
}

//! The wire: what the operator did and what a terminal is asked to do, as JSON.
//!
//! The inside's words know no JSON; these mirrors of them do.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zoea_tui::dashboard::action::TerminalAction;
use zoea_tui::dashboard::appearance::{
    Appearance, Letters, Motion, MouseUse, Notify, Panel, Theme,
};
use zoea_tui::dashboard::figures::UtcOffset;
use zoea_tui::dashboard::history::InputHistory;
use zoea_tui::dashboard::input_event::{Attention, Did, Input, Key, Mouse, Press};

use zoea_tui::theme::Depth;

/// What a terminal is like that wants to be attached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachRequest {
    /// Its columns and rows.
    pub size: (u16, u16),
    /// How things look.
    #[serde(with = "AppearanceMirror")]
    pub appearance: Appearance,
    /// How many colours it has.
    #[serde(with = "DepthMirror")]
    pub depth: Depth,
}

/// Something that the operator did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RemoteInput(#[serde(with = "InputMirror")] pub Input);

/// Something that only a terminal can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RemoteAction(#[serde(with = "ActMirror")] pub TerminalAction);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Appearance")]
struct AppearanceMirror {
    #[serde(with = "ThemeMirror")]
    theme: Theme,
    #[serde(with = "LettersMirror")]
    letters: Letters,
    #[serde(with = "MotionMirror")]
    motion: Motion,
    #[serde(with = "MouseUseMirror")]
    mouse: MouseUse,
    #[serde(with = "NotifyMirror")]
    notify: Notify,
    #[serde(with = "PanelMirror")]
    panel: Panel,
    #[serde(with = "UtcOffsetMirror")]
    offset: UtcOffset,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Theme", rename_all = "snake_case")]
enum ThemeMirror {
    Dark,
    Light,
    HighContrast,
    NoColour,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Letters", rename_all = "snake_case")]
enum LettersMirror {
    Unicode,
    Ascii,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Motion", rename_all = "snake_case")]
enum MotionMirror {
    Full,
    Reduced,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "MouseUse", rename_all = "snake_case")]
pub(super) enum MouseUseMirror {
    Ours,
    Terminals,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Notify", rename_all = "snake_case")]
enum NotifyMirror {
    Off,
    Bell,
    Message,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Panel", rename_all = "snake_case")]
enum PanelMirror {
    WithRoom,
    Shown,
    Hidden,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "UtcOffset")]
struct UtcOffsetMirror(i32);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Depth", rename_all = "snake_case")]
enum DepthMirror {
    True,
    Indexed,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Input", rename_all = "snake_case")]
enum InputMirror {
    Press(#[serde(with = "PressMirror")] Press),
    Paste(String),
    Mouse(#[serde(with = "MouseMirror")] Mouse),
    Resized(u16, u16),
    Attention(#[serde(with = "AttentionMirror")] Attention),
    Resumed,
    Performed(Result<String, String>),
    Gone,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Press")]
struct PressMirror {
    #[serde(with = "KeyMirror")]
    key: Key,
    #[serde(default)]
    ctrl: bool,
    #[serde(default)]
    alt: bool,
    #[serde(default)]
    shift: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Key", rename_all = "snake_case")]
enum KeyMirror {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Function(u8),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Mouse")]
struct MouseMirror {
    x: u16,
    y: u16,
    #[serde(with = "DidMirror")]
    did: Did,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Did", rename_all = "snake_case")]
enum DidMirror {
    Click,
    WheelUp,
    WheelDown,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Attention", rename_all = "snake_case")]
enum AttentionMirror {
    Here,
    Elsewhere,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TerminalAction", rename_all = "snake_case")]
enum ActMirror {
    Suspend,
    Redraw,
    Copy(#[serde(with = "shared")] Arc<str>),
    Bell,
    Notify(String),
    Dump,
    Write {
        name: String,
        #[serde(with = "shared")]
        text: Arc<str>,
    },
    KeepHistory(#[serde(with = "newest")] InputHistory),
}

/// A text that many hold.
mod shared {
    use super::{Arc, Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        text: &Arc<str>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<str>, D::Error> {
        Ok(String::deserialize(deserializer)?.into())
    }
}

/// Of what the operator wrote only the newest text goes over: the rest is kept already.
mod newest {
    use super::{Deserialize, Deserializer, InputHistory, Serializer};

    pub(super) fn serialize<S: Serializer>(
        history: &InputHistory,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(history.newest().map_or("", |text| text))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<InputHistory, D::Error> {
        let mut history = InputHistory::default();
        history.add(&String::deserialize(deserializer)?);
        Ok(history)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let sent = serde_json::to_string(&RemoteInput(input.clone())).unwrap();
            let heard: RemoteInput = serde_json::from_str(&sent).unwrap();
            assert_eq!(heard.0, input, "{sent}");
        }
        let short = r#"{"press": {"key": {"char": "q"}}}"#;
        let heard: RemoteInput = serde_json::from_str(short).unwrap();
        assert_eq!(heard.0, Input::Press(Press::letter('q')));
    }

    #[test]
    fn of_what_was_written_only_the_newest_goes_over() {
        let mut history = InputHistory::default();
        history.add("one");
        history.add("two");
        let sent =
            serde_json::to_string(&RemoteAction(TerminalAction::KeepHistory(history))).unwrap();
        assert_eq!(sent, r#"{"keep_history":"two"}"#);
        let heard: RemoteAction = serde_json::from_str(&sent).unwrap();
        let mut newest = InputHistory::default();
        newest.add("two");
        assert_eq!(heard.0, TerminalAction::KeepHistory(newest));
    }
}

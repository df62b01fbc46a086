//! Appearance: what the operator chose about how things look.

use serde::{Deserialize, Serialize};

use super::text::figures::UtcOffset;

/// How things look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appearance {
    /// The colours.
    pub theme: Theme,
    /// The letters that may be used.
    pub letters: Letters,
    /// Whether things move by themselves.
    pub motion: Motion,
    /// Who has the mouse.
    pub mouse: MouseUse,
    /// How the operator is called when somebody needs them.
    pub notify: Notify,
    /// Whether the panel beside a conversation is shown.
    pub panel: Panel,
    /// The operator's time.
    pub offset: UtcOffset,
}

/// A set of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Deep violet and teal on near-black.
    #[default]
    Dark,
    /// Dark on white.
    Light,
    /// Few colours, far apart.
    HighContrast,
    /// None: bold, dim and reversed only.
    NoColour,
}

impl Theme {
    /// All of them.
    pub const ALL: [Theme; 4] = [
        Theme::Dark,
        Theme::Light,
        Theme::HighContrast,
        Theme::NoColour,
    ];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Theme::Dark => "dark",
            Theme::Light => "light",
            Theme::HighContrast => "contrast",
            Theme::NoColour => "none",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Theme> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == name)
    }
}

/// The letters that the terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Letters {
    /// All of them.
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}

/// Whether things move by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Motion {
    /// What is live may move.
    #[default]
    Full,
    /// Nothing moves but figures.
    Reduced,
}

/// Who has the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseUse {
    /// The program: it selects and scrolls.
    #[default]
    Ours,
    /// The terminal: it selects text.
    Terminals,
}

/// How the operator is called when somebody needs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notify {
    /// Not at all.
    #[default]
    Off,
    /// By the terminal's bell.
    Bell,
    /// By a message of the terminal, while the operator looks elsewhere.
    Message,
}

/// Whether the panel beside a conversation is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Panel {
    /// Where there is room for it.
    #[default]
    WithRoom,
    /// It is.
    Shown,
    /// It is not.
    Hidden,
}

//! Appearance: the operator's choices about how the screen looks.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, VariantArray};

use super::text::figures::UtcOffset;

mod colours;

pub use colours::{ChosenColour, ColourChoices, TerminalColour, ThemePart};

/// The operator's choices about how the screen looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appearance {
    /// The colours.
    pub theme: Theme,
    /// The colours that the operator chose on top of the theme.
    #[serde(default)]
    pub colours: ColourChoices,
    /// The characters that may be used.
    pub letters: Letters,
    /// Whether live parts of the screen may move.
    pub motion: Motion,
    /// Whether the program or the terminal handles the mouse.
    pub mouse: MouseUse,
    /// How the operator is notified when a Mysis needs them.
    pub notify: Notify,
    /// Whether the panel beside a conversation is shown.
    pub panel: Panel,
    /// The operator's time zone, as an offset from UTC.
    pub offset: UtcOffset,
}

/// A set of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(EnumCount, VariantArray)]
pub enum Theme {
    /// Deep violet and teal on near-black.
    #[default]
    Dark,
    /// Dark on white.
    Light,
    /// Few colours, far apart.
    HighContrast,
    /// The terminal's own background, text and 16 colours.
    Terminal,
    /// No colours: bold, dim and reversed only.
    NoColour,
}

impl Theme {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// The name in the configuration and in the palette.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Theme::Dark => "dark",
            Theme::Light => "light",
            Theme::HighContrast => "contrast",
            Theme::Terminal => "terminal",
            Theme::NoColour => "none",
        }
    }

    #[must_use]
    pub fn parse(name: &str) -> Option<Theme> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == name)
    }
}

/// The characters that the terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Letters {
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}

/// Whether live parts of the screen may move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Motion {
    /// They may move.
    #[default]
    Full,
    /// Nothing moves. Only numbers change.
    Reduced,
}

/// Whether the program or the terminal handles the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseUse {
    /// The program: clicks select and the wheel scrolls.
    #[default]
    Ours,
    /// The terminal: the operator can select text as usual.
    Terminals,
}

/// How the operator is notified when a Mysis needs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notify {
    #[default]
    Off,
    Bell,
    /// By a desktop notification, while the terminal has no focus.
    Message,
}

/// Whether the panel beside a conversation is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Panel {
    /// When the terminal is wide enough.
    #[default]
    WithRoom,
    /// Always.
    Shown,
    /// Never.
    Hidden,
}

impl Panel {
    /// The word by which it is kept.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Panel::WithRoom => "auto",
            Panel::Shown => "shown",
            Panel::Hidden => "hidden",
        }
    }

    /// The choice of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Panel> {
        let all = [Panel::WithRoom, Panel::Shown, Panel::Hidden];
        all.into_iter().find(|panel| panel.as_str() == word)
    }
}

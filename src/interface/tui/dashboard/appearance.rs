//! Appearance: the operator's choices about how the screen looks.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, EnumString, IntoStaticStr, VariantArray};

use super::text::figures::UtcOffset;

mod colours;

pub use colours::{ChosenColour, ColourChoices, TerminalColour, ThemePart};

/// The operator's choices about how the screen looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appearance {
    pub theme: Theme,
    #[serde(default)]
    pub colours: ColourChoices,
    pub letters: Letters,
    pub motion: Motion,
    pub mouse: MouseUse,
    pub notify: Notify,
    pub panel: Panel,
    /// The operator's time zone, as its offset from UTC.
    #[serde(default)]
    pub offset: UtcOffset,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(EnumCount, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Theme {
    /// Deep violet and teal on near-black.
    #[default]
    Dark,
    Light,
    /// Few colours, far apart.
    #[strum(serialize = "contrast")]
    HighContrast,
    /// The terminal's own background, text and 16 colours.
    Terminal,
    /// No colours: bold, dim and reversed only.
    #[strum(serialize = "none")]
    NoColour,
}

impl Theme {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// The name in the configuration and in the palette.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Letters {
    #[default]
    Unicode,
    Ascii,
}

/// Whether live parts of the screen may move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Motion {
    #[default]
    Full,
    /// Nothing moves. Only numbers change.
    Reduced,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MouseUse {
    /// The program: clicks select and the wheel scrolls.
    #[default]
    #[strum(serialize = "on")]
    Ours,
    /// The terminal: the operator can select text as usual.
    #[strum(serialize = "off")]
    Terminals,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Notify {
    #[default]
    Off,
    Bell,
    /// By a desktop notification, while the terminal has no focus.
    Message,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Panel {
    /// When the terminal is wide enough.
    #[default]
    #[strum(serialize = "auto")]
    WithRoom,
    /// Always.
    Shown,
    /// Never.
    Hidden,
}

impl Panel {
    /// The word by which it is kept.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

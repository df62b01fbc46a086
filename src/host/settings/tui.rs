//! `[tui]`: how the terminal looks, which keys it has, and how it notifies the operator. Command line
//! options and `NO_COLOR` take precedence.

use zoea_tui::dashboard::appearance::{ColourChoices, Letters, Motion, MouseUse, Notify, Theme};
use zoea_tui::dashboard::keys::Keymap;

use super::colours::read_colours;
use super::keymap::read_keymap;
use super::rule::one_of;
use super::section::Section;
use super::table::{ReadSection, read_default, read_keys};

/// How the terminal looks, which keys it has, and how it notifies the operator.
#[derive(Debug, Clone, PartialEq)]
pub struct TuiSettings {
    /// The theme; `None`: none where `NO_COLOR` is set, else dark.
    pub theme: Option<Theme>,
    /// The characters; `None`: what the locale says.
    pub letters: Option<Letters>,
    /// Whether anything moves by itself.
    pub motion: Motion,
    pub mouse: MouseUse,
    /// How the operator is told that someone newly needs him.
    pub notify: Notify,
    /// The keys that the operator chose.
    pub keymap: Keymap,
    /// The colours that the operator chose, for the default theme.
    pub colours: ColourChoices,
}

impl ReadSection for TuiSettings {
    fn read_section(section: &mut Section<'_, '_>, _: &[String]) -> Self {
        read_keys! { section;
            /// "dark", "light", "contrast", "terminal" (the terminal's own 16 colours) or "none" (no colour). Left out: none where NO_COLOR is set, else dark.
            optional theme = "dark", one_of(Theme::ALL.map(|theme| (theme.as_str(), theme)));
            /// "unicode" or "ascii". Left out: what the locale says.
            optional letters = "unicode",
                one_of([("unicode", Letters::Unicode), ("ascii", Letters::Ascii)]);
            /// "reduced": nothing moves by itself but figures.
            default motion = "full", one_of([("full", Motion::Full), ("reduced", Motion::Reduced)]);
            /// "off": the mouse is the terminal's, which selects text with it.
            default mouse = "on", one_of([("on", MouseUse::Ours), ("off", MouseUse::Terminals)]);
            /// When someone newly needs you: "off", "bell", or "message" (of the terminal, OSC 9, while you look
            /// elsewhere).
            default notify = "off",
                one_of([("off", Notify::Off), ("bell", Notify::Bell), ("message", Notify::Message)]);
        }
        Self {
            theme,
            letters,
            motion,
            mouse,
            notify,
            keymap: section.read_section("keys", read_keymap),
            colours: section.read_section("colors", read_colours),
        }
    }
}

impl Default for TuiSettings {
    fn default() -> Self {
        read_default()
    }
}

//! `[tui]`: how the terminal looks and how it notifies the operator. Command line options and
//! `NO_COLOR` take precedence.

use zoea_tui::dashboard::appearance::{Letters, Motion, MouseUse, Notify, Theme};

use super::rule::one_of;
use super::table::section;

section! {
    /// How the terminal looks and how it notifies the operator.
    pub struct TuiSettings {
        /// "dark", "light", "contrast", "terminal" (the terminal's own 16 colours) or "none" (no colour). Left out: none where NO_COLOR is set, else dark.
        optional theme: Option<Theme> = "dark", one_of(Theme::ALL.map(|theme| (theme.as_str(), theme)));
        /// "unicode" or "ascii". Left out: what the locale says.
        optional letters: Option<Letters> = "unicode",
            one_of([("unicode", Letters::Unicode), ("ascii", Letters::Ascii)]);
        /// "reduced": nothing moves by itself but figures.
        default motion: Motion = "full", one_of([("full", Motion::Full), ("reduced", Motion::Reduced)]);
        /// "off": the mouse is the terminal's, which selects text with it.
        default mouse: MouseUse = "on", one_of([("on", MouseUse::Ours), ("off", MouseUse::Terminals)]);
        /// When someone newly needs you: "off", "bell", or "message" (of the terminal, OSC 9, while you look
        /// elsewhere).
        default notify: Notify = "off",
            one_of([("off", Notify::Off), ("bell", Notify::Bell), ("message", Notify::Message)]);
    }
}

//! `[tui]`: how the terminal looks and how it calls the operator.

use zoea_tui::dashboard::appearance::{Letters, Motion, MouseUse, Notify, Theme};

use super::rule::Keyword;
use super::section::Section;

/// How the terminal looks and how it calls the operator. Options of the command line and `NO_COLOR`
/// go before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TuiSettings {
    /// The colours; absent: none under `NO_COLOR`, else dark ones.
    pub theme: Option<Theme>,
    /// The letters that may be used; absent: those of the locale.
    pub letters: Option<Letters>,
    /// Whether things move by themselves.
    pub motion: Motion,
    /// Who has the mouse.
    pub mouse: MouseUse,
    /// How the operator is called when somebody newly needs them.
    pub notify: Notify,
}

impl TuiSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        const THEMES: Keyword<Theme> = Keyword(&[
            ("dark", Theme::Dark),
            ("light", Theme::Light),
            ("contrast", Theme::HighContrast),
            ("none", Theme::NoColour),
        ]);
        const LETTERS: Keyword<Letters> =
            Keyword(&[("unicode", Letters::Unicode), ("ascii", Letters::Ascii)]);
        const MOTIONS: Keyword<Motion> =
            Keyword(&[("full", Motion::Full), ("reduced", Motion::Reduced)]);
        const MICE: Keyword<MouseUse> =
            Keyword(&[("on", MouseUse::Ours), ("off", MouseUse::Terminals)]);
        const CALLS: Keyword<Notify> = Keyword(&[
            ("off", Notify::Off),
            ("bell", Notify::Bell),
            ("message", Notify::Message),
        ]);
        Self {
            theme: section.read("theme", &THEMES),
            letters: section.read("letters", &LETTERS),
            motion: section.read("motion", &MOTIONS).unwrap_or_default(),
            mouse: section.read("mouse", &MICE).unwrap_or_default(),
            notify: section.read("notify", &CALLS).unwrap_or_default(),
        }
    }
}

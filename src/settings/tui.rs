//! `[tui]`: how the terminal looks and how it calls the operator.

use zoea_tui::dashboard::appearance::{Letters, Motion, MouseUse, Notify, Theme};

use super::rule::Choice;
use super::section::Section;

/// How the terminal looks and how it calls the operator. Options of the command line and `NO_COLOR`
/// go before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tui {
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

impl Tui {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        const THEMES: Choice<Theme> = Choice(&[
            ("dark", Theme::Dark),
            ("light", Theme::Light),
            ("contrast", Theme::HighContrast),
            ("none", Theme::NoColour),
        ]);
        const LETTERS: Choice<Letters> =
            Choice(&[("unicode", Letters::Unicode), ("ascii", Letters::Ascii)]);
        const MOTIONS: Choice<Motion> =
            Choice(&[("full", Motion::Full), ("reduced", Motion::Reduced)]);
        const MICE: Choice<MouseUse> =
            Choice(&[("on", MouseUse::Ours), ("off", MouseUse::Terminals)]);
        const CALLS: Choice<Notify> = Choice(&[
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

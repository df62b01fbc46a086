//! The colours that the operator chose (`[tui.colors]`), on top of those of a theme.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::Theme;

/// A colour of a theme, by meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum ThemePart {
    /// The background of the screen.
    Base,
    Bar,
    Selected,
    /// The background of panes and dialogs.
    Panel,
    Field,
    Text,
    Strong,
    /// Text of little importance, hints, and the idle and stopped states.
    Dim,
    /// Frames and rulers.
    Faint,
    /// The name of the program and the headings of panes.
    Brand,
    /// Live parts, keys, the running state, and the words of a Mysis.
    Accent,
    Success,
    /// A failure, and the errored state.
    Fault,
    /// Something that needs attention, and notes.
    Warning,
    You,
    Broadcast,
    Peer,
    Reasoning,
    Tool,
    /// A name in structured data.
    Name,
    /// A number in structured data.
    Number,
    /// The background of what was searched and found.
    Found,
}

impl ThemePart {
    pub const COUNT: usize = 22;

    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ThemePart::Base => "base",
            ThemePart::Bar => "bar",
            ThemePart::Selected => "selected",
            ThemePart::Panel => "panel",
            ThemePart::Field => "field",
            ThemePart::Text => "text",
            ThemePart::Strong => "strong",
            ThemePart::Dim => "dim",
            ThemePart::Faint => "faint",
            ThemePart::Brand => "brand",
            ThemePart::Accent => "accent",
            ThemePart::Success => "success",
            ThemePart::Fault => "fault",
            ThemePart::Warning => "warning",
            ThemePart::You => "you",
            ThemePart::Broadcast => "broadcast",
            ThemePart::Peer => "peer",
            ThemePart::Reasoning => "reasoning",
            ThemePart::Tool => "tool",
            ThemePart::Name => "name",
            ThemePart::Number => "number",
            ThemePart::Found => "found",
        }
    }

    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            ThemePart::Base => "The background of the screen.",
            ThemePart::Bar => "The background of the header and the footer.",
            ThemePart::Selected => "The background of the selected line.",
            ThemePart::Panel => "The background of panes and dialogs.",
            ThemePart::Field => "The background of text fields.",
            ThemePart::Text => "Ordinary text.",
            ThemePart::Strong => "Important text.",
            ThemePart::Dim => "Text of little importance, hints, and the idle and stopped states.",
            ThemePart::Faint => "Frames and rulers.",
            ThemePart::Brand => "The name of the program and the headings of panes.",
            ThemePart::Accent => "Live parts, keys, the running state, and the words of a Mysis.",
            ThemePart::Success => "A success.",
            ThemePart::Fault => "A failure, and the errored state.",
            ThemePart::Warning => "Something that needs attention, and notes.",
            ThemePart::You => "Your message to one Mysis.",
            ThemePart::Broadcast => "Your message to the swarm.",
            ThemePart::Peer => "Another Mysis' message.",
            ThemePart::Reasoning => "A model's reasoning.",
            ThemePart::Tool => "A tool.",
            ThemePart::Name => "A name in structured data.",
            ThemePart::Number => "A number in structured data.",
            ThemePart::Found => "The background of what was searched and found.",
        }
    }
}

/// One of the 16 colours that the terminal itself has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalColour {
    Black,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    White,
    BrightBlack,
    BrightRed,
    BrightGreen,
    BrightYellow,
    BrightBlue,
    BrightMagenta,
    BrightCyan,
    BrightWhite,
}

impl TerminalColour {
    pub const ALL: [(&'static str, TerminalColour); 16] = [
        ("black", TerminalColour::Black),
        ("red", TerminalColour::Red),
        ("green", TerminalColour::Green),
        ("yellow", TerminalColour::Yellow),
        ("blue", TerminalColour::Blue),
        ("magenta", TerminalColour::Magenta),
        ("cyan", TerminalColour::Cyan),
        ("white", TerminalColour::White),
        ("bright_black", TerminalColour::BrightBlack),
        ("bright_red", TerminalColour::BrightRed),
        ("bright_green", TerminalColour::BrightGreen),
        ("bright_yellow", TerminalColour::BrightYellow),
        ("bright_blue", TerminalColour::BrightBlue),
        ("bright_magenta", TerminalColour::BrightMagenta),
        ("bright_cyan", TerminalColour::BrightCyan),
        ("bright_white", TerminalColour::BrightWhite),
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChosenColour {
    /// `0xRRGGBB`.
    Rgb(u32),
    Own(TerminalColour),
}

impl ChosenColour {
    /// Reads `#rrggbb` or the name of a colour.
    #[must_use]
    pub fn parse(text: &str) -> Option<ChosenColour> {
        if let Some(digits) = text.strip_prefix('#') {
            let is_colour = digits.len() == 6 && digits.bytes().all(|it| it.is_ascii_hexdigit());
            let rgb = u32::from_str_radix(digits, 16).ok();
            return rgb.filter(|_| is_colour).map(ChosenColour::Rgb);
        }
        let name = text.to_ascii_lowercase().replace('-', "_");
        let mut known = TerminalColour::ALL.into_iter();
        let found = known.find(|(known, _)| *known == name);
        found.map(|(_, colour)| ChosenColour::Own(colour))
    }
}

/// The colours that the operator chose, on top of one theme. Another theme is shown as it is: it has other backgrounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColourChoices {
    theme: Theme,
    chosen: [Option<ChosenColour>; ThemePart::COUNT],
}

impl ColourChoices {
    #[must_use]
    pub fn on_top_of(self, theme: Theme) -> ColourChoices {
        ColourChoices { theme, ..self }
    }

    pub fn choose(&mut self, part: ThemePart, colour: ChosenColour) {
        if let Some(chosen) = self.chosen.get_mut(part as usize) {
            *chosen = Some(colour);
        }
    }

    #[must_use]
    pub fn of(&self, theme: Theme, part: ThemePart) -> Option<ChosenColour> {
        if theme != self.theme {
            return None;
        }
        self.chosen.get(part as usize).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_six_digits_or_a_name() {
        assert_eq!(
            ChosenColour::parse("#2dD4bf"),
            Some(ChosenColour::Rgb(0x2d_d4bf))
        );
        assert_eq!(
            ChosenColour::parse("bright-red"),
            Some(ChosenColour::Own(TerminalColour::BrightRed))
        );
        for text in ["#2dd4b", "#+12345", "2dd4bf", "pink", ""] {
            assert_eq!(ChosenColour::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_choice_holds_for_the_theme_that_it_was_made_for() {
        let mut choices = ColourChoices::default().on_top_of(Theme::Light);
        choices.choose(ThemePart::Text, ChosenColour::Rgb(1));
        assert_eq!(
            choices.of(Theme::Light, ThemePart::Text),
            Some(ChosenColour::Rgb(1))
        );
        assert_eq!(choices.of(Theme::Dark, ThemePart::Text), None);
        assert_eq!(choices.of(Theme::Light, ThemePart::Dim), None);
    }
}

//! The colours that the operator chose (`[tui.colors]`), on top of those of a theme.

use serde::{Deserialize, Serialize};
use strum::{EnumMessage, EnumString, IntoStaticStr, VariantArray, VariantNames};

use super::Theme;

/// A colour of a theme, by meaning. What is said here of each is its help in the template of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ThemePart {
    /// The background of the screen.
    Base,
    /// The background of the header and the footer.
    Bar,
    /// The background of the selected line.
    Selected,
    /// The background of panes and dialogs.
    Panel,
    /// The background of text fields.
    Field,
    /// Ordinary text.
    Text,
    /// Important text.
    Strong,
    /// Text of little importance, hints, and the idle and stopped states.
    Dim,
    /// Frames and rulers.
    Faint,
    /// The name of the program and the headings of panes.
    Brand,
    /// Live parts, keys, the running state, and the words of a Mysis.
    Accent,
    /// A success.
    Success,
    /// A failure, and the errored state.
    Fault,
    /// Something that needs attention, and notes.
    Warning,
    /// Your message to one Mysis.
    You,
    /// Your message to the swarm.
    Broadcast,
    /// Another Mysis' message.
    Peer,
    /// A model's reasoning.
    Reasoning,
    /// A tool.
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

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn help(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }
}

/// One of the 16 colours that the terminal itself has, in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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
    pub const NAMES: &'static [&'static str] = Self::VARIANTS;
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
    pub fn parse(text: &str) -> Option<ChosenColour> {
        if let Some(digits) = text.strip_prefix('#') {
            let is_colour = digits.len() == 6 && digits.bytes().all(|it| it.is_ascii_hexdigit());
            let rgb = u32::from_str_radix(digits, 16).ok();
            return rgb.filter(|_| is_colour).map(ChosenColour::Rgb);
        }
        let name = text.to_ascii_lowercase().replace('-', "_");
        name.parse().ok().map(ChosenColour::Own)
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

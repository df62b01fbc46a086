//! Themes: the colours by meaning. No other file names a colour.

mod contrast;
mod palettes;

use serde::{Deserialize, Serialize};

use crate::dashboard::appearance::{ChosenColour, ColourChoices, TerminalColour, Theme, ThemePart};
use crate::dashboard::text::tone::{StyledLine, Tone};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

pub use contrast::weak_colours;
use palettes::{DARK, HIGH_CONTRAST, LIGHT, ThemeColours};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// 16.7 million colours.
    #[default]
    True,
    /// 256 colours.
    Indexed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The screen itself.
    Base,
    /// The header and the footer.
    Bar,
    Selected,
    /// An overlay.
    Panel,
    Field,
}

/// A colour as `0xRRGGBB`.
type Rgb = u32;

/// A theme together with the number of colours, and the colours that the operator chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    theme: Theme,
    depth: Depth,
    choices: ColourChoices,
}

impl Paint {
    #[must_use]
    pub fn of(theme: Theme, depth: Depth) -> Paint {
        Paint {
            theme,
            depth,
            choices: ColourChoices::default(),
        }
    }

    #[must_use]
    pub fn with_choices(self, choices: ColourChoices) -> Paint {
        Paint { choices, ..self }
    }

    /// The style of text with this meaning, without a background.
    #[must_use]
    pub fn text(&self, tone: Tone) -> Style {
        let style = match colours_of(self.theme) {
            Some(colours) => self.coloured_text(colours, tone),
            None if self.theme == Theme::Terminal => terminal_text(tone),
            None => return plain_text(tone),
        };
        let part = part_of(tone);
        match (self.chosen(part), part) {
            (None, _) => style,
            (Some(colour), ThemePart::Found) => style.bg(colour),
            (Some(colour), _) => style.fg(colour),
        }
    }

    #[must_use]
    pub fn line(self, line: &StyledLine) -> Line<'static> {
        let spans = line.spans.iter();
        let spans = spans.map(|span| Span::styled(span.text.to_string(), self.text(span.tone)));
        Line::from(spans.collect::<Vec<_>>())
    }

    #[must_use]
    pub fn ground(&self, ground: Ground) -> Style {
        let style = self.text(Tone::Text);
        let part = part_of_ground(ground);
        match (self.chosen(part), colours_of(self.theme)) {
            (Some(colour), _) => style.bg(colour),
            (None, Some(colours)) => style.bg(self.colour(rgb_of(colours, part))),
            (None, None) => reverse_if_selected(style, ground),
        }
    }

    fn coloured_text(&self, colours: &ThemeColours, tone: Tone) -> Style {
        let style = Style::new().add_modifier(weight(tone));
        let colour = self.colour(rgb_of(colours, part_of(tone)));
        if tone == Tone::Found {
            return style.fg(self.colour(FOUND_TEXT)).bg(colour);
        }
        style.fg(colour)
    }

    /// The colour that the operator chose for a part. Without colours there is none.
    fn chosen(&self, part: ThemePart) -> Option<Color> {
        if self.theme == Theme::NoColour {
            return None;
        }
        match self.choices.of(self.theme, part)? {
            ChosenColour::Rgb(rgb) => Some(self.colour(rgb)),
            ChosenColour::Own(own) => Some(own_colour(own)),
        }
    }

    fn colour(&self, rgb: Rgb) -> Color {
        let [_, red, green, blue] = rgb.to_be_bytes();
        match self.depth {
            Depth::True => Color::Rgb(red, green, blue),
            Depth::Indexed => Color::Indexed(nearest(red, green, blue)),
        }
    }
}

const FOUND_TEXT: Rgb = 0x10_0d1c;

/// The colours of a theme; `None` if it has none of its own.
fn colours_of(theme: Theme) -> Option<&'static ThemeColours> {
    match theme {
        Theme::Dark => Some(&DARK),
        Theme::Light => Some(&LIGHT),
        Theme::HighContrast => Some(&HIGH_CONTRAST),
        Theme::Terminal | Theme::NoColour => None,
    }
}

/// The selected line with text and background exchanged. A background of its own would need
/// contrast to every colour of text.
fn reverse_if_selected(style: Style, ground: Ground) -> Style {
    match ground {
        Ground::Selected => style.add_modifier(Modifier::REVERSED),
        Ground::Base | Ground::Bar | Ground::Panel | Ground::Field => style,
    }
}

fn part_of_ground(ground: Ground) -> ThemePart {
    match ground {
        Ground::Base => ThemePart::Base,
        Ground::Bar => ThemePart::Bar,
        Ground::Selected => ThemePart::Selected,
        Ground::Panel => ThemePart::Panel,
        Ground::Field => ThemePart::Field,
    }
}

fn part_of(tone: Tone) -> ThemePart {
    match tone {
        Tone::Text | Tone::Value => ThemePart::Text,
        Tone::Strong => ThemePart::Strong,
        Tone::Dim | Tone::Hint | Tone::Host | Tone::Idle | Tone::Stopped => ThemePart::Dim,
        Tone::Faint => ThemePart::Faint,
        Tone::Brand => ThemePart::Brand,
        Tone::Accent | Tone::Key | Tone::Mysis | Tone::Running => ThemePart::Accent,
        Tone::Success => ThemePart::Success,
        Tone::Fault | Tone::Errored => ThemePart::Fault,
        Tone::Warning | Tone::Note => ThemePart::Warning,
        Tone::You => ThemePart::You,
        Tone::Broadcast => ThemePart::Broadcast,
        Tone::Peer => ThemePart::Peer,
        Tone::Reasoning => ThemePart::Reasoning,
        Tone::Tool => ThemePart::Tool,
        Tone::Name => ThemePart::Name,
        Tone::Number => ThemePart::Number,
        Tone::Found => ThemePart::Found,
    }
}

fn rgb_of(colours: &ThemeColours, part: ThemePart) -> Rgb {
    match part {
        ThemePart::Base => colours.base,
        ThemePart::Bar => colours.bar,
        ThemePart::Selected => colours.selected,
        ThemePart::Panel => colours.panel,
        ThemePart::Field => colours.field,
        ThemePart::Text => colours.text,
        ThemePart::Strong => colours.strong,
        ThemePart::Dim => colours.dim,
        ThemePart::Faint => colours.faint,
        ThemePart::Brand => colours.brand,
        ThemePart::Accent => colours.accent,
        ThemePart::Success => colours.success,
        ThemePart::Fault => colours.fault,
        ThemePart::Warning => colours.warning,
        ThemePart::You => colours.you,
        ThemePart::Broadcast => colours.broadcast,
        ThemePart::Peer => colours.peer,
        ThemePart::Reasoning => colours.reasoning,
        ThemePart::Tool => colours.tool,
        ThemePart::Name => colours.name,
        ThemePart::Number => colours.number,
        ThemePart::Found => colours.found,
    }
}

fn own_colour(colour: TerminalColour) -> Color {
    match colour {
        TerminalColour::Black => Color::Black,
        TerminalColour::Red => Color::Red,
        TerminalColour::Green => Color::Green,
        TerminalColour::Yellow => Color::Yellow,
        TerminalColour::Blue => Color::Blue,
        TerminalColour::Magenta => Color::Magenta,
        TerminalColour::Cyan => Color::Cyan,
        TerminalColour::White => Color::Gray,
        TerminalColour::BrightBlack => Color::DarkGray,
        TerminalColour::BrightRed => Color::LightRed,
        TerminalColour::BrightGreen => Color::LightGreen,
        TerminalColour::BrightYellow => Color::LightYellow,
        TerminalColour::BrightBlue => Color::LightBlue,
        TerminalColour::BrightMagenta => Color::LightMagenta,
        TerminalColour::BrightCyan => Color::LightCyan,
        TerminalColour::BrightWhite => Color::White,
    }
}

/// Important text is bold; a model's reasoning is italic.
fn weight(tone: Tone) -> Modifier {
    match tone {
        Tone::Strong
        | Tone::Brand
        | Tone::You
        | Tone::Broadcast
        | Tone::Peer
        | Tone::Note
        | Tone::Mysis
        | Tone::Found
        | Tone::Key => Modifier::BOLD,
        Tone::Reasoning => Modifier::ITALIC,
        Tone::Text
        | Tone::Dim
        | Tone::Faint
        | Tone::Accent
        | Tone::Success
        | Tone::Fault
        | Tone::Warning
        | Tone::Hint
        | Tone::Tool
        | Tone::Host
        | Tone::Name
        | Tone::Value
        | Tone::Number
        | Tone::Running
        | Tone::Idle
        | Tone::Stopped
        | Tone::Errored => Modifier::empty(),
    }
}

/// The theme of the terminal's own colours. Nobody knows what they look like, so everything that is
/// read has the colour of the terminal's text; states, marks and headings have the others.
fn terminal_text(tone: Tone) -> Style {
    let colour = match tone {
        Tone::Text
        | Tone::Strong
        | Tone::Dim
        | Tone::Faint
        | Tone::Value
        | Tone::Hint
        | Tone::Host
        | Tone::Reasoning
        | Tone::Name
        | Tone::Number
        | Tone::Idle
        | Tone::Stopped => Color::Reset,
        Tone::Brand | Tone::Tool | Tone::Broadcast => Color::Magenta,
        Tone::Accent | Tone::Key | Tone::Mysis | Tone::You | Tone::Peer => Color::Cyan,
        Tone::Success | Tone::Running => Color::Green,
        Tone::Fault | Tone::Errored => Color::Red,
        Tone::Warning | Tone::Note => Color::Yellow,
        Tone::Found => return Style::new().add_modifier(Modifier::REVERSED | Modifier::UNDERLINED),
    };
    Style::new().fg(colour).add_modifier(weight(tone))
}

/// The theme without colour: bold, dim and reversed only.
fn plain_text(tone: Tone) -> Style {
    let is_low = matches!(
        tone,
        Tone::Dim | Tone::Faint | Tone::Hint | Tone::Host | Tone::Stopped
    );
    let is_loud = matches!(tone, Tone::Fault | Tone::Errored | Tone::Warning);
    let modifier = if tone == Tone::Found {
        Modifier::REVERSED
    } else if is_low {
        Modifier::DIM
    } else if is_loud {
        Modifier::BOLD
    } else {
        weight(tone)
    };
    Style::new().add_modifier(modifier)
}

/// The nearest of the 256 indexed colours, from the colour cube or from the greys.
fn nearest(red: u8, green: u8, blue: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |value: u8| (0_u8..6).min_by_key(|step| STEPS[usize::from(*step)].abs_diff(value));
    let far = |a: [u8; 3], b: [u8; 3]| -> u32 {
        let squares = a
            .iter()
            .zip(b)
            .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2));
        squares.sum()
    };
    let wanted = [red, green, blue];
    let cube = wanted.map(|value| step(value).unwrap_or(0));
    let cube_colour = cube.map(|step| STEPS[usize::from(step)]);
    let level = wanted.iter().map(|value| u32::from(*value)).sum::<u32>() / 3;
    let grey = u8::try_from(level.saturating_sub(8) / 10)
        .unwrap_or(23)
        .min(23);
    if far([8 + 10 * grey; 3], wanted) < far(cube_colour, wanted) {
        return 232 + grey;
    }
    16 + 36 * cube[0] + 6 * cube[1] + cube[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_fall_back_to_the_nearest_of_256() {
        assert_eq!(nearest(0, 0, 0), 16);
        assert_eq!(nearest(255, 255, 255), 231);
        assert_eq!(nearest(0x0b, 0x0a, 0x12), 232);
        assert_eq!(nearest(0x2d, 0xd4, 0xbf), 43);
    }

    #[test]
    fn without_colour_no_colour_is_named() {
        let paint = Paint::of(Theme::NoColour, Depth::True);
        for style in [paint.text(Tone::Fault), paint.ground(Ground::Selected)] {
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}

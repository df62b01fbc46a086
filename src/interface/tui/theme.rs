//! Themes: the colours by meaning. No other file names a colour.

mod contrast;
mod palettes;

use serde::{Deserialize, Serialize};

use crate::dashboard::appearance::{ChosenColour, ColourChoices, Theme, ThemePart};
use crate::dashboard::text::tone::{StyledLine, Tone};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

pub use contrast::weak_colours;
use palettes::rgb_of;

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
    pub fn text(&self, tone: Tone) -> Style {
        let (part, weight, own) = look_of(tone);
        let style = match (rgb_of(self.theme, part), self.theme) {
            (None, Theme::NoColour) => return plain_text(tone, weight),
            (None, _) => terminal_text(tone, weight, own),
            (Some(rgb), _) if tone == Tone::Found => {
                let text = Style::new().fg(self.colour(FOUND_TEXT));
                text.bg(self.colour(rgb)).add_modifier(weight)
            }
            (Some(rgb), _) => Style::new().fg(self.colour(rgb)).add_modifier(weight),
        };
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

    pub fn ground(&self, ground: Ground) -> Style {
        let style = self.text(Tone::Text);
        let part = part_of_ground(ground);
        let own = || rgb_of(self.theme, part).map(|rgb| self.colour(rgb));
        match self.chosen(part).or_else(own) {
            Some(colour) => style.bg(colour),
            // A background of its own would need contrast to every colour of text.
            None if ground == Ground::Selected => style.add_modifier(Modifier::REVERSED),
            None => style,
        }
    }

    /// The colour that the operator chose for a part. Without colours there is none.
    fn chosen(&self, part: ThemePart) -> Option<Color> {
        if self.theme == Theme::NoColour {
            return None;
        }
        match self.choices.of(self.theme, part)? {
            ChosenColour::Rgb(rgb) => Some(self.colour(rgb)),
            ChosenColour::Own(own) => Some(Color::Indexed(own as u8)),
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

fn part_of_ground(ground: Ground) -> ThemePart {
    match ground {
        Ground::Base => ThemePart::Base,
        Ground::Bar => ThemePart::Bar,
        Ground::Selected => ThemePart::Selected,
        Ground::Panel => ThemePart::Panel,
        Ground::Field => ThemePart::Field,
    }
}

/// How text of a tone looks: its part of a theme, its weight, and its colour of the terminal's own. Important text is
/// bold; a model's reasoning is italic.
///
/// Nobody knows what the terminal's own colours look like, so everything that is read has the colour of its text; states,
/// marks and headings have the others.
fn look_of(tone: Tone) -> (ThemePart, Modifier, Color) {
    const PLAIN: Modifier = Modifier::empty();
    const BOLD: Modifier = Modifier::BOLD;
    match tone {
        Tone::Text | Tone::Value => (ThemePart::Text, PLAIN, Color::Reset),
        Tone::Strong => (ThemePart::Strong, BOLD, Color::Reset),
        Tone::Dim | Tone::Hint | Tone::Host | Tone::Idle | Tone::Stopped => {
            (ThemePart::Dim, PLAIN, Color::Reset)
        }
        Tone::Faint => (ThemePart::Faint, PLAIN, Color::Reset),
        Tone::Brand => (ThemePart::Brand, BOLD, Color::Magenta),
        Tone::Accent => (ThemePart::Accent, PLAIN, Color::Cyan),
        Tone::Key | Tone::Mysis => (ThemePart::Accent, BOLD, Color::Cyan),
        Tone::Running => (ThemePart::Accent, PLAIN, Color::Green),
        Tone::Success => (ThemePart::Success, PLAIN, Color::Green),
        Tone::Fault | Tone::Errored => (ThemePart::Fault, PLAIN, Color::Red),
        Tone::Warning => (ThemePart::Warning, PLAIN, Color::Yellow),
        Tone::Note => (ThemePart::Warning, BOLD, Color::Yellow),
        Tone::You => (ThemePart::You, BOLD, Color::Cyan),
        Tone::Broadcast => (ThemePart::Broadcast, BOLD, Color::Magenta),
        Tone::Peer => (ThemePart::Peer, BOLD, Color::Cyan),
        Tone::Reasoning => (ThemePart::Reasoning, Modifier::ITALIC, Color::Reset),
        Tone::Tool => (ThemePart::Tool, PLAIN, Color::Magenta),
        Tone::Name => (ThemePart::Name, PLAIN, Color::Reset),
        Tone::Number => (ThemePart::Number, PLAIN, Color::Reset),
        Tone::Found => (ThemePart::Found, BOLD, Color::Reset),
    }
}

/// The theme of the terminal's own colours.
fn terminal_text(tone: Tone, weight: Modifier, colour: Color) -> Style {
    match tone == Tone::Found {
        true => Style::new().add_modifier(Modifier::REVERSED | Modifier::UNDERLINED),
        false => Style::new().fg(colour).add_modifier(weight),
    }
}

/// The theme without colour: bold, dim and reversed only.
fn plain_text(tone: Tone, weight: Modifier) -> Style {
    let is_low = matches!(
        tone,
        Tone::Dim | Tone::Faint | Tone::Hint | Tone::Host | Tone::Stopped
    );
    let is_loud = matches!(tone, Tone::Fault | Tone::Errored | Tone::Warning);
    Style::new().add_modifier(match (tone, is_low, is_loud) {
        (Tone::Found, ..) => Modifier::REVERSED,
        (_, true, _) => Modifier::DIM,
        (_, _, true) => Modifier::BOLD,
        (_, false, false) => weight,
    })
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

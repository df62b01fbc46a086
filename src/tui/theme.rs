//! Themes: the colours by meaning. No other file names a colour.

mod contrast;

use serde::{Deserialize, Serialize};

use crate::dashboard::appearance::{ChosenColour, ColourChoices, TerminalColour, Theme, ThemePart};
use crate::dashboard::text::tone::Tone;
use ratatui::style::{Color, Modifier, Style};

pub use contrast::weak_colours;

/// The number of colours that the terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// 16.7 million colours.
    #[default]
    True,
    /// 256 colours.
    Indexed,
}

/// The background of a piece of the screen, by meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The screen itself.
    Base,
    /// The header and the footer.
    Bar,
    /// The selected line.
    Selected,
    /// An overlay.
    Panel,
    /// A text field.
    Field,
}

/// A colour as `0xRRGGBB`.
type Rgb = u32;

struct ThemeColours {
    base: Rgb,
    bar: Rgb,
    selected: Rgb,
    panel: Rgb,
    field: Rgb,
    text: Rgb,
    strong: Rgb,
    dim: Rgb,
    faint: Rgb,
    brand: Rgb,
    accent: Rgb,
    success: Rgb,
    fault: Rgb,
    warning: Rgb,
    you: Rgb,
    broadcast: Rgb,
    peer: Rgb,
    reasoning: Rgb,
    tool: Rgb,
    name: Rgb,
    number: Rgb,
    found: Rgb,
}

/// Deep violet and teal on near-black.
const DARK: ThemeColours = ThemeColours {
    base: 0x0b_0a12,
    bar: 0x14_1021,
    selected: 0x2a_2147,
    panel: 0x16_1226,
    field: 0x1d_1833,
    text: 0xcf_cbe0,
    strong: 0xf1_eeff,
    dim: 0x99_94ae,
    faint: 0x71_6d85,
    brand: 0xa7_8bfa,
    accent: 0x2d_d4bf,
    success: 0x4a_de9b,
    fault: 0xfb_7185,
    warning: 0xf5_b94d,
    you: 0x7d_d3fc,
    broadcast: 0xf0_a6f5,
    peer: 0x93_b4fd,
    reasoning: 0x9b_96b6,
    tool: 0xb4_9cfb,
    name: 0x9c_94cb,
    number: 0x6e_d4e6,
    found: 0xf5_d74d,
};

/// Dark on white.
const LIGHT: ThemeColours = ThemeColours {
    base: 0xfb_faff,
    bar: 0xed_e9fb,
    selected: 0xe2_dcfb,
    panel: 0xf2_effc,
    field: 0xff_ffff,
    text: 0x2d_2845,
    strong: 0x0f_0b22,
    dim: 0x59_5473,
    faint: 0x85_8197,
    brand: 0x6d_28d9,
    accent: 0x0e_6f67,
    success: 0x13_7236,
    fault: 0xbe_123c,
    warning: 0x73_4204,
    you: 0x03_68a0,
    broadcast: 0x9b_1ba7,
    peer: 0x1a_47c3,
    reasoning: 0x5c_5871,
    tool: 0x52_2f9c,
    name: 0x42_3979,
    number: 0x0d_6c87,
    found: 0xfd_e047,
};

/// Few colours, far apart, on black. They are the same with 256 colours.
const HIGH_CONTRAST: ThemeColours = ThemeColours {
    base: 0x00_0000,
    bar: 0x00_0000,
    selected: 0x00_005f,
    panel: 0x00_0000,
    field: 0x1c_1c1c,
    text: 0xff_ffff,
    strong: 0xff_ffff,
    dim: 0xd7_d7d7,
    faint: 0xaf_afaf,
    brand: 0xff_87ff,
    accent: 0x00_ffff,
    success: 0x00_ff00,
    fault: 0xff_8787,
    warning: 0xff_ff00,
    you: 0x00_ffff,
    broadcast: 0xff_87ff,
    peer: 0x00_ffff,
    reasoning: 0xff_ffff,
    tool: 0xff_87ff,
    name: 0xff_ffff,
    number: 0x00_ff00,
    found: 0xff_ff00,
};

/// A theme together with the number of colours, and the colours that the operator chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    theme: Theme,
    depth: Depth,
    choices: ColourChoices,
}

impl Paint {
    /// The colours of a theme.
    #[must_use]
    pub fn of(theme: Theme, depth: Depth) -> Paint {
        Paint {
            theme,
            depth,
            choices: ColourChoices::default(),
        }
    }

    /// The same with the colours that the operator chose.
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

    /// The style of an empty area.
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

/// The colour of text on what was found.
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

//! The contrast of text, by the formula of WCAG 2.2. It asks for 4.5 : 1 for text and 3 : 1 for lines that carry meaning.
//! The terminal's own colours and no colours at all are left out: what they look like is the terminal's affair.

use ratatui::style::{Color, Modifier, Style};
use zoea_tui::dashboard::appearance::Theme;
use zoea_tui::dashboard::text::tone::Tone;
use zoea_tui::dashboard::text::width;
use zoea_tui::theme::{Depth, Ground, Paint};
use zoea_tui::view;

use crate::operator::Operator;
use crate::snapshots::{troubled, wide};

const THEMES: [Theme; 3] = [Theme::Dark, Theme::Light, Theme::HighContrast];
const DEPTHS: [Depth; 2] = [Depth::True, Depth::Indexed];
const TONES: [Tone; 26] = [
    Tone::Text,
    Tone::Strong,
    Tone::Dim,
    Tone::Brand,
    Tone::Accent,
    Tone::Success,
    Tone::Fault,
    Tone::Warning,
    Tone::Hint,
    Tone::Key,
    Tone::You,
    Tone::Broadcast,
    Tone::Peer,
    Tone::Note,
    Tone::Mysis,
    Tone::Reasoning,
    Tone::Tool,
    Tone::Host,
    Tone::Name,
    Tone::Value,
    Tone::Number,
    Tone::Running,
    Tone::Idle,
    Tone::Stopped,
    Tone::Found,
    Tone::Errored,
];
const GROUNDS: [Ground; 5] = [
    Ground::Base,
    Ground::Bar,
    Ground::Selected,
    Ground::Panel,
    Ground::Field,
];

/// The steps of the colour cube of 256 colours.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the named colours are the terminal's, and no one of them may stand here"
)]
fn rgb(colour: Color) -> [u8; 3] {
    match colour {
        Color::Rgb(red, green, blue) => [red, green, blue],
        Color::Indexed(index @ 16..=231) => {
            [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6]
                .map(|step| STEPS[usize::from(step)])
        }
        Color::Indexed(index @ 232..) => [8 + 10 * (index - 232); 3],
        other => panic!("nobody knows what {other} looks like"),
    }
}

fn luminance(colour: Color) -> f64 {
    let linear = rgb(colour).map(|value| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(style: Style) -> f64 {
    let (text, ground) = (style.fg.expect("a colour"), style.bg.expect("a background"));
    let (text, ground) = (luminance(text), luminance(ground));
    (text.max(ground) + 0.05) / (text.min(ground) + 0.05)
}

#[test]
fn text_has_contrast_on_every_background() {
    for theme in THEMES {
        for depth in DEPTHS {
            let paint = Paint::of(theme, depth);
            let check = |ground: Ground, tone: Tone, least: f64| {
                let contrast = contrast(paint.ground(ground).patch(paint.text(tone)));
                assert!(
                    contrast >= least,
                    "{tone:?} on {ground:?} in {theme:?} with {depth:?} colours: {contrast:.2} : 1"
                );
            };
            for ground in GROUNDS {
                TONES.iter().for_each(|tone| check(ground, *tone, 4.5));
                let least = if ground == Ground::Selected { 2.5 } else { 3.0 };
                check(ground, Tone::Faint, least);
            }
        }
    }
}

/// Letters, digits, and the curves and marks of graphs.
fn carries_meaning(sign: char) -> bool {
    sign.is_alphanumeric() || is_braille(sign) || matches!(sign, '▾' | '✖')
}

fn is_braille(sign: char) -> bool {
    matches!(sign, '\u{2801}'..='\u{28ff}')
}

/// What is written in the tone of frames is no text.
#[test]
fn every_letter_on_screen_has_contrast() {
    let views = [
        "",
        "<enter>",
        "<enter>K",
        "L",
        "?",
        ":",
        "n",
        "m",
        "/",
        " o",
        "!",
        "g",
        "M",
        "M++",
        "$",
        ":search ore<enter>",
    ];
    for theme in THEMES {
        for keys in views {
            for world in [troubled(), wide()] {
                let mut operator = Operator::at(world, (120, 40));
                operator.keys(&format!(":theme {}<enter>", theme.as_str()));
                operator.keys(keys);
                let buffer = view::paint(&operator.board, Depth::True).buffer;
                for (before, cell) in buffer.content.iter().zip(&buffer.content[1..]) {
                    // A wide letter covers the cell behind it.
                    assert!(
                        cell.bg != Color::Reset || width::of(before.symbol()) > 1,
                        "{theme:?}, after {keys:?}: the terminal's own background lies behind {cell:?}"
                    );
                }
                let letters = buffer
                    .content
                    .iter()
                    .filter(|cell| cell.symbol().chars().any(carries_meaning));
                for cell in letters {
                    assert!(
                        !cell.modifier.contains(Modifier::DIM),
                        "{keys}: {cell:?} is dim"
                    );
                    let contrast = contrast(cell.style());
                    // The lanes of the map are lines, and no curves to be read.
                    let is_lane = keys.starts_with('M') && cell.symbol().chars().all(is_braille);
                    let least = if is_lane { 3.0 } else { 4.5 };
                    assert!(
                        contrast >= least,
                        "{theme:?}, after {keys:?}: {contrast:.2} : 1 of {cell:?}"
                    );
                }
            }
        }
    }
}

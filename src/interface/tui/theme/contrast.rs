//! The contrast of the colours that the operator chose, by the formula of WCAG 2.2. It asks for 4.5 : 1 for text, and for
//! 3 : 1 for lines that carry meaning.

use crate::dashboard::appearance::{Appearance, ChosenColour, Theme, ThemePart};

use super::{FOUND_TEXT, Rgb, rgb_of};

const GROUNDS: [ThemePart; 5] = [
    ThemePart::Base,
    ThemePart::Bar,
    ThemePart::Selected,
    ThemePart::Panel,
    ThemePart::Field,
];

/// A sentence for each chosen colour with too little contrast. What the terminal's own colours look like is not known.
pub fn weak_colours(appearance: &Appearance) -> Vec<String> {
    let theme = appearance.theme;
    if theme == Theme::NoColour {
        return Vec::new();
    }
    let is_ground = |part: &ThemePart| GROUNDS.contains(part);
    let texts = ThemePart::ALL.into_iter().filter(|part| !is_ground(part));
    let pairs = texts.flat_map(|text| GROUNDS.map(|ground| (text, ground)));
    let weakest = |chosen: ThemePart| {
        let concerned = pairs
            .clone()
            .filter(|(text, ground)| *text == chosen || *ground == chosen);
        let weak = concerned.filter_map(|pair| Some((pair, contrast_of(appearance, pair)?)));
        let weak =
            weak.filter(|((text, ground), contrast)| *contrast < least_contrast(*text, *ground));
        weak.min_by(|(_, a), (_, b)| a.total_cmp(b))
    };
    let chosen = ThemePart::ALL
        .into_iter()
        .filter(|part| appearance.colours.of(theme, *part).is_some());
    let complaints = chosen.filter_map(|part| {
        let ((text, ground), contrast) = weakest(part)?;
        let pair = if text == ThemePart::Found {
            "text on found".to_string()
        } else {
            format!("{} on {}", text.as_str(), ground.as_str())
        };
        // Rounded down: 4.49 is not 4.5.
        let contrast = (contrast * 10.0).floor() / 10.0;
        Some(format!(
            "tui.colors.{}: {pair} has a contrast of {contrast:.1} : 1; below {} : 1 it is hard to read",
            part.as_str(),
            least_contrast(text, ground)
        ))
    });
    complaints.collect()
}

/// The least contrast. On the selected line a frame may be weaker.
fn least_contrast(text: ThemePart, ground: ThemePart) -> f64 {
    match (text, ground) {
        (ThemePart::Faint, ThemePart::Selected) => 2.5,
        (ThemePart::Faint, _) => 3.0,
        (_, _) => 4.5,
    }
}

/// The contrast of a text on a background; `None` if it is not known.
fn contrast_of(appearance: &Appearance, (text, ground): (ThemePart, ThemePart)) -> Option<f64> {
    let (text, ground) = if text == ThemePart::Found {
        (FOUND_TEXT, colour_of(appearance, ThemePart::Found)?)
    } else {
        (colour_of(appearance, text)?, colour_of(appearance, ground)?)
    };
    let (text, ground) = (luminance(text), luminance(ground));
    Some((text.max(ground) + 0.05) / (text.min(ground) + 0.05))
}

fn colour_of(appearance: &Appearance, part: ThemePart) -> Option<Rgb> {
    match appearance.colours.of(appearance.theme, part) {
        Some(ChosenColour::Rgb(rgb)) => Some(rgb),
        Some(ChosenColour::Own(_)) => None,
        None => rgb_of(appearance.theme, part),
    }
}

fn luminance(rgb: Rgb) -> f64 {
    let [_, red, green, blue] = rgb.to_be_bytes();
    let linear = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::appearance::{ColourChoices, TerminalColour};

    fn with(theme: Theme, chosen: &[(ThemePart, ChosenColour)]) -> Vec<String> {
        let mut colours = ColourChoices::default().on_top_of(theme);
        for (part, colour) in chosen {
            colours.choose(*part, *colour);
        }
        weak_colours(&Appearance {
            theme,
            colours,
            ..Appearance::default()
        })
    }

    #[test]
    fn a_colour_that_is_hard_to_read_is_told_with_its_worst_background() {
        let grey = ChosenColour::Rgb(0x55_5555);
        assert_eq!(
            with(Theme::Dark, &[(ThemePart::Dim, grey)]),
            [
                "tui.colors.dim: dim on selected has a contrast of 2.0 : 1; below 4.5 : 1 it is hard to read"
            ]
        );
        assert_eq!(with(Theme::Light, &[(ThemePart::Dim, grey)]), [""; 0]);
        let white = ChosenColour::Rgb(0xff_ffff);
        let complaints = with(Theme::Dark, &[(ThemePart::Base, white)]);
        assert!(
            complaints[0].starts_with("tui.colors.base: strong on base "),
            "{complaints:?}"
        );
        let complaints = with(Theme::Dark, &[(ThemePart::Found, ChosenColour::Rgb(0))]);
        assert!(complaints[0].contains("text on found"), "{complaints:?}");
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let own = ChosenColour::Own(TerminalColour::Black);
        assert_eq!(with(Theme::Dark, &[(ThemePart::Dim, own)]), [""; 0]);
        let grey = ChosenColour::Rgb(0x0b_0b0b);
        assert_eq!(with(Theme::Terminal, &[(ThemePart::Dim, grey)]), [""; 0]);
        assert_eq!(with(Theme::NoColour, &[(ThemePart::Dim, grey)]), [""; 0]);
        for theme in Theme::ALL {
            assert_eq!(with(theme, &[]), [""; 0]);
        }
    }
}

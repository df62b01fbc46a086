//! The colours of the themes that have colours of their own.

use super::Rgb;
use crate::dashboard::appearance::{Theme, ThemePart};

/// The colours of each part, in the order of the parts. Dark: deep violet and teal on near-black. Light. High contrast:
/// few colours, far apart, on black, which are the same with 256 colours.
const COLOURS: [(ThemePart, [Rgb; 3]); ThemePart::COUNT] = [
    (ThemePart::Base, [0x0b_0a12, 0xfb_faff, 0x00_0000]),
    (ThemePart::Bar, [0x14_1021, 0xed_e9fb, 0x00_0000]),
    (ThemePart::Selected, [0x2a_2147, 0xe2_dcfb, 0x00_005f]),
    (ThemePart::Panel, [0x16_1226, 0xf2_effc, 0x00_0000]),
    (ThemePart::Field, [0x1d_1833, 0xff_ffff, 0x1c_1c1c]),
    (ThemePart::Text, [0xcf_cbe0, 0x2d_2845, 0xff_ffff]),
    (ThemePart::Strong, [0xf1_eeff, 0x0f_0b22, 0xff_ffff]),
    (ThemePart::Dim, [0x99_94ae, 0x59_5473, 0xd7_d7d7]),
    (ThemePart::Faint, [0x71_6d85, 0x85_8197, 0xaf_afaf]),
    (ThemePart::Brand, [0xa7_8bfa, 0x6d_28d9, 0xff_87ff]),
    (ThemePart::Accent, [0x2d_d4bf, 0x0e_6f67, 0x00_ffff]),
    (ThemePart::Success, [0x4a_de9b, 0x13_7236, 0x00_ff00]),
    (ThemePart::Fault, [0xfb_7185, 0xbe_123c, 0xff_8787]),
    (ThemePart::Warning, [0xf5_b94d, 0x73_4204, 0xff_ff00]),
    (ThemePart::You, [0x7d_d3fc, 0x03_68a0, 0x00_ffff]),
    (ThemePart::Broadcast, [0xf0_a6f5, 0x9b_1ba7, 0xff_87ff]),
    (ThemePart::Peer, [0x93_b4fd, 0x1a_47c3, 0x00_ffff]),
    (ThemePart::Reasoning, [0x9b_96b6, 0x5c_5871, 0xff_ffff]),
    (ThemePart::Tool, [0xb4_9cfb, 0x52_2f9c, 0xff_87ff]),
    (ThemePart::Name, [0x9c_94cb, 0x42_3979, 0xff_ffff]),
    (ThemePart::Number, [0x6e_d4e6, 0x0d_6c87, 0x00_ff00]),
    (ThemePart::Found, [0xf5_d74d, 0xfd_e047, 0xff_ff00]),
];

/// The colour of a part; `None` if the theme has none of its own.
pub(super) fn rgb_of(theme: Theme, part: ThemePart) -> Option<Rgb> {
    let (_, [dark, light, high_contrast]) = COLOURS[part as usize];
    match theme {
        Theme::Dark => Some(dark),
        Theme::Light => Some(light),
        Theme::HighContrast => Some(high_contrast),
        Theme::Terminal | Theme::NoColour => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_the_colours_of_its_row() {
        assert_eq!(COLOURS.map(|(part, _)| part), ThemePart::ALL);
    }
}

//! The picture for a terminal that is too small for the dashboard.

use crate::dashboard::facts::{Facts, LEAST};
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::overlay::Overlay;
use crate::dashboard::text::tone::Tone;

use crate::painter::{Painter, centre_area};
use ratatui::layout::Alignment;

/// `open`: the topmost layer.
pub(super) fn paint(facts: &Facts, open: Option<&Overlay>, painter: &mut Painter<'_>) {
    let (width, height) = facts.size;
    let (least_width, least_height) = LEAST;
    let counts = facts.counts;
    let mut lines = vec![
        ("⬢ ZOEA".to_string(), Tone::Brand),
        (
            format!("needs {least_width}×{least_height}, has {width}×{height}"),
            Tone::Warning,
        ),
        (
            format!("{} running, {} errored", counts.running, counts.errored),
            Tone::Dim,
        ),
    ];
    lines.extend(open_lines(facts, open));
    let rows = u16::try_from(lines.len()).unwrap_or(height);
    let area = centre_area(facts.screen(), width, rows);
    for (row, (text, tone)) in (0..).zip(&lines) {
        painter.text_at(area, row, Alignment::Center, text, *tone);
    }
}

/// The question about the program as a whole, or what else is open and how to quit nevertheless.
fn open_lines(facts: &Facts, open: Option<&Overlay>) -> Vec<(String, Tone)> {
    match open {
        None => {
            let key = facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::Quit);
            vec![(format!("{key} quits"), Tone::Hint)]
        }
        Some(Overlay::Confirm(question)) if question.about.is_about_program() => {
            let first = question.lines.iter().take(1);
            let mut lines: Vec<_> = first.map(|line| (line.clone(), Tone::Text)).collect();
            lines.push((question.keys().to_string(), Tone::Hint));
            lines
        }
        Some(_) => vec![
            (
                "a larger terminal shows what is open".to_string(),
                Tone::Text,
            ),
            ("Ctrl-C quits".to_string(), Tone::Hint),
        ],
    }
}

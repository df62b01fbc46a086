//! The picture for a terminal that is too small for the dashboard.

use crate::dashboard::Dashboard;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::layout::LEAST;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::text::tone::Tone;

use crate::painter::{Painter, centre_area};
use ratatui::layout::Alignment;

pub(super) fn paint(dashboard: &Dashboard, painter: &mut Painter<'_>) {
    let (width, height) = dashboard.size();
    let (least_width, least_height) = LEAST;
    let counts = dashboard.counts();
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
    lines.extend(open_lines(dashboard));
    let rows = u16::try_from(lines.len()).unwrap_or(height);
    let area = centre_area(dashboard.screen(), width, rows);
    for (row, (text, tone)) in (0..).zip(&lines) {
        painter.text_at(area, row, Alignment::Center, text, *tone);
    }
}

/// The question about the program as a whole, or what else is open and how to quit nevertheless.
fn open_lines(dashboard: &Dashboard) -> Vec<(String, Tone)> {
    match dashboard.overlays().last() {
        None => {
            let key = dashboard.keymap().key_of(GLOBAL_KEYS, GlobalAction::Quit);
            vec![(format!("{key} quits"), Tone::Hint)]
        }
        Some(Overlay::Confirm(question)) if dashboard.asks_about_program() => {
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

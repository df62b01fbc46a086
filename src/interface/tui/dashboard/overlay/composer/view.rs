//! Draws the composer.

use super::{ComposeTarget, Composer};
use crate::dashboard::facts::Facts;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use actors::domain::ids::MysisId;
use ratatui::layout::{Constraint, Layout, Rect};
use zoea_text::clean::one_line;

use crate::painter::Painter;
use crate::theme::Ground;

pub(crate) fn paint(facts: &Facts, composer: &Composer, area: Rect, painter: &mut Painter<'_>) {
    painter.fill(area, Ground::Field);
    let rows = [Constraint::Length(1), Constraint::Min(0)];
    let [_, below] = Layout::vertical(rows).areas(area);
    let columns = [
        Constraint::Length(3),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let [_, text, _] = Layout::horizontal(columns).areas(below);
    let laid = composer.field.lay_out(usize::from(text.width));
    let rows = usize::from(text.height);
    let top = (laid.row + 1).saturating_sub(rows);
    let mut head = title(facts, &composer.target);
    if let Some(hint) = composer.gain_hint() {
        head = head.with(format!("  ·  {hint}"), Tone::Accent);
    }
    if let Some(tokens) = composer.added_tokens().filter(|tokens| *tokens > 0) {
        let tokens = format!("  ·  {} tokens in every request", figures::amount(tokens));
        head = head.with(tokens, Tone::Accent);
    }
    if laid.lines.len() > rows {
        let place = format!("  ·  line {} of {}", laid.row + 1, laid.lines.len());
        head = head.with(place, Tone::Dim);
    }
    painter.line(area, 0, &head);
    painter.text(below, 0, " ▸", Tone::Accent);
    for (row, line) in (0..text.height).zip(&laid.lines[top..]) {
        painter.text(text, row, line, Tone::Text);
    }
    painter.put_cursor(text, (laid.column, laid.row - top));
}

fn title(facts: &Facts, target: &ComposeTarget) -> StyledLine {
    match target {
        ComposeTarget::Swarm => StyledLine::of(" BROADCAST", Tone::Broadcast)
            .with(format!(" a mission to {}", swarm(facts)), Tone::Dim),
        ComposeTarget::Myses(ids) => StyledLine::of(" MESSAGE", Tone::You)
            .with(format!(" to {}", whom(facts, ids)), Tone::Dim),
        ComposeTarget::Notes(ids) => {
            let words = format!(" for {}, a lasting note", whom(facts, ids));
            StyledLine::of(" NOTE", Tone::Note).with(words, Tone::Dim)
        }
    }
}

/// Whom a mission reaches, and whom it wakes.
fn swarm(facts: &Facts) -> String {
    let counts = facts.counts;
    let wakes = match counts.idle {
        0 => String::new(),
        idle => format!("; wakes {idle} idle"),
    };
    let missed = match counts.stopped + counts.errored {
        0 => String::new(),
        missed => format!("; not to {missed} that are stopped or errored"),
    };
    format!("the whole swarm: {} running{wakes}{missed}", counts.running)
}

fn whom(facts: &Facts, ids: &[MysisId]) -> String {
    match ids {
        [id] => one_line(&facts.name_of(*id)),
        ids => {
            let names = one_line(&facts.names_of(ids));
            format!("{} Myses: {names}", ids.len())
        }
    }
}

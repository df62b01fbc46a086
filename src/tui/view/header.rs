//! The header: what holds for the swarm.

use actors::domain::dashboard::Dashboard;
use actors::domain::dashboard::clean::one_line;
use actors::domain::dashboard::figures;
use actors::domain::dashboard::layout::Area;
use actors::domain::dashboard::tone::{Line, Tone};
use actors::domain::dashboard::width;

use crate::tui::brush::{Brush, Side};
use crate::tui::theme::Ground;

pub(super) fn paint(dashboard: &Dashboard, area: Area, brush: &mut Brush<'_>) {
    brush.fill(area, Ground::Bar);
    let inner = Area {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    };
    paint_counts(dashboard, inner, brush);
    let (_, below) = inner.split_top(1);
    let (mission, figures) = below.split_bottom(1);
    paint_mission(dashboard, mission, brush);
    paint_figures(dashboard, figures, brush);
}

fn paint_counts(dashboard: &Dashboard, area: Area, brush: &mut Brush<'_>) {
    let counts = dashboard.counts();
    let mut line = Line::of("⬢ ZOEA", Tone::Brand);
    if let Some(since) = dashboard.closing() {
        let taken = figures::stopwatch(dashboard.now().since(since));
        line.push(format!("   closing {taken}"), Tone::Warning);
    }
    line.push(format!("   {} ", counts.all), Tone::Strong);
    line.push(if counts.all == 1 { "Mysis" } else { "Myses" }, Tone::Dim);
    for (count, sign, word, tone) in [
        (counts.running, "⬢", "running", Tone::Running),
        (counts.idle, "⬡", "idle", Tone::Idle),
        (counts.stopped, "■", "stopped", Tone::Dim),
        (counts.errored, "✖", "errored", Tone::Errored),
    ] {
        let tone = if count == 0 { Tone::Faint } else { tone };
        line.push(format!("   {sign} {count} {word}"), tone);
    }
    let end = brush.line(area, 0, &line);
    let clock = dashboard.appearance().offset.clock(dashboard.now());
    let room = usize::from(area.width.saturating_sub(end + 2));
    if room >= clock.len() {
        brush.text_at(area, 0, Side::Right, &clock, Tone::Dim);
    }
}

fn paint_mission(dashboard: &Dashboard, area: Area, brush: &mut Brush<'_>) {
    let Some(mission) = dashboard.mission() else {
        let words = "no mission; b broadcasts one to the whole swarm";
        let line = Line::of("MISSION  ", Tone::Broadcast).with(words, Tone::Dim);
        brush.line(area, 0, &line);
        return;
    };
    let end = brush.text(area, 0, "MISSION  ", Tone::Broadcast);
    let text = Area {
        x: area.x + end,
        width: area.width - end,
        ..area
    };
    let mission = one_line(mission);
    let mut lines = width::wrap(&mission, usize::from(text.width));
    for row in 0..text.height {
        let is_last = row + 1 == text.height;
        let rest = lines.rest();
        let Some(line) = lines.next() else {
            break;
        };
        let line = if is_last { rest } else { line };
        brush.text(text, row, line, Tone::Text);
    }
}

fn paint_figures(dashboard: &Dashboard, area: Area, brush: &mut Brush<'_>) {
    let counts = dashboard.counts();
    let mut line = Line::default();
    let mut add = |value: String, word: &str, tone: Tone| {
        line.push(value, tone);
        line.push(format!(" {word}   "), Tone::Dim);
    };
    let live = |count: usize| {
        if count == 0 {
            Tone::Faint
        } else {
            Tone::Accent
        }
    };
    add(counts.asking.to_string(), "thinking", live(counts.asking));
    add(counts.calling.to_string(), "acting", live(counts.calling));
    add(
        counts.queueing.to_string(),
        "waiting",
        live(counts.queueing),
    );
    add(figures::amount(counts.tokens), "tokens", Tone::Text);
    if counts.cost_micros > 0 {
        add(figures::money(counts.cost_micros), "spent", Tone::Text);
    }
    let end = brush.line(area, 0, &line);
    if let Some(tick) = counts.tick
        && area.width > end + 16
    {
        let tick = Line::of("tick ", Tone::Dim).with(tick.to_string(), Tone::Text);
        brush.line_at_right(area, 0, &tick);
    }
}

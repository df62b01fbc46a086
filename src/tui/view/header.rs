//! The header: facts about the whole swarm.

use crate::dashboard::Dashboard;
use crate::dashboard::appearance::Motion;
use crate::dashboard::layout::without_left;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::token_rate::sparkline;
use actors::domain::clean::one_line;
use actors::domain::login_progress::LoginProgress;
use ratatui::layout::{Alignment, Constraint, Layout, Margin, Rect};

use crate::painter::Painter;
use crate::theme::Ground;

/// The most bars of the token chart.
const MAX_CHART_BARS: usize = 40;

pub(super) fn paint(dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
    painter.fill(area, Ground::Bar);
    let rows = [
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let [counts, mission, figures] = Layout::vertical(rows).areas(area.inner(Margin::new(1, 0)));
    paint_counts(dashboard, counts, painter);
    paint_mission(dashboard, mission, painter);
    paint_figures(dashboard, figures, painter);
}

fn paint_counts(dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
    let counts = dashboard.counts();
    let mut line = StyledLine::of(format!("{} ZOEA", heartbeat_sign(dashboard)), Tone::Brand);
    if let Some(since) = dashboard.closing_since() {
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
    let end = painter.line(area, 0, &line);
    let clock = dashboard.appearance().offset.clock(dashboard.now());
    let room = usize::from(area.width.saturating_sub(end + 2));
    if room >= clock.len() {
        painter.text_at(area, 0, Alignment::Right, &clock, Tone::Dim);
    }
}

/// The sign changes while a Mysis runs, unless motion is switched off.
fn heartbeat_sign(dashboard: &Dashboard) -> &'static str {
    let is_live = dashboard.counts().running > 0;
    let moves = dashboard.appearance().motion == Motion::Full;
    let is_odd = (dashboard.now().0 / 1000) % 2 == 1;
    if is_live && moves && is_odd {
        "⬡"
    } else {
        "⬢"
    }
}

fn paint_mission(dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
    let Some(mission) = dashboard.mission() else {
        let words = "none; b broadcasts one to the whole swarm";
        let line = StyledLine::of("MISSION  ", Tone::Broadcast).with(words, Tone::Dim);
        painter.line(area, 0, &line);
        return;
    };
    let end = painter.text(area, 0, "MISSION  ", Tone::Broadcast);
    let text = without_left(area, end);
    let mission = one_line(mission);
    let mut lines = width::wrap(&mission, usize::from(text.width));
    for row in 0..text.height {
        let is_last = row + 1 == text.height;
        let rest = lines.rest();
        let Some(line) = lines.next() else {
            break;
        };
        let line = if is_last { rest } else { line };
        painter.text(text, row, line, Tone::Text);
    }
}

fn paint_figures(dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
    let counts = dashboard.counts();
    let mut line = StyledLine::default();
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
    let needs = dashboard.needs().len();
    if needs > 0 {
        add(format!("! {needs}"), "need you", Tone::Warning);
    }
    add(counts.asking.to_string(), "thinking", live(counts.asking));
    add(counts.calling.to_string(), "acting", live(counts.calling));
    add(
        counts.queueing.to_string(),
        "waiting",
        live(counts.queueing),
    );
    let per_minute = dashboard.rules().and_then(|of| of.tools.logins_per_minute);
    if let Some(arrival) = LoginProgress::of(counts.here, counts.coming, per_minute) {
        line.push(format!("{arrival}   "), Tone::Accent);
    }
    let end = painter.line(area, 0, &line);
    paint_amounts(dashboard, without_left(area, end), painter);
}

/// Draws tokens, cost and tick at the right. What does not fit is left out, the chart first.
fn paint_amounts(dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
    let counts = dashboard.counts();
    let flow = dashboard.token_rate();
    let per_minute = flow.per_minute().map(figures::amount);
    let per_minute = per_minute.unwrap_or_else(|| "-".into());
    let mut parts = Vec::new();
    if let Some(tick) = counts.tick {
        parts.push(StyledLine::of("   tick ", Tone::Dim).with(tick.to_string(), Tone::Text));
    }
    if let Some(percent) = dashboard.budget_percent() {
        let tone = if percent >= 80 {
            Tone::Warning
        } else {
            Tone::Text
        };
        let budget = StyledLine::of("   budget ", Tone::Dim);
        parts.push(budget.with(format!("{percent} %"), tone));
    }
    parts.push(
        StyledLine::of(format!("   {per_minute}"), Tone::Text).with(" tokens/min", Tone::Dim),
    );
    if counts.cost_micros > 0 {
        let cost = figures::money(counts.cost_micros);
        parts.push(StyledLine::of(format!("   {cost}"), Tone::Text));
    }
    parts.push(
        StyledLine::of(format!("   {}", figures::amount(counts.tokens)), Tone::Text)
            .with(" tokens", Tone::Dim),
    );
    let mut taken = 0;
    let mut line = StyledLine::default();
    let room = usize::from(area.width);
    for part in parts {
        let wide = width::of(&part.text());
        if taken + wide <= room {
            taken += wide;
            line.spans.splice(0..0, part.spans);
        }
    }
    let bars: Vec<u64> = flow.bars().iter().copied().collect();
    let fits = room.saturating_sub(taken + 4).min(MAX_CHART_BARS);
    if fits >= 6 && !flow.is_flat() {
        let bars = &bars[bars.len().saturating_sub(fits)..];
        line.spans
            .splice(0..0, StyledLine::of(sparkline(bars), Tone::Accent).spans);
    }
    painter.line_at_right(area, 0, &line);
}

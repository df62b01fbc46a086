//! The lights of the servers in the header.

use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use crate::dashboard::Dashboard;
use crate::dashboard::servers::{ServerLight, ServerState};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::painter::Painter;

/// The columns for the number of servers that do not fit.
const MORE_COLUMNS: usize = 6;

/// Draws the servers with their lights, those in trouble first, as many as fit. The game's is always there.
pub(super) fn paint(dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
    let room = usize::from(area.width);
    let mut lights: Vec<&ServerLight> = dashboard.servers().iter().collect();
    lights.sort_by_key(|light| std::cmp::Reverse(light.state.rank().max(1)));
    let is_game = |light: &&ServerLight| light.provider.is_none();
    let game = lights.iter().find(|light| is_game(light));
    let mut game_room = game.map_or(0, |game| {
        width::of(&server_text(dashboard, game).text()) + 3
    });
    let mut line = StyledLine::default();
    if dashboard.store_trouble().is_some() {
        line.push("✖ store takes no writes", Tone::Fault);
    }
    let mut left_out = 0;
    for light in &lights {
        let part = server_text(dashboard, light);
        let is_first = line.spans.is_empty();
        let gap = if is_first { "" } else { "   " };
        let taken = width::of(&line.text()) + gap.len() + width::of(&part.text());
        if is_game(light) {
            game_room = 0;
        } else if left_out > 0 || taken + game_room + MORE_COLUMNS > room && !is_first {
            left_out += 1;
            continue;
        }
        line.push(gap, Tone::Dim);
        line.spans.extend(part.spans);
    }
    if left_out > 0 {
        line.push(format!("   +{left_out}"), Tone::Dim);
    }
    painter.line(area, 0, &line);
}

/// The lights in two dots, where there is no row for the servers: the worst of the model servers, and the game.
pub(super) fn push_dots(dashboard: &Dashboard, line: &mut StyledLine) {
    let (models, game): (Vec<&ServerLight>, Vec<&ServerLight>) = dashboard
        .servers()
        .iter()
        .partition(|light| light.provider.is_some());
    line.push(" ", Tone::Dim);
    for lights in [models, game] {
        let worst = lights.iter().max_by_key(|light| light.state.rank());
        let (sign, tone) = sign_of(worst.map_or(&ServerState::Unknown, |light| &light.state));
        line.push(sign, tone);
    }
}

/// The sign and colour of a light.
fn sign_of(state: &ServerState) -> (&'static str, Tone) {
    match state {
        ServerState::Unknown => ("○", Tone::Dim),
        ServerState::Up => ("●", Tone::Success),
        ServerState::Silent => ("◌", Tone::Warning),
        ServerState::Doubtful(_) => ("◐", Tone::Warning),
        ServerState::Away(_) => ("✖", Tone::Fault),
    }
}

/// A server with its light, as `● local (qwen3:8b) 410ms` or `● game tick 271090`.
fn server_text(dashboard: &Dashboard, light: &ServerLight) -> StyledLine {
    let (sign, tone) = sign_of(&light.state);
    let name = light.provider.as_ref().map_or("game", |name| name);
    let mut line = StyledLine::of(sign, tone);
    line.push(format!(" {}", one_line(name)), Tone::Text);
    if let Some(model) = light.model.as_ref().filter(|model| ***model != *name) {
        line.push(
            format!(" ({})", width::clip(&one_line(model), 28)),
            Tone::Dim,
        );
    }
    let state = light.state.text(light.latency_ms, dashboard.now());
    if !state.is_empty() {
        let tone = if light.state.answers() {
            Tone::Dim
        } else {
            tone
        };
        line.push(format!(" {state}"), tone);
    }
    if let (None, Some(tick)) = (&light.provider, dashboard.counts().tick) {
        line.push(format!(" tick {tick}"), Tone::Dim);
    }
    line
}

//! The lights of the servers in the header.

use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use super::{GAP, joined};
use crate::dashboard::facts::Facts;
use crate::dashboard::servers::{ServerLight, ServerState};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::painter::Painter;

/// The columns for the number of servers that do not fit.
const MORE_COLUMNS: usize = 3;

/// Draws the servers with their lights, those in trouble first. Where not all fit, the game's light is the first
/// one, so that it is always there.
pub(super) fn paint(facts: &Facts, area: Rect, painter: &mut Painter<'_>) {
    let room = usize::from(area.width);
    let mut lights: Vec<&ServerLight> = facts.servers.iter().collect();
    lights.sort_by_key(|light| std::cmp::Reverse(light.state.rank().max(1)));
    let mut line = StyledLine::default();
    if facts.store_trouble().is_some() {
        line.push("✖ store takes no writes", Tone::Fault);
    }
    let parts = lights.iter().map(|light| server_text(facts, light));
    let mut parts: Vec<StyledLine> = parts.collect();
    let wide = |part: &StyledLine| width::of(&part.text()) + GAP.len();
    let all = wide(&line) + parts.iter().map(wide).sum::<usize>();
    let fit = if all <= room + GAP.len() {
        parts.len()
    } else {
        if let Some(game) = lights.iter().position(|light| light.provider.is_none()) {
            drop(parts.remove(game));
            let (sign, tone) = sign_of(&lights[game].state);
            let name = format!(" {}", tools_word(facts));
            parts.insert(0, StyledLine::of(sign, tone).with(name, Tone::Text));
        }
        let mut taken = wide(&line) + MORE_COLUMNS;
        let mut fits = |part: &&StyledLine| {
            taken += wide(part);
            taken <= room
        };
        // One model server is shown however little of it fits.
        parts.iter().take_while(&mut fits).count().max(2)
    };
    let more = parts.len().saturating_sub(fit);
    let parts = [line].into_iter().chain(parts).take(1 + fit);
    let mut line = joined(parts.map(Some));
    if more > 0 {
        line.push(format!("{GAP}+{more}"), Tone::Dim);
    }
    painter.line(area, 0, &line);
}

/// The lights in two dots, where there is no row for the servers: the worst of the model servers, and the game.
pub(super) fn push_dots(facts: &Facts, line: &mut StyledLine) {
    let (models, game): (Vec<&ServerLight>, Vec<&ServerLight>) = facts
        .servers
        .iter()
        .partition(|light| light.provider.is_some());
    line.push(" ", Tone::Dim);
    for lights in [models, game] {
        let worst = lights.iter().max_by_key(|light| light.state.rank());
        let (sign, tone) = sign_of(worst.map_or(&ServerState::Unknown, |light| &light.state));
        line.push(sign, tone);
    }
}

fn sign_of(state: &ServerState) -> (&'static str, Tone) {
    match state {
        ServerState::Unknown => ("○", Tone::Dim),
        ServerState::Up => ("●", Tone::Success),
        ServerState::Silent => ("◌", Tone::Warning),
        ServerState::Doubtful(_) => ("◐", Tone::Warning),
        ServerState::Away(_) => ("✖", Tone::Fault),
    }
}

/// The word for the server of tools: `game` where a Mysis knows that it is one.
fn tools_word(facts: &Facts) -> &'static str {
    let mut members = facts.roster.members().values();
    match members.find_map(|member| member.status.game) {
        Some(game) if game.tells_facts() => "game",
        Some(_) | None => "tools",
    }
}

/// A server with its light, as `● local (qwen3:8b) 410ms` or `● game tick 271090`.
fn server_text(facts: &Facts, light: &ServerLight) -> StyledLine {
    let (sign, tone) = sign_of(&light.state);
    let of_tools = tools_word(facts);
    let name = light.provider.as_ref().map_or(of_tools, |name| name);
    let mut line = StyledLine::of(sign, tone);
    line.push(format!(" {}", one_line(name)), Tone::Text);
    if let Some(model) = light.model.as_ref().filter(|model| ***model != *name) {
        line.push(
            format!(" ({})", width::clip(&one_line(model), 28)),
            Tone::Dim,
        );
    }
    let state = light.state.text(light.latency_ms, facts.now);
    if !state.is_empty() {
        let tone = if light.state.answers() {
            Tone::Dim
        } else {
            tone
        };
        line.push(format!(" {state}"), tone);
    }
    if let (None, Some(tick)) = (&light.provider, facts.counts.tick) {
        line.push(format!(" tick {tick}"), Tone::Dim);
    }
    line
}

//! The detail pane: the selected Mysis and the newest messages, below a short table.

use super::cells;
use super::seen_state::SeenState;
use crate::dashboard::Dashboard;
use crate::dashboard::first_minute;
use crate::dashboard::keys::{TARGET_KEYS, TargetAction};
use crate::dashboard::roster::RosterMember;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::views::OPENING_KEYS;
use actors::domain::event::MysisStatus;
use ratatui::layout::{Margin, Rect};
use zoea_text::clean::one_line;

use crate::dashboard::layout::row_of;
use crate::dashboard::log::lately::lately_lines;
use crate::painter::Painter;
use crate::theme::Ground;

/// The most lines of words or of a fault.
const MAX_TEXT_LINES: usize = 4;

pub(crate) fn paint(dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    painter.fill(area, Ground::Panel);
    let member = dashboard.table().selected();
    let member = member.and_then(|id| dashboard.roster().get(id));
    let mut lines = Vec::new();
    if let Some(member) = member {
        add_member(dashboard, member, usize::from(area.width), &mut lines);
    }
    let setup_rows = setup_rows_below(dashboard, lines.len(), area);
    if setup_rows > 0 {
        lines.push(StyledLine::default());
        lines.push(StyledLine::of(" WHAT THEY USE", Tone::Brand));
        let above = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let inside = area.inner(Margin::new(1, 0));
        let setup = row_of(inside, above);
        first_minute::view::paint_setup(
            dashboard,
            Rect {
                height: setup_rows,
                ..setup
            },
            painter,
        );
        lines.extend((0..setup_rows).map(|_| StyledLine::default()));
    }
    let room = usize::from(area.height).saturating_sub(lines.len() + 2);
    if room > 0 {
        let key = dashboard.keymap().key_named(&OPENING_KEYS, "log");
        lines.push(StyledLine::default());
        lines.push(
            StyledLine::of(" LATELY", Tone::Brand).with(format!("   {key} shows all"), Tone::Hint),
        );
    }
    lines.extend(lately_lines(dashboard, room, area.width));
    painter.lines(area, &lines);
}

/// The rows for what the Myses use, while none of them has had a turn: none where there is no room.
fn setup_rows_below(dashboard: &Dashboard, above: usize, area: Rect) -> u16 {
    if !dashboard.is_first_minute() || dashboard.setup().is_none() {
        return 0;
    }
    let rows = first_minute::view::setup_rows(dashboard, area.width.saturating_sub(2));
    let room = usize::from(area.height).saturating_sub(above + 2);
    if usize::from(rows) <= room { rows } else { 0 }
}

/// Adds what the table's columns leave out, and the last words or the fault in full.
fn add_member(
    dashboard: &Dashboard,
    member: &RosterMember,
    columns: usize,
    lines: &mut Vec<StyledLine>,
) {
    let status = &*member.status;
    let (state, tone) = SeenState::of(status, dashboard.outages()).label();
    let (doing, doing_tone) = dashboard.doing_text(status);
    lines.push(
        StyledLine::of(format!(" {}", one_line(&status.name)), Tone::Brand)
            .with(format!("  {state}"), tone)
            .with(format!("  {doing}"), doing_tone),
    );
    lines.push(StyledLine::of(
        format!(" {}", facts_of(status).join(" · ")),
        Tone::Dim,
    ));
    if let Some(routine) = &status.routine {
        add_wrapped(&routine.describe(), Tone::Tool, columns, lines);
    }
    if let Some(circle) = &status.circle {
        let key = |action| dashboard.keymap().key_of(TARGET_KEYS, action);
        let (take, show) = (key(TargetAction::TakeOffer), key(TargetAction::Routine));
        let told = format!("{}; {take} starts it, {show} shows it", circle.describe());
        add_wrapped(&one_line(&told), Tone::Tool, columns, lines);
    }
    let (words, tone) = match (&status.fault, &status.reason) {
        (Some(fault), _) => (fault.text.as_str(), Tone::Errored),
        (None, Some(reason)) if status.last_words.is_empty() => (&**reason, Tone::Dim),
        (None, Some(_) | None) => (&*status.last_words, Tone::Text),
    };
    add_wrapped(&one_line(words), tone, columns, lines);
    if let Some(deed) = &status.last_tool_call {
        let (words, tone) = cells::tool_call_text(deed);
        add_wrapped(&words, tone, columns, lines);
    }
}

/// What the table's columns leave out.
fn facts_of(status: &MysisStatus) -> Vec<String> {
    let totals = status.totals;
    let mut facts = vec![
        one_line(&status.model),
        figures::counted(totals.turns, "turn"),
        format!(
            "{} → {} tokens",
            figures::amount(totals.tokens_in),
            figures::amount(totals.tokens_out)
        ),
        format!("session {}", status.link.as_str()),
    ];
    if let Some(role) = &status.profile.role {
        let known = if status.lacks_role {
            ", not configured"
        } else {
            ""
        };
        facts.insert(0, format!("{}{known}", one_line(role)));
    }
    if let Some(place) = &status.tier {
        facts.insert(1, format!("tier {}: {}", place.tier, one_line(&place.why)));
    }
    if totals.cost_micros > 0 {
        facts.push(figures::money(totals.cost_micros));
    }
    if status.spared_calls > 0 {
        let spared = figures::counted(status.spared_calls, "call");
        facts.push(format!("{spared} without the model"));
    }
    facts.extend(
        status
            .last_call_ms
            .map(|ms| format!("call {}", figures::span(ms))),
    );
    facts
}

fn add_wrapped(words: &str, tone: Tone, columns: usize, lines: &mut Vec<StyledLine>) {
    if words.is_empty() {
        return;
    }
    let wrapped = width::wrap(words, columns.saturating_sub(2)).take(MAX_TEXT_LINES);
    lines.extend(wrapped.map(|line| StyledLine::of(format!(" {line}"), tone)));
}

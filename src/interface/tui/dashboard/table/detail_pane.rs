//! The detail pane: the selected Mysis and the newest messages, below a short table.

use super::MysisTable;
use super::cells;
use super::groups::{Group, Grouping};
use super::seen_state::SeenState;
use crate::dashboard::earning::{EarnRate, whole_points};
use crate::dashboard::facts::Facts;
use crate::dashboard::first_minute;
use crate::dashboard::graphs::marks::marks;
use crate::dashboard::graphs::round_ceiling;
use crate::dashboard::keys::{TARGET_KEYS, TargetAction};
use crate::dashboard::money::short_credits;
use crate::dashboard::roster::RosterMember;
use crate::dashboard::saving::saving;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::toolkit::plot::Plot;
use crate::dashboard::views::OPENING_KEYS;
use actors::domain::event::MysisStatus;
use actors::domain::samples::{Minute, TREND_MINUTES, TREND_POINTS};
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use zoea_text::clean::one_line;

use crate::dashboard::layout::row_of;
use crate::dashboard::log::rows::lately_lines;
use crate::painter::Painter;
use crate::theme::Ground;

/// From this size on, the graph of the swarm stands in the pane.
const MIN_COLUMNS_WITH_GRAPH: u16 = 90;
const MIN_ROWS_WITH_GRAPH: u16 = 8;
/// The least length of its axis of time, in minutes.
const MIN_GRAPH_MINUTES: i64 = 4;
/// The most lines of words or of a fault.
const MAX_TEXT_LINES: usize = 4;

pub(crate) fn paint(facts: &Facts, table: &MysisTable, area: Rect, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    painter.fill(area, Ground::Panel);
    let graph = graph_columns(facts, area);
    let [area, graph] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(graph)]).areas(area);
    paint_graph(facts, graph, painter);
    let member = table.selected();
    let member = member.and_then(|id| facts.roster.get(id));
    let mut lines = Vec::new();
    if let Some(member) = member {
        add_member(facts, member, usize::from(area.width), &mut lines);
    }
    if let (Some(group), Some(by)) = (table.selected_group(), table.grouping()) {
        add_group(group, by, &mut lines);
    }
    let setup_rows = setup_rows_below(facts, lines.len(), area);
    if setup_rows > 0 {
        lines.push(StyledLine::default());
        lines.push(StyledLine::of(" WHAT THEY USE", Tone::Brand));
        let above = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let inside = area.inner(Margin::new(1, 0));
        let setup = Rect {
            height: setup_rows,
            ..row_of(inside, above)
        };
        first_minute::view::paint_setup(facts, setup, painter);
        lines.extend((0..setup_rows).map(|_| StyledLine::default()));
    }
    let room = usize::from(area.height).saturating_sub(lines.len() + 2);
    if room > 0 {
        let key = facts.keymap.key_named(&OPENING_KEYS, "log");
        lines.push(StyledLine::default());
        lines.push(
            StyledLine::of(" LATELY", Tone::Brand).with(format!("   {key} shows all"), Tone::Hint),
        );
    }
    lines.extend(lately_lines(facts, room, area.width));
    painter.lines(area, &lines);
}

/// The columns for the graph of the swarm, where there is room for one and something was earned.
fn graph_columns(facts: &Facts, area: Rect) -> u16 {
    let has_room = area.width >= MIN_COLUMNS_WITH_GRAPH && area.height >= MIN_ROWS_WITH_GRAPH;
    let has_figures = facts.money.points.iter().any(|point| *point != 0);
    u16::from(has_room && has_figures) * (area.width * 2 / 5)
}

/// Draws what the swarm earned a minute in the last hour.
fn paint_graph(facts: &Facts, area: Rect, painter: &mut Painter<'_>) {
    let now = Minute::of(facts.now).0;
    let minutes = |points: usize| i64::try_from(points).unwrap_or(0) * TREND_MINUTES;
    let points = &facts.money.points;
    let since = facts.money.known_since(facts.now);
    let whole = whole_points(points, facts.now);
    let first = whole.iter().position(|point| *point != 0).unwrap_or(0);
    let newest = now.div_euclid(TREND_MINUTES) * TREND_MINUTES;
    // A point is of all its minutes.
    let curve: Vec<(f64, f64)> = (whole.iter().enumerate().skip(first))
        .flat_map(|(place, earned)| {
            let begin = newest - minutes(TREND_POINTS - 1 - place);
            let rate = *earned as f64 / TREND_MINUTES as f64;
            [begin, begin + TREND_MINUTES].map(|minute| (minute.min(now) as f64, rate))
        })
        .collect();
    let extreme = |pick: fn(f64, f64) -> f64| curve.iter().map(|(_, it)| *it).fold(0.0, pick);
    let lowest = extreme(f64::min);
    let bottom = if lowest < 0.0 {
        -round_ceiling(-lowest)
    } else {
        0.0
    };
    let rate = EarnRate::of(points, facts.now, facts.money.begun);
    let offset = facts.appearance.offset;
    let begin = newest - minutes(TREND_POINTS - 1 - first);
    let bounds = (begin.min(now - MIN_GRAPH_MINUTES) as f64, now as f64);
    let time_text = |minute: f64| offset.short_clock(Minute(minute as i64).start_time());
    let since = match since {
        Some(since) => offset.short_clock(since),
        None => time_text(bounds.0),
    };
    let since = format!("the swarm since {since}");
    let plot = Plot {
        points: &curve,
        bounds,
        values: (bottom, round_ceiling(extreme(f64::max))),
        marks: &marks(facts, None, bounds),
        title: [&since, &rate.figure()],
        unit: match facts.money.number {
            Some(_) => "/min",
            None => "cr/min",
        },
        value_text: &|value| short_credits(value as i64),
        time_text: &time_text,
    };
    plot.paint(area.inner(Margin::new(1, 0)), painter);
}

/// The rows for what the Myses use, while none of them has had a turn: none where there is no room.
fn setup_rows_below(facts: &Facts, above: usize, area: Rect) -> u16 {
    if !facts.is_first_minute() || facts.setup.is_none() {
        return 0;
    }
    let rows = first_minute::view::setup_rows(facts, area.width.saturating_sub(2));
    let room = usize::from(area.height).saturating_sub(above + 2);
    if usize::from(rows) <= room { rows } else { 0 }
}

fn add_group(group: &Group, by: Grouping, lines: &mut Vec<StyledLine>) {
    let counts = group.sums.counts;
    let states = [
        (counts.errored, "errored"),
        (counts.running, "running"),
        (counts.idle, "idle"),
        (counts.stopped, "stopped"),
        (group.sums.needs, "in need of you"),
    ];
    let states = states.iter().filter(|(count, _)| *count > 0);
    let states = states.map(|(count, word)| format!("{count} {word}"));
    let states: Vec<String> = states.collect();
    let members = format!("  {} of one {}", counts.all, by.as_str());
    let name = StyledLine::of(format!(" {}", group.name(by)), Tone::Brand);
    lines.push(name.with(members, Tone::Text));
    let states = format!(" {}", states.join(" · "));
    lines.push(StyledLine::of(states, Tone::Dim));
}

/// Adds what the table's columns leave out, and the last words or the fault in full.
fn add_member(facts: &Facts, member: &RosterMember, columns: usize, lines: &mut Vec<StyledLine>) {
    let status = &*member.status;
    let (state, tone) = SeenState::of(status, &facts.outages).label();
    let (doing, doing_tone) = cells::doing_text(facts, status);
    lines.push(
        StyledLine::of(format!(" {}", one_line(&status.name)), Tone::Brand)
            .with(format!("  {state}"), tone)
            .with(format!("  {doing}"), doing_tone),
    );
    let known = format!(" {}", facts_of(facts, status).join(" · "));
    lines.push(StyledLine::of(known, Tone::Dim));
    if let Some(routine) = &status.routine {
        add_wrapped(&one_line(&routine.describe()), Tone::Tool, columns, lines);
    }
    if let Some(circle) = &status.circle {
        let take = facts.keymap.key_of(TARGET_KEYS, TargetAction::Routine);
        let text = format!("{}; {take} takes it as a routine", circle.describe());
        add_wrapped(&one_line(&text), Tone::Tool, columns, lines);
    }
    let reminders = status.memos.reminders.as_deref().unwrap_or_default();
    if let Some(next) = reminders.first() {
        let offset = facts.appearance.offset;
        let more = match reminders.len() {
            1 => String::new(),
            all => format!(" (1 of {all})"),
        };
        let (day, clock) = (offset.day(next.at), offset.clock(next.at));
        let text = format!("reminder for {day} {clock}{more}: {}", next.text);
        add_wrapped(&one_line(&text), Tone::Dim, columns, lines);
    }
    let (words, tone) = match (&status.fault, &status.reason) {
        (Some(fault), _) => (&*fault.text, Tone::Errored),
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
fn facts_of(facts: &Facts, status: &MysisStatus) -> Vec<String> {
    let totals = status.totals;
    let mut words = vec![
        one_line(&status.model),
        figures::counted(totals.turns, "turn"),
        format!(
            "{} tokens in, {} out",
            figures::amount(totals.tokens_in),
            figures::amount(totals.tokens_out)
        ),
        status.link.describe().to_string(),
    ];
    if let Some(role) = &status.profile.role {
        let lacks = status.lacks_role;
        let known = if lacks { ", not configured" } else { "" };
        words.insert(0, format!("{}{known}", one_line(role)));
    }
    if let Some(place) = &status.tier {
        words.insert(1, format!("tier {}: {}", place.tier, one_line(&place.why)));
    }
    if totals.cost_micros > 0 {
        words.push(figures::money(totals.cost_micros));
    }
    if let Some(calls) = status.saved_calls.filter(|calls| *calls > 0) {
        let saved = saving(&facts.spending, status, calls).text();
        words.insert(0, format!("routines saved {saved}"));
    }
    let call = status.last_call_ms.map(figures::span);
    words.extend(call.map(|span| format!("call {span}")));
    words
}

fn add_wrapped(words: &str, tone: Tone, columns: usize, lines: &mut Vec<StyledLine>) {
    if !words.is_empty() {
        let wrapped = width::wrap(words, columns.saturating_sub(2)).take(MAX_TEXT_LINES);
        lines.extend(wrapped.map(|line| StyledLine::of(format!(" {line}"), tone)));
    }
}

//! The header: facts about the whole swarm.

mod large;
mod lead;
mod servers;

use std::collections::VecDeque;

use crate::dashboard::appearance::Motion;
use crate::dashboard::facts::Facts;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::layout::{ScreenLayout, without_left};
use crate::dashboard::money;
use crate::dashboard::table::MysisTable;
use crate::dashboard::table::cells::tone_of_gain;
use crate::dashboard::table::seen_state::SeenState;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::token_rate::sparkline;
use crate::dashboard::verdict::verdict;
use actors::domain::books::Day;
use actors::domain::budget::percent_text;
use actors::domain::ids::Lane;
use actors::domain::login_progress::LoginProgress;
use actors::domain::rules::SwarmRules;
use ratatui::layout::{Alignment, Constraint, Layout, Margin, Rect};
use zoea_text::clean::one_line;

use crate::painter::Painter;
use crate::theme::Ground;

/// The columns of the clock, and those before it.
const CLOCK_COLUMNS: usize = 10;
const GAP: &str = "   ";
const MAX_CREDITS_COLUMNS: usize = 13;
/// The most bars of the token chart.
const MAX_CHART_BARS: usize = 40;

pub(super) fn paint(
    facts: &Facts,
    table: &MysisTable,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    painter.fill(layout.header, Ground::Bar);
    let rows = [
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1 + layout.large_rows),
        Constraint::Length(layout.server_rows),
    ];
    let areas = Layout::vertical(rows).areas(layout.header.inner(Margin::new(1, 0)));
    let [counts, mission, figures, servers] = areas;
    paint_counts((facts, table), (counts, layout.server_rows), painter);
    paint_mission(facts, mission, painter);
    if layout.large_rows > 0 {
        paint_large(facts, figures, painter);
    } else {
        paint_figures(facts, figures, painter);
    }
    servers::paint(facts, servers, painter);
}

fn paint_counts(
    (facts, table): (&Facts, &MysisTable),
    (area, server_rows): (Rect, u16),
    painter: &mut Painter<'_>,
) {
    let mut line = StyledLine::of(format!("{} ZOEA", heartbeat_sign(facts)), Tone::Brand);
    if server_rows == 0 {
        servers::push_dots(facts, &mut line);
    }
    push_selection((facts.counts.all, table), &mut line);
    if let Some(since) = facts.closing_since {
        let taken = figures::stopwatch(facts.now.since(since));
        line.push(format!("   closing {taken}"), Tone::Warning);
    }
    if let Some(since) = facts.frozen_since {
        let taken = figures::stopwatch(facts.now.since(since));
        line.push("   ", Tone::Text);
        line.push(format!(" FROZEN {taken} "), Tone::Found);
    }
    if let Some(trouble) = facts.store_trouble() {
        let taken = figures::stopwatch(facts.now.since(trouble.since));
        line.push(format!("   ✖ NO WRITES {taken}"), Tone::Fault);
    }
    let mut states = StyledLine::default();
    push_states(facts, &mut states);
    let simulated = facts
        .rules
        .as_deref()
        .map_or("", |rules| rules.simulated.text());
    if !simulated.is_empty() {
        let words = format!("   OFFLINE: {simulated}");
        let wide = [&line.text(), &states.text(), &words].map(|text| width::of(text));
        // How many there are in which state tells more.
        let words = match wide.iter().sum::<usize>() + CLOCK_COLUMNS <= usize::from(area.width) {
            true => words,
            false => "   OFFLINE".to_string(),
        };
        line.push(words, Tone::Warning);
    }
    line.spans.extend(states.spans);
    let end = painter.line(area, 0, &line);
    let clock = facts.appearance.offset.clock(facts.now);
    let room = usize::from(area.width.saturating_sub(end + 2));
    if room >= clock.len() {
        painter.text_at(area, 0, Alignment::Right, &clock, Tone::Dim);
    }
}

/// Adds how many Myses are in each state, the errored ones first. Of the running ones it says how many are held up.
fn push_states(facts: &Facts, line: &mut StyledLine) {
    let counts = facts.counts;
    // Whoever runs waits for the store.
    let running = match facts.store_trouble() {
        Some(_) => Tone::Warning,
        None => Tone::Text,
    };
    for (count, sign, word, tone) in [
        (counts.errored, "✖", "errored", Tone::Errored),
        (counts.running, "⬢", "running", running),
        (counts.idle, "⬡", "idle", Tone::Idle),
        (counts.stopped, "■", "stopped", Tone::Dim),
    ] {
        if count > 0 {
            line.push(format!("   {sign} {count} {word}"), tone);
        }
        if word == "running" {
            line.push(held_up_text(facts), Tone::Warning);
        }
    }
}

/// How many of the running Myses wait or are paused, as ` (2 waiting, 1 paused)`.
fn held_up_text(facts: &Facts) -> String {
    let members = facts.roster.members().values();
    let (mut waiting, mut paused) = (0_usize, 0_usize);
    for member in members {
        match SeenState::of(&member.status, &facts.outages) {
            SeenState::Waiting => waiting += 1,
            SeenState::Paused => paused += 1,
            SeenState::Errored | SeenState::Running | SeenState::Idle | SeenState::Stopped => {}
        }
    }
    let parts: Vec<String> = [(waiting, SeenState::Waiting), (paused, SeenState::Paused)]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, state)| format!("{count} {}", state.as_str()))
        .collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join(", ")),
    }
}

/// Adds how many Myses there are, how many of them the filter shows, and how many are marked. A filter is
/// never hidden.
fn push_selection((all, table): (usize, &MysisTable), line: &mut StyledLine) {
    let word = if all == 1 { "Mysis" } else { "Myses" };
    let filter = table.filter();
    if filter.is_open() {
        line.push(format!("   {all} "), Tone::Strong);
        line.push(word, Tone::Dim);
    } else {
        let state = filter.state.map_or("", |state| state.as_str());
        let text = width::clip(filter.text(), 24);
        let words = format!("{state} {text}");
        let (shown, words) = (table.order().len(), words.trim());
        line.push(
            format!("   {shown} of {all} {word}: {words}"),
            Tone::Warning,
        );
    }
    if let Some(by) = table.grouping() {
        line.push(format!("   by {}", by.as_str()), Tone::Dim);
    }
    let marked = table.marks().len();
    if marked > 0 {
        line.push(format!("   ◆ {marked} marked"), Tone::Warning);
    }
}

/// The sign changes while a Mysis runs, unless motion is switched off.
fn heartbeat_sign(facts: &Facts) -> &'static str {
    let is_live = facts.counts.running > 0;
    let moves = facts.appearance.motion == Motion::Full;
    let is_odd = (facts.now.0 / 1000) % 2 == 1;
    if is_live && moves && is_odd {
        "⬡"
    } else {
        "⬢"
    }
}

fn paint_mission(facts: &Facts, area: Rect, painter: &mut Painter<'_>) {
    let Some(mission) = facts.mission.as_ref() else {
        let key = facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::Broadcast);
        let words = format!("none; {key} broadcasts one to the whole swarm");
        let line = StyledLine::of("MISSION  ", Tone::Broadcast).with(words, Tone::Dim);
        painter.line(area, 0, &line);
        return;
    };
    let end = painter.text(area, 0, "MISSION  ", Tone::Broadcast);
    painter.paragraph(without_left(area, end), &one_line(mission), Tone::Text);
}

/// These parts in one line.
fn joined(parts: impl IntoIterator<Item = Option<StyledLine>>) -> StyledLine {
    let mut line = StyledLine::default();
    for part in parts.into_iter().flatten() {
        let gap = if line.spans.is_empty() { "" } else { GAP };
        line.push(gap, Tone::Dim);
        line.spans.extend(part.spans);
    }
    line
}

/// Draws how it goes with its figure large, and the other figures at the right.
fn paint_large(facts: &Facts, area: Rect, painter: &mut Painter<'_>) {
    let [per_minute, tokens] = token_texts(facts);
    let beside = earned_text(facts).unwrap_or_default();
    let (logins, activity) = (logins_text(facts), activity_text(facts));
    let others = [
        joined([lead::needs_text(facts), credits_text(facts)]),
        joined([cost_text(facts), budget_text(facts), Some(tokens)]),
        joined([logins, activity, Some(per_minute)]),
    ];
    large::paint(&verdict(facts), &beside, &others, area, painter);
}

/// Draws the figures, the most important ones first: how it goes, who needs the operator, money, the budget, what goes on, tokens.
/// Those that do not fit are left out. A chart of the tokens takes the room that is left.
fn paint_figures(facts: &Facts, area: Rect, painter: &mut Painter<'_>) {
    let room = usize::from(area.width);
    let (mut left, mut right) = (Vec::new(), VecDeque::new());
    let mut taken = 0;
    let [verdict, needs] = lead::lead(facts, room);
    let left_parts = [
        verdict,
        needs,
        credits_text(facts),
        earned_text(facts),
        cost_text(facts),
        budget_text(facts),
        logins_text(facts),
        activity_text(facts),
    ];
    for part in left_parts.into_iter().flatten() {
        let wide = width::of(&part.text()) + GAP.len();
        if taken + wide <= room + GAP.len() {
            taken += wide;
            left.push(Some(part));
        }
    }
    for part in token_texts(facts) {
        let wide = width::of(&part.text()) + GAP.len();
        if taken + wide <= room {
            taken += wide;
            right.push_front(Some(part));
        }
    }
    let flow = &facts.token_rate;
    let bars: Vec<u64> = flow.bars().iter().copied().collect();
    let fits = room.saturating_sub(taken + 4).min(MAX_CHART_BARS);
    if fits >= 6 && !flow.is_flat() {
        let bars = &bars[bars.len().saturating_sub(fits)..];
        right.push_front(Some(StyledLine::of(sparkline(bars), Tone::Accent)));
    }
    painter.line(area, 0, &joined(left));
    painter.line_at_right(area, 0, &joined(right));
}

/// The credits of the swarm, or the number that the operator named.
fn credits_text(facts: &Facts) -> Option<StyledLine> {
    let money = &facts.money;
    if let (Some(number), Some(name)) = (money.number, facts.number_name()) {
        let number = money::credits(number, MAX_CREDITS_COLUMNS);
        return Some(StyledLine::of(format!("{name} "), Tone::Dim).with(number, Tone::Strong));
    }
    let credits = money.credits?;
    let whole = money::credits(credits, MAX_CREDITS_COLUMNS);
    Some(StyledLine::of("credits ", Tone::Dim).with(whole, Tone::Strong))
}

/// What the swarm earned in the last hour.
fn earned_text(facts: &Facts) -> Option<StyledLine> {
    let money = &facts.money;
    let earned = money.has_rate().then(|| money.in_an_hour())?;
    let sum = money::signed_credits(earned);
    let period = format!(" {}", facts.money_period());
    Some(StyledLine::of(sum, tone_of_gain(earned)).with(period, Tone::Dim))
}

/// What the swarm spent today, deleted Myses included. A part of it may have no known price.
fn cost_text(facts: &Facts) -> Option<StyledLine> {
    let (spent, unpriced_tokens) = facts.spent_today();
    // Without a limit the gate knows only what this process spent.
    let micros = spent.cost_micros.max(facts.money.cost_today);
    let unknown = if unpriced_tokens > 0 { "+?" } else { "" };
    let sum = format!("{}{unknown}", figures::money(micros));
    let cost = StyledLine::of("cost ", Tone::Dim).with(sum, Tone::Text);
    (micros > 0).then(|| cost.with(" today", Tone::Dim))
}

/// The used part of the budget, whose it is, and when it begins anew.
fn budget_text(facts: &Facts) -> Option<StyledLine> {
    let percent = facts.budget_percent()?;
    let is_of_swarm = |rules: &SwarmRules| rules.budget.has_swarm_limit();
    let whose = match facts.rules.as_deref().is_none_or(is_of_swarm) {
        true => "budget",
        false => "highest budget",
    };
    let tone = if percent >= 80 {
        Tone::Warning
    } else {
        Tone::Text
    };
    let until = Day::of(facts.now).end_time();
    let until = facts.appearance.offset.short_clock(until);
    let line = StyledLine::of(format!("{whose} "), Tone::Dim).with(percent_text(percent), tone);
    Some(line.with(format!(" until {until}"), Tone::Dim))
}

fn logins_text(facts: &Facts) -> Option<StyledLine> {
    let counts = facts.counts;
    let per_minute = facts
        .rules
        .as_deref()
        .and_then(|of| of.tools.logins_per_minute);
    let pause = facts.outages.login_pause(facts.now);
    let arrival = LoginProgress::of(counts.here, counts.coming, per_minute, pause)?;
    let mut away = facts.outages.away();
    if facts.frozen_since.is_some() || away.any(|it| it.is_of_server(&Lane::Game)) {
        return None;
    }
    Some(StyledLine::of(arrival.to_string(), Tone::Accent))
}

/// How many ask a model, call a tool and wait.
fn activity_text(facts: &Facts) -> Option<StyledLine> {
    let counts = facts.counts;
    let mut line = StyledLine::default();
    let counts = [
        (counts.asking, "asking"),
        (counts.calling, "calling"),
        (counts.queueing, "waiting"),
    ];
    for (count, word) in counts {
        let gap = if line.spans.is_empty() { "" } else { "  " };
        let tone = if count == 0 { Tone::Dim } else { Tone::Accent };
        line.push(format!("{gap}{count}"), tone);
        line.push(format!(" {word}"), Tone::Dim);
    }
    Some(line)
}

/// The tokens of a minute, and of all time.
fn token_texts(facts: &Facts) -> [StyledLine; 2] {
    let per_minute = facts.tokens_per_minute().map(figures::amount);
    let per_minute = per_minute.unwrap_or_else(|| "-".into());
    let tokens = figures::amount(facts.counts.tokens);
    [
        StyledLine::of(per_minute, Tone::Text).with(" tokens/min", Tone::Dim),
        StyledLine::of(tokens, Tone::Text).with(" tokens", Tone::Dim),
    ]
}

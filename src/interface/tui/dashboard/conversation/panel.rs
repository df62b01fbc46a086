//! The panel beside a conversation: ship, hold, credits and the tokens that the Mysis used.

use super::Focus;
use super::Weight;
use super::game::{GameSummary, Gauge};
use crate::dashboard::facts::Facts;
use crate::dashboard::keys::{TARGET_KEYS, TargetAction};
use crate::dashboard::layout::without_left;
use crate::dashboard::money;
use crate::dashboard::table::cells::{cost_text, role_text};
use crate::dashboard::table::levels::OLD_MARK;
use crate::dashboard::text::figures::{self, UtcOffset};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::token_rate::sparkline;
use actors::domain::event::{LinkState, MysisStatus};
use actors::domain::last_request::RequestByteCounts;
use actors::domain::samples::GameFacts;
use ratatui::layout::Rect;
use strum::VariantArray;
use zoea_text::clean::one_line;

use crate::painter::Painter;
use crate::theme::Ground;

const LABEL: usize = 9;
/// The width in cells of the bar that shows a part's share of a request.
const SHARE_BAR_CELLS: usize = 12;

pub(crate) fn paint(facts: &Facts, focus: &Focus, area: Rect, painter: &mut Painter<'_>) {
    if area.width < 8 {
        return;
    }
    painter.fill(area, Ground::Panel);
    let inner = Rect {
        width: area.width - 3,
        ..without_left(area, 2)
    };
    let mut lines = Vec::new();
    let member = facts.roster.get(focus.mysis());
    if let Some(member) = member {
        let columns = inner.width;
        add_mysis(facts, &member.status, focus.weight, &mut lines, columns);
    }
    if member.is_none_or(|member| member.status.may_tell_facts()) {
        lines.push(StyledLine::default());
        let known = member.map(|member| member.status.figures.facts.clone());
        let known = (&focus.game, &known.unwrap_or_default());
        add_game(facts, known, &mut lines, usize::from(inner.width));
    }
    painter.lines(inner, &lines);
}

fn labelled(label: &str, value: impl Into<Box<str>>, tone: Tone) -> StyledLine {
    StyledLine::of(width::fit(label, LABEL), Tone::Dim).with(value, tone)
}

/// Adds its role, and the tier that it has because of it.
fn add_role(status: &MysisStatus, lines: &mut Vec<StyledLine>) {
    if status.profile.role.is_some() {
        let (role, tone) = role_text(status);
        lines.push(labelled("role", role, tone));
    }
    if let Some(place) = &status.tier {
        let why = format!("{}: {}", place.tier, one_line(&place.why));
        lines.push(labelled("tier", why, Tone::Text));
    }
}

fn add_mysis(
    facts: &Facts,
    status: &MysisStatus,
    weight: Weight,
    lines: &mut Vec<StyledLine>,
    columns: u16,
) {
    let totals = status.totals;
    let account = status.account.as_deref().map(one_line);
    // Tools of no game have no accounts.
    let account = account.or_else(|| status.may_tell_facts().then(|| "none".to_string()));
    let link_tone = match &status.link {
        LinkState::None => Tone::Dim,
        LinkState::Ok => Tone::Success,
        LinkState::Down | LinkState::NoAccess | LinkState::LoginRefused(_) => Tone::Fault,
    };
    let tokens = [totals.tokens_in, totals.tokens_out].map(figures::amount);
    let tokens = format!("{} in, {} out", tokens[0], tokens[1]);
    lines.push(StyledLine::of("MYSIS", Tone::Brand));
    lines.extend(account.map(|account| labelled("account", account, Tone::Text)));
    let link = status.link.describe().trim_start_matches("session ");
    lines.push(labelled("session", link, link_tone));
    add_role(status, lines);
    let provider = one_line(&status.profile.provider);
    lines.push(labelled("provider", provider, Tone::Text));
    lines.push(labelled("model", one_line(&status.model), Tone::Text));
    let temperature = status.temperature.map(|value| value.to_string());
    let temperature = temperature.unwrap_or("–".to_string());
    lines.push(labelled("temp", temperature, Tone::Text));
    lines.push(labelled("turns", figures::amount(totals.turns), Tone::Text));
    lines.push(labelled("tokens", tokens, Tone::Text));
    if totals.tokens() > 0 {
        let cost = cost_text(status, facts.rules.as_deref());
        lines.push(labelled("cost", cost, Tone::Text));
    }
    if let Some(credits) = status.figures.value.credits_per_dollar() {
        let value = format!("{} credits a dollar", money::short_credits(credits));
        lines.push(labelled("value", value, Tone::Text));
    }
    if let Some(ms) = status.last_call_ms {
        lines.push(labelled("call", figures::span(ms), Tone::Text));
    }
    if let Some(parts) = weight.parts {
        add_request(facts, parts, lines);
    }
    let rules = facts.rules.as_deref();
    let limit = rules.map_or(0, |rules| rules.nudge_limit());
    if let Some(given) = status.nudges.filter(|given| *given > 0) {
        let nudges = format!("{given} of {limit}");
        lines.push(labelled("nudges", nudges, Tone::Warning));
    }
    add_reason(status, lines, columns);
}

fn add_reason(status: &MysisStatus, lines: &mut Vec<StyledLine>, columns: u16) {
    let fault = status.fault.as_ref();
    let fault = fault.map(|fault| (&*fault.text, Tone::Errored));
    let reason = status.reason.as_deref().map(|reason| (reason, Tone::Dim));
    if let Some((why, tone)) = fault.or(reason) {
        lines.push(StyledLine::default());
        let why = one_line(why);
        let wrapped = width::wrap(&why, usize::from(columns)).take(6);
        lines.extend(wrapped.map(|line| StyledLine::of(line, tone)));
    }
}

fn add_request(facts: &Facts, parts: RequestByteCounts, lines: &mut Vec<StyledLine>) {
    let size = |bytes: usize| figures::size(bytes as u64);
    let key = facts.keymap.key_of(TARGET_KEYS, TargetAction::Request);
    lines.push(
        labelled("request", size(parts.total_bytes()), Tone::Text)
            .with(format!("  {key} shows it"), Tone::Hint),
    );
    for (label, bytes) in parts.named_sizes() {
        let cells = (bytes * SHARE_BAR_CELLS)
            .div_ceil(parts.total_bytes().max(1))
            .min(SHARE_BAR_CELLS);
        lines.push(
            labelled(&format!(" {label}"), "━".repeat(cells), Tone::Tool)
                .with("─".repeat(SHARE_BAR_CELLS - cells), Tone::Faint)
                .with(format!(" {}", size(bytes)), Tone::Dim),
        );
    }
}

/// Adds what results told of the ship, with the levels that follow from what was done since.
fn add_game(
    facts: &Facts,
    (game, known): (&GameSummary, &GameFacts),
    lines: &mut Vec<StyledLine>,
    columns: usize,
) {
    let mut title = StyledLine::of("SHIP", Tone::Brand);
    let Some(at) = game.at else {
        lines.push(title);
        return lines.push(StyledLine::of("no result has shown it yet", Tone::Dim));
    };
    let seen = figures::seen(facts.now.since(at));
    title.push(format!("  {seen}"), Tone::Dim);
    lines.push(title);
    let names = &game.names;
    for (label, name) in [
        ("name", names.ship.as_ref()),
        ("system", names.system.as_ref()),
        ("place", names.poi.as_ref()),
        ("docked", names.base.as_ref().and_then(Option::as_ref)),
    ] {
        lines.extend(name.map(|name| labelled(label, name.as_str(), Tone::Text)));
    }
    let levels = Gauge::VARIANTS.iter();
    let levels = levels.filter_map(|gauge| Level::of(*gauge, game, known));
    lines.extend(levels.map(|level| level.line(columns)));
    // Goods are told by looks alone.
    let are_goods_old = Level::of(Gauge::Cargo, game, known)
        .zip(game.gauge(Gauge::Cargo))
        .is_some_and(|(level, (told, _))| level.is_old || (level.now - told).abs() >= 1.0);
    for (name, quantity) in names.hold.iter().flatten().take(8) {
        let (quantity, tone) = match are_goods_old {
            true => (format!("{OLD_MARK}{quantity}"), Tone::Dim),
            false => (quantity.to_string(), Tone::Number),
        };
        let quantity = StyledLine::of(format!("{quantity:>LABEL$} "), tone);
        lines.push(quantity.with(
            width::clip(name, columns.saturating_sub(LABEL + 1)),
            Tone::Dim,
        ));
    }
    add_credits(game, facts.appearance.offset, lines, columns);
}

struct Level {
    gauge: Gauge,
    now: f64,
    most: f64,
    /// Whether it may have changed since it was told.
    is_old: bool,
}

impl Level {
    /// The level that follows from all results, else the one that a result told; `None` if none did.
    fn of(gauge: Gauge, game: &GameSummary, facts: &GameFacts) -> Option<Level> {
        let (known, is_old) = match gauge {
            Gauge::Fuel => (facts.fuel, facts.is_fuel_old),
            Gauge::Cargo => (facts.cargo, facts.is_cargo_old),
            Gauge::Hull => (facts.hull, false),
            Gauge::Shield => (Default::default(), false),
        };
        let known = known.now.zip(known.most);
        let known = known.map(|(now, most)| (f64::from(now), f64::from(most)));
        let (now, most) = known.or(game.gauge(gauge))?;
        Some(Level {
            gauge,
            now,
            most,
            is_old: is_old && known.is_some(),
        })
    }

    fn line(&self, columns: usize) -> StyledLine {
        let Level {
            gauge, now, most, ..
        } = *self;
        let is_known = most > 0.0;
        let share = if is_known { now / most } else { 0.0 };
        let share = share.clamp(0.0, 1.0);
        let cells = columns.saturating_sub(LABEL + 9).clamp(4, 16);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a handful of cells"
        )]
        let full = ((share * cells as f64).round() as usize).min(cells);
        // The gauge turns to a warning when the hold is full, or when fuel or hull are low.
        let is_bad = match gauge {
            Gauge::Cargo => share > 0.95,
            Gauge::Fuel | Gauge::Hull => share < 0.25,
            Gauge::Shield => false,
        };
        let tone = if is_bad { Tone::Warning } else { Tone::Accent };
        let (mark, figures) = match self.is_old {
            true => (OLD_MARK, Tone::Dim),
            false => (' ', Tone::Text),
        };
        labelled(gauge.as_str(), "━".repeat(full), tone)
            .with("─".repeat(cells - full), Tone::Faint)
            .with(format!("{mark}{now:.0}/{most:.0}"), figures)
    }
}

fn add_credits(game: &GameSummary, offset: UtcOffset, lines: &mut Vec<StyledLine>, columns: usize) {
    let Some((_, newest)) = game.credits().back() else {
        return;
    };
    lines.push(StyledLine::default());
    let (began, first) = game.credits().front().copied().unwrap_or_default();
    let gain = newest.saturating_sub(first);
    let since = offset.short_clock(began);
    let tone = match gain {
        ..0 => Tone::Warning,
        0.. => Tone::Success,
    };
    lines.push(
        StyledLine::of("CREDITS  ", Tone::Brand)
            .with(money::credits(*newest, 9), Tone::Strong)
            .with(format!("  {gain:+}"), tone)
            .with(format!(" since {since}"), Tone::Dim),
    );
    let points: Vec<i64> = game.credits().iter().map(|(_, credits)| *credits).collect();
    let points = &points[points.len().saturating_sub(columns)..];
    let least = points.iter().copied().min().unwrap_or(0);
    let heights: Vec<u64> = points.iter().map(|point| point.abs_diff(least)).collect();
    lines.push(StyledLine::of(sparkline(&heights), Tone::Accent));
}

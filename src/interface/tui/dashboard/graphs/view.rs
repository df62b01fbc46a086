//! Draws the graphs.

use ratatui::layout::{Constraint, Layout, Rect};

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::samples::Minute;

use super::{Curve, GraphScope, GraphSpan, GraphView, GraphedValue, MAX_GRAPHS, round_ceiling};
use crate::dashboard::Dashboard;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::log::message::{LogKind, LogMessage};
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::toolkit::page::{begin_page, say, with_complaint};
use crate::dashboard::toolkit::plot::{Mark, Plot};
use crate::painter::Painter;

/// The mark of an order on the axis of time.
const ORDER_SIGN: &str = "▾";
/// The mark of an error.
const ERROR_SIGN: &str = "✖";
/// The line of the time in which a server was away.
const OUTAGE_SIGN: &str = "━";
/// The line of the time in which the swarm was frozen.
const FROZEN_SIGN: &str = "░";
/// From this width on, the figures of each graph stand beside them.
const MIN_COLUMNS_WITH_TABLE: u16 = 110;
/// The columns of these figures.
const TABLE_COLUMNS: u16 = 46;

pub(super) fn paint(
    dashboard: &Dashboard,
    view: &GraphView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let curves = view.curves(dashboard.counts().all);
    let bounds = view.bounds(&curves);
    let body = begin_page(layout, &title(dashboard, view, bounds), painter);
    let has_points = curves.iter().any(|curve| !curve.points.is_empty());
    let (Some(bounds), true) = (bounds, has_points) else {
        let (words, tone) = match (view.samples.complaint(), view.samples.value()) {
            (Some(why), _) => (format!("the samples cannot be read: {why}"), Tone::Fault),
            (None, None) => ("reading the samples …".to_string(), Tone::Dim),
            (None, Some(_)) => {
                let words = "nothing is known of this time yet; a minute makes a figure";
                (words.to_string(), Tone::Dim)
            }
        };
        return say(body, &words, tone, painter);
    };
    let table = match body.width >= MIN_COLUMNS_WITH_TABLE {
        true => TABLE_COLUMNS,
        false => 0,
    };
    let [graphs, table] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(table)]).areas(body);
    let values = value_bounds(&curves);
    for (curve, area) in curves.iter().zip(cells(graphs, curves.len())) {
        let marks = marks(dashboard, curve.mysis, bounds);
        let newest = curve.points.last().map(|(_, value)| *value);
        let newest = newest.map_or("nothing known".to_string(), |it| figure(view.value, it));
        let plot = Plot {
            points: &curve.points,
            bounds,
            values,
            marks: &marks,
            title: [&name_of(dashboard, curve), &newest],
            unit: view.value.unit(),
            value_text: &|value| figure(view.value, value),
            time_text: &|minute| time(dashboard, view.span, minute),
        };
        plot.paint(area, painter);
    }
    paint_table(dashboard, view, &curves, table, painter);
}

fn name_of(dashboard: &Dashboard, curve: &Curve) -> String {
    match curve.mysis {
        Some(mysis) => zoea_text::clean::one_line(&dashboard.name_of(mysis)),
        None => "all".to_string(),
    }
}

/// What is shown, since when, and what the marks are.
fn title(dashboard: &Dashboard, view: &GraphView, bounds: Option<(f64, f64)>) -> StyledLine {
    let whose = match &view.scope {
        GraphScope::Swarm => "the swarm".to_string(),
        GraphScope::Each(myses) if myses.len() > MAX_GRAPHS => {
            format!("{MAX_GRAPHS} of {} marked", myses.len())
        }
        GraphScope::Each(myses) => {
            let names = myses.iter().map(|id| dashboard.name_of(*id).to_string());
            zoea_text::clean::one_line(&names.collect::<Vec<_>>().join(", "))
        }
    };
    let since = match bounds {
        Some((first, last)) => {
            let taken = ((last - first).max(0.0) * 60_000.0) as u64;
            let since = time(dashboard, view.span, first);
            format!(
                "  since {since} ({}, of {})",
                figures::span(taken),
                view.span.as_str()
            )
        }
        None => format!("  {}", view.span.as_str()),
    };
    let title = StyledLine::of(" GRAPHS  ", Tone::Brand)
        .with(view.value.as_str(), Tone::Strong)
        .with(since, Tone::Accent)
        .with(format!("   {whose}"), Tone::Dim)
        .with(format!("   {ORDER_SIGN} your orders"), Tone::You)
        .with(format!("  {ERROR_SIGN} errors"), Tone::Fault)
        .with(format!("  {OUTAGE_SIGN} server away"), Tone::Warning)
        .with(format!("  {FROZEN_SIGN} frozen"), Tone::Dim);
    with_complaint(title, view.samples.complaint())
}

/// The figures of each curve.
fn paint_table(
    dashboard: &Dashboard,
    view: &GraphView,
    curves: &[Curve],
    area: Rect,
    painter: &mut Painter<'_>,
) {
    let row = |name: &str, cells: [String; 4], tone| {
        let [now, low, high, average] = cells;
        let name = crate::dashboard::text::width::fit(name, 12);
        StyledLine::of(format!("  {name}"), Tone::Strong)
            .with(format!("{now:>8}{low:>8}{high:>8}{average:>8}"), tone)
    };
    let titles = ["NOW", "LOWEST", "HIGHEST", "AVERAGE"].map(str::to_string);
    painter.line(area, 0, &row("", titles, Tone::Dim));
    for (place, curve) in (1..area.height).zip(curves) {
        let values = || curve.points.iter().map(|(_, value)| *value);
        let count = curve.points.len().max(1) as f64;
        let cells = [
            values().next_back(),
            values().reduce(f64::min),
            values().reduce(f64::max),
            values().next().map(|_| values().sum::<f64>() / count),
        ];
        let cells = cells.map(|it| it.map_or("–".to_string(), |it| figure(view.value, it)));
        painter.line(
            area,
            place,
            &row(&name_of(dashboard, curve), cells, Tone::Text),
        );
    }
}

/// The areas of so many graphs: as square a grid as possible.
fn cells(body: Rect, count: usize) -> Vec<Rect> {
    let columns = (1..=count).find(|side| side * side >= count).unwrap_or(1);
    let rows = count.div_ceil(columns.max(1));
    let rows = Layout::vertical(vec![Constraint::Fill(1); rows]).split(body);
    rows.iter()
        .flat_map(|row| {
            let cells = Layout::horizontal(vec![Constraint::Fill(1); columns]).split(*row);
            cells.to_vec()
        })
        .take(count)
        .collect()
}

/// The bounds of the axis of values, which all graphs share: round numbers around all values and zero.
fn value_bounds(curves: &[Curve]) -> (f64, f64) {
    let values = || {
        let points = curves.iter().flat_map(|curve| &curve.points);
        points.map(|(_, value)| *value)
    };
    let lowest = values().fold(0.0, f64::min);
    let bottom = if lowest < 0.0 {
        -round_ceiling(-lowest)
    } else {
        0.0
    };
    (bottom, round_ceiling(values().fold(0.0, f64::max)))
}

/// What happened in the time of a graph: later ones hide earlier ones.
fn marks(dashboard: &Dashboard, mysis: Option<MysisId>, bounds: (f64, f64)) -> Vec<Mark> {
    let mut marks = spans(dashboard, bounds.1);
    let at = |minute: f64, sign, tone| Mark {
        minutes: (minute, minute),
        sign,
        tone,
    };
    let errors = errors(dashboard, mysis, bounds);
    marks.extend(errors.map(|minute| at(minute, ERROR_SIGN, Tone::Fault)));
    let orders = orders(dashboard, bounds);
    marks.extend(orders.map(|minute| at(minute, ORDER_SIGN, Tone::You)));
    marks
}

/// The times in which a server was away, or the swarm frozen, as far as the log reaches back.
fn spans(dashboard: &Dashboard, until: f64) -> Vec<Mark> {
    let mut spans = Vec::new();
    let (mut away, mut frozen): (Option<f64>, Option<f64>) = (None, None);
    let span = |from: f64, to: f64, sign, tone| Mark {
        minutes: (from, to),
        sign,
        tone,
    };
    let outage = |from, to| span(from, to, OUTAGE_SIGN, Tone::Warning);
    let freeze = |from, to| span(from, to, FROZEN_SIGN, Tone::Dim);
    for message in dashboard.log().messages() {
        let minute = Minute::of(message.at).0 as f64;
        match &*message.code {
            "circuit_open" | "game_away" | "out_of_service" => away = away.or(Some(minute)),
            "circuit_closed" | "game_back" => {
                spans.extend(away.take().map(|from| outage(from, minute)));
            }
            "freeze" => frozen = frozen.or(Some(minute)),
            "thaw" => spans.extend(frozen.take().map(|from| freeze(from, minute))),
            "closing" | "up" => {
                spans.extend(away.take().map(|from| outage(from, minute)));
            }
            _ => {}
        }
    }
    // One that goes on is told by the present state.
    let is_away = dashboard.outages().away().next().is_some();
    spans.extend(away.filter(|_| is_away).map(|from| outage(from, until)));
    if let Some(since) = dashboard.frozen_since() {
        spans.push(freeze(Minute::of(since).0 as f64, until));
    }
    spans
}

/// The minutes in which the operator gave orders: those of this session by their receipts, earlier ones as they are
/// stored.
fn orders(dashboard: &Dashboard, bounds: (f64, f64)) -> impl Iterator<Item = f64> {
    let stored = dashboard.log().messages().iter();
    let stored = stored.filter(|message| {
        // A refused order changed nothing.
        message.kind == LogKind::Order && message.tone != Tone::Warning
    });
    let receipts = dashboard.orders().receipts().iter();
    let given = receipts.filter(|receipt| receipt.done + receipt.awaited > 0);
    let times = given.map(|receipt| dashboard.wall_time(receipt.at));
    minutes_within(bounds, stored.map(|message| message.at).chain(times))
}

/// The minutes in which errors were told: of this Mysis, or of all.
fn errors(
    dashboard: &Dashboard,
    mysis: Option<MysisId>,
    bounds: (f64, f64),
) -> impl Iterator<Item = f64> {
    let name = mysis.map(|mysis| dashboard.name_of(mysis));
    let is_told = move |message: &&std::sync::Arc<LogMessage>| {
        message.is_error() && name.as_ref().is_none_or(|name| message.who == *name)
    };
    let told = dashboard.log().messages().iter().filter(is_told);
    minutes_within(bounds, told.map(|message| message.at))
}

fn minutes_within(
    (first, last): (f64, f64),
    times: impl Iterator<Item = Timestamp>,
) -> impl Iterator<Item = f64> {
    let minutes = times.map(|at| Minute::of(at).0 as f64);
    minutes.filter(move |minute| (first..=last).contains(minute))
}

/// A value as the axis writes it.
fn figure(shown: GraphedValue, value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    let size = value.abs();
    match shown {
        GraphedValue::Dollars => {
            // A sum that is no number of micro-dollars is not drawn either.
            format!("{sign}{}", figures::money((size * 1e6).round() as u64))
        }
        GraphedValue::Waiting => format!("{sign}{size:.0}%"),
        GraphedValue::Credits
        | GraphedValue::Earned
        | GraphedValue::Tokens
        | GraphedValue::Calls
        | GraphedValue::Failures => {
            if size < 10.0 && size.fract() > 0.0 {
                return format!("{sign}{size:.1}");
            }
            format!("{sign}{}", figures::amount(size.round() as u64))
        }
    }
}

/// A time as the axis writes it: of a day the clock, of longer times the day.
fn time(dashboard: &Dashboard, span: GraphSpan, minute: f64) -> String {
    let offset = dashboard.appearance().offset;
    let at: Timestamp = Minute(minute as i64).start_time();
    let (day, clock) = (offset.day(at), offset.clock(at));
    match span {
        GraphSpan::Hour | GraphSpan::Day => clock.get(..5).unwrap_or_default().to_string(),
        GraphSpan::Week | GraphSpan::Month => day.get(5..).unwrap_or_default().to_string(),
    }
}

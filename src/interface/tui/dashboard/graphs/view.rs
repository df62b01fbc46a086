//! Draws the graphs.

use ratatui::layout::{Constraint, Layout, Rect};
use strum::VariantArray;

use actors::domain::ids::Timestamp;
use actors::domain::samples::Minute;

use super::marks::{legend, marks};
use super::{
    Curve, GraphScope, GraphSpan, GraphView, GraphedValue, MAX_GRAPHS, known_since, round_ceiling,
};
use crate::dashboard::facts::Facts;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::toolkit::page::{begin_page, say, with_complaint};
use crate::dashboard::toolkit::plot::{Mark, Plot};
use crate::painter::Painter;

/// From this width on, the figures of each graph stand beside them.
const MIN_COLUMNS_WITH_TABLE: u16 = 110;
const TABLE_COLUMNS: u16 = 48;
const TABLE_NAME_COLUMNS: usize = 14;

pub(super) fn paint(
    facts: &Facts,
    view: &GraphView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let curves = view.curves(facts.counts.all);
    let bounds = view.bounds(&curves);
    let marked = curves.iter().map(|curve| match bounds {
        Some(bounds) => marks(facts, curve.mysis, bounds),
        None => Vec::new(),
    });
    let marked: Vec<Vec<Mark>> = marked.collect();
    let drawn = bounds.filter(|_| curves.iter().any(|curve| !curve.points.is_empty()));
    let known = drawn.map(|(_, last)| (known_since(&curves, last), last));
    let mut title = title(facts, view, known);
    title.spans.extend(legend(&marked.concat()).spans);
    let title = with_complaint(title, view.samples.complaint());
    let body = begin_page(layout, &title, painter);
    let Some(bounds) = drawn else {
        let (words, tone) = why_empty(facts, view);
        return say(body, &words, tone, painter);
    };
    let table = match body.width >= MIN_COLUMNS_WITH_TABLE {
        true => TABLE_COLUMNS,
        false => 0,
    };
    let [graphs, table] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(table)]).areas(body);
    let values = value_bounds(&curves);
    let areas = cells(graphs, curves.len());
    for ((curve, area), marks) in curves.iter().zip(areas).zip(&marked) {
        let newest = curve.points.last().map(|(_, value)| *value);
        let newest = newest.map_or("nothing known".to_string(), |it| figure(view.value, it));
        let [_, _, unit] = view.value.words();
        let plot = Plot {
            points: &curve.points,
            bounds,
            values,
            marks,
            title: [&name_of(facts, curve), &newest],
            unit,
            value_text: &|value| figure(view.value, value),
            time_text: &|minute| time(facts, view.span, minute),
        };
        plot.paint(area, painter);
    }
    paint_table(facts, view, &curves, table, painter);
}

/// Why there is no curve.
fn why_empty(facts: &Facts, view: &GraphView) -> (String, Tone) {
    match (view.samples.complaint(), view.samples.value()) {
        (Some(why), _) => (format!("the samples cannot be read: {why}"), Tone::Fault),
        (None, None) => ("reading the samples …".to_string(), Tone::Dim),
        (None, Some(_)) => {
            let tokens = view.curves_of(GraphedValue::Tokens, facts.counts.all);
            let has_tokens = tokens.iter().any(|curve| !curve.points.is_empty());
            let words = match has_tokens && view.value == GraphedValue::Dollars {
                true => "the prices of these models are not known",
                false => "no samples of this time yet; there is one for each minute",
            };
            (words.to_string(), Tone::Dim)
        }
    }
}

fn name_of(facts: &Facts, curve: &Curve) -> String {
    match curve.mysis {
        Some(mysis) => zoea_text::clean::one_line(&facts.name_of(mysis)),
        None => "all".to_string(),
    }
}

/// What is shown, and since when.
fn title(facts: &Facts, view: &GraphView, known: Option<(f64, f64)>) -> StyledLine {
    let whose = match &view.scope {
        GraphScope::Swarm => "the swarm".to_string(),
        GraphScope::Each(myses) if myses.len() > MAX_GRAPHS => {
            format!("{MAX_GRAPHS} of {} marked", myses.len())
        }
        GraphScope::Each(myses) => {
            let names = myses.iter().map(|id| facts.name_of(*id).to_string());
            zoea_text::clean::one_line(&names.collect::<Vec<_>>().join(", "))
        }
    };
    let ([words, ..], (span, _)) = (view.value.words(), view.span.length());
    let since = match known {
        Some((first, last)) => {
            let taken = ((last - first).max(0.0) * 60_000.0) as u64;
            let since = time(facts, view.span, first);
            let taken = match taken {
                0..60_000 => "less than a minute".to_string(),
                60_000.. => figures::span(taken),
            };
            format!("  since {since} ({taken} of {span})")
        }
        None => format!("  {span}"),
    };
    StyledLine::of(" GRAPHS  ", Tone::Brand)
        .with(value_text(facts, view.value, words), Tone::Strong)
        .with(since, Tone::Accent)
        .with(format!("   {whose}"), Tone::Dim)
}

/// What a value is called: a number as the operator named it, all others in these words.
fn value_text(facts: &Facts, value: GraphedValue, words: &str) -> String {
    let named = || facts.number_name();
    let named = (value == GraphedValue::Number).then(named).flatten();
    named.unwrap_or_else(|| words.to_string())
}

/// The figures of each curve; of one curve those of all values.
fn paint_table(
    facts: &Facts,
    view: &GraphView,
    curves: &[Curve],
    area: Rect,
    painter: &mut Painter<'_>,
) {
    let row = |name: &str, cells: [String; 4], tone| {
        let [now, low, high, average] = cells;
        let name = width::fit(name, TABLE_NAME_COLUMNS);
        StyledLine::of(format!("  {name}"), Tone::Strong)
            .with(format!("{now:>8}{low:>8}{high:>8}{average:>8}"), tone)
    };
    let titles = ["NOW", "LOWEST", "HIGHEST", "AVERAGE"].map(str::to_string);
    painter.line(area, 0, &row("", titles, Tone::Dim));
    let rows: Vec<(String, GraphedValue, Curve)> = match curves {
        [_] => (GraphedValue::VARIANTS.iter().copied())
            .flat_map(|value| {
                let curves = view.curves_of(value, facts.counts.all);
                let known = curves.into_iter().filter(|curve| !curve.points.is_empty());
                let [_, words, _] = value.words();
                let name = value_text(facts, value, words);
                known.map(move |curve| (name.clone(), value, curve))
            })
            .collect(),
        curves => (curves.iter())
            .map(|curve| (name_of(facts, curve), view.value, curve.clone()))
            .collect(),
    };
    for (place, (name, value, curve)) in (1..area.height).zip(rows) {
        let values = || curve.points.iter().map(|(_, value)| *value);
        let count = curve.points.len().max(1) as f64;
        let cells = [
            values().next_back(),
            values().reduce(f64::min),
            values().reduce(f64::max),
            values().next().map(|_| values().sum::<f64>() / count),
        ];
        let cells = cells.map(|it| it.map_or("–".to_string(), |it| figure(value, it)));
        let tone = match value == view.value {
            true => Tone::Text,
            false => Tone::Dim,
        };
        painter.line(area, place, &row(&name, cells, tone));
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
        | GraphedValue::Failures
        | GraphedValue::Number => {
            if size < 10.0 && size.fract() > 0.0 {
                return format!("{sign}{size:.1}");
            }
            format!("{sign}{}", figures::amount(size.round() as u64))
        }
    }
}

/// A time as the axis writes it: of a day the clock, of longer times the day.
fn time(facts: &Facts, span: GraphSpan, minute: f64) -> String {
    let offset = facts.appearance.offset;
    let at: Timestamp = Minute(minute as i64).start_time();
    match span {
        GraphSpan::Hour | GraphSpan::Day => offset.short_clock(at),
        GraphSpan::Week | GraphSpan::Month => {
            offset.day(at).get(5..).unwrap_or_default().to_string()
        }
    }
}

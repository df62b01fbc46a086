//! Draws the graphs.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, Padding};

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::samples::Minute;

use super::{Curve, GraphScope, GraphSpan, GraphView, GraphedValue, MAX_GRAPHS, round_ceiling};
use crate::dashboard::Dashboard;
use crate::dashboard::appearance::Letters;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::log::message::LogKind;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::toolkit::page::{begin_page, say, with_complaint};
use crate::painter::Painter;
use crate::theme::{Ground, Paint};

/// From this height on, a graph has an axis of time: its name, three rows of a curve, the axis and its times.
const MIN_ROWS_WITH_TIMES: u16 = 6;
/// The mark of an order on the axis of time.
const ORDER_SIGN: char = '▾';
/// The mark of an error.
const ERROR_SIGN: char = '✖';

pub(crate) fn paint(
    dashboard: &Dashboard,
    view: &GraphView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let body = begin_page(layout, &title(dashboard, view), painter);
    let curves = view.curves(dashboard.counts().all);
    let has_points = curves.iter().any(|curve| !curve.points.is_empty());
    let (Some(bounds), true) = (view.bounds(&curves), has_points) else {
        let (words, tone) = match (view.samples.complaint(), view.samples.value()) {
            (Some(why), _) => (format!("the samples cannot be read: {why}"), Tone::Fault),
            (None, None) => ("reading the samples …".to_string(), Tone::Dim),
            (None, Some(_)) => ("nothing is known of this time yet".to_string(), Tone::Dim),
        };
        say(body, &words, tone, painter);
        return;
    };
    let values = value_bounds(&curves);
    let orders = orders(dashboard, bounds);
    for (curve, area) in curves.iter().zip(cells(body, curves.len())) {
        let graph = Graph {
            curve,
            bounds,
            values,
            orders: &orders,
            errors: &errors(dashboard, curve.mysis, bounds),
            value: view.value,
            span: view.span,
        };
        graph.paint(dashboard, area, painter);
    }
}

fn title(dashboard: &Dashboard, view: &GraphView) -> StyledLine {
    let whose = match &view.scope {
        GraphScope::Swarm => "the swarm".to_string(),
        GraphScope::Each(myses) if myses.len() > MAX_GRAPHS => {
            format!("{MAX_GRAPHS} of {} marked", myses.len())
        }
        GraphScope::Each(myses) => {
            let names = myses.iter().map(|id| dashboard.name_of(*id).to_string());
            names.collect::<Vec<_>>().join(", ")
        }
    };
    let title = StyledLine::of(" GRAPHS  ", Tone::Brand)
        .with(view.value.as_str(), Tone::Strong)
        .with(format!("  {}", view.span.as_str()), Tone::Accent)
        .with(format!("   {ORDER_SIGN} your orders"), Tone::You)
        .with(format!("  {ERROR_SIGN} errors"), Tone::Fault)
        .with(format!("   {whose}"), Tone::Dim);
    with_complaint(title, view.samples.complaint())
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

/// The minutes in which the operator gave orders: those of this session by their receipts, earlier ones as they are
/// stored.
fn orders(dashboard: &Dashboard, bounds: (f64, f64)) -> Vec<f64> {
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
fn errors(dashboard: &Dashboard, mysis: Option<MysisId>, bounds: (f64, f64)) -> Vec<f64> {
    let name = mysis.map(|mysis| dashboard.name_of(mysis));
    let told = dashboard.log().messages().iter().filter(|message| {
        message.is_error() && name.as_ref().is_none_or(|name| message.who == *name)
    });
    minutes_within(bounds, told.map(|message| message.at))
}

fn minutes_within((first, last): (f64, f64), times: impl Iterator<Item = Timestamp>) -> Vec<f64> {
    let minutes = times.map(|at| Minute::of(at).0 as f64);
    minutes
        .filter(|minute| (first..=last).contains(minute))
        .collect()
}

/// One graph with its axes.
struct Graph<'a> {
    curve: &'a Curve,
    bounds: (f64, f64),
    /// The lowest and the highest value of the axis.
    values: (f64, f64),
    orders: &'a [f64],
    errors: &'a [f64],
    value: GraphedValue,
    span: GraphSpan,
}

impl Graph<'_> {
    fn paint(&self, dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
        let paint = painter.paint();
        let (bottom, top) = self.values;
        // Orders stand at the upper edge and errors at the lower one, so that none hides another.
        let at = |minutes: &[f64], height: f64| -> Vec<(f64, f64)> {
            minutes.iter().map(|minute| (*minute, height)).collect()
        };
        let (orders, errors) = (at(self.orders, top), at(self.errors, bottom));
        let marker = match dashboard.appearance().letters {
            Letters::Unicode => Marker::Braille,
            Letters::Ascii => Marker::Custom('*'),
        };
        let curve = Dataset::default()
            .marker(marker)
            .graph_type(GraphType::Line)
            .style(paint.text(Tone::Accent))
            .data(&self.curve.points);
        let mark = |data, sign, tone| {
            Dataset::default()
                .marker(Marker::Custom(sign))
                .graph_type(GraphType::Scatter)
                .style(paint.text(tone))
                .data(data)
        };
        let datasets = vec![
            curve,
            mark(orders.as_slice(), ORDER_SIGN, Tone::You),
            mark(errors.as_slice(), ERROR_SIGN, Tone::Fault),
        ];
        let [x_axis, y_axis] = self.axes(dashboard, paint, area.height);
        let chart = Chart::new(datasets)
            .style(paint.ground(Ground::Base))
            .block(self.block(dashboard, paint.text(Tone::Strong), paint.text(Tone::Dim)))
            .x_axis(x_axis)
            .y_axis(y_axis)
            .legend_position(None);
        painter.render(chart, area);
    }

    /// The axes of time and of values in so many rows. In a low graph the times give way first, then the value in the
    /// middle: labels that share a row would read as another number.
    fn axes(&self, dashboard: &Dashboard, paint: Paint, height: u16) -> [Axis<'static>; 2] {
        let labels = paint.text(Tone::Dim);
        let (bottom, top) = self.values;
        let has_times = height >= MIN_ROWS_WITH_TIMES;
        let rows = height.saturating_sub(if has_times { 3 } else { 1 });
        let values = match rows {
            0..2 => Vec::new(),
            2 => vec![bottom, top],
            3.. => vec![bottom, f64::midpoint(bottom, top), top],
        };
        let (first, last) = self.bounds;
        let times = match has_times {
            true => vec![first, f64::midpoint(first, last), last],
            false => Vec::new(),
        };
        let axis = |bounds, labels: Vec<Span<'static>>| {
            let axis = Axis::default().style(paint.text(Tone::Faint));
            axis.bounds(bounds).labels(labels)
        };
        let times = times
            .into_iter()
            .map(|minute| Span::styled(self.time(dashboard, minute), labels));
        let values = values
            .into_iter()
            .map(|value| Span::styled(self.figure(value), labels));
        [
            axis([first, last], times.collect()),
            axis([bottom, top], values.collect()),
        ]
    }

    /// The name of the Mysis and the newest value above the graph.
    fn block(&self, dashboard: &Dashboard, strong: Style, dim: Style) -> Block<'static> {
        let name = match self.curve.mysis {
            Some(mysis) => dashboard.name_of(mysis).to_string(),
            None => "all".to_string(),
        };
        let newest = self
            .curve
            .points
            .last()
            .map(|(_, value)| self.figure(*value));
        let newest = newest.unwrap_or_else(|| "nothing known".to_string());
        let title = Line::from(vec![
            Span::styled(format!(" {name} "), strong),
            Span::styled(newest, dim),
        ]);
        Block::new().title_top(title).padding(Padding::right(1))
    }

    /// A value as the axis writes it.
    fn figure(&self, value: f64) -> String {
        let sign = if value < 0.0 { "-" } else { "" };
        let size = value.abs();
        match self.value {
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
    fn time(&self, dashboard: &Dashboard, minute: f64) -> String {
        let offset = dashboard.appearance().offset;
        let at: Timestamp = Minute(minute as i64).start_time();
        let (day, clock) = (offset.day(at), offset.clock(at));
        match self.span {
            GraphSpan::Hour | GraphSpan::Day => clock.get(..5).unwrap_or_default().to_string(),
            GraphSpan::Week | GraphSpan::Month => day.get(5..).unwrap_or_default().to_string(),
        }
    }
}

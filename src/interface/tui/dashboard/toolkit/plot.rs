//! One graph: an area over a grid, with its axes, and what happened below it.

use ratatui::layout::{Alignment, Rect};

use crate::dashboard::layout::row_of;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::width;
use crate::painter::Painter;
use crate::theme::Ground;

/// From this height on, a graph has an axis of time with its times.
const MIN_ROWS_WITH_TIMES: u16 = 6;
/// From this height on, it has an axis of time.
const MIN_ROWS_WITH_AXIS: u16 = 3;
/// The columns of one label of time, with a gap.
const TIME_COLUMNS: u16 = 14;
const EIGHTHS: f64 = 8.0;
const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub minutes: (f64, f64),
    pub sign: &'static str,
    pub tone: Tone,
}

pub struct Plot<'a> {
    /// Minutes and values.
    pub points: &'a [(f64, f64)],
    /// The first and the last minute of the axis.
    pub bounds: (f64, f64),
    /// The lowest and the highest value of the axis.
    pub values: (f64, f64),
    /// Later ones hide earlier ones.
    pub marks: &'a [Mark],
    pub title: [&'a str; 2],
    pub unit: &'a str,
    /// A value and a time as labels.
    pub value_text: &'a dyn Fn(f64) -> String,
    pub time_text: &'a dyn Fn(f64) -> String,
}

impl Plot<'_> {
    pub fn paint(&self, area: Rect, painter: &mut Painter<'_>) {
        painter.fill(area, Ground::Base);
        if area.is_empty() {
            return;
        }
        let has_times = area.height >= MIN_ROWS_WITH_TIMES;
        let has_axis = area.height >= MIN_ROWS_WITH_AXIS;
        let below = u16::from(has_axis) + u16::from(has_times);
        let rows = area.height - 1 - below;
        let labels = self.labels(rows);
        let wide = labels.iter().map(|(_, text)| width::of(text)).max();
        let wide = wide.unwrap_or(0).max(width::of(self.unit));
        let left = u16::try_from(wide).unwrap_or(0).min(area.width / 2) + 1;
        let axis = Rect {
            width: left - 1,
            ..area
        };
        painter.text_at(axis, 0, Alignment::Right, self.unit, Tone::Dim);
        let [name, newest] = self.title;
        let plot = Rect {
            x: area.x + left,
            y: area.y + 1,
            width: area.width - left,
            height: rows,
        };
        let head = Rect {
            y: area.y,
            height: 1,
            ..plot
        };
        let end = painter.text(head, 0, &format!(" {name} "), Tone::Strong);
        painter.write(head, 0, end, newest, Tone::Text);
        self.paint_grid(plot, &labels, painter);
        self.paint_area(plot, painter);
        for (row, text) in &labels {
            painter.text_at(axis, 1 + row, Alignment::Right, text, Tone::Dim);
        }
        if has_axis {
            let line = row_of(plot, rows);
            self.paint_axis(line, painter);
            if has_times {
                self.paint_times(row_of(line, 1), painter);
            }
        }
    }

    /// The rows with labels of values, and these: round ones, as many as there is room for.
    fn labels(&self, rows: u16) -> Vec<(u16, String)> {
        let (bottom, top) = self.values;
        let parts: u16 = match rows {
            0 | 1 => return Vec::new(),
            2 | 3 => 1,
            4..16 => 2,
            16.. => 4,
        };
        let label = |part: u16| {
            let share = f64::from(part) / f64::from(parts);
            let row = (f64::from(rows - 1) * (1.0 - share)).round() as u16;
            (row, (self.value_text)(bottom + (top - bottom) * share))
        };
        (0..=parts).map(label).collect()
    }

    fn paint_grid(&self, plot: Rect, labels: &[(u16, String)], painter: &mut Painter<'_>) {
        for (row, _) in labels {
            for x in (0..plot.width).step_by(2) {
                painter.write(plot, *row, x, "·", Tone::Faint);
            }
        }
        for x in time_columns(plot.width) {
            for row in 0..plot.height {
                painter.write(plot, row, x, "·", Tone::Faint);
            }
        }
    }

    /// The value of a column of the screen: the highest of its points, else between its neighbours.
    fn value_at(&self, column: u16, columns: u16) -> Option<f64> {
        let (first, last) = self.bounds;
        let minute = |column: f64| first + (last - first) * column / f64::from(columns.max(1));
        let (from, to) = (minute(f64::from(column)), minute(f64::from(column) + 1.0));
        let place = self.points.partition_point(|(minute, _)| *minute < from);
        let rest = &self.points[place..];
        let within = rest.iter().take_while(|(minute, _)| *minute < to);
        let within = within.map(|(_, value)| *value);
        if let Some(highest) = within.reduce(f64::max) {
            return Some(highest);
        }
        let (after, before) = (rest.first()?, self.points.get(place.checked_sub(1)?)?);
        let part = (f64::midpoint(from, to) - before.0) / (after.0 - before.0);
        Some(before.1 + (after.1 - before.1) * part)
    }

    fn paint_area(&self, plot: Rect, painter: &mut Painter<'_>) {
        let (bottom, top) = self.values;
        let all = f64::from(plot.height) * EIGHTHS;
        let level = |value: f64| ((value - bottom) / (top - bottom).max(f64::MIN_POSITIVE)) * all;
        let zero = level(0.0).round();
        for x in 0..plot.width {
            let Some(value) = self.value_at(x, plot.width) else {
                continue;
            };
            // What is not zero is seen, however small.
            let value_level = match value {
                value if value > 0.0 => level(value).round().max(zero + 1.0),
                value if value < 0.0 => level(value).round().min(zero - 1.0),
                _ => zero,
            };
            for row in 0..plot.height {
                let low = f64::from(plot.height - 1 - row) * EIGHTHS;
                let (from, to) = (value_level.min(zero), value_level.max(zero));
                let filled = (to.min(low + EIGHTHS) - from.max(low)).max(0.0);
                let is_edge = to <= low + EIGHTHS;
                let (sign, tone) = match (value < 0.0, filled) {
                    (_, filled) if filled <= 0.0 => continue,
                    (true, filled) if filled < EIGHTHS / 2.0 => ("▀", Tone::Fault),
                    (true, _) => ("█", Tone::Fault),
                    (false, _) if is_edge => {
                        (BARS[(filled as usize).clamp(1, 8) - 1], Tone::Accent)
                    }
                    (false, _) => ("█", Tone::Faint),
                };
                painter.write(plot, row, x, sign, tone);
            }
        }
    }

    fn paint_axis(&self, line: Rect, painter: &mut Painter<'_>) {
        painter.text(line, 0, &"─".repeat(usize::from(line.width)), Tone::Faint);
        let (first, last) = self.bounds;
        let column = |minute: f64| {
            let part = (minute - first) / (last - first).max(f64::MIN_POSITIVE);
            (part * f64::from(line.width.saturating_sub(1))).round() as u16
        };
        for mark in self.marks {
            let (from, to) = mark.minutes;
            if to < first || from > last {
                continue;
            }
            for x in column(from.max(first))..=column(to.min(last)) {
                painter.write(line, 0, x, mark.sign, mark.tone);
            }
        }
    }

    fn paint_times(&self, line: Rect, painter: &mut Painter<'_>) {
        let (first, last) = self.bounds;
        let columns = f64::from(line.width.max(1));
        let mut free = 0;
        for x in time_columns(line.width).chain([line.width]) {
            let minute = first + (last - first) * f64::from(x) / columns;
            let text = (self.time_text)(minute);
            let wide = u16::try_from(width::of(&text)).unwrap_or(0);
            let from = match x {
                0 => 0,
                x if x == line.width => x.saturating_sub(wide),
                x => x.saturating_sub(wide / 2),
            };
            if from >= free {
                painter.write(line, 0, from, &text, Tone::Dim);
                free = from + wide + 1;
            }
        }
    }
}

/// The columns of the grid: as many as have room for a time.
fn time_columns(columns: u16) -> impl Iterator<Item = u16> {
    let parts = (columns / TIME_COLUMNS).clamp(1, 6);
    (0..parts).map(move |part| columns * part / parts)
}

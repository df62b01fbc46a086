//! Draws the table of Myses.

use super::MysisTable;
use super::cells::place_within;
use super::columns::{Column, PlacedColumn};
use super::groups::{Group, Grouping, TableLine};
use super::sorting::Sorting;
use crate::dashboard::earning::rate_line;
use crate::dashboard::facts::Facts;
use crate::dashboard::first_minute;
use crate::dashboard::layout::{ScreenLayout, row_of, without_left};
use crate::dashboard::roster::RosterMember;
use crate::dashboard::summary::back_key;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::layout::{Alignment, Rect};

use crate::dashboard::toolkit::page::say_all;
use crate::painter::Painter;
use crate::theme::Ground;
use zoea_text::clean::one_line;

pub(crate) fn paint(
    facts: &Facts,
    table: &MysisTable,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let columns = table.columns();
    for placed in &columns {
        paint_title(table.sorting(), layout.title, *placed, painter);
    }
    if facts.offers_first_steps() {
        return first_minute::view::paint(facts, layout.body, painter);
    }
    if table.order().is_empty() {
        return paint_empty(facts, layout.body, painter);
    }
    let (above, visible) = table.visible();
    for (row, shown) in (0..).zip(visible) {
        let line = row_of(layout.body, row);
        if table.is_selected(shown) {
            painter.fill(line, Ground::Selected);
            painter.text(line, 0, "▌", Tone::Accent);
        }
        match shown {
            TableLine::Mysis(id) => {
                if let Some(member) = facts.roster.get(*id) {
                    paint_row((facts, table), member, line, &columns, painter);
                }
            }
            TableLine::Group(key) => {
                if let Some(group) = table.group(key) {
                    paint_group((facts, table), group, line, &columns, painter);
                }
            }
        }
    }
    let all = table.lines().len();
    painter.scrollbar(layout.body, above, visible.len(), all);
}

fn paint_title(sorting: Sorting, title: Rect, placed: PlacedColumn, painter: &mut Painter<'_>) {
    let area = cell_area(title, placed);
    let is_sorted = sorting.by == placed.column;
    let sign = match (is_sorted, sorting.is_reversed) {
        (true, false) => "▾",
        (true, true) => "▴",
        (false, _) => "",
    };
    let tone = if is_sorted { Tone::Accent } else { Tone::Dim };
    let words = format!("{}{sign}", placed.column.title());
    painter.text_at(area, 0, side(placed.column), &words, tone);
}

fn paint_row(
    (facts, table): (&Facts, &MysisTable),
    member: &RosterMember,
    line: Rect,
    columns: &[PlacedColumn],
    painter: &mut Painter<'_>,
) {
    for placed in columns {
        if placed.column == Column::Trend && paint_rate(facts, member, line, *placed, painter) {
            continue;
        }
        let is_mark = placed.column == Column::Mark;
        let is_of_place = table.grouping() == Some(Grouping::Place);
        let is_doing = placed.column == Column::Doing;
        let (text, tone) = if is_doing && facts.is_held(&member.status) {
            ("frozen".to_string(), Tone::Found)
        } else if placed.column == Column::Words && facts.is_held(&member.status) {
            (one_line(&member.status.last_words), Tone::Dim)
        } else if placed.column == Column::Place && is_of_place {
            place_within(&member.status)
        } else if is_mark && table.marks().contains(&member.status.id) {
            ("◆".to_string(), Tone::Accent)
        } else {
            placed.cell(facts, member)
        };
        let area = cell_area(line, *placed);
        painter.text_at(area, 0, side(placed.column), &text, tone);
    }
}

/// Draws a group: its name, how many it has, who of them needs the operator, and its sums in their columns.
fn paint_group(
    (facts, table): (&Facts, &MysisTable),
    group: &Group,
    line: Rect,
    columns: &[PlacedColumn],
    painter: &mut Painter<'_>,
) {
    let Some(by) = table.grouping() else {
        return;
    };
    let points = table.groups().iter().map(|it| it.sums.highest_point());
    let scale = points.max().unwrap_or(0);
    let sums = &group.sums;
    let mut room = line.width;
    for placed in columns.iter().rev() {
        if let Some(cell) = sums.cell(*placed, facts.now, scale) {
            let area = cell_area(line, *placed);
            match side(placed.column) {
                Alignment::Right => painter.line_at_right(area, 0, &cell),
                Alignment::Left | Alignment::Center => drop(painter.line(area, 0, &cell)),
            }
            room = placed.x.saturating_sub(2);
        }
    }
    let is_folded = table.is_folded(&group.key);
    let fold = if is_folded { "▸" } else { "▾" };
    let mut count = StyledLine::of(format!("  {}", sums.counts.all), Tone::Dim);
    for (number, sign, tone) in [
        (sums.needs, "!", Tone::Warning),
        (sums.counts.errored, "✖", Tone::Errored),
    ] {
        if number > 0 {
            count.push(format!("  {sign}{number}"), tone);
        }
    }
    let marked = table.order().get(group.myses.clone()).unwrap_or_default();
    let is_marked = marked.iter().all(|id| table.marks().contains(id));
    let mark = if is_marked { "◆" } else { " " };
    let columns = usize::from(room).saturating_sub(4 + width::of(&count.text()));
    let name = group.name(by);
    let mut words = StyledLine::of(mark, Tone::Accent)
        .with(fold, Tone::Dim)
        .with(format!(" {}", width::clip(&name, columns)), Tone::Brand);
    words.spans.extend(count.spans);
    let area = Rect::new(line.x, line.y, room, 1);
    // The first column has the mark of the selected line.
    painter.line(without_left(area, 1), 0, &words);
}

/// Draws what it earns a minute. Returns whether that is known.
fn paint_rate(
    facts: &Facts,
    member: &RosterMember,
    line: Rect,
    placed: PlacedColumn,
    painter: &mut Painter<'_>,
) -> bool {
    let (status, now) = (&member.status, facts.now);
    let Some(points) = status.figures.rate_points(now) else {
        return false;
    };
    let times = (now, Some(status.created_at));
    let rate = rate_line(&points, times, facts.money.scale, usize::from(placed.width));
    painter.line(cell_area(line, placed), 0, &rate);
    true
}

fn paint_empty(facts: &Facts, body: Rect, painter: &mut Painter<'_>) {
    let (words, help) = if facts.rules.as_deref().is_none() {
        ("Loading the swarm …", String::new())
    } else {
        let help = format!("{} shows all", back_key(&facts.keymap, false));
        ("No Mysis matches the filter.", help)
    };
    let lines = [
        ("⬡ ⬢ ⬡", Tone::Brand),
        ("", Tone::Dim),
        (words, Tone::Strong),
        (&*help, Tone::Dim),
    ];
    say_all(body, &lines, painter);
}

fn cell_area(line: Rect, placed: PlacedColumn) -> Rect {
    Rect::new(line.x + placed.x, line.y, placed.width, 1)
}

fn side(column: Column) -> Alignment {
    if column == Column::Mark {
        return Alignment::Center;
    }
    if column.is_figure() {
        Alignment::Right
    } else {
        Alignment::Left
    }
}

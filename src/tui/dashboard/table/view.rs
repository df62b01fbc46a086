//! Draws the table of Myses.

use super::cells::cell;
use super::columns::{Column, PlacedColumn, columns};
use super::sorting::SortDirection;
use crate::dashboard::Dashboard;
use crate::dashboard::layout::{ScreenLayout, row_of};
use crate::dashboard::roster::RosterMember;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::layout::{Alignment, Rect};

use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

pub(crate) fn paint(dashboard: &Dashboard, layout: &ScreenLayout, painter: &mut Painter<'_>) {
    let columns = columns(layout.body.width);
    for placed in &columns {
        paint_title(dashboard, layout.title, *placed, painter);
    }
    if dashboard.table().order().is_empty() {
        return paint_empty(dashboard, layout.body, painter);
    }
    let (_, in_sight) = dashboard.table().visible_rows();
    for (row, id) in (0..).zip(in_sight) {
        if let Some(member) = dashboard.roster().get(*id) {
            paint_row(dashboard, member, layout.body, row, &columns, painter);
        }
    }
}

fn paint_title(
    dashboard: &Dashboard,
    title: Rect,
    placed: PlacedColumn,
    painter: &mut Painter<'_>,
) {
    let area = cell_area(title, placed);
    let sorting = dashboard.table().sorting();
    let is_sorted = sorting.by == placed.column;
    let sign = match (is_sorted, sorting.from) {
        (true, SortDirection::Normal) => "▾",
        (true, SortDirection::Reversed) => "▴",
        (false, _) => "",
    };
    let tone = if is_sorted { Tone::Accent } else { Tone::Faint };
    let words = format!("{}{sign}", placed.column.title());
    painter.text_at(area, 0, side(placed.column), &words, tone);
    if placed.column == Column::Words {
        let room = area.width.saturating_sub(taken_by(&words));
        painter.line_at_right(area, 0, &selection_line(dashboard, usize::from(room)));
    }
}

/// The number of marked Myses, of those that the filter shows, or the visible range.
fn selection_line(dashboard: &Dashboard, room: usize) -> StyledLine {
    let table = dashboard.table();
    let mut line = StyledLine::default();
    if !table.marks().is_empty() {
        line.push(format!("  ◆ {} marked", table.marks().len()), Tone::Warning);
    }
    let filter = table.filter();
    if filter.is_open() {
        let (above, in_sight) = table.visible_rows();
        let (last, all) = (above + in_sight.len(), table.order().len());
        if in_sight.len() < all {
            let whole = format!("  {}–{last} of {all}", above + 1);
            let words = if width::of(&whole) > room {
                format!(" {last}/{all}")
            } else {
                whole
            };
            line.push(words, Tone::Faint);
        }
        return line;
    }
    let state = filter.state.map_or("", |state| state.as_str());
    let text = width::clip(filter.text(), 16);
    let gap = if state.is_empty() || text.is_empty() {
        ""
    } else {
        " "
    };
    let (shown, all) = (table.order().len(), dashboard.counts().all);
    line.push(
        format!("  {state}{gap}{text} {shown} of {all} "),
        Tone::Warning,
    );
    line
}

fn paint_row(
    dashboard: &Dashboard,
    member: &RosterMember,
    body: Rect,
    row: u16,
    columns: &[PlacedColumn],
    painter: &mut Painter<'_>,
) {
    let line = row_of(body, row);
    let is_selected = dashboard.table().selected() == Some(member.status.id);
    if is_selected {
        painter.fill(line, Ground::Selected);
        painter.text(line, 0, "▌", Tone::Accent);
    }
    for placed in columns {
        let is_mark = placed.column == Column::Mark;
        let (text, tone) = if is_mark && dashboard.table().marks().contains(&member.status.id) {
            ("◆".to_string(), Tone::Warning)
        } else {
            cell(
                *placed,
                member,
                dashboard.now(),
                dashboard.outages(),
                dashboard.rules(),
            )
        };
        let area = cell_area(line, *placed);
        painter.text_at(area, 0, side(placed.column), &text, tone);
    }
}

fn paint_empty(dashboard: &Dashboard, body: Rect, painter: &mut Painter<'_>) {
    let (words, help) = if dashboard.rules().is_none() {
        ("The swarm wakes up …", "")
    } else if dashboard.table().filter().is_open() {
        ("The swarm is empty.", "n creates a Mysis")
    } else {
        ("The filter hides everybody.", "Esc shows all")
    };
    let lines = [
        ("⬡ ⬢ ⬡", Tone::Brand),
        ("", Tone::Dim),
        (words, Tone::Strong),
        (help, Tone::Dim),
    ];
    let area = centre_area(body, body.width, 4);
    for (row, (text, tone)) in (0..).zip(lines) {
        painter.text_at(area, row, Alignment::Center, text, tone);
    }
}

fn cell_area(line: Rect, placed: PlacedColumn) -> Rect {
    Rect::new(line.x + placed.x, line.y, placed.width, 1)
}

fn taken_by(words: &str) -> u16 {
    u16::try_from(width::of(words)).unwrap_or(u16::MAX)
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

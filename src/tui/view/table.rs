//! The table of Myses.

use actors::domain::dashboard::Dashboard;
use actors::domain::dashboard::cells::cell;
use actors::domain::dashboard::columns::{Column, Placed, columns};
use actors::domain::dashboard::layout::{Area, Layout};
use actors::domain::dashboard::roster::Member;
use actors::domain::dashboard::tone::Tone;

use crate::tui::brush::{Brush, Side, middle};
use crate::tui::theme::Ground;

pub(super) fn paint(dashboard: &Dashboard, layout: &Layout, brush: &mut Brush<'_>) {
    let columns = columns(layout.body.width);
    brush.on(Ground::Base);
    for placed in &columns {
        let area = cell_area(layout.title, *placed);
        brush.text_at(
            area,
            0,
            side(placed.column),
            placed.column.title(),
            Tone::Faint,
        );
    }
    if dashboard.roster().members().is_empty() {
        return paint_empty(layout.body, brush);
    }
    let (_, in_sight) = dashboard.table().in_sight();
    for (row, id) in (0..).zip(in_sight) {
        if let Some(member) = dashboard.roster().get(*id) {
            paint_row(dashboard, member, layout.body, row, &columns, brush);
        }
    }
}

fn paint_row(
    dashboard: &Dashboard,
    member: &Member,
    body: Area,
    row: u16,
    columns: &[Placed],
    brush: &mut Brush<'_>,
) {
    let line = Area {
        y: body.y + row,
        height: 1,
        ..body
    };
    let is_selected = dashboard.table().selected() == Some(member.standing.id);
    if is_selected {
        brush.fill(line, Ground::Selected);
        brush.text(line, 0, "▌", Tone::Accent);
    } else {
        brush.on(Ground::Base);
    }
    let limit = dashboard.rules().map_or(0, |rules| rules.nudge_limit());
    for placed in columns {
        let (text, tone) = cell(placed.column, member, dashboard.now(), limit);
        let area = cell_area(line, *placed);
        brush.text_at(area, 0, side(placed.column), &text, tone);
    }
    brush.on(Ground::Base);
}

fn paint_empty(body: Area, brush: &mut Brush<'_>) {
    let lines = [
        ("⬡ ⬡ ⬡", Tone::Brand),
        ("", Tone::Dim),
        ("The swarm is empty.", Tone::Strong),
        ("n creates a Mysis", Tone::Dim),
    ];
    let area = middle(body, body.width, 4);
    for (row, (text, tone)) in (0..).zip(lines) {
        brush.text_at(area, row, Side::Middle, text, tone);
    }
}

fn cell_area(line: Area, placed: Placed) -> Area {
    Area {
        x: line.x + placed.x,
        width: placed.width,
        height: 1,
        ..line
    }
}

fn side(column: Column) -> Side {
    if column == Column::Mark {
        return Side::Middle;
    }
    if column.is_figure() {
        Side::Right
    } else {
        Side::Left
    }
}

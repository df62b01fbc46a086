//! Draws the books.

use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Table};

use actors::domain::books::Day;

use super::BooksView;
use super::budgets::budget_texts;
use super::columns::{ColumnPlan, GAP_COLUMNS, TOTAL_NAME};
use crate::dashboard::facts::Facts;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::toolkit::page::{begin_page, say};
use crate::painter::Painter;
use crate::theme::Ground;

const MAX_BUDGET_ROWS: usize = 4;
/// The rows that the lines, their heading and the totals have before budgets are told.
const ROWS_BEFORE_BUDGETS: u16 = 6;

/// Divides the page: the budgets, the heading, the lines, the rule and the totals. In a low terminal budgets give way
/// first, then the totals and the headings: a line is there always.
pub(super) fn areas(facts: &Facts, view: &BooksView, page: Rect) -> [Rect; 5] {
    let wanted = budget_rows(facts, view, page.width).len();
    let wanted = u16::try_from(wanted).unwrap_or(0);
    let budgets = wanted.min(page.height.saturating_sub(ROWS_BEFORE_BUDGETS));
    let has = |rows: u16| Constraint::Length(u16::from(page.height >= rows));
    Layout::vertical([
        Constraint::Length(budgets),
        has(2),
        Constraint::Min(0),
        has(5),
        has(3),
    ])
    .areas(page)
}

pub(crate) fn paint(
    facts: &Facts,
    view: &BooksView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let page = begin_page(layout, &title(facts, view), painter);
    let [budgets, heading, lines, rule, total] = areas(facts, view, page);
    painter.lines(budgets, &budget_rows(facts, view, page.width));
    if view.table.lines.is_empty() {
        let (words, tone) = match (view.books.complaint(), view.books.value()) {
            (Some(why), _) => (format!("the books cannot be read: {why}"), Tone::Fault),
            (None, None) => ("reading the books …".to_string(), Tone::Dim),
            (None, Some(_)) => (
                "nothing was spent or earned in this time".to_string(),
                Tone::Dim,
            ),
        };
        return say(lines, &words, tone, painter);
    }
    let plan = ColumnPlan::new(view, lines.width);
    paint_lines(view, &plan, (heading, lines), painter);
    paint_totals(view, &plan, (rule, total), painter);
}

fn title(facts: &Facts, view: &BooksView) -> StyledLine {
    let today = Day::of(facts.now);
    let days = match view.span.days() {
        ..=1 => format!("today, {today} UTC"),
        days => format!("{days} days since {} UTC", view.span.first_day(today)),
    };
    StyledLine::of(" BOOKS  ", Tone::Brand)
        .with(view.grouping.as_str(), Tone::Strong)
        .with(format!("  {days}"), Tone::Accent)
}

/// The budgets, wrapped into so many columns.
fn budget_rows(facts: &Facts, view: &BooksView, columns: u16) -> Vec<StyledLine> {
    let columns = usize::from(columns).saturating_sub(2);
    let mut rows: Vec<StyledLine> = Vec::new();
    for (text, tone) in budget_texts(facts, view) {
        for piece in width::wrap(&text, columns) {
            // What follows stands in the same row if there is room.
            if let Some(row) = rows.last_mut()
                && width::of(&row.text()) + width::of(piece) + 2 <= columns
            {
                row.push(format!("  {piece}"), tone);
                continue;
            }
            rows.push(StyledLine::of(format!(" {piece}"), tone));
        }
    }
    rows.truncate(MAX_BUDGET_ROWS);
    rows
}

fn paint_lines(
    view: &BooksView,
    plan: &ColumnPlan,
    (heading, lines): (Rect, Rect),
    painter: &mut Painter<'_>,
) {
    let paint = painter.paint();
    let (above, visible) = view.visible_lines();
    let selected = view.selected().map(|line| &line.key);
    let rows = visible.iter().map(|line| {
        let is_selected = selected == Some(&line.key);
        let (ground, mark) = match is_selected {
            true => (Ground::Selected, "▌"),
            false => (Ground::Base, ""),
        };
        let name = width::clip(&line.name, usize::from(plan.name_columns()));
        let row = plan.row(mark, &name, &line.figures, paint);
        row.style(paint.ground(ground))
    });
    let table = Table::new(rows, plan.widths()).column_spacing(GAP_COLUMNS);
    painter.render(table, lines);
    let titles = Table::new([plan.heading(view, paint)], plan.widths());
    painter.render(titles.column_spacing(GAP_COLUMNS), heading);
    let all = view.table.lines.len();
    painter.scrollbar(lines, above, visible.len(), all);
}

fn paint_totals(
    view: &BooksView,
    plan: &ColumnPlan,
    (rule, area): (Rect, Rect),
    painter: &mut Painter<'_>,
) {
    let paint = painter.paint();
    let total = view.table.total;
    let (words, tone) = match view.books.complaint() {
        Some(why) => (format!(" not up to date: {why} "), Tone::Fault),
        None if total.cost.known_part().is_some() => {
            (" +?: a part has no known price ".to_string(), Tone::Dim)
        }
        None => (String::new(), Tone::Dim),
    };
    let words = Line::styled(words, paint.text(tone)).alignment(Alignment::Right);
    let block = Block::new()
        .borders(Borders::TOP)
        .border_style(paint.text(Tone::Faint))
        .title(words);
    painter.render(block, rule);
    let row = plan.row("", TOTAL_NAME, &total, paint);
    let table = Table::new([row], plan.widths())
        .column_spacing(GAP_COLUMNS)
        .style(paint.text(Tone::Strong));
    painter.render(table, area);
}

//! Draws the list of processes.

use actors::domain::fleet_process::{FleetProcess, ProcessState};
use actors::domain::ids::Timestamp;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};

use super::ProcessesView;
use crate::dashboard::Dashboard;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

/// A column: its title, its width, and what it says.
struct ProcessColumn {
    title: &'static str,
    columns: usize,
    cell: fn(&FleetProcess, Timestamp) -> (String, Tone),
}

/// All columns, the most important ones first. Those that do not fit are left out.
const COLUMNS: [ProcessColumn; 9] = [
    column("PROCESS", 16, name_cell),
    column("STATE", 8, state_cell),
    column("MYSES", 5, |of, _| (of.myses.to_string(), Tone::Text)),
    column("RUNNING", 7, |of, _| (of.running.to_string(), Tone::Text)),
    column("FOR", 5, |of, _| (of.capacity.to_string(), Tone::Dim)),
    column("SINCE", 5, |of, now| (age(of.since, now), Tone::Dim)),
    column("HEARD", 5, heard_cell),
    column("VERSION", 8, |of, _| (of.version.to_string(), Tone::Dim)),
    column("HOST AND DIRECTORY", 40, |of, _| {
        (format!("{}:{}", of.host, of.directory), Tone::Dim)
    }),
];

const fn column(
    title: &'static str,
    columns: usize,
    cell: fn(&FleetProcess, Timestamp) -> (String, Tone),
) -> ProcessColumn {
    ProcessColumn {
        title,
        columns,
        cell,
    }
}

fn name_cell(process: &FleetProcess, _: Timestamp) -> (String, Tone) {
    match process.is_here {
        true => (format!("{} here", process.name), Tone::Strong),
        false => (process.name.to_string(), Tone::Text),
    }
}

fn state_cell(process: &FleetProcess, _: Timestamp) -> (String, Tone) {
    let tone = match process.state {
        ProcessState::Alive => Tone::Success,
        ProcessState::Draining | ProcessState::Frozen => Tone::Warning,
        ProcessState::Ended => Tone::Dim,
        ProcessState::Gone => Tone::Fault,
    };
    (process.state.as_str().to_string(), tone)
}

/// How long ago a process was heard of.
fn heard_cell(process: &FleetProcess, now: Timestamp) -> (String, Tone) {
    match process.until {
        Some(until) => (age(until, now), Tone::Warning),
        None => ("now".to_string(), Tone::Dim),
    }
}

fn age(at: Timestamp, now: Timestamp) -> String {
    figures::ago(now.since(at))
}

/// The rows of the page for processes. The heading gives way first.
pub(super) fn rows_in(page: Rect) -> usize {
    usize::from(areas(page)[1].height)
}

fn areas(page: Rect) -> [Rect; 2] {
    let heading = u16::from(page.height >= 2);
    Layout::vertical([Constraint::Length(heading), Constraint::Min(0)]).areas(page)
}

pub(crate) fn paint(
    dashboard: &Dashboard,
    view: &ProcessesView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let page = layout.page();
    painter.fill(page, Ground::Base);
    painter.fill(layout.title, Ground::Panel);
    painter.line(layout.title, 0, &title(view));
    let [heading, lines] = areas(page);
    if view.all().is_empty() {
        let (words, tone) = match (&view.complaint, &view.processes) {
            (Some(why), _) => (format!("the processes cannot be read: {why}"), Tone::Fault),
            (None, None) => ("reading the processes …".to_string(), Tone::Dim),
            (None, Some(_)) => (
                "this process has its database for itself".to_string(),
                Tone::Dim,
            ),
        };
        let middle = centre_area(lines, lines.width, 1);
        return painter.text_at(middle, 0, Alignment::Center, &words, tone);
    }
    let shown = fitting_columns(usize::from(page.width));
    let titles = shown.iter().map(|(column, columns)| {
        let title = (column.title.to_string(), Tone::Dim);
        (title, *columns)
    });
    painter.line(heading, 0, &line_of("", titles));
    let now = dashboard.now();
    let selected = view.selected().map(|process| &process.name);
    let in_sight = view.all().iter().skip(view.top).take(view.height);
    for (row, process) in (0..lines.height).zip(in_sight) {
        let is_selected = selected == Some(&process.name);
        if is_selected {
            let whole = Rect {
                y: lines.y + row,
                height: 1,
                ..lines
            };
            painter.fill(whole, Ground::Selected);
        }
        let mark = if is_selected { "▌" } else { "" };
        let cells = shown.iter().map(|(column, columns)| {
            let cell = (column.cell)(process, now);
            (cell, *columns)
        });
        painter.line(lines, row, &line_of(mark, cells));
    }
    painter.scrollbar(lines, view.top, view.height, view.all().len());
}

fn title(view: &ProcessesView) -> StyledLine {
    let up = view.all().iter().filter(|process| process.state.is_up());
    let up = up.count();
    let mut title = StyledLine::of(" PROCESSES  ", Tone::Brand);
    if up > 0 {
        let word = if up == 1 { "uses" } else { "share" };
        title = title.with(format!("{up} {word} this database"), Tone::Strong);
    }
    match &view.complaint {
        Some(why) => title.with(format!("  not up to date: {why}"), Tone::Fault),
        None => title,
    }
}

/// The columns that fit, each with its width. The last one takes the room that is left.
fn fitting_columns(columns: usize) -> Vec<(&'static ProcessColumn, usize)> {
    let mut left = columns.saturating_sub(2);
    let mut shown = Vec::new();
    for column in &COLUMNS {
        let wanted = column.columns + 2;
        let is_last = column.title == COLUMNS[COLUMNS.len() - 1].title;
        if wanted > left && !is_last {
            break;
        }
        let columns = column.columns.min(left);
        if columns >= column.title.len().min(column.columns) {
            shown.push((column, columns));
        }
        left = left.saturating_sub(wanted);
    }
    shown
}

/// A line of cells, each in its width.
fn line_of(mark: &str, cells: impl Iterator<Item = ((String, Tone), usize)>) -> StyledLine {
    let mut line = StyledLine::of(format!("{mark:<1} "), Tone::Accent);
    for ((text, tone), columns) in cells {
        let text = width::clip(&text, columns).into_owned();
        let gap = columns.saturating_sub(width::of(&text)) + 2;
        line.push(text, tone);
        line.push(" ".repeat(gap), tone);
    }
    line
}

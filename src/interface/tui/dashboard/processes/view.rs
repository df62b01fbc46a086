//! Draws the list of processes.

use actors::domain::fleet_process::{FleetProcess, ProcessState};
use actors::domain::ids::Timestamp;
use zoea_text::clean::one_line;

use super::ProcessesView;
use crate::dashboard::facts::Facts;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::toolkit::columns::{ListColumn, lines_area, paint_list};
use crate::dashboard::toolkit::page::{begin_page, say, with_complaint};
use crate::painter::Painter;

/// What is told of a process. The host and directory give way first.
fn columns(now: Timestamp) -> [ListColumn<'static, FleetProcess>; 9] {
    let figure = |title, worth, columns, count: fn(&FleetProcess) -> u64, tone| {
        let cell = move |of: &FleetProcess| StyledLine::of(count(of).to_string(), tone);
        ListColumn::figure(title, worth, columns, cell)
    };
    [
        ListColumn::text("PROCESS", 9, (16, 16), |of: &FleetProcess, _| name_cell(of)),
        ListColumn::text("STATE", 8, (8, 8), |of: &FleetProcess, _| state_cell(of)),
        figure("MYSES", 7, 5, |of| of.myses, Tone::Text),
        figure("RUNNING", 6, 7, |of| of.running, Tone::Text),
        figure("MAX", 5, 5, |of| of.capacity, Tone::Dim),
        ListColumn::figure("SINCE", 4, 5, move |of: &FleetProcess| {
            age(of.since, now, Tone::Dim)
        }),
        ListColumn::figure("LAST SEEN", 3, 9, move |of: &FleetProcess| {
            last_seen_cell(of, now)
        }),
        ListColumn::text(
            "VERSION",
            2,
            (8, 8),
            |of: &FleetProcess, _| dim(&of.version),
        ),
        ListColumn::text(
            "HOST AND DIRECTORY",
            1,
            (18, 200),
            |of: &FleetProcess, _| dim(&format!("{}:{}", of.host, of.directory)),
        ),
    ]
}

fn dim(text: &str) -> StyledLine {
    StyledLine::of(one_line(text), Tone::Dim)
}

fn name_cell(process: &FleetProcess) -> StyledLine {
    let name = one_line(&process.name);
    match process.is_here {
        true => StyledLine::of(format!("{name} here"), Tone::Strong),
        false => StyledLine::of(name, Tone::Text),
    }
}

fn state_cell(process: &FleetProcess) -> StyledLine {
    let tone = match process.state {
        ProcessState::Alive => Tone::Success,
        ProcessState::Draining | ProcessState::Frozen => Tone::Warning,
        ProcessState::Ended => Tone::Dim,
        ProcessState::Gone => Tone::Fault,
    };
    StyledLine::of(process.state.as_str(), tone)
}

fn last_seen_cell(process: &FleetProcess, now: Timestamp) -> StyledLine {
    match process.until {
        Some(until) => age(until, now, Tone::Warning),
        None => StyledLine::of("now", Tone::Dim),
    }
}

fn age(at: Timestamp, now: Timestamp, tone: Tone) -> StyledLine {
    StyledLine::of(figures::ago(now.since(at)), tone)
}

pub(super) fn paint(
    facts: &Facts,
    view: &ProcessesView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let page = begin_page(layout, &title(view), painter);
    if view.all().is_empty() {
        let (words, tone) = match (view.processes.complaint(), view.processes.value()) {
            (Some(why), _) => (format!("the processes cannot be read: {why}"), Tone::Fault),
            (None, None) => ("reading the processes …".to_string(), Tone::Dim),
            (None, Some(_)) => (
                "this program runs all Myses: others can join only on a PostgreSQL database"
                    .to_string(),
                Tone::Dim,
            ),
        };
        return say(lines_area(page), &words, tone, painter);
    }
    let columns = columns(facts.now);
    paint_list(&columns, view.all(), &view.selection, page, painter);
}

fn title(view: &ProcessesView) -> StyledLine {
    let up = view.all().iter().filter(|process| process.state.is_up());
    let up = up.count();
    let mut title = StyledLine::of(" PROCESSES  ", Tone::Brand);
    if up > 0 {
        let word = if up == 1 { "uses" } else { "share" };
        title = title.with(format!("{up} {word} this database"), Tone::Strong);
    }
    with_complaint(title, view.processes.complaint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_states_are_whole_in_their_columns() {
        let columns = columns(Timestamp(0));
        assert!(columns.iter().all(ListColumn::has_whole_head));
        for state in [
            ProcessState::Alive,
            ProcessState::Draining,
            ProcessState::Frozen,
            ProcessState::Ended,
            ProcessState::Gone,
        ] {
            assert!(state.as_str().len() <= 8, "{}", state.as_str());
        }
    }
}

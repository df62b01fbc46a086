//! The screen at every size: what must be seen is seen, and in a terminal that is too small nothing is ordered.

use std::sync::Arc;

use actors::domain::event::{EventKind, SwarmCondition, SwarmEvent};
use actors::domain::ids::{Lane, Timestamp};
use actors::domain::outages::{OutageStage, ServerOutage, ServerOutages};
use actors::domain::rules::{Simulated, SwarmRules};
use actors::domain::standing::{StandingConditions, StandingKind};
use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;
use zoea_scenes::swarm::{START, Swarm, rules};
use zoea_tui::dashboard::input_event::Input;

use crate::operator::Operator;
use crate::snapshots::troubled;

/// Everything at once: a freeze, trouble of the store, a server that is away, a long mission and many needs.
fn crowded(size: (u16, u16)) -> Operator {
    let mut operator = Operator::at(troubled(), size);
    let shown = |what| SwarmEvent {
        at: START,
        mysis: None,
        what,
    };
    let mission = "Mine iron in Sol, sell it at Sol Central, and report prices. ".repeat(6);
    let outage = ServerOutage {
        lane: Lane::Provider("openrouter".into()),
        text: "HTTP 503".into(),
        since: START,
        next_try: Timestamp(START.0 + 3_700_000),
        needs_operator: false,
        stage: OutageStage::Away,
    };
    let mut standing = StandingConditions::default();
    let full = "the store does not take writes: disk full; trying on";
    standing.set(StandingKind::StoreTrouble, START, Some(full.into()));
    operator.receives(&[
        shown(EventKind::Mission(Some(mission.into()))),
        shown(EventKind::Condition(SwarmCondition::Outages(Arc::new(
            ServerOutages(vec![outage]),
        )))),
        shown(EventKind::Condition(SwarmCondition::Freeze(Some(START)))),
        shown(EventKind::Condition(SwarmCondition::Standing(Arc::new(
            standing,
        )))),
    ]);
    let simulated = SwarmRules {
        simulated: Simulated::GameAndModel,
        ..SwarmRules::clone(&rules())
    };
    operator
        .board
        .take_rules(Arc::new(simulated), Arc::default());
    operator.prepare_frame();
    operator
}

/// The name beside the mark of the selected row.
fn selected_name(text: &str, body: Rect) -> Option<&str> {
    let rows = text.lines().skip(usize::from(body.y));
    let mut rows = rows.take(usize::from(body.height));
    let row = rows.find(|row| row.starts_with('▌'))?;
    let row = row.trim_start_matches(['▌', '!', '●', '◆', ' ']);
    row.split_whitespace().next()
}

#[test]
fn the_selected_row_is_painted_at_every_size() {
    let long = "Go to the belt and mine until the hold is full. ".repeat(9);
    let writes = format!("m{long}");
    for keys in ["", "<end>", "jjj", &writes, "/a", "b"] {
        let mut operator = crowded((120, 40));
        operator.keys(keys);
        let id = operator.board.table().selected().expect("one");
        let name = operator.swarm.statuses[&id].name.to_string();
        for columns in [40, 59, 80, 120] {
            for rows in [10, 11, 12, 13, 14, 16, 18, 20, 24, 30] {
                operator.input(Input::Event(Event::Resize(columns, rows)));
                let layout = operator.board.layout();
                let text = operator.text();
                let at = format!("{columns}x{rows} after {keys:?}: {text}");
                assert!(layout.body.height >= 2, "{at}");
                assert_eq!(selected_name(&text, layout.body), Some(&*name), "{at}");
                // What is urgent takes two lines of 40 columns.
                let banner = if rows < 14 { 2 } else { rows / 3 };
                assert!(layout.banner.height <= banner, "{columns}x{rows}");
            }
        }
    }
}

#[test]
fn the_smallest_window() {
    let mut screens = String::new();
    for (name, keys) in [
        ("everything at once", ""),
        ("a message", "mGo to the belt.<alt-enter>Mine."),
        ("a filter", "/alpha"),
        ("marks", "  "),
        ("a conversation", "<enter>"),
        ("graphs", "g"),
        ("the books", "$"),
        ("a search", "Sore<enter>"),
        ("the palette", ":"),
        ("a question", "d"),
        ("help", "?"),
    ] {
        let mut operator = crowded((40, 10));
        operator.keys(keys);
        screens.push_str(&format!("== {name}\n{}", operator.text()));
    }
    let quiet = Operator::at(Swarm::new(4, 2, 7), (40, 10));
    screens.push_str(&format!("== a calm swarm\n{}", quiet.text()));
    insta::assert_snapshot!("the-smallest-window", screens);
}

#[test]
fn what_is_selected_comes_before_what_is_simulated_or_frozen() {
    let first = |keys: &str| {
        let mut operator = crowded((40, 10));
        operator.keys(keys);
        let row = operator.board.layout().header.y;
        let text = operator.text();
        text.lines().nth(usize::from(row)).unwrap().to_string()
    };
    assert!(first("/alpha<enter>").contains("1 of 12 Myses: alpha"));
    assert!(first("  ").contains("◆ 2 marked"));
}

#[test]
fn a_terminal_that_is_too_small_orders_nothing() {
    let click = Event::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: 3,
        row: 6,
        modifiers: KeyModifiers::NONE,
    });
    for open in [
        "",
        "m",
        "mhello",
        "d",
        "  s",
        ":stop all",
        "n",
        "/x",
        "F",
        "<enter>",
        "g",
        "$",
        "Sore<enter>",
        "x",
        "L",
    ] {
        let mut operator = Operator::at(troubled(), (120, 40));
        operator.keys(open);
        let states = |operator: &Operator| {
            let statuses = operator.swarm.statuses.values();
            statuses.map(|status| status.state).collect::<Vec<_>>()
        };
        let (before, all) = (operator.text(), states(&operator));
        operator.input(Input::Event(Event::Resize(39, 10)));
        operator.keys("<enter>yYsrdFRUbmnaAgLP?x:/<esc>fo V*!=<up><down><tab>cq<esc>");
        operator.input(Input::Event(Event::Paste("stop all".to_string())));
        operator.input(Input::Event(click.clone()));
        assert_eq!(states(&operator), all, "{open:?}");
        operator.input(Input::Event(Event::Resize(120, 40)));
        assert_eq!(operator.text(), before, "{open:?}");
    }
}

#[test]
fn a_terminal_that_is_too_small_can_be_quit_whatever_is_open() {
    for (open, quits) in [("", "q"), ("mhello", "<ctrl-c>"), ("d", "<ctrl-c>")] {
        let mut operator = Operator::at(troubled(), (120, 40));
        operator.keys(open);
        operator.input(Input::Event(Event::Resize(39, 9)));
        operator.keys(quits);
        assert!(operator.board.asks_about_program(), "{open:?}");
        assert!(operator.text().contains("y quit"), "{}", operator.text());
        operator.keys("y");
        assert!(operator.board.facts().closing_since.is_some(), "{open:?}");
    }
}

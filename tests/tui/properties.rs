//! Whatever is said and done, at whatever size: no view panics, and nothing leaves its cells.

use actors::domain::ids::Timestamp;
use actors::domain::message::Severity;
use actors::domain::state::LifeState;
use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use proptest::prelude::*;
use ratatui::buffer::{Buffer, CellWidth};
use zoea_tui::dashboard::input_event::Input;

use crate::operator::Operator;
use zoea_scenes::swarm::{START, Swarm};

/// What an operator and a swarm can do.
#[derive(Clone, Debug)]
enum Deed {
    Input(Input),
    Says(usize, String),
    Fails(usize, String),
    Lives(u8),
    Later(i64),
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        "[a-z ]{0,200}",
        "(世|界|👩‍🚀|e\u{301}|\u{200d}|\u{202e}|\u{1b}\\[31m|\t|\n|ﾊﾞ|🏳️‍🌈|世\u{903}|ᄀᄀᄀ|a){0,60}",
        Just("{\"player\":{\"credits\":-1},\"ship\":{\"fuel\":1e300,\"max_fuel\":0}}".to_string()),
    ]
}

fn any_input() -> impl Strategy<Value = Input> {
    let letters = "abcdefghijklmnopqrstuvwxyzGKJLNOEUPMVYS$?:/ *!\t[]<>~1_";
    let named = vec![
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::F(1),
    ];
    let key = prop_oneof![
        3 => prop::sample::select(letters.chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        1 => prop::sample::select(named),
    ];
    let held = prop::sample::select(vec![KeyModifiers::CONTROL, KeyModifiers::ALT]);
    let press = (key, prop::option::weighted(0.2, held))
        .prop_map(|(code, held)| KeyEvent::new(code, held.unwrap_or(KeyModifiers::NONE)));
    let kind = prop::sample::select(vec![
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::ScrollUp,
        MouseEventKind::ScrollDown,
    ]);
    let mouse = (0_u16..400, 0_u16..120, kind).prop_map(|(column, row, kind)| MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    });
    let event = prop_oneof![
        12 => press.prop_map(Event::Key),
        1 => any_text().prop_map(Event::Paste),
        2 => mouse.prop_map(Event::Mouse),
        1 => (1_u16..=400, 1_u16..=120).prop_map(|(x, y)| Event::Resize(x, y)),
        1 => (80_u16..=200, 20_u16..=60).prop_map(|(x, y)| Event::Resize(x, y)),
    ];
    event.prop_map(Input::Event)
}

fn any_deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        10 => any_input().prop_map(Deed::Input),
        2 => (0_usize..6, any_text()).prop_map(|(who, text)| Deed::Says(who, text)),
        1 => (0_usize..6, any_text()).prop_map(|(who, text)| Deed::Fails(who, text)),
        2 => (0_u8..40).prop_map(Deed::Lives),
        1 => (0_i64..100_000_000).prop_map(Deed::Later),
    ]
}

fn do_it(operator: &mut Operator, deed: Deed) {
    let now = operator.now;
    let nth = |swarm: &Swarm, who: usize| swarm.ids().get(who).copied();
    match deed {
        Deed::Input(input) => operator.input(input),
        Deed::Says(who, text) => {
            if let Some(id) = nth(&operator.swarm, who) {
                let shown = operator.swarm.says(id, &text, now);
                operator.receives(&shown);
            }
        }
        Deed::Fails(who, text) => {
            if let Some(id) = nth(&operator.swarm, who) {
                let mut shown = operator.swarm.fail(id, &text, now);
                shown.extend(operator.swarm.host(id, now, Severity::Warn, &text));
                operator.receives(&shown);
            }
        }
        Deed::Lives(steps) => {
            for _ in 0..steps {
                let shown = operator.swarm.live(now);
                operator.receives(&shown);
            }
        }
        Deed::Later(ms) => operator.now = Timestamp(now.0 + ms),
    }
}

/// No cell holds a control character, and no letter reaches into a cell that says something else.
fn keeps_to_its_cells(buffer: &Buffer) {
    let width = usize::from(buffer.area.width);
    for row in buffer.content.chunks(width.max(1)) {
        for (column, cell) in row.iter().enumerate() {
            let symbol = cell.symbol();
            assert!(!symbol.contains(char::is_control), "{symbol:?}");
            let wide = usize::from(cell.cell_width().max(1));
            assert!(column + wide <= width, "{symbol:?} sticks out");
            for hidden in &row[column + 1..column + wide] {
                assert_eq!(hidden.symbol(), " ", "{symbol:?} hides something");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_view_panics_or_overflows(
        size in (1_u16..=400, 1_u16..=120),
        names in proptest::collection::vec("\\PC{1,20}", 0..5),
        mission in any_text(),
        deeds in proptest::collection::vec(any_deed(), 0..60),
    ) {
        let mut swarm = Swarm::new(2, 2, 5);
        for name in &names {
            if swarm.id_of(name).is_err() {
                let id = swarm.add(name, START);
                drop(swarm.change(name, LifeState::Running, START));
                drop(swarm.step(id, START));
            }
        }
        drop(swarm.broadcast(&mission, START));
        let mut operator = Operator::at(swarm, size);
        for deed in deeds {
            do_it(&mut operator, deed);
            let picture = operator.picture();
            let (columns, rows) = operator.board.facts().size;
            prop_assert_eq!((picture.buffer.area.width, picture.buffer.area.height), (columns, rows));
            keeps_to_its_cells(&picture.buffer);
            if let Some((x, y)) = picture.cursor {
                prop_assert!(x < columns && y < rows);
            }
        }
    }
}

#[test]
fn every_size_up_to_the_largest_can_be_painted() {
    let mut swarm = Swarm::new(6, 2, 5);
    drop(swarm.broadcast("Mine 世界 and 👩‍🚀 report.", START));
    let mut operator = Operator::at(swarm, (1, 1));
    for keys in [
        "",
        "m",
        "<esc>n",
        "<esc>:",
        "<esc>?",
        "<esc>L",
        "<esc>q",
        "<esc>x",
        "<esc><enter>",
        "K<enter>",
    ] {
        operator.keys(keys);
        for columns in [1, 2, 3, 10, 40, 79, 80, 81, 119, 120, 150, 180, 400] {
            for rows in [1, 2, 3, 5, 10, 19, 20, 21, 24, 30, 60, 120] {
                operator.input(Input::Event(Event::Resize(columns, rows)));
                keeps_to_its_cells(&operator.picture().buffer);
            }
        }
        operator.input(Input::Event(Event::Resize(80, 20)));
    }
}

//! Whatever is said and done, at whatever size: no view panics, and nothing leaves its cells.

use actors::domain::ids::Timestamp;
use actors::domain::message::Severity;
use actors::domain::state::LifeState;
use proptest::prelude::*;
use ratatui::buffer::{Buffer, CellWidth};
use zoea_tui::dashboard::input_event::{Did, Input, Key, Mouse, Press};

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
    let letters = "abcdefghijklmnopqrstuvwxyzGKJLNOEUPMVY?:/ *!\t[]<>~1_";
    let named = vec![
        Key::Enter,
        Key::Esc,
        Key::Tab,
        Key::Backspace,
        Key::Delete,
        Key::Up,
        Key::Down,
        Key::Left,
        Key::Right,
        Key::Home,
        Key::End,
        Key::PageUp,
        Key::PageDown,
        Key::Function(1),
    ];
    let key = prop_oneof![
        3 => prop::sample::select(letters.chars().collect::<Vec<_>>()).prop_map(Key::Char),
        1 => prop::sample::select(named),
    ];
    let press =
        (key, prop::bool::weighted(0.1), prop::bool::weighted(0.1)).prop_map(|(key, ctrl, alt)| {
            Press {
                key,
                ctrl,
                alt,
                shift: false,
            }
        });
    let did = prop::sample::select(vec![Did::Click, Did::WheelUp, Did::WheelDown]);
    prop_oneof![
        12 => press.prop_map(Input::Press),
        1 => any_text().prop_map(Input::Paste),
        2 => (0_u16..400, 0_u16..120, did).prop_map(|(x, y, did)| Input::Mouse(Mouse { x, y, did })),
        1 => (1_u16..=400, 1_u16..=120).prop_map(|(x, y)| Input::Resized(x, y)),
        1 => (80_u16..=200, 20_u16..=60).prop_map(|(x, y)| Input::Resized(x, y)),
    ]
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
                let told = operator.swarm.says(id, &text, now);
                operator.hears(&told);
            }
        }
        Deed::Fails(who, text) => {
            if let Some(id) = nth(&operator.swarm, who) {
                let mut told = operator.swarm.fail(id, &text, now);
                told.extend(operator.swarm.host(id, now, Severity::Warn, &text));
                operator.hears(&told);
            }
        }
        Deed::Lives(steps) => {
            for _ in 0..steps {
                let told = operator.swarm.live(now);
                operator.hears(&told);
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
            let (columns, rows) = operator.board.size();
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
                operator.input(Input::Resized(columns, rows));
                keeps_to_its_cells(&operator.picture().buffer);
            }
        }
        operator.input(Input::Resized(80, 20));
    }
}

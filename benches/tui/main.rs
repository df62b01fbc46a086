//! The costs of the terminal: a frame, an event, the opening of a conversation. Then the whole
//! program under a real terminal: keys under many events, an idle swarm, a large database, a
//! terminal that does not read.
//!
//! `cargo bench --bench tui` (about three minutes); `-- picture` measures these alone, `-- whole` the
//! whole program alone.

mod whole;

use crossterm::event::KeyCode;
use std::sync::Arc;

use actors::domain::event::SwarmEvent;
use actors::domain::ids::{MysisId, Now, Timestamp};
use actors::domain::screen::{StoreAnswer, StoreQuery, SwarmSnapshot, UiEffect};
use actors::domain::state::LifeState;
use actors::domain::system_map::{SystemMap, SystemMapBuilder, SystemMapQuery};
use actors::ports::Archive;
use divan::{Bencher, black_box};
use futures::FutureExt;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use zoea_scenes::swarm::{START, Stored, Swarm, rules};
use zoea_tui::dashboard::input_event::{key, letter};
use zoea_tui::dashboard::{Dashboard, DashboardOptions};
use zoea_tui::theme::Depth;
use zoea_tui::view;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        // The benchmark starts itself as the program under the terminal.
        ["demo", myses, rate] => whole::demo(myses, rate),
        _ if words.contains(&"whole") => whole::measure(),
        _ => {
            divan::main();
            if words.iter().all(|word| word.starts_with("--")) && words.contains(&"--bench") {
                whole::measure();
            }
        }
    }
}

const SIZE: (u16, u16) = (200, 60);

/// A dashboard with `myses` Myses that all run.
fn board(myses: usize) -> (Dashboard, Swarm) {
    let mut swarm = Swarm::new(myses, 1, 7);
    for id in swarm.ids() {
        let name = swarm.statuses[&id].name.to_string();
        drop(swarm.change(&name, LifeState::Running, START));
    }
    let mut board = Dashboard::new(DashboardOptions {
        size: SIZE,
        ..DashboardOptions::default()
    });
    board.tick(Now::from_timestamp(START));
    board.restore(SwarmSnapshot {
        statuses: swarm.statuses.values().cloned().map(Arc::new).collect(),
        mission: Some("Mine iron in Sol and sell it at Sol Central.".into()),
        rules: rules(),
        redactor: Arc::default(),
    });
    board.prepare_frame();
    (board, swarm)
}

/// Answers the read of a page.
fn answer_page(board: &mut Dashboard, stored: &Stored, effect: UiEffect) {
    if let UiEffect::Read {
        id,
        query: StoreQuery::Page(page),
    } = effect
    {
        let page = stored.page(page).now_or_never().expect("it is in memory");
        let page = page.map_err(|fault| fault.to_string());
        board.on_read(id, page.map(StoreAnswer::Page));
    }
}

/// Answers the reads that a dashboard asks for, at once.
fn fulfil(board: &mut Dashboard, stored: &Stored) {
    for _ in 0..10 {
        board.prepare_frame();
        for effect in board.take_effects() {
            answer_page(board, stored, effect);
        }
    }
}

/// Draws a frame as the drawing thread does: into existing cells.
fn paint(bencher: Bencher<'_, '_>, board: &Dashboard) {
    let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    bencher.bench_local(|| view::paint_into(black_box(board), Depth::True, &mut buffer));
}

#[divan::bench(args = [10, 1000])]
fn picture_of_the_table(bencher: Bencher<'_, '_>, myses: usize) {
    paint(bencher, &board(myses).0);
}

/// A map of 500 systems with 1,000 Myses on it.
fn map() -> (Dashboard, Swarm) {
    let mut swarm = Swarm::new(1000, 1, 7);
    swarm.spread_over_systems(40, START);
    let mut board = board(0).0;
    board.restore(SwarmSnapshot {
        statuses: swarm.statuses.values().cloned().map(Arc::new).collect(),
        mission: None,
        rules: rules(),
        redactor: Arc::default(),
    });
    board.prepare_frame();
    board.on_input(letter('M').into());
    for effect in board.take_effects() {
        if let UiEffect::Read {
            id,
            query: StoreQuery::SystemMap(query),
        } = effect
        {
            board.on_read(id, Ok(StoreAnswer::SystemMap(read_map(&query))));
        }
    }
    board.prepare_frame();
    (board, swarm)
}

fn read_map(query: &SystemMapQuery) -> SystemMap {
    let mut builder = SystemMapBuilder::new(query);
    for (text, command) in zoea_scenes::systems::looks(500) {
        builder.add_result(command, &text, START);
    }
    builder.finish()
}

#[divan::bench]
fn picture_of_the_map_of_500_systems_at_1000_myses(bencher: Bencher<'_, '_>) {
    paint(bencher, &map().0);
}

/// A key on the map: the model's work, and the picture.
#[divan::bench]
fn step_on_the_map_of_500_systems_at_1000_myses(bencher: Bencher<'_, '_>) {
    let mut board = map().0;
    let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    bencher.bench_local(|| {
        board.on_input(key(KeyCode::Tab).into());
        board.prepare_frame();
        view::paint_into(&board, Depth::True, &mut buffer)
    });
}

/// Parsing the results and laying out what has no place, which a thread of its own does.
#[divan::bench]
fn making_the_map_of_500_systems(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| read_map(&SystemMapQuery::default()));
}

#[divan::bench]
fn picture_of_a_conversation(bencher: Bencher<'_, '_>) {
    let (mut board, swarm) = board(1000);
    board.on_input(key(KeyCode::Enter).into());
    fulfil(&mut board, &swarm.stored);
    paint(bencher, &board);
}

/// The whole way from an event to cells: apply the event, prepare the frame, hand it to the screen,
/// draw.
#[divan::bench]
fn frame_after_an_event_at_1000_myses(bencher: Bencher<'_, '_>) {
    let (board, mut swarm) = board(1000);
    let mut board = Arc::new(board);
    let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    let mut at = START.0;
    bencher.bench_local(|| {
        at += 16;
        let shown = board.clone();
        let changing = Arc::make_mut(&mut board);
        changing.tick(Now::from_timestamp(Timestamp(at)));
        for event in swarm.live(Timestamp(at)) {
            changing.on_event(&event);
        }
        changing.prepare_frame();
        drop(shown);
        view::paint_into(&board, Depth::True, &mut buffer)
    });
}

#[divan::bench]
fn learning_of_an_event_at_1000_myses(bencher: Bencher<'_, '_>) {
    let (mut board, mut swarm) = board(1000);
    let events: Vec<SwarmEvent> = (0..5000).flat_map(|_| swarm.live(START)).collect();
    let mut events = events.iter().cycle();
    bencher.bench_local(|| board.on_event(black_box(events.next().expect("there are some"))));
}

#[divan::bench]
fn settling_at_1000_myses(bencher: Bencher<'_, '_>) {
    let (mut board, mut swarm) = board(1000);
    let mut at = START.0;
    bencher
        .with_inputs(|| swarm.live(START))
        .bench_local_values(|events| {
            for event in &events {
                board.on_event(event);
            }
            at += 16;
            board.tick(Now::from_timestamp(Timestamp(at)));
            board.prepare_frame();
        });
}

/// The time from Enter to the lines on the screen, without reading the store.
#[divan::bench(args = [100, 100_000])]
fn opening_a_conversation_of(bencher: Bencher<'_, '_>, rows: usize) {
    let (board, mut swarm) = board(3);
    let id: MysisId = swarm.ids()[0];
    while swarm.stored.last(id).0 < i64::try_from(rows).unwrap_or(0) {
        drop(swarm.step(id, START));
    }
    let mut opened = board.clone();
    opened.on_input(key(KeyCode::Enter).into());
    opened.prepare_frame();
    let loads: Vec<_> = opened.take_effects();
    let pages: Vec<_> = loads
        .iter()
        .filter_map(|effect| {
            let UiEffect::Read {
                id: stamp,
                query: StoreQuery::Page(page),
            } = effect
            else {
                return None;
            };
            let rows = swarm.stored.page(page.clone()).now_or_never()?.ok()?;
            Some((*stamp, rows))
        })
        .collect();
    bencher
        .with_inputs(|| (opened.clone(), pages.clone()))
        .bench_local_values(|(mut board, pages)| {
            for (stamp, rows) in pages {
                board.on_read(stamp, Ok(StoreAnswer::Page(rows)));
            }
            board.prepare_frame();
            board
        });
}

#[divan::bench]
fn scrolling_a_page(bencher: Bencher<'_, '_>) {
    let (mut board, mut swarm) = board(3);
    let id: MysisId = swarm.ids()[0];
    for _ in 0..20_000 {
        drop(swarm.step(id, START));
    }
    board.on_input(key(KeyCode::Enter).into());
    fulfil(&mut board, &swarm.stored);
    bencher.bench_local(|| {
        board.on_input(key(KeyCode::PageUp).into());
        board.prepare_frame();
        for effect in board.take_effects() {
            answer_page(&mut board, &swarm.stored, effect);
        }
    });
}

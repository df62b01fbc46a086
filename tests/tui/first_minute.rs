//! The first minute: what will be used and whether it answers, and the keys of an empty swarm.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::SwarmEvent;
use actors::domain::event::{EventKind, SwarmCondition};
use actors::domain::ids::{Moment, Now, Timestamp};
use actors::domain::rules::{Simulated, SwarmRules};
use actors::domain::screen::{Successor, UiEffect};
use actors::domain::swarm_setup::{ServerAnswer, SwarmSetup, UsedServer};
use crossterm::event::Event;
use zoea_scenes::swarm::{START, Swarm, rules};
use zoea_tui::dashboard::input_event::{Input, letter};

use crate::operator::Operator;

const SIZES: [(u16, u16); 4] = [(40, 10), (60, 15), (80, 24), (120, 40)];

fn setup(model: ServerAnswer) -> SwarmSetup {
    SwarmSetup {
        home: "/home/ada/.zoea".into(),
        servers: vec![
            UsedServer {
                provider: Some("local".into()),
                address: "http://127.0.0.1:11434/v1".into(),
                model: Some("qwen3:8b".into()),
                answer: model,
            },
            UsedServer {
                provider: None,
                address: "https://game.spacemolt.com/mcp".into(),
                model: None,
                answer: ServerAnswer::Answers("84 ms".into()),
            },
        ],
    }
}

fn dead() -> ServerAnswer {
    ServerAnswer::Fails(
        "no server answers there (connection refused); check that the server runs and that the address is right"
            .into(),
    )
}

fn empty(size: (u16, u16), model: ServerAnswer) -> Operator {
    let mut operator = Operator::at(Swarm::new(0, 0, 1), size);
    operator.board.on_setup(setup(model));
    operator.prepare_frame();
    operator
}

#[test]
fn an_empty_swarm_says_what_will_be_used_and_whether_it_answers() {
    let mut screens = String::new();
    for size in SIZES {
        let (columns, rows) = size;
        for answer in [ServerAnswer::Answers("12 ms".into()), dead()] {
            writeln!(screens, "== {columns}x{rows}").unwrap();
            screens.push_str(&empty(size, answer).text());
        }
    }
    insta::assert_snapshot!("first-minute", screens);
}

#[test]
fn myses_without_a_turn_have_it_below_the_table() {
    let mut operator = Operator::at(Swarm::new(0, 0, 1), (120, 40));
    operator.board.on_setup(setup(dead()));
    operator.keys("nalpha<enter>");
    let text = operator.text();
    assert!(text.contains("WHAT THEY USE"), "{text}");
    assert!(text.contains("✖ no answer"), "{text}");
    let id = operator.swarm.ids()[0];
    operator.swarm.statuses.get_mut(&id).unwrap().totals.turns = 1;
    let status = Arc::new(operator.swarm.statuses[&id].clone());
    let text = operator.happens(EventKind::StatusChanged(status)).text();
    assert!(!text.contains("WHAT THEY USE"), "{text}");
}

/// The keys that act are painted in every window that is not too small.
#[test]
fn the_first_steps_are_painted_at_every_size() {
    for columns in [40, 60, 80, 120] {
        for rows in [10, 11, 12, 15, 20, 24, 40] {
            let text = empty((columns, rows), dead()).text();
            for (key, word, sentence) in [
                ("n", "new", "create a Mysis"),
                ("o", "play offline", "play offline: no key"),
                ("i", "set up", "set up a model server"),
            ] {
                let in_line = text.contains(&format!(" {key} {word}"));
                let in_list = text.contains(&format!(" {key}  {sentence}"));
                assert!(in_line || in_list, "{key} at {columns}x{rows}: {text}");
            }
        }
    }
}

fn pressed(operator: &mut Operator, key: char) -> Vec<UiEffect> {
    operator.board.on_input(letter(key).into());
    operator.board.take_effects()
}

#[test]
fn an_empty_swarm_gives_its_place_to_offline_play_or_setup() {
    for (key, successor) in [('o', Successor::OfflinePlay), ('i', Successor::Setup)] {
        let mut operator = empty((80, 24), dead());
        let effects = pressed(&mut operator, key);
        assert_eq!(effects, [UiEffect::QuitFor(successor)]);
        assert!(operator.board.facts().closing_since.is_some());
    }
}

#[test]
fn where_there_is_a_mysis_the_same_key_sorts() {
    let mut operator = empty((80, 24), dead());
    operator.keys("nalpha<enter>");
    let before = operator.board.table().sorting();
    assert_eq!(pressed(&mut operator, 'o'), []);
    assert_ne!(operator.board.table().sorting(), before);
}

#[test]
fn a_first_step_that_leads_nowhere_says_so() {
    let mut operator = empty((80, 24), dead());
    let simulated = SwarmRules {
        simulated: Simulated::GameAndModel,
        ..SwarmRules::clone(&rules())
    };
    operator
        .board
        .take_rules(Arc::new(simulated), Arc::default());
    operator.prepare_frame();
    assert!(!operator.text().contains("play offline"));
    assert_eq!(pressed(&mut operator, 'o'), []);
    assert!(operator.text().contains("this swarm plays offline already"));
    let board = empty((80, 24), dead()).board.into_attached();
    let mut attached = empty((80, 24), dead());
    attached.board = board;
    attached.prepare_frame();
    assert_eq!(pressed(&mut attached, 'i'), []);
    let text = attached.text();
    assert!(text.contains("this terminal is attached"), "{text}");
}

#[test]
fn a_notice_goes_by_itself_in_an_empty_swarm_too() {
    let mut operator = empty((80, 24), ServerAnswer::Answers("12 ms".into()));
    assert_eq!(operator.board.next_change(), None);
    operator.keys("R");
    assert!(operator.text().contains("no Mysis was interrupted"));
    let next = operator.board.next_change().expect("the notice goes");
    assert!(next.0 - operator.now.0 <= 1_000);
    operator.waits(Duration::from_secs(9));
    assert!(!operator.text().contains("no Mysis was interrupted"));
    assert_eq!(operator.board.next_change(), None);
}

#[test]
fn the_hint_for_a_beginner_goes_with_the_first_key() {
    let mut operator = empty((80, 24), dead());
    assert!(operator.text().contains("? lists all keys"));
    operator.keys("j");
    assert!(!operator.text().contains("? lists all keys"));
}

#[test]
fn servers_are_asked_again_while_one_fails_and_never_while_the_swarm_is_frozen() {
    let at = |operator: &mut Operator, seconds: i64| {
        let moment = Moment(operator.now.0 + seconds * 1_000);
        operator.board.tick(Now {
            wall: Timestamp(operator.now.0),
            moment,
        });
        operator.board.prepare_frame();
        operator.board.take_effects()
    };
    let mut operator = empty((80, 24), dead());
    let asked = [UiEffect::CheckSetup];
    let first = 100;
    assert_eq!(at(&mut operator, first), asked);
    assert_eq!(at(&mut operator, first + 9), []);
    assert_eq!(at(&mut operator, first + 10), asked);
    // While they are asked again, the answers of before stand.
    operator.board.on_setup(setup(ServerAnswer::Awaited));
    assert!(operator.text().contains("✖ no answer"));
    let frozen = |since| SwarmEvent {
        at: START,
        mysis: None,
        what: EventKind::Condition(SwarmCondition::Freeze(since)),
    };
    operator.board.on_event(&frozen(Some(START)));
    assert_eq!(at(&mut operator, first + 30), []);
    operator.board.on_event(&frozen(None));
    assert_eq!(at(&mut operator, first + 40), asked);
    operator
        .board
        .on_setup(setup(ServerAnswer::Answers("1 ms".into())));
    assert_eq!(at(&mut operator, first + 80), []);
}

#[test]
fn a_window_that_grows_shows_the_page_as_a_whole() {
    let mut operator = empty((40, 10), dead());
    operator.input(Input::Event(Event::Resize(120, 40)));
    let text = operator.text();
    assert!(
        text.contains("play offline: no key, no account, no network"),
        "{text}"
    );
}

//! Drafts, long notes, the banner and offered routines: what the operator can put away or take with one key.

use std::sync::Arc;

use actors::domain::event::{EventKind, MysisStatus};
use actors::domain::ids::MysisId;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::routine::CircleOffer;
use actors::domain::silence::{SilenceNotice, SilenceScope};
use actors::domain::state::LifeState;
use crossterm::event::KeyCode;

use super::{Desk, orders_of, status};
use crate::dashboard::input_event::{Input, ctrl};
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::composer::ComposeTarget;
use crossterm::event::Event;

#[test]
fn control_c_throws_a_draft_away_and_the_history_brings_it_back() {
    let mut desk = Desk::new();
    desk.types("mgo home");
    assert!(desk.press(ctrl('c')).is_empty());
    assert!(desk.board.overlays().is_empty());
    let target = ComposeTarget::Myses(vec![MysisId(1)]);
    assert_eq!(desk.board.drafts.get(&target), "");
    desk.types("m");
    let text = |desk: &Desk| {
        let composer = desk.board.overlays()[0].composer().expect("a composer");
        composer.field.text().to_string()
    };
    assert_eq!(text(&desk), "");
    desk.key(KeyCode::Up);
    assert_eq!(text(&desk), "go home");
}

#[test]
fn a_long_note_asks_first_and_says_what_it_adds_to_each_request() {
    let mut desk = Desk::new();
    desk.types("ashort");
    let notes = orders_of(&desk.key(KeyCode::Enter));
    assert_eq!(notes.len(), 1, "a short one is taken at once");
    desk.types("a");
    let long = "word ".repeat(12_000);
    desk.board
        .on_input(Input::Event(Event::Paste(long.clone())));
    let composer = desk.board.overlays()[0].composer().expect("a composer");
    assert_eq!(composer.added_tokens(), Some(20_000));
    assert!(orders_of(&desk.key(KeyCode::Enter)).is_empty());
    let Some(Overlay::Confirm(question)) = desk.board.overlays().last() else {
        panic!("it is not asked");
    };
    assert_eq!(
        question.lines[0],
        "Add about 20,000 tokens to every request?"
    );
    // What was written is still there.
    desk.types("n");
    let target = ComposeTarget::Notes(vec![MysisId(1)]);
    assert_eq!(desk.board.drafts.get(&target).len(), long.len());
    desk.types("a");
    desk.key(KeyCode::Enter);
    let given = orders_of(&desk.types("y"));
    let [(_, Order::ForMysis { order, .. })] = &given[..] else {
        panic!("{} orders", given.len());
    };
    assert!(matches!(order, MysisOrder::Note(text) if text.len() == long.len()));
    assert_eq!(desk.board.drafts.get(&target), "");
}

#[test]
fn the_banner_is_hidden_by_a_key_until_its_trouble_is_over() {
    let mut desk = Desk::new();
    let silent = |text: &str| {
        EventKind::SilenceChanged(Some(Arc::new(SilenceNotice {
            scope: SilenceScope::Swarm,
            text: text.into(),
        })))
    };
    desk.happens(None, silent("most calls fail: 4 of 5 Myses"));
    let banner = desk.board.banner_text();
    assert_eq!(banner, "most calls fail: 4 of 5 Myses  [Esc hides this]");
    desk.key(KeyCode::Esc);
    assert_eq!(desk.board.banner_text(), "");
    // Other figures of the same trouble are no news.
    desk.happens(None, silent("most calls fail: 5 of 5 Myses"));
    assert_eq!(desk.board.banner_text(), "");
    desk.happens(None, EventKind::SilenceChanged(None));
    desk.happens(None, silent("most calls fail: 3 of 5 Myses"));
    assert!(desk.board.banner_text().starts_with("most calls fail: 3"));
}

#[test]
fn an_offered_routine_is_shown_by_its_name_and_started_by_one_key() {
    let mut desk = Desk::new();
    let offer = CircleOffer {
        name: "ore_round".into(),
        earned: 700,
        rounds: 3,
        steps: "mine, sell".into(),
    };
    let offered = MysisStatus {
        circle: Some(Arc::new(offer)),
        ..MysisStatus::clone(&status(1, "alpha", LifeState::Running))
    };
    desk.happens(
        Some((1, "alpha")),
        EventKind::StatusChanged(Arc::new(offered)),
    );
    let given = orders_of(&desk.types("B"));
    let start = MysisOrder::StartRoutine(r#"{"name":"ore_round"}"#.into());
    assert_eq!(given[0].1, start.for_mysis("alpha".to_string()));
    let given = orders_of(&desk.types("w"));
    let show = MysisOrder::EditRoutine(r#"{"name":"ore_round"}"#.into());
    assert_eq!(given[0].1, show.for_mysis("alpha".to_string()));
}

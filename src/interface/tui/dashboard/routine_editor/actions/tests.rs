//! The editor of a routine through keys and answers.

use actors::domain::order::{CompletedAction, Order};
use actors::domain::state::LifeState;

use super::*;
use crate::dashboard::input_event::ctrl;
use crate::dashboard::tests::{Desk, order_of, orders_of, status};

const ROUTINE: &str = r#"{"name":"ore","rounds":20,"steps":[{"tool":"mine","most":9}]}"#;

fn desk() -> Desk {
    Desk::with(vec![
        status(1, "alpha", LifeState::Running),
        status(2, "bravo", LifeState::Running),
    ])
}

/// The editor with the routine of alpha.
fn editing() -> Desk {
    let mut desk = desk();
    let (id, order) = order_of(&desk.types("w"));
    let asked = MysisOrder::EditRoutine("{}".into()).for_mysis("alpha".to_string());
    assert_eq!(order, asked);
    desk.answers(id, Ok(CompletedOrder::Routine(ROUTINE.into())));
    desk
}

fn editor(desk: &Desk) -> &RoutineEditor {
    desk.board.view::<RoutineEditor>().expect("the editor")
}

fn edited(order: Order) -> Value {
    let Order::ForMysis {
        order: MysisOrder::EditRoutine(changes) | MysisOrder::StartRoutine(changes),
        ..
    } = order
    else {
        panic!("{order:?}");
    };
    serde_json::from_str(&changes).expect("JSON")
}

/// Writes 21 rounds in place of 20.
fn change(desk: &mut Desk) {
    desk.key(KeyCode::Down);
    desk.key(KeyCode::Down);
    desk.key(KeyCode::End);
    desk.key(KeyCode::Left);
    desk.key(KeyCode::Backspace);
    desk.types("1");
    assert!(editor(desk).field.text().contains("\"rounds\": 21"));
}

#[test]
fn a_text_is_read_changed_and_saved_and_stays_open() {
    let mut desk = editing();
    assert!(
        editor(&desk)
            .field
            .text()
            .contains("{\"tool\": \"mine\", \"most\": 9}")
    );
    assert_eq!(desk.press(ctrl('s')), [], "nothing is changed");
    change(&mut desk);
    let (id, order) = order_of(&desk.press(ctrl('s')));
    assert_eq!(edited(order), json!({"name": "ore", "rounds": 21}));
    desk.answers(
        id,
        Ok(CompletedOrder::Routine(ROUTINE.replace("20", "21").into())),
    );
    assert!(!editor(&desk).is_changed());
    desk.key(KeyCode::Esc);
    assert!(desk.board.overlays().is_empty());
}

#[test]
fn what_is_written_while_a_text_is_on_its_way_is_not_saved() {
    let mut desk = editing();
    change(&mut desk);
    let (id, _) = order_of(&desk.press(ctrl('s')));
    desk.key(KeyCode::Backspace);
    assert_eq!(desk.press(ctrl('s')), [], "the first one has no answer yet");
    let stored = ROUTINE.replace("20", "21");
    desk.answers(id, Ok(CompletedOrder::Routine(stored.into())));
    assert!(editor(&desk).is_changed());
    let notice = editor(&desk).notice.as_deref();
    assert_eq!(notice, Some("saved, but not what you wrote since"));
    desk.press(ctrl('r'));
    let (_, order) = order_of(&desk.key(KeyCode::Enter));
    assert_eq!(edited(order)["rounds"], 2, "what is on the screen starts");
    let (_, order) = order_of(&desk.press(ctrl('s')));
    assert_eq!(edited(order), json!({"name": "ore", "rounds": 2}));
    desk.key(KeyCode::Esc);
    assert_eq!(desk.board.overlays().len(), 2, "it asks");
}

#[test]
fn what_is_wrong_is_not_sent_and_what_the_mysis_refuses_is_shown() {
    let mut desk = editing();
    change(&mut desk);
    desk.types("0");
    assert_eq!(editor(&desk).all_mistakes().len(), 1);
    assert_eq!(desk.press(ctrl('s')), []);
    assert_eq!(desk.press(ctrl('r')), []);
    desk.key(KeyCode::Backspace);
    let (id, _) = order_of(&desk.press(ctrl('s')));
    let why = vec!["steps 1: there is no tool mine".to_string()];
    desk.answers(id, Err(OrderRefusal::BadEdit(why)));
    let lines: Vec<_> = editor(&desk)
        .all_mistakes()
        .iter()
        .map(|it| it.line)
        .collect();
    assert_eq!(lines, [Some(4)]);
    assert!(editor(&desk).is_changed());
}

#[test]
fn it_is_started_with_those_that_are_named() {
    let mut desk = editing();
    desk.press(ctrl('r'));
    let (id, order) = order_of(&desk.key(KeyCode::Enter));
    assert_eq!(
        (order.name(), edited(order.clone())),
        ("alpha", json!({"name": "ore"}))
    );
    desk.answers(
        id,
        Ok(CompletedOrder::Done(CompletedAction::RoutineStarted)),
    );
    change(&mut desk);
    desk.press(ctrl('r'));
    desk.types(",bravo");
    let orders = orders_of(&desk.key(KeyCode::Enter));
    let names: Vec<&str> = orders.iter().map(|(_, order)| order.name()).collect();
    assert_eq!(names, ["alpha", "bravo"]);
    assert_eq!(edited(orders[1].1.clone())["rounds"], 21);
    let why = vec!["steps 1: there is no tool mine".to_string()];
    desk.answers(orders[1].0, Err(OrderRefusal::BadRoutine(why)));
    let notice = editor(&desk).notice.as_deref();
    assert_eq!(notice, Some("not started with bravo"));
    assert_eq!(editor(&desk).all_mistakes()[0].line, Some(4));
    desk.press(ctrl('r'));
    desk.types("x");
    assert_eq!(desk.key(KeyCode::Enter), []);
    assert!(editor(&desk).notice.is_some(), "nobody has that name");
}

#[test]
fn of_several_that_start_it_each_refusal_is_told() {
    let refusal = || OrderRefusal::BadRoutine(vec!["steps 1: there is no tool mine".to_string()]);
    let done = CompletedOrder::Done(CompletedAction::RoutineStarted);
    for last in [Ok(done), Err(refusal())] {
        let mut desk = editing();
        change(&mut desk);
        desk.press(ctrl('r'));
        desk.types(",bravo");
        let orders = orders_of(&desk.key(KeyCode::Enter));
        assert_eq!(orders.len(), 2);
        desk.answers(orders[0].0, Err(refusal()));
        assert_eq!(desk.complaint(), "");
        desk.answers(orders[1].0, last);
        assert!(desk.complaint().contains("alpha ("), "{}", desk.complaint());
    }
}

#[test]
fn what_is_not_saved_is_left_only_after_a_question() {
    let mut desk = editing();
    change(&mut desk);
    desk.key(KeyCode::Esc);
    desk.key(KeyCode::Enter);
    desk.types("n");
    assert!(editor(&desk).is_changed());
    desk.key(KeyCode::Esc);
    desk.types("y");
    assert!(desk.board.overlays().is_empty());
}

#[test]
fn who_knows_no_routine_gets_an_empty_one_to_start() {
    let mut desk = desk();
    desk.types(":edit-routine bravo iron");
    let (id, order) = order_of(&desk.key(KeyCode::Enter));
    assert_eq!(
        (order.name(), edited(order.clone())),
        ("bravo", json!({"name": "iron"}))
    );
    let why = vec!["it knows no routine yet".to_string()];
    desk.answers(id, Err(OrderRefusal::BadEdit(why)));
    assert_eq!(editor(&desk).field.text(), EMPTY_ROUTINE);
    assert!(editor(&desk).notice.is_some() && !editor(&desk).is_changed());
    assert!(
        desk.board.facts.orders.receipts().is_empty(),
        "it was no order"
    );
}

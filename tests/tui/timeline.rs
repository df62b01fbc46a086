//! The timeline under a conversation.

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use zoea_tui::dashboard::input_event::Input;

use crate::operator::Operator;
use crate::snapshots::{check_at, normal};

fn at(size: (u16, u16)) -> Operator {
    let mut operator = Operator::at(normal(), size);
    operator.keys("<end><enter>");
    operator
}

fn selected(operator: &Operator) -> Option<i64> {
    let focus = operator.board.focus().expect("it is open");
    focus.transcript.selected().map(|seq| seq.0)
}

#[test]
fn the_timeline_at_every_size() {
    let sizes = [(60, 15), (80, 24), (120, 40), (200, 60)];
    check_at("timeline", sizes, normal, |operator| {
        operator.keys("<end><enter>[");
    });
}

#[test]
fn the_keys_go_to_a_minute_and_a_click_does_the_same() {
    let mut operator = at((120, 40));
    let area = operator.board.layout().timeline;
    assert_eq!(area.height, 2);
    operator.keys("[");
    let there = selected(&operator).expect("a row of the newest minute");
    let text = operator.text();
    let row = text.lines().nth(usize::from(area.y + 1)).expect("a row");
    let is_known = |sign: &char| "▄█▸▁✖".contains(*sign);
    let column = row.chars().count()
        - row
            .chars()
            .rev()
            .position(|sign| is_known(&sign))
            .expect("one");
    operator.keys("<esc>");
    assert_eq!(selected(&operator), None);
    operator.input(Input::Event(Event::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: u16::try_from(column - 1).expect("on the screen"),
        row: area.y + 1,
        modifiers: KeyModifiers::NONE,
    })));
    assert_eq!(selected(&operator), Some(there));
}

#[test]
fn where_there_is_no_room_the_key_says_so_and_goes_nowhere() {
    let mut operator = at((60, 15));
    assert_eq!(operator.board.layout().timeline.height, 0);
    operator.keys("[");
    assert!(
        operator.text().contains("needs a taller terminal"),
        "{}",
        operator.text()
    );
    assert_eq!(selected(&operator), None);
}

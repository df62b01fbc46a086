//! The editor of a routine, at every size.

use crate::operator::Operator;
use crate::snapshots::{check_at, normal};

const SIZES: [(u16, u16); 3] = [(60, 15), (80, 24), (120, 40)];

#[test]
fn a_routine_is_shown_whole() {
    check_at("routine", SIZES, normal, |operator| {
        operator.keys("w");
    });
}

#[test]
fn mistakes_stand_at_their_lines() {
    check_at("routine-mistakes", SIZES, normal, |operator| {
        operator.keys("w<down><down><end><left>00");
        operator.keys("<pgdn><end><left><left>.5");
    });
}

#[test]
fn it_is_asked_who_starts_it_and_what_becomes_of_changes() {
    check_at("routine-start", SIZES, normal, |operator| {
        operator.keys("w<ctrl-r>");
    });
    let mut operator = Operator::at(normal(), (80, 24));
    operator.keys("w<down><down><end><left>0<esc>");
    let asked = operator.text();
    assert!(asked.contains("Discard the changes"), "{asked}");
    operator.keys("y");
    assert!(!operator.text().contains("ROUTINE"));
}

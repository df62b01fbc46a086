//! Tests of changes of a routine, also while it runs.

use super::*;

/// The routine that runs with these changes.
fn changed(played: &Played, changes: Json) -> Arc<Routine> {
    let routine = with_changes(played.run.routine(), &object(changes));
    Arc::new(routine.expect("a routine"))
}

impl Played {
    fn edit(&mut self, changes: Json) {
        let routine = changed(self, changes);
        let mut memo = RoutineMemo {
            run: Some(Box::new(self.run.clone())),
            ..RoutineMemo::default()
        };
        memo.edit(&routine);
        // A kill between the order and the step changes nothing.
        let memo = RoutineMemo::restore(&memo.to_text()).expect("it is understood");
        self.run = *memo.run.expect("a run");
    }
}

fn three_steps() -> Json {
    json!({"name": "x", "steps": [{"tool": "dock"}, {"tool": "scan"}, {"tool": "undock"}], "rounds": 5})
}

#[test]
fn a_change_is_in_force_from_the_next_step_on_and_the_cursor_stays_at_its_step() {
    let mut played = Played::of(three_steps());
    assert_eq!(played.next(), "r1.1.1 dock");
    played.edit(json!({"steps": [{"tool": "repair"}, {"tool": "dock"}, {"tool": "scan", "most": 2}], "rounds": 1}));
    assert_eq!(played.run.routine().rounds, 5, "never inside a step");
    played.done("{}");
    assert_eq!(
        played.next(),
        "r1.3.1 scan",
        "the due step has another place"
    );
    played.done("{}");
    assert_eq!(played.next(), "r1.3.2 scan", "and is made twice now");
    played.done("{}");
    assert_eq!(played.next(), "its rounds are over");
}

#[test]
fn where_its_step_is_gone_it_goes_on_at_the_next_one_that_is_left_or_begins_the_round_anew() {
    for (steps, next) in [
        (
            json!([{"tool": "repair"}, {"tool": "undock"}]),
            "r1.2.1 undock",
        ),
        (
            json!([{"tool": "repair"}, {"tool": "mine"}]),
            "r1.1.1 repair",
        ),
    ] {
        let mut played = Played::of(three_steps());
        assert_eq!(played.next(), "r1.1.1 dock");
        played.edit(json!({"steps": steps}));
        played.done("{}");
        assert_eq!(played.next(), next);
    }
}

#[test]
fn a_call_that_looks_are_about_ends_before_a_change_is_in_force() {
    let mut played = Played::of(three_steps());
    played.facts.docked = Some(false);
    assert_eq!(played.next(), "r1.1.1 dock");
    played.fails(CallStatus::Unknown, "lost");
    played.edit(json!({"steps": [{"tool": "scan", "most": 2}]}));
    assert_eq!(played.next(), "look1.1 get_status");
    let docked = r#"{"player":{"current_system":"sol","current_poi":"base","docked_at_base":"b"}}"#;
    played.done(docked);
    assert_eq!(played.next(), "r1.1.1 scan");
    assert_eq!(played.confirmed.len(), 1);
}

#[test]
fn null_takes_a_member_away_and_mistakes_are_told_at_once() {
    let played = Played::of(mining());
    let free = changed(
        &played,
        json!({"guards": null, "until": null, "name": "mine"}),
    );
    assert_eq!((free.guards.len(), free.until.is_none()), (0, true));
    assert_eq!(free.steps, played.run.routine().steps);
    let bad =
        object(json!({"rounds": 0, "guards": [{"value": "luck", "op": ">", "number": 1}], "x": 1}));
    let text = with_changes(played.run.routine(), &bad)
        .unwrap_err()
        .join("\n");
    for part in [
        "rounds: a number from 1",
        "guards 1: value is one of",
        "unknown: x",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

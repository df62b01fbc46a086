//! How a turn reacts to a provider that needs the request in another form or size.

use super::*;
use crate::compose::wire_bytes;

/// A life with a long result in its turn.
fn with_much_to_say() -> Scene {
    let mut scene = Scene::new();
    scene.prompt("go");
    for _ in 0..2 {
        scene.want(&[("mine", "{}")]);
        scene.leave();
        scene.give_back(&"ore ".repeat(4000));
    }
    scene
}

fn too_long() -> ModelFault {
    ModelFault::TooLong {
        text: "HTTP 400: maximum context length".to_string(),
    }
}

#[test]
fn a_request_that_is_too_long_is_composed_smaller_and_asked_once_again() {
    let mut scene = with_much_to_say();
    let before = wire_bytes(&scene.asked().messages);
    let asks = scene.asks().len();
    scene.fail(too_long());
    assert_eq!(scene.life.state(), LifeState::Running);
    assert_eq!(scene.asks().len(), asks + 1, "at once");
    let after = wire_bytes(&scene.asked().messages);
    assert!(after <= before / 2, "{before} and then {after}");
    assert_eq!(scene.host_codes(), ["shortened"]);
    scene.fail(too_long());
    assert_eq!(scene.life.state(), LifeState::Errored, "once, not for ever");
}

#[test]
fn what_was_learnt_of_the_length_holds_for_the_turns_after() {
    let mut scene = with_much_to_say();
    let before = wire_bytes(&scene.asked().messages);
    scene.fail(too_long());
    scene.say("done");
    scene.prompt("again");
    assert!(wire_bytes(&scene.asked().messages) <= before / 2);
    assert_eq!(scene.life.state(), LifeState::Running);
}

#[test]
fn where_the_provider_writes_otherwise_from_now_on_the_turn_goes_on_at_once() {
    let mut scene = Scene::new();
    scene.prompt("go");
    for round in 1..=5 {
        scene.fail(ModelFault::Adapted {
            text: "left out: get_map".to_string(),
        });
        assert_eq!(scene.asks().len(), 1 + round, "it is no try");
    }
    scene.say("done");
    assert_eq!(scene.host_codes(), ["adapted"; 5]);
    assert_eq!(scene.life.status().totals.turns, 1);
}

#[test]
fn an_answer_without_a_choice_is_paid_for_and_asked_again() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.fail(ModelFault::Empty {
        text: "the answer holds no choice".to_string(),
        usage: Some(TokenUsage {
            input: 70,
            output: 0,
            cached: 0,
        }),
    });
    assert_eq!(scene.host_codes(), ["empty_answer", "retry"]);
    assert_eq!(scene.life.status().totals.tokens_in, 70);
    scene.ring();
    assert_eq!(scene.asks().len(), 2);
}

#[test]
fn a_call_by_a_name_with_leaked_tokens_is_made() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.want(&[("mine<|channel|>commentary", "{}")]);
    assert_eq!(&*scene.call().tool, "mine");
}

//! Moving: a Mysis leaves for another process at the end of its turn, and not in it.

use super::*;

fn has_left(scene: &Scene) -> bool {
    let mut effects = scene.effects.iter();
    effects.any(|effect| matches!(effect, Effect::Leave))
}

#[test]
fn one_that_is_handed_over_finishes_its_turn_and_stays_running_for_the_next_process() {
    let mut scene = Scene::running();
    scene.want(&[("mine", "{}")]);
    scene.handle(LifeInput::HandOver);
    assert!(!has_left(&scene), "a call is under way");
    let call = scene.call();
    scene.handle(LifeInput::Leaving { work: call.work });
    scene.handle(LifeInput::Returned {
        work: call.work,
        outcome: ToolOutcome {
            text: "ore".into(),
            status: CallStatus::Done,
            ms: Some(1),
            tick: None,
        },
    });
    assert!(!has_left(&scene), "the model has not seen the result");
    let asked = scene.asks().len();
    scene.say("done");
    assert!(has_left(&scene));
    assert_eq!(scene.asks().len(), asked, "no turn begins");
    assert_eq!(scene.life.state(), LifeState::Running);
}

#[test]
fn an_order_that_comes_before_the_end_of_the_turn_is_answered_in_it() {
    let mut scene = Scene::running();
    scene.handle(LifeInput::HandOver);
    let stored = scene.prompt("fly");
    assert!(matches!(stored, Some(Ok(CompletedOrder::Stored(_)))));
    let asked = scene.asks().len();
    scene.say("done");
    assert!(!has_left(&scene), "the model has not seen the order");
    assert_eq!(scene.asks().len(), asked + 1);
    scene.say("I fly");
    assert!(has_left(&scene));
    assert_eq!(scene.asks().len(), asked + 1);
}

#[test]
fn one_at_rest_leaves_at_once_and_one_that_goes_to_rest_leaves_then() {
    let mut scene = Scene::new();
    scene.handle(LifeInput::HandOver);
    assert!(has_left(&scene));
    let mut scene = Scene::running();
    scene.handle(LifeInput::HandOver);
    assert!(!has_left(&scene));
    scene.order(MysisOrder::Stop);
    assert!(has_left(&scene));
    assert_eq!(scene.life.state(), LifeState::Stopped);
}

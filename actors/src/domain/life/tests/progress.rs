//! Turns that lead nowhere: the operator is told, and the model with the next request.

use super::*;

fn told(scene: &Scene) -> bool {
    scene.asked().messages.iter().any(|message| {
        matches!(message, ChatMessage::User(text)
            if text.starts_with(crate::domain::compose::ASIDE_LINE) && text.contains("No progress"))
    })
}

fn noticed(scene: &Scene) -> usize {
    let codes = scene.host_codes();
    codes.iter().filter(|code| *code == "no_progress").count()
}

/// A Mysis with a mission, which never goes idle.
fn on_a_mission() -> Scene {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    scene
}

fn talk(scene: &mut Scene) {
    scene.say("waiting");
    scene.ring();
}

fn call_once(scene: &mut Scene, tool: &str, arguments: &str, status: CallStatus) {
    scene.want(&[(tool, arguments)]);
    scene.leave();
    let work = scene.call().work;
    let outcome = outcome("x", status);
    scene.hear(Input::Returned { work, outcome });
    talk(scene);
}

#[test]
fn five_turns_without_a_tool_are_told_to_both() {
    let mut scene = on_a_mission();
    for _ in 0..4 {
        talk(&mut scene);
    }
    assert!(!told(&scene) && noticed(&scene) == 0);
    talk(&mut scene);
    assert!(told(&scene) && noticed(&scene) == 1);
    assert_eq!(scene.life.state(), State::Running);
    for _ in 0..4 {
        talk(&mut scene);
        assert_eq!(noticed(&scene), 1, "not again at once");
    }
    talk(&mut scene);
    assert_eq!(noticed(&scene), 2, "after twice as many");
}

#[test]
fn one_call_that_fails_again_and_again_is_no_progress() {
    let mut scene = on_a_mission();
    for _ in 0..5 {
        call_once(&mut scene, "mine", "{}", CallStatus::Failed);
    }
    assert!(told(&scene) && noticed(&scene) == 1);
    call_once(&mut scene, "mine", "{}", CallStatus::Done);
    assert!(!told(&scene), "one that succeeds is");
}

#[test]
fn different_failures_and_successes_are_progress() {
    let mut scene = on_a_mission();
    for turn in 0..12 {
        let arguments = format!(r#"{{"n":{turn}}}"#);
        call_once(&mut scene, "mine", &arguments, CallStatus::Failed);
    }
    for _ in 0..12 {
        call_once(&mut scene, "mine", "{}", CallStatus::Done);
    }
    assert_eq!(noticed(&scene), 0);
}

#[test]
fn an_order_begins_a_new_count() {
    let mut scene = on_a_mission();
    for _ in 0..3 {
        for _ in 0..4 {
            talk(&mut scene);
        }
        scene.prompt("how are you");
        scene.say("well");
        scene.ring();
    }
    assert_eq!(noticed(&scene), 0);
}

#[test]
fn the_operator_sees_who_is_stuck_until_it_moves_or_hears_an_order() {
    let mut scene = on_a_mission();
    let stuck = |scene: &Scene| scene.life.standing().stuck;
    for turns in 1..8 {
        call_once(&mut scene, "mine", "{}", CallStatus::Failed);
        let seen = stuck(&scene).map(|stuck| (stuck.turns, stuck.tool));
        assert_eq!(seen, (turns >= 5).then(|| (turns, Some("mine".into()))));
    }
    call_once(&mut scene, "dock", "{}", CallStatus::Failed);
    assert_eq!(stuck(&scene), None, "it tries something else");
    for _ in 0..5 {
        talk(&mut scene);
    }
    assert!(stuck(&scene).is_some());
    scene.prompt("how are you");
    assert_eq!(stuck(&scene), None);
}

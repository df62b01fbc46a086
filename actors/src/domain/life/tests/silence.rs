//! Lives in which no tool call succeeds: what they tell of it, and when that ends.

use super::*;
use crate::needs::operator_need;

fn need_of(scene: &Scene) -> Option<(&'static str, String)> {
    let need = operator_need(&scene.life.status())?;
    Some((need.what, need.why.to_string()))
}

fn on_a_mission(text: &str) -> Scene {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission(text)));
    scene
}

fn talk(scene: &mut Scene, text: &str) {
    scene.say(text);
    scene.ring();
}

fn call(scene: &mut Scene, status: CallStatus) {
    scene.want(&[("mine", "{}")]);
    scene.leave();
    let work = scene.call().work;
    let outcome = outcome("Error: no_ore: nothing here", status);
    scene.handle(LifeInput::Returned { work, outcome });
}

#[test]
fn written_calls_are_told_after_three_turns_until_one_succeeds() {
    let mut scene = on_a_mission("mine");
    let written = "Now: <tool_call>{\"name\": \"mine\", \"arguments\": {}}</tool_call>";
    for _ in 0..3 {
        assert_eq!(need_of(&scene), None);
        talk(&mut scene, written);
    }
    let (what, why) = need_of(&scene).unwrap();
    assert_eq!(what, "no calls yet");
    assert!(
        why.contains("writes its calls as text: \"Now: <tool_call>"),
        "{why}"
    );
    call(&mut scene, CallStatus::Done);
    assert_eq!(need_of(&scene), None);
    for _ in 0..4 {
        talk(&mut scene, "done");
    }
    assert_eq!(need_of(&scene), None, "it has played");
}

#[test]
fn failed_calls_and_their_closing_words_are_told_as_failures() {
    let mut scene = on_a_mission("mine");
    for _ in 0..3 {
        call(&mut scene, CallStatus::Failed);
        talk(&mut scene, "that did not work");
    }
    let (_, why) = need_of(&scene).unwrap();
    let notices = "every call failed, the last one mine: \"Error: no_ore: nothing here\"";
    assert!(why.contains(notices), "{why}");
    // Whoever is started anew is judged anew.
    scene.order(MysisOrder::Stop);
    assert_eq!(need_of(&scene), None);
    scene.order(MysisOrder::Start);
    assert_eq!(need_of(&scene), None);
}

#[test]
fn talk_that_was_asked_for_is_no_silence() {
    let mut scene = on_a_mission("guard the gate\n[no gain expected]");
    for _ in 0..9 {
        talk(&mut scene, "all quiet");
        assert_eq!(need_of(&scene), None);
    }
    let mut scene = Scene::new();
    for _ in 0..9 {
        scene.prompt("how are you?");
        scene.say("well");
        assert_eq!(need_of(&scene), None);
    }
}

#[test]
fn what_the_model_wrote_is_told_without_secrets() {
    let redactor = Arc::new(Redactor::new(["hunter2hunter2".into()]));
    let mut scene = Scene::of(RestoreArgs { redactor, ..past() });
    scene.order(MysisOrder::Mission(mission("mine")));
    for _ in 0..3 {
        talk(&mut scene, "my password is hunter2hunter2");
    }
    let (_, why) = need_of(&scene).unwrap();
    assert!(
        why.contains("my password is") && !why.contains("hunter2"),
        "{why}"
    );
}

//! Notes, settings, closing, and what is told.

use super::*;

#[test]
fn notes_stand_until_they_are_cleared() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Note("never sell the ship".into()));
    scene.prompt("go");
    let note = ChatMessage::System("never sell the ship".into());
    assert!(scene.asked().messages.contains(&note));
    scene.say("ok");
    assert_eq!(
        scene.order(MysisOrder::ClearNotes),
        Some(Ok(Done::NotesCleared))
    );
    scene.ring();
    assert!(!scene.asked().messages.contains(&note));
}

#[test]
fn other_settings_hold_from_the_next_model_call_on() {
    let mut scene = Scene::running();
    let profile = Profile {
        model: Some("other".into()),
        temperature: Some(0.0),
        ..record().profile
    };
    assert_eq!(
        scene.order(MysisOrder::Configure(profile)),
        Some(Ok(Done::Configured))
    );
    scene.say("hm");
    scene.ring();
    assert_eq!(&*scene.asked().routes[0].model, "other");
    assert_eq!(scene.asked().routes[0].temperature, Some(0.0));
}

#[test]
fn closing_waits_for_a_call_that_has_left_and_begins_nothing_new() {
    let left = |scene: &Scene| scene.effects.iter().any(|e| matches!(e, Effect::Leave));
    let mut scene = Scene::running();
    scene.want(&[("mine", "{}"), ("mine", "{}")]);
    scene.leave();
    scene.hear(Input::WindDown);
    assert!(!left(&scene));
    scene.give_back("ore");
    assert!(left(&scene));
    assert_eq!(scene.result_status(), [CallStatus::Done]);
    assert!(
        !scene.states().contains(&State::Stopped),
        "it was running and will be again"
    );

    let mut scene = Scene::running();
    scene.hear(Input::WindDown);
    assert!(left(&scene), "a model call is not waited for");
}

#[test]
fn what_happens_is_told_in_order() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    let told: Vec<&str> = scene
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Tell(What::StateChanged { .. }) => Some("state"),
            Effect::Tell(What::TurnStarted) => Some("turn"),
            Effect::Tell(What::ModelReplied { .. }) => Some("replied"),
            Effect::Tell(What::ToolCalled { .. }) => Some("called"),
            Effect::Tell(What::ToolReturned { .. }) => Some("returned"),
            Effect::Tell(What::Stored(_)) => Some("stored"),
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        [
            "state", "turn", "stored", "replied", "stored", "called", "returned", "stored"
        ]
    );
}

//! Notes, settings, closing, and events.

use crate::event::TurnEvent;

use super::*;

#[test]
fn notes_stand_until_they_are_cleared() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Note("never sell the ship".into()));
    scene.prompt("go");
    let system = |text: &str| ChatMessage::System(text.into());
    let noted = system("you are alpha\n\nnever sell the ship");
    assert_eq!(scene.asked().messages[..], [noted, user("go")]);
    scene.say("ok");
    assert_eq!(
        scene.order(MysisOrder::ClearNotes),
        Some(Ok(CompletedOrder::Done(CompletedAction::NotesCleared)))
    );
    scene.ring();
    assert_eq!(scene.asked().messages[0], system("you are alpha"));
}

fn other_model() -> MysisOrder {
    MysisOrder::Configure(ProfileChange {
        model: Some(Some("other".into())),
        temperature: Some(0.0),
        ..ProfileChange::default()
    })
}

#[test]
fn other_settings_hold_from_the_next_model_call_on() {
    let mut scene = Scene::running();
    assert_eq!(
        scene.order(other_model()),
        Some(Ok(CompletedOrder::Done(CompletedAction::Configured)))
    );
    scene.say("hm");
    scene.ring();
    assert_eq!(&*scene.asked().routes[0].model, "other");
    assert_eq!(scene.asked().routes[0].temperature, Some(0.0));
}

#[test]
fn settings_hold_once_they_are_stored_and_not_before() {
    let mut scene = Scene::new();
    scene.store_works = false;
    assert_eq!(scene.order(other_model()), None, "nothing is acknowledged");
    assert_eq!(&*scene.life.status().model, "m");
    scene.record_all();
    assert_eq!(&*scene.life.status().model, "other");
}

#[test]
fn settings_that_the_store_refuses_never_hold() {
    let mut scene = Scene::running();
    scene.store_works = false;
    assert_eq!(scene.order(other_model()), None);
    let reply = ReplyId(scene.replies);
    scene.refuse_all("no");
    assert_eq!(
        scene.answer_to(reply),
        Some(Err(OrderRefusal::Store("no".into())))
    );
    assert_eq!(&*scene.life.status().model, "m");
    assert_eq!(
        scene.life.state(),
        LifeState::Running,
        "it goes on as it was"
    );
}

#[test]
fn two_changes_under_way_both_hold() {
    let mut scene = Scene::new();
    scene.store_works = false;
    scene.order(other_model());
    scene.order(MysisOrder::Configure(ProfileChange {
        temperature: Some(1.5),
        ..ProfileChange::default()
    }));
    scene.record_all();
    let status = scene.life.status();
    assert_eq!((&*status.model, status.temperature), ("other", Some(1.5)));
}

#[test]
fn a_new_life_has_the_settings_that_are_stored() {
    let stored = MysisProfile {
        model: Some("stored".into()),
        ..record().profile
    };
    let scene = Scene::of(RestoreArgs {
        recollection: StoredHistory {
            profile: Some(stored),
            ..StoredHistory::default()
        },
        ..past()
    });
    assert_eq!(&*scene.life.status().model, "stored");
}

#[test]
fn closing_waits_for_a_call_that_has_left_and_begins_nothing_new() {
    let left = |scene: &Scene| scene.effects.iter().any(|e| matches!(e, Effect::Leave));
    let mut scene = Scene::running();
    scene.want(&[("mine", "{}"), ("mine", "{}")]);
    scene.leave();
    scene.handle(LifeInput::WindDown);
    assert!(!left(&scene));
    scene.give_back("ore");
    assert!(left(&scene));
    assert_eq!(scene.result_status(), [CallStatus::Done]);
    assert!(
        !scene.states().contains(&LifeState::Stopped),
        "it was running and will be again"
    );

    let mut scene = Scene::running();
    scene.handle(LifeInput::WindDown);
    assert!(left(&scene), "a model call is not waited for");
}

#[test]
fn what_happens_is_told_in_order() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    let notices: Vec<&str> = scene
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Emit(EventKind::StateChanged { .. }) => Some("state"),
            Effect::Emit(EventKind::Turn(TurnEvent::Started { .. })) => Some("turn"),
            Effect::Emit(EventKind::Turn(TurnEvent::ModelReplied { .. })) => Some("replied"),
            Effect::Emit(EventKind::Turn(TurnEvent::ToolCalled { .. })) => Some("called"),
            Effect::Emit(EventKind::Turn(TurnEvent::ToolReturned { .. })) => Some("returned"),
            Effect::Emit(EventKind::Stored(_)) => Some("stored"),
            _ => None,
        })
        .collect();
    assert_eq!(
        notices,
        [
            "state", "turn", "stored", "replied", "stored", "called", "returned", "stored"
        ]
    );
}

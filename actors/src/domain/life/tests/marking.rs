//! Calls that are marked as sent by the write before them.

use super::*;
use crate::event::Activity;
use crate::ids::Lane;

/// What the last batch wrote.
fn last_batch(scene: &Scene) -> Vec<Write> {
    let mut batches = scene
        .effects
        .iter()
        .rev()
        .filter_map(|effect| match effect {
            Effect::Record { writes, .. } => Some(writes.clone()),
            _ => None,
        });
    batches.next().expect("something was written")
}

fn marks(writes: &[Write]) -> Vec<u16> {
    let marks = writes.iter().filter_map(|write| match write {
        Write::CallSent { call, .. } => Some(call.position),
        _ => None,
    });
    marks.collect()
}

fn is_released(scene: &Scene) -> bool {
    let mut effects = scene.effects.iter();
    effects.any(|effect| matches!(effect, Effect::Release { .. }))
}

fn result_of(scene: &Scene) -> Option<CallStatus> {
    let mut rows = scene.rows().into_iter().rev();
    rows.find_map(|row| row.result().map(|(_, _, meta)| meta.status))
}

/// A life that was told to mine, and whose call is on its way to the store.
fn mining() -> Scene {
    let mut scene = Scene::new();
    scene.prompt("mine");
    scene.store_works = false;
    scene.want(&[("mine", "{}")]);
    scene
}

#[test]
fn the_write_of_a_call_marks_it_and_it_leaves_when_that_is_stored() {
    let mut scene = mining();
    assert_eq!(marks(&last_batch(&scene)), [0]);
    assert!(!scene.effects.iter().any(|e| matches!(e, Effect::Call(_))));
    scene.record_all();
    let written = scene.writes().len();
    scene.leave();
    assert!(is_released(&scene), "nothing more has to be written");
    assert_eq!(scene.writes().len(), written);
}

#[test]
fn the_write_of_a_result_marks_the_next_call() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.want(&[("mine", "{}"), ("travel", "{}")]);
    scene.leave();
    scene.give_back("ore");
    assert_eq!(marks(&last_batch(&scene)), [1]);
}

#[test]
fn what_may_be_held_up_is_marked_when_it_leaves() {
    type HoldUp = fn(&mut Scene);
    let held_up: [(&str, HoldUp); 3] = [
        ("a frozen swarm", |scene| scene.life.set_frozen(true)),
        ("a server that is away", |scene| {
            scene.link(LinkState::Down, Arc::default());
        }),
        ("a mysis that moves", |scene| {
            scene.handle(LifeInput::HandOver)
        }),
    ];
    for (why, hold_up) in held_up {
        let mut scene = Scene::new();
        scene.prompt("mine");
        hold_up(&mut scene);
        scene.want(&[("mine", "{}")]);
        assert_eq!(marks(&scene.writes()), [0u16; 0], "{why}");
    }
    let mut scene = Scene::new();
    scene.prompt("mine");
    scene.want(&[("nothing_like_it", "{}")]);
    assert_eq!(marks(&scene.writes()), [0u16; 0], "an unknown tool");
}

#[test]
fn the_mark_of_a_call_that_is_held_up_after_all_is_taken_back() {
    let mut scene = mining();
    scene.record_all();
    let work = scene.call().work;
    let progress = |activity| LifeInput::Progressed { work, activity };
    scene.handle(progress(Activity::CallingTool("mine".into())));
    assert!(!last_batch(&scene).iter().any(is_taken_back));
    scene.handle(progress(Activity::Queueing(Lane::Game)));
    assert!(last_batch(&scene).iter().any(is_taken_back));
    scene.record_all();
    // It is marked anew when it leaves.
    scene.leave();
    assert_eq!(marks(&last_batch(&scene)), [0]);
    assert!(!is_released(&scene));
    scene.record_all();
    assert!(is_released(&scene));
    // What has left keeps its mark.
    let batches = scene.writes().len();
    scene.handle(progress(Activity::CoolingDown(
        Lane::Game,
        "the game is away".into(),
    )));
    assert_eq!(scene.writes().len(), batches);
}

fn is_taken_back(write: &Write) -> bool {
    matches!(write, Write::CallHeld { .. })
}

#[test]
fn a_marked_call_that_is_stopped_before_it_leaves_was_not_executed() {
    let mut scene = mining();
    scene.record_all();
    scene.order(MysisOrder::Stop);
    assert_eq!(result_of(&scene), Some(CallStatus::NotExecuted));
    let mut scene = mining();
    scene.record_all();
    scene.leave();
    scene.order(MysisOrder::Stop);
    assert_eq!(result_of(&scene), Some(CallStatus::Unknown));
}

#[test]
fn a_closing_program_says_that_a_marked_call_was_not_executed() {
    // Its write is on its way.
    let mut scene = mining();
    scene.handle(LifeInput::WindDown);
    scene.record_all();
    assert_eq!(result_of(&scene), Some(CallStatus::NotExecuted));
    // It is about to leave.
    let mut scene = mining();
    scene.record_all();
    scene.handle(LifeInput::WindDown);
    assert_eq!(result_of(&scene), Some(CallStatus::NotExecuted));
    // It has left, and its outcome is awaited.
    let mut scene = mining();
    scene.record_all();
    scene.leave();
    scene.handle(LifeInput::WindDown);
    assert_eq!(result_of(&scene), None);
    // It only reads, and the next run makes it.
    let mut scene = Scene::new();
    scene.prompt("look");
    scene.want(&[("get_status", "{}")]);
    scene.handle(LifeInput::WindDown);
    assert_eq!(result_of(&scene), None);
}

#[test]
fn only_the_words_that_end_a_turn_wait_for_other_writes() {
    let mut scene = Scene::new();
    scene.prompt("mine");
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    scene.say("done");
    let rows_with = |waits: bool| {
        let batches = scene.effects.iter().filter_map(|effect| match effect {
            Effect::Record {
                writes, can_wait, ..
            } if *can_wait == waits => Some(writes),
            _ => None,
        });
        let rows = batches.flatten().filter_map(|write| match write {
            Write::Append { row, .. } => row.kind(),
            _ => None,
        });
        rows.collect::<Vec<_>>()
    };
    assert_eq!(rows_with(true), [RowKind::Reply]);
    assert_eq!(
        rows_with(false),
        [RowKind::Prompt, RowKind::Call, RowKind::Result]
    );
}

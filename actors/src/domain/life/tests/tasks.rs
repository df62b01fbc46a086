//! Calls that the server works on: their ids are stored before their outcomes are asked for.

use super::rebuilding::{call, cut_short};
use super::*;

const FIRST: CallKey = CallKey {
    seq: Seq(2),
    position: 0,
};

impl Scene {
    /// The server answers the call that was sent with a task.
    fn give_task(&mut self, task: &str) {
        let work = self.call().work;
        self.handle(LifeInput::TaskGiven {
            work,
            task: task.into(),
        });
    }

    fn stored_tasks(&self) -> Vec<(CallKey, Option<Arc<str>>)> {
        let writes = self.writes().into_iter();
        writes
            .filter_map(|write| match write {
                Write::CallTask { call, task, .. } => Some((call, task)),
                _ => None,
            })
            .collect()
    }

    fn releases(&self) -> usize {
        let is_release = |effect: &&Effect| matches!(effect, Effect::Release { .. });
        self.effects.iter().filter(is_release).count()
    }

    fn cancelled(&self) -> Vec<Arc<str>> {
        let effects = self.effects.iter();
        effects
            .filter_map(|effect| match effect {
                Effect::CancelTask(task) => Some(task.clone()),
                _ => None,
            })
            .collect()
    }

    fn has_left(&self) -> bool {
        let is_leave = |effect: &Effect| matches!(effect, Effect::Leave);
        self.effects.iter().any(is_leave)
    }
}

/// A life that has sent a call, which waits for its turn.
fn sent() -> Scene {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.want(&[("mine", "{}"), ("travel", "{}")]);
    scene.leave();
    scene
}

/// What is stored after a crash while the server worked on the call.
fn crashed(read_only: bool) -> RestoreArgs {
    let mut past = cut_short(vec![
        call("mine", CallStatus::Sent, read_only),
        call("travel", CallStatus::Recorded, false),
    ]);
    past.recollection.tasks = [(FIRST, "t-1".into())].into();
    past
}

#[test]
fn the_outcome_of_a_task_is_asked_for_once_its_id_is_stored() {
    let mut scene = sent();
    scene.store_works = false;
    assert_eq!(scene.releases(), 1, "it was sent");
    scene.give_task("t-1");
    assert_eq!(scene.stored_tasks(), [(FIRST, Some("t-1".into()))]);
    assert_eq!(scene.releases(), 1, "it is not stored yet");
    scene.store_works = true;
    scene.record_all();
    assert_eq!(scene.releases(), 2);
    scene.give_back("ore");
    assert_eq!(scene.result_status(), [CallStatus::Done]);
    assert_eq!(&*scene.call().tool, "travel");
    assert_eq!(scene.call().task, None);
}

#[test]
fn a_task_that_nobody_waits_for_is_dropped() {
    let mut scene = sent();
    let work = TaskId(999);
    let task: Arc<str> = "t-1".into();
    scene.handle(LifeInput::TaskGiven { work, task });
    assert!(scene.stored_tasks().is_empty());
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.want(&[("mine", "{}")]);
    scene.give_task("t-1");
    assert!(scene.stored_tasks().is_empty(), "it has not been sent");
}

#[test]
fn after_a_crash_the_outcome_is_asked_for_and_nothing_is_sent() {
    for read_only in [false, true] {
        let mut scene = Scene::of(crashed(read_only));
        assert_eq!(scene.result_status(), [CallStatus::NotExecuted]);
        scene.order(MysisOrder::Start);
        let order = scene.call();
        assert_eq!((order.key, order.task.as_deref()), (FIRST, Some("t-1")));
        scene.give_back("ore");
        assert_eq!(
            scene.result_status(),
            [CallStatus::NotExecuted, CallStatus::Done]
        );
        assert_eq!(scene.asks().len(), 1, "the turn goes on with the model");
    }
}

#[test]
fn a_task_is_asked_for_even_if_its_tool_is_not_on_offer() {
    let mut scene = Scene::of(crashed(false));
    scene.link(LinkState::Down, Arc::default());
    scene.order(MysisOrder::Start);
    assert_eq!(scene.call().task.as_deref(), Some("t-1"));
}

#[test]
fn a_call_that_is_sent_again_is_in_no_task_before_it_leaves() {
    let mut scene = Scene::of(crashed(false));
    scene.order(MysisOrder::Start);
    scene.store_works = false;
    scene.leave();
    assert_eq!(scene.stored_tasks(), [(FIRST, None)]);
    assert_eq!(scene.releases(), 0, "the old id is still stored");
    scene.store_works = true;
    scene.record_all();
    assert_eq!(scene.releases(), 1);
    scene.give_task("t-2");
    assert_eq!(scene.stored_tasks()[1..], [(FIRST, Some("t-2".into()))]);
    assert_eq!(scene.releases(), 2);
}

#[test]
fn stop_leaves_a_task_open_and_the_next_start_asks_for_it() {
    let mut scene = sent();
    scene.give_task("t-1");
    scene.order(MysisOrder::Stop);
    assert_eq!(scene.cancelled(), ["t-1".into()]);
    assert_eq!(
        scene.result_status(),
        [CallStatus::NotExecuted],
        "of the call that was not sent"
    );
    assert_eq!(scene.host_codes(), ["task_left"]);
    scene.order(MysisOrder::Start);
    let order = scene.call();
    assert_eq!((order.key, order.task.as_deref()), (FIRST, Some("t-1")));
    let status = CallStatus::Failed;
    scene.handle(LifeInput::Returned {
        work: order.work,
        outcome: outcome("Error: cancelled", status),
    });
    assert_eq!(scene.result_status(), [CallStatus::NotExecuted, status]);
}

#[test]
fn stop_while_the_id_is_being_stored_leaves_the_task_open_too() {
    let mut scene = sent();
    scene.store_works = false;
    scene.give_task("t-1");
    scene.order(MysisOrder::Stop);
    scene.store_works = true;
    scene.record_all();
    assert_eq!(scene.releases(), 1, "nothing waits any more");
    scene.order(MysisOrder::Start);
    assert_eq!(scene.call().task.as_deref(), Some("t-1"));
}

#[test]
fn a_fault_leaves_a_task_open() {
    let mut scene = sent();
    scene.give_task("t-1");
    scene.life.fail_turn(MysisFaultKind::Store, "no".into());
    let effects = std::mem::take(&mut scene.life.effects);
    scene.take(effects);
    assert_eq!(scene.result_status(), [CallStatus::NotExecuted]);
    scene.order(MysisOrder::Start);
    assert_eq!(scene.call().task.as_deref(), Some("t-1"));
}

#[test]
fn closing_waits_for_the_id_and_not_for_the_outcome() {
    let mut scene = sent();
    scene.handle(LifeInput::WindDown);
    assert!(!scene.has_left(), "the call was sent");
    scene.store_works = false;
    scene.give_task("t-1");
    assert!(!scene.has_left(), "the id is not stored");
    scene.store_works = true;
    scene.record_all();
    assert!(scene.has_left());
    assert!(scene.result_status().is_empty(), "the next run asks for it");

    let mut scene = sent();
    scene.give_task("t-1");
    scene.handle(LifeInput::WindDown);
    assert!(scene.has_left());
}

#[test]
fn an_id_that_contains_a_secret_is_not_stored() {
    let mut past = past();
    past.redactor = Arc::new(Redactor::new(["sesame-sesame".into()]));
    let mut scene = Scene::of(past);
    scene.prompt("go");
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_task("sesame-sesame");
    assert!(scene.stored_tasks().is_empty());
    assert_eq!(scene.releases(), 2, "it is followed all the same");
    scene.order(MysisOrder::Stop);
    assert_eq!(scene.result_status(), [CallStatus::Unknown]);
}

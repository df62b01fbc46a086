//! The operator's order to retry at once: its effect, and when it is refused.

use super::*;
use crate::event::Activity;
use crate::ids::Lane;

const NOTHING: Option<OrderResult> = Some(Err(OrderRefusal::NothingToRetry));

fn retried() -> Option<OrderResult> {
    Some(Ok(CompletedOrder::Done(CompletedAction::Retried)))
}

/// The task that calls the model reports its activity.
fn progress(scene: &mut Scene, activity: Activity) {
    let work = scene.asked().work;
    scene.handle(LifeInput::Progressed { work, activity });
}

#[test]
fn a_wait_for_the_next_try_ends_at_once_and_a_new_round_begins() {
    let mut scene = Scene::new();
    scene.prompt("hello");
    scene.fail(transient());
    scene.ring();
    scene.fail(transient());
    let alarm = scene.alarm();
    assert_eq!(scene.asks().len(), 2);
    let rows = scene.rows().len();
    assert_eq!(scene.order(MysisOrder::Retry), retried());
    assert_eq!(scene.asks().len(), 3);
    assert_eq!(scene.life.status().activity, Activity::CallingModel);
    assert_eq!(
        scene.rows().len(),
        rows,
        "the conversation has no part in it"
    );
    scene.handle(LifeInput::Rang { alarm });
    assert_eq!(
        scene.asks().len(),
        3,
        "the wait that ended rings for nothing"
    );
    assert_eq!(scene.order(MysisOrder::Retry), NOTHING, "it asks already");
    // Without the order, this would be the last attempt.
    scene.fail(transient());
    assert_eq!(scene.wait(), Duration::from_secs(5));
    scene.ring();
    scene.say("here I am again");
    assert_eq!(scene.kinds().last(), Some(&RowKind::Reply));
}

#[test]
fn every_kind_of_wait_between_two_requests_ends_at_once() {
    let lacks_descriptor = ModelFault::NoDescriptor {
        text: "no descriptor left".to_string(),
    };
    for fault in [transient(), lacks_descriptor] {
        let mut scene = Scene::running();
        scene.fail(fault);
        assert_eq!(scene.order(MysisOrder::Retry), retried());
        assert_eq!(scene.asks().len(), 2);
    }
    let mut scene = Scene::running();
    let work = scene.asked().work;
    scene.handle(LifeInput::StillAway {
        work,
        provider: "local".into(),
        fault: transient(),
        others: OthersGet::Nobody,
    });
    assert_eq!(scene.order(MysisOrder::Retry), retried());
    assert_eq!(scene.asks().len(), 2);
    let mut scene = Scene::running();
    progress(&mut scene, Activity::Paused("the server restarts".into()));
    assert_eq!(scene.order(MysisOrder::Retry), retried());
    assert_eq!(scene.asks().len(), 2);
}

#[test]
fn a_request_at_the_gate_keeps_its_place() {
    for lane in [Lane::Provider("local".into()), Lane::Game] {
        let mut scene = Scene::running();
        progress(&mut scene, Activity::Queueing(lane.clone()));
        assert_eq!(scene.order(MysisOrder::Retry), retried());
        assert_eq!(scene.asks().len(), 1);
        let aborts = |effect: &Effect| matches!(effect, Effect::Abort);
        assert!(!scene.effects.iter().any(aborts), "{lane:?}");
        scene.say("hello");
        assert_eq!(scene.kinds().last(), Some(&RowKind::Reply));
    }
}

#[test]
fn a_call_that_waits_at_the_gate_keeps_its_place_and_is_tried_too() {
    let mut scene = Scene::running();
    scene.want(&[("mine", "{}")]);
    let activity = Activity::Queueing(Lane::Game);
    let work = scene.call().work;
    scene.handle(LifeInput::Progressed { work, activity });
    let (status, writes) = (scene.life.status(), scene.writes());
    assert_eq!(scene.order(MysisOrder::Retry), retried());
    assert_eq!((scene.life.status(), scene.writes()), (status, writes));
    let aborts = |effect: &Effect| matches!(effect, Effect::Abort);
    assert!(!scene.effects.iter().any(aborts));
}

#[test]
fn who_alone_gets_no_session_tries_at_once() {
    let mut scene = Scene::running();
    let why = "the browser is in use".into();
    progress(&mut scene, Activity::CoolingDown(Lane::Game, why));
    assert_eq!(scene.order(MysisOrder::Retry), retried());
    assert_eq!(scene.asks().len(), 2);
}

#[test]
fn an_errored_mysis_is_relaunched_once_the_store_has_it() {
    let mut scene = Scene::running();
    scene.fail(ModelFault::Permanent {
        text: "HTTP 401".to_string(),
    });
    scene.store_works = false;
    assert_eq!(scene.order(MysisOrder::Retry), None);
    scene.record_all();
    assert_eq!(scene.answer_to(ReplyId(2)), retried());
    assert_eq!(scene.life.state(), LifeState::Running);
    assert_eq!(scene.asks().len(), 2);
}

#[test]
fn who_waits_for_nothing_is_left_alone() {
    let mut idle = Scene::new();
    let mut stopped = Scene::running();
    stopped.order(MysisOrder::Stop);
    let mut asking = Scene::running();
    let mut pausing = Scene::running();
    pausing.say("done");
    let mut calling = Scene::running();
    calling.want(&[("mine", "{}")]);
    calling.leave();
    let mut held = Scene::running();
    let work = held.asked().work;
    let (why, until) = ("the budget is spent".into(), Timestamp(60_000));
    held.handle(LifeInput::Held { work, why, until });
    for scene in [
        &mut idle,
        &mut stopped,
        &mut asking,
        &mut pausing,
        &mut calling,
        &mut held,
    ] {
        let (status, asks, writes) = (scene.life.status(), scene.asks().len(), scene.writes());
        assert_eq!(scene.order(MysisOrder::Retry), NOTHING);
        assert_eq!(scene.life.status(), status);
        assert_eq!((scene.asks().len(), scene.writes()), (asks, writes));
    }
}

#[test]
fn without_a_swarm_and_at_its_end_nobody_tries_again() {
    let mut scene = Scene::of(RestoreArgs {
        mode: Mode::QueueOnly,
        ..past()
    });
    let refused = Some(Err(OrderRefusal::NoSwarm));
    assert_eq!(scene.order(MysisOrder::Retry), refused);
    let mut scene = Scene::running();
    scene.fail(transient());
    scene.handle(LifeInput::WindDown);
    let refused = Some(Err(OrderRefusal::Closing));
    assert_eq!(scene.order(MysisOrder::Retry), refused);
    assert_eq!(scene.asks().len(), 1);
}

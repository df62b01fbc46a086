//! Starting, stopping and messages: the effect of an order in each state.

use super::*;

#[test]
fn starting_runs_at_once_and_starting_again_is_refused() {
    let mut scene = Scene::running();
    assert_eq!(scene.life.state(), LifeState::Running);
    assert_eq!(scene.states(), [LifeState::Running]);
    assert_eq!(
        scene.order(MysisOrder::Start),
        Some(Err(OrderRefusal::AlreadyRunning))
    );
    assert_eq!(scene.asks().len(), 1, "one request in flight at a time");
}

#[test]
fn stopped_and_errored_refuse_messages_and_store_nothing() {
    let mut scene = Scene::running();
    assert_eq!(
        scene.order(MysisOrder::Stop),
        Some(Ok(CompletedOrder::Done(CompletedAction::Stopped)))
    );
    let rows = scene.rows().len();
    assert_eq!(scene.prompt("hello"), Some(Err(OrderRefusal::Stopped)));
    let refused = scene.order(MysisOrder::Mission(mission("mine")));
    assert_eq!(refused, Some(Err(OrderRefusal::Stopped)));
    assert_eq!(scene.rows().len(), rows);

    let mut scene = Scene::running();
    scene.fail(ModelFault::Permanent {
        text: "HTTP 401".to_string(),
    });
    assert_eq!(scene.life.state(), LifeState::Errored);
    assert_eq!(scene.prompt("hello"), Some(Err(OrderRefusal::Errored)));
}

#[test]
fn an_empty_and_an_endless_message_are_refused() {
    let mut scene = Scene::new();
    assert_eq!(scene.prompt(" \n"), Some(Err(OrderRefusal::EmptyText)));
    let endless = "x".repeat((1 << 20) + 1);
    let refused = scene.prompt(&endless);
    assert!(matches!(refused, Some(Err(OrderRefusal::TextTooLong(_)))));
    assert_eq!(scene.life.state(), LifeState::Idle);
}

#[test]
fn an_order_is_answered_only_once_the_store_has_it() {
    let mut scene = Scene::new();
    scene.store_works = false;
    assert_eq!(scene.prompt("hello"), None);
    scene.record_all();
    assert_eq!(
        scene.answer_to(ReplyId(1)),
        Some(Ok(CompletedOrder::Stored(Seq(1))))
    );
}

#[test]
fn a_message_that_the_store_refuses_is_refused_and_the_mysis_errored() {
    let mut scene = Scene::new();
    scene.store_works = false;
    scene.prompt("hello");
    let write_id = scene.unrecorded.remove(0);
    scene.handle(LifeInput::Recorded {
        write_id,
        outcome: Err("contradiction".to_string()),
    });
    let refused = Some(Err(OrderRefusal::Store("contradiction".to_string())));
    assert_eq!(scene.answer_to(ReplyId(1)), refused);
    assert_eq!(scene.life.state(), LifeState::Errored);
}

#[test]
fn a_direct_message_starts_an_idle_mysis() {
    let mut scene = Scene::new();
    assert_eq!(
        scene.prompt("hello"),
        Some(Ok(CompletedOrder::Stored(Seq(1))))
    );
    assert_eq!(scene.life.state(), LifeState::Running);
    assert_eq!(scene.last_message(), user("hello"));
    assert!(scene.asked().is_urgent);
}

#[test]
fn without_a_swarm_a_message_is_kept_and_nobody_runs() {
    let mut scene = Scene::of(RestoreArgs {
        mode: Mode::QueueOnly,
        ..past()
    });
    assert_eq!(
        scene.prompt("hello"),
        Some(Ok(CompletedOrder::Stored(Seq(1))))
    );
    assert_eq!(scene.life.state(), LifeState::Idle);
    assert!(scene.asks().is_empty());
    let called = Write::Called { mysis: MysisId(7) };
    assert!(scene.writes().contains(&called));
    assert_eq!(
        scene.order(MysisOrder::Start),
        Some(Err(OrderRefusal::NoSwarm))
    );
}

#[test]
fn stop_in_the_middle_of_a_call_tells_what_is_not_known() {
    let mut scene = Scene::running();
    scene.want(&[("mine", "{}"), ("travel", "{}")]);
    scene.leave();
    assert_eq!(
        scene.order(MysisOrder::Stop),
        Some(Ok(CompletedOrder::Done(CompletedAction::Stopped)))
    );
    assert_eq!(
        scene.result_status(),
        [CallStatus::Unknown, CallStatus::NotExecuted]
    );
    assert!(
        matches!(
            scene
                .effects
                .iter()
                .rev()
                .find(|effect| matches!(effect, Effect::Abort | Effect::Record { .. })),
            Some(Effect::Abort)
        ),
        "the state is recorded before the work is torn down"
    );
    scene.give_back("late");
    assert_eq!(
        scene.life.state(),
        LifeState::Stopped,
        "a late answer changes nothing"
    );
    assert_eq!(scene.result_status().len(), 2);
}

#[test]
fn stop_before_a_call_has_left_says_that_it_was_not_executed() {
    let mut scene = Scene::running();
    scene.want(&[("mine", "{}")]);
    scene.order(MysisOrder::Stop);
    assert_eq!(scene.result_status(), [CallStatus::NotExecuted]);
}

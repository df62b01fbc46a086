//! Calls that the game works on as tasks: what becomes of each, and of those that are cut off.

use std::time::Duration;

use actors::domain::event::Activity;
use actors::domain::message::CallStatus;
use actors::domain::order::MysisOrder;
use actors::domain::rules::RelaunchPolicy;
use actors::domain::state::LifeState;
use actors::ports::{LinkFault, TaskNews};
use tokio::time::Instant;

use crate::outside::{LOADING, TaskScript, Trap};
use crate::world::{World, dead};

/// A swarm whose game answers calls with tasks.
async fn start(script: TaskScript) -> World {
    let world = World::new(RelaunchPolicy::Always).await;
    *world.game.tasks.lock() = Some(script);
    world.start("alpha").await;
    world
}

fn asked(world: &World) -> usize {
    world.game.script(|script| script.asked.len()).unwrap()
}

fn cancelled(world: &World) -> usize {
    world.game.script(|script| script.cancelled.len()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_outcome_of_a_task_is_told_as_it_is() {
    let lost = || Err(LinkFault::AnswerLost("reset".to_string()));
    let away = || Err(LinkFault::Unreachable("refused".to_string()));
    let text = |text: &str| text.to_string();
    let working = || Ok(TaskNews::Working(None));
    // The news, the status of the call, and how often cancelling was asked for.
    let table = [
        (vec![], CallStatus::Done, 0),
        (
            vec![working(), lost(), away(), working()],
            CallStatus::Done,
            0,
        ),
        (
            vec![Ok(TaskNews::Failed(text("no fuel")))],
            CallStatus::Failed,
            0,
        ),
        (vec![Ok(TaskNews::Cancelled)], CallStatus::Unknown, 0),
        (
            vec![Ok(TaskNews::Unknown(text("gone")))],
            CallStatus::Unknown,
            0,
        ),
        (
            vec![Ok(TaskNews::WantsInput), Ok(TaskNews::Cancelled)],
            CallStatus::Unknown,
            1,
        ),
        (vec![Ok(TaskNews::WantsInput)], CallStatus::Done, 1),
        (
            vec![Ok(TaskNews::WantsInput), working()],
            CallStatus::Unknown,
            1,
        ),
    ];
    for (news, status, cancels) in table {
        let case = format!("{news:?}");
        let world = start(TaskScript::new(news)).await;
        assert_eq!(world.first_result("alpha").await, status, "{case}");
        assert_eq!(cancelled(&world), cancels, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_never_ends_is_given_up_after_the_time_limit_of_a_call() {
    let begun = Instant::now();
    let world = start(TaskScript::endless()).await;
    assert_eq!(world.first_result("alpha").await, CallStatus::Unknown);
    let took = begun.elapsed();
    assert!(
        took > Duration::from_secs(590) && took < Duration::from_secs(620),
        "{took:?}"
    );
    assert_eq!(cancelled(&world), 1);
    assert!(asked(&world) < 150, "five seconds apart: {}", asked(&world));
}

#[tokio::test(start_paused = true)]
async fn one_that_dies_during_a_task_asks_for_its_outcome_in_the_next_life() {
    let world = start(TaskScript::endless()).await;
    world.until("a question", |world| asked(world) > 1).await;
    let alpha = world.alpha();
    alpha.kill();
    dead(&alpha).await;
    let before = asked(&world);
    world
        .until("a question of the next life", |world| asked(world) > before)
        .await;
    assert_eq!(world.calls(), 1);
    world.game.script(|script| script.is_endless = false);
    assert_eq!(world.first_result("alpha").await, CallStatus::Done);
    assert_eq!(cancelled(&world), 0);
    let first = world.game.executed.lock()[0].clone();
    let executed = world.game.executed.lock().clone();
    assert_eq!(executed.iter().filter(|call| **call == first).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn one_that_is_stopped_has_its_task_cancelled_and_asks_for_it_when_it_runs_again() {
    let world = start(TaskScript::endless()).await;
    world.until("a question", |world| asked(world) > 1).await;
    world
        .order(MysisOrder::Stop.for_mysis("alpha"))
        .await
        .unwrap();
    world.until_it_is("alpha", LifeState::Stopped).await;
    world
        .until("it is cancelled", |world| cancelled(world) == 1)
        .await;
    let before = asked(&world);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(asked(&world), before, "nobody asks while it is stopped");
    assert!(
        world.results("alpha").await.is_empty(),
        "its outcome is not known yet"
    );
    world.game.script(|script| {
        script.is_endless = false;
        script.news.push_back(Ok(TaskNews::Cancelled));
    });
    world.start("alpha").await;
    assert_eq!(world.first_result("alpha").await, CallStatus::Unknown);
    world
        .until("the turn goes on", |world| world.times_asked("alpha") > 1)
        .await;
}

#[tokio::test(start_paused = true)]
async fn the_next_process_asks_for_the_outcome_of_a_task() {
    let world = start(TaskScript::endless()).await;
    world.until("a question", |world| asked(world) > 1).await;
    world.commander.kill();
    dead(&world.commander.get_cell()).await;
    let before = asked(&world);
    let world = World::after(world.into_rest(), RelaunchPolicy::Always).await;
    world
        .until("a question of the next process", |world| {
            asked(world) > before
        })
        .await;
    world.game.script(|script| script.is_endless = false);
    assert_eq!(world.first_result("alpha").await, CallStatus::Done);
    let executed = world.game.executed.lock().clone();
    let first = &executed[0];
    assert_eq!(executed.iter().filter(|call| *call == first).count(), 1);
}

/// Why a try failed is not shown any more when the server works on the call.
#[tokio::test(start_paused = true)]
async fn a_call_is_shown_as_one_again_as_soon_as_the_server_takes_it() {
    for trap in [None, Some(Trap::CallTooEarly)] {
        let lost = Err(LinkFault::AnswerLost(LOADING.to_string()));
        let world = World::new(RelaunchPolicy::Always).await;
        let script = TaskScript {
            is_endless: true,
            ..TaskScript::new(trap.is_none().then_some(lost))
        };
        *world.game.tasks.lock() = Some(script);
        trap.into_iter().for_each(|trap| world.traps.set(trap));
        world.start("alpha").await;
        let mut seen = Vec::new();
        while asked(&world) < 3 {
            let shown = world.status("alpha").await.activity.to_string();
            if seen.last() != Some(&shown) {
                seen.push(shown);
            }
            assert!(seen.len() < 1000, "{seen:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(seen.iter().any(|shown| shown.contains(LOADING)), "{seen:?}");
        let shown = world.status("alpha").await.activity.clone();
        assert_eq!(shown, Activity::Mining, "{seen:?}");
    }
}

//! Freezing: what has left is heard out, nothing else leaves, and nobody takes it for a standstill.

use std::time::Duration;

use actors::domain::ids::Lane;
use actors::domain::message::CallStatus;
use actors::domain::order::{CompletedOrder, Order};
use actors::domain::rules::RelaunchPolicy;
use actors::domain::silence::{NOTHING_HAPPENS, SWARM_SILENCE_TIME};
use actors::domain::state::LifeState;
use actors::freeze::FROZEN;
use actors::gate::GateMsg;
use actors::ports::TaskNews;
use ractor::ActorRef;

use crate::outside::TaskScript;
use crate::world::{Child, World, dead};

async fn freeze(world: &World) {
    let frozen = world.order(Order::Freeze).await;
    assert!(
        matches!(frozen, Ok(CompletedOrder::Frozen(Some(_)))),
        "{frozen:?}"
    );
}

async fn thaw(world: &World) {
    let thawed = world.order(Order::Thaw).await;
    assert_eq!(thawed, Ok(CompletedOrder::Frozen(None)));
}

#[tokio::test(start_paused = true)]
async fn what_has_left_is_heard_out_and_nothing_else_leaves_until_the_thaw() {
    let mut world = World::new(RelaunchPolicy::Transient).await;
    world.get_busy().await;
    let before = world.left();
    freeze(&world).await;
    world.release();
    tokio::time::sleep(Duration::from_secs(60)).await;
    // The game answered alpha, and the model answered bravo.
    let results = world.results("alpha").await;
    assert_eq!(results[0].1, CallStatus::Done);
    assert!(world.status("bravo").await.last_call_ms.is_some());
    world.send("alpha", "order 3").await.unwrap();
    // A gate that is replaced is frozen, too.
    let gate = world.children(Child::Gate)[0].clone();
    gate.kill();
    dead(&gate).await;
    tokio::time::sleep(SWARM_SILENCE_TIME * 4).await;
    assert_eq!(world.left(), before);
    assert!(!world.is_shown("order 3"));
    for name in ["alpha", "bravo"] {
        assert_eq!(world.status(name).await.state, LifeState::Running);
    }
    let notices = world.sent_since(0);
    assert_eq!(
        notices.iter().filter(|notices| *notices == FROZEN).count(),
        1
    );

    thaw(&world).await;
    for order in ["order 1", "order 2", "order 3"] {
        world
            .until("an order that is seen", |world| world.is_shown(order))
            .await;
    }
    world
        .until("a call of each", |world| world.left().2 > before.2 + 2)
        .await;
    world.check_that_nothing_is_lost().await;
}

#[tokio::test(start_paused = true)]
async fn orders_to_freeze_and_to_thaw_are_carried_out_in_their_order() {
    let world = World::new(RelaunchPolicy::Transient).await;
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    let orders = [Order::Freeze, Order::Thaw, Order::Freeze, Order::Freeze];
    let answers = futures::future::join_all(orders.map(|order| world.order(order))).await;
    let states: Vec<Option<bool>> = answers
        .iter()
        .map(|answer| match answer {
            Ok(CompletedOrder::Frozen(since)) => Some(since.is_some()),
            _ => None,
        })
        .collect();
    assert_eq!(states, [true, false, true, true].map(Some));
    assert!(world.handle.frozen_since().await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_swarm_that_is_frozen_before_anything_succeeded_is_not_silent() {
    let mut world = World::new(RelaunchPolicy::Transient).await;
    world.get_busy().await;
    freeze(&world).await;
    tokio::time::sleep(SWARM_SILENCE_TIME * 4).await;
    let is_reported = |world: &World| {
        let notices = world.sent_since(0);
        notices
            .iter()
            .any(|notices| notices.contains(NOTHING_HAPPENS))
    };
    assert_eq!(world.handle.silence().await, None);
    assert!(!is_reported(&world));
    thaw(&world).await;
    world.until("its silence told", is_reported).await;
}

#[tokio::test(start_paused = true)]
async fn a_freeze_is_kept_at_once_and_acknowledged_when_what_was_leaving_has_left() {
    const LOOK: Duration = Duration::from_secs(60);
    let world = World::new(RelaunchPolicy::Transient).await;
    world.models.held.send_replace(vec!["bravo"]);
    world.start("bravo").await;
    world
        .until("a question under way", |world| {
            world.times_asked("bravo") == 1
        })
        .await;
    freeze(&world).await;
    // A call that is stored while the swarm is frozen is not marked with that.
    world.release();
    tokio::time::sleep(LOOK).await;
    world.ledger.holds_marks.send_replace(true);
    thaw(&world).await;
    // Its call waits until it is stored that it is sent.
    tokio::time::sleep(LOOK).await;
    let kept = || world.freezes.0.lock().clone();
    let mut frozen = std::pin::pin!(world.order(Order::Freeze));
    let early = tokio::time::timeout(LOOK, &mut frozen).await;
    assert!(early.is_err(), "{early:?}");
    assert!(
        matches!(kept()[..], [Some(_), None, Some(_)]),
        "{:?}",
        kept()
    );
    thaw(&world).await;
    assert_eq!(frozen.await, Ok(CompletedOrder::Frozen(None)));

    let mut frozen = std::pin::pin!(world.order(Order::Freeze));
    let early = tokio::time::timeout(LOOK, &mut frozen).await;
    assert!(early.is_err(), "{early:?}");
    assert_eq!(world.left().2, 0);
    world.ledger.holds_marks.send_replace(false);
    let frozen = frozen.await;
    assert!(
        matches!(frozen, Ok(CompletedOrder::Frozen(Some(_)))),
        "{frozen:?}"
    );
    tokio::time::sleep(LOOK).await;
    assert_eq!(world.left().2, 1, "it was leaving");
}

#[tokio::test(start_paused = true)]
async fn a_swarm_that_starts_frozen_says_so_to_all_that_watch_it() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.start("alpha").await;
    freeze(&world).await;
    world.commander.kill();
    dead(&world.commander.get_cell()).await;
    let world = World::after(world.into_rest(), RelaunchPolicy::Transient).await;
    world
        .until("the freeze told", |world| {
            let notices = world.sent_since(0);
            let at = notices
                .iter()
                .position(|notices| notices == "is frozen: true");
            at.is_some() && notices.iter().any(|notices| notices == FROZEN)
        })
        .await;
    thaw(&world).await;
    world
        .until("a call", |world| !world.game.executed.lock().is_empty())
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_call_takes_the_time_that_it_is_with_the_game_and_not_that_of_the_freeze() {
    const HEARD_OUT: Duration = Duration::from_secs(300);
    let mut world = World::new(RelaunchPolicy::Transient).await;
    world.get_busy().await;
    freeze(&world).await;
    tokio::time::sleep(HEARD_OUT).await;
    // Alpha's call is answered. Bravo's model is answered, and its call cannot leave.
    world.release();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let of_alpha = world.durations("alpha").await;
    assert!(
        of_alpha[0] >= HEARD_OUT && of_alpha[0] < HEARD_OUT * 2,
        "{of_alpha:?}"
    );
    assert!(world.durations("bravo").await.is_empty());
    thaw(&world).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    let of_bravo = world.durations("bravo").await;
    assert!(of_bravo[0] < Duration::from_secs(60), "{of_bravo:?}");
}

#[tokio::test(start_paused = true)]
async fn no_task_is_cancelled_while_frozen_and_its_limit_stands_still() {
    let world = World::new(RelaunchPolicy::Transient).await;
    *world.game.tasks.lock() = Some(TaskScript::endless());
    let count = |of: fn(&TaskScript) -> usize| world.game.script(|script| of(script)).unwrap();
    let cancelled = || count(|script| script.cancelled.len());
    world.start("alpha").await;
    world
        .until("a question", |world| {
            world.game.script(|script| script.asked.len()) > Some(1)
        })
        .await;
    freeze(&world).await;
    let asked = count(|script| script.asked.len());
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(
        count(|script| script.asked.len()) > asked,
        "it is heard out"
    );
    assert_eq!(cancelled(), 0);
    thaw(&world).await;
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(cancelled(), 0, "its limit stood still");
    tokio::time::sleep(Duration::from_secs(400)).await;
    assert_eq!(cancelled(), 1);

    // What the server asks for cannot be given, and that is told it after the thaw.
    world
        .until("the next call's task", |world| world.calls() > 1)
        .await;
    freeze(&world).await;
    world
        .game
        .script(|script| script.news.push_back(Ok(TaskNews::WantsInput)));
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(cancelled(), 1);
    thaw(&world).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(cancelled(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_login_that_waits_for_its_turn_is_not_marked_as_sent() {
    let world = World::logging_in().await;
    // From here on its next one waits at the gate.
    let gate = ActorRef::<GateMsg>::from(world.children(Child::Gate)[0].clone());
    let hold = GateMsg::Hold {
        lane: Lane::Logins,
        why: "HTTP 429".into(),
        wait: Duration::from_secs(60),
    };
    gate.cast(hold).expect("it lives");
    tokio::time::sleep(Duration::from_secs(30)).await;
    freeze(&world).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let before = world.calls();
    world.commander.kill();
    dead(&world.commander.get_cell()).await;
    let world = World::after(world.into_rest(), RelaunchPolicy::Transient).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let mut statuses: Vec<CallStatus> = Vec::new();
    for (_, status) in world.results("alpha").await {
        statuses.push(status);
    }
    assert!(statuses.contains(&CallStatus::NotExecuted), "{statuses:?}");
    assert!(!statuses.contains(&CallStatus::Unknown), "{statuses:?}");
    assert_eq!(world.calls(), before);
}

//! A game that refuses access to single calls, or limits logins.

use actors::domain::message::CallStatus;
use actors::domain::rules::RelaunchPolicy;
use std::time::Duration;

use crate::outside::Trap;
use crate::world::World;

/// One renewal of the session shows that this call alone is refused.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_refused_alone_costs_one_renewal() {
    let world = World::new(RelaunchPolicy::Manual).await;
    for _ in 0..5 {
        world.traps.set(Trap::CallWithoutAccess);
    }
    world.start("alpha").await;
    assert_eq!(world.first_result("alpha").await, CallStatus::Failed);
    assert_eq!(world.traps.count(Trap::CallWithoutAccess), 3);
    assert!(world.game.executed.lock().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_login_of_the_model_that_is_limited_pauses_the_logins_of_the_runtime() {
    let world = World::logging_in().await;
    world.traps.set(Trap::LoginLimited);
    world
        .until("a limit", |world| world.traps.are_all_sprung())
        .await;
    let before = world.calls();
    tokio::time::sleep(Duration::from_secs(50)).await;
    assert_eq!(world.calls(), before, "the game is left alone");
    world
        .until("the next login", |world| world.calls() > before)
        .await;
}

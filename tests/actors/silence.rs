//! A swarm that runs while nothing happens: it is told after five minutes, until a call succeeds.

use std::time::Duration;

use actors::domain::rules::RelaunchPolicy;
use actors::domain::silence::{NOTHING_HAPPENS, SWARM_SILENCE_TIME, SilenceScope};

use crate::world::World;

/// The notices of silence since the begin.
fn silences(world: &World) -> usize {
    let silences = world.sent_since(0);
    let of = silences
        .iter()
        .filter(|silences| silences.contains(NOTHING_HAPPENS));
    of.count()
}

#[tokio::test(start_paused = true)]
async fn a_swarm_without_a_successful_call_is_told_of_after_five_minutes() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.models.held.send_replace(vec!["alpha", "bravo"]);
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    tokio::time::sleep(SWARM_SILENCE_TIME - Duration::from_secs(1)).await;
    assert_eq!(world.handle.silence().await, None);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let notice = world.handle.silence().await.expect("a notice");
    assert_eq!(notice.scope, SilenceScope::Swarm);
    assert!(
        notice
            .text
            .contains("no tool call succeeded in the first 5 minutes")
    );
    assert_eq!(silences(&world), 1);
    world.release();
    world
        .until("a call", |world| !world.game.executed.lock().is_empty())
        .await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(world.handle.silence().await, None);
    tokio::time::sleep(SWARM_SILENCE_TIME * 2).await;
    assert_eq!(world.handle.silence().await, None);
    assert_eq!(silences(&world), 1);
}

#[tokio::test(start_paused = true)]
async fn a_swarm_that_plays_or_rests_is_not_told_of() {
    let world = World::new(RelaunchPolicy::Transient).await;
    tokio::time::sleep(SWARM_SILENCE_TIME * 2).await;
    assert_eq!(world.handle.silence().await, None);
    world.start("alpha").await;
    tokio::time::sleep(SWARM_SILENCE_TIME * 2).await;
    assert_eq!(world.handle.silence().await, None);
    assert_eq!(silences(&world), 0);
}

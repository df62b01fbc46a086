//! Waits are in the samples while they last, and a freeze is no wait.

use std::time::Duration;

use actors::domain::order::Order;
use actors::domain::rules::RelaunchPolicy;

use crate::world::World;

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn each_minute_of_a_long_wait_is_stored_when_it_is_over() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.models.is_away.send_replace(true);
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    tokio::time::sleep(MINUTE * 12).await;
    for name in ["alpha", "bravo"] {
        let samples = world.samples(name).await;
        assert!(samples.len() >= 10, "{}", samples.len());
        let minutes: Vec<i64> = samples.iter().map(|sample| sample.minute.0).collect();
        let first = minutes[0];
        let all: Vec<i64> = (first..).take(minutes.len()).collect();
        assert_eq!(minutes, all, "each minute has its sample");
        // The first and the last minute are cut, and now and then there is a trial call.
        for sample in &samples[1..samples.len() - 1] {
            let waited = sample.flow.waited_ms;
            assert!((50_000..=60_000).contains(&waited), "{sample:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_freeze_is_no_wait() {
    let world = World::new(RelaunchPolicy::Transient).await;
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    let executed = |world: &World| world.game.executed.lock().len();
    world.until("calls", |world| executed(world) > 4).await;
    world.order(Order::Freeze).await.unwrap();
    tokio::time::sleep(MINUTE * 20).await;
    world.order(Order::Thaw).await.unwrap();
    let before = executed(&world);
    world
        .until("calls after the thaw", |world| executed(world) > before + 4)
        .await;
    tokio::time::sleep(MINUTE * 2).await;
    for name in ["alpha", "bravo"] {
        let samples = world.samples(name).await;
        let calls: u64 = samples.iter().map(|sample| sample.flow.tool_calls).sum();
        let waited: u64 = samples.iter().map(|sample| sample.flow.waited_ms).sum();
        assert!(
            calls > 4 && waited < 60_000,
            "{calls} {waited}: {samples:?}"
        );
    }
}

//! Revival: a Mysis that dies at its liveliest comes back, each time.

use std::time::Duration;

#[path = "../../benches/core/desk.rs"]
mod desk;
#[path = "../../benches/core/revival.rs"]
mod often;

/// It dies right after it was told to start: what it said of itself while it was still reading its
/// past must not be taken for rest.
#[test]
fn a_mysis_that_is_killed_whenever_it_asks_asks_again_each_time() {
    let mut desk = desk::Desk::new(1);
    desk.fill(100);
    let killing = often::kill_often(&desk, 100);
    // Far longer than it takes; whoever does not come back is waited for in vain.
    let limit = Duration::from_secs(120);
    let killed = async { tokio::time::timeout(limit, killing).await };
    let times = desk.runtime.block_on(killed).expect("it comes back");
    assert_eq!(times.unwrap().len(), 100);
}

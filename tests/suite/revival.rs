//! Revival: a Mysis that dies at its liveliest comes back, each time.

use std::time::Duration;

/// It dies right after it was told to start: what it said of itself while it was still reading its
/// past must not be taken for rest.
#[test]
fn a_mysis_that_is_killed_whenever_it_asks_asks_again_each_time() {
    let mut measured = zoea_scenes::measured_ledger::MeasuredLedger::new(1);
    measured.fill(100);
    let killing = zoea_scenes::revival::kill_often(&measured, 100);
    // Far longer than it takes; whoever does not come back is waited for in vain.
    let limit = Duration::from_secs(120);
    let killed = async { tokio::time::timeout(limit, killing).await };
    let times = measured.runtime.block_on(killed).expect("it comes back");
    assert_eq!(times.unwrap().len(), 100);
}

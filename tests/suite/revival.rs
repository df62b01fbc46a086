//! Revival: a Mysis whose actor dies at a bad moment comes back, each time.

use std::time::Duration;

/// The actor dies right after it was told to start. Its status while it was still reading its rows
/// must not be taken for idleness.
#[test]
fn a_mysis_that_is_killed_whenever_it_asks_asks_again_each_time() {
    let measured = zoea_scenes::measured_ledger::MeasuredLedger::with_rows(100);
    let killing = zoea_scenes::revival::kill_often(&measured, 100);
    // Far longer than a revival takes.
    let limit = Duration::from_secs(120);
    let killed = async { tokio::time::timeout(limit, killing).await };
    let times = measured.runtime.block_on(killed).expect("it comes back");
    assert_eq!(times.unwrap().len(), 100);
}

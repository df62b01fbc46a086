//! The revival: the time from the kill of a Mysis' actor until its successor, rebuilt from stored
//! rows, calls the model.
//!
//! `cargo bench --bench revival` takes some seconds; `-- 1000000` stores that many rows first.

use zoea_scenes::measured_ledger::MeasuredLedger;
use zoea_scenes::revival;

const KILLS: usize = 500;

#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn main() -> anyhow::Result<()> {
    let rows = std::env::args().find_map(|text| text.parse().ok());
    let rows = rows.unwrap_or(100_000);
    let measured = MeasuredLedger::with_rows(rows);
    let mut times = measured
        .runtime
        .block_on(revival::kill_often(&measured, KILLS))?;
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!(
        "{rows} rows, {KILLS} kills: asks again after {:?} (p50), {:?} (p99), {:?} (longest)",
        at(50),
        at(99),
        at(100)
    );
    Ok(())
}

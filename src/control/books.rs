//! The books over the control interface: what was spent, by day, Mysis and provider.

use actors::domain::books::Day;
use actors::domain::ids::MysisId;
use actors::ports::Clock;
use serde_json::{Value, json};

use crate::report::DayReport;
use crate::swarm::Swarm;
use zoea_system::clock::MachineClock;

/// The lines of the books of so many days, today the last of them.
///
/// # Errors
/// The books cannot be read.
pub(super) async fn list_entries(swarm: &Swarm, days: usize) -> Result<Value, String> {
    let before = i64::try_from(days.saturating_sub(1)).unwrap_or(i64::MAX);
    let today = Day::of(MachineClock.now());
    let since = Day(today.0.saturating_sub(before));
    let books = swarm.archive().books(since).await;
    let books = books.map_err(|fault| format!("the books cannot be read: {fault}"))?;
    let names = swarm.names().await;
    Ok(books
        .iter()
        .map(|entry| {
            zoea_contract::books_entry_json(entry, names.get(&entry.mysis).map(|name| &**name))
        })
        .collect())
}

/// How far back conversations reach, one or all: old rows that were removed are not found.
///
/// # Errors
/// The database cannot be read.
pub(super) async fn read_reach(swarm: &Swarm, mysis: Option<MysisId>) -> Result<Value, String> {
    let reach = swarm.ledger().reach(mysis).await;
    let reach = reach.map_err(|fault| format!("the database cannot be read: {fault}"))?;
    Ok(json!({
        "removed": reach.removed,
        "before": reach.before.map(|at| at.to_string()),
    }))
}

/// Gives the database's free space back, while the swarm goes on.
///
/// # Errors
/// The database cannot be written, or only while no program runs.
pub(super) async fn compact_database(swarm: &Swarm) -> Result<Value, String> {
    let compacted = swarm.ledger().compact().await;
    let compacted = compacted.map_err(|fault| fault.to_string())?;
    Ok(json!({"before": compacted.before, "after": compacted.after}))
}

/// What happened in a day (UTC): `today`, `yesterday`, or one as `2026-11-22`.
///
/// # Errors
/// That is no day, or the database cannot be read.
pub(super) async fn report_day(swarm: &Swarm, day: &str) -> Result<Value, String> {
    let today = Day::of(MachineClock.now());
    let day = match day {
        "today" => today,
        "yesterday" => Day(today.0 - 1),
        written => {
            let read = chrono::NaiveDate::parse_from_str(written, "%Y-%m-%d");
            let date = read.map_err(|_| {
                format!("`{written}` is no day; write today, yesterday or one as 2026-11-22")
            })?;
            Day((date - chrono::NaiveDate::default()).num_days())
        }
    };
    let record = swarm.ledger().day(day).await;
    let record = record.map_err(|fault| format!("the database cannot be read: {fault}"))?;
    serde_json::to_value(DayReport::from_record(day, &record)).map_err(|error| error.to_string())
}

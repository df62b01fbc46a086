//! The books over the control interface: tokens and cost by day, Mysis and provider.

use actors::domain::books::{CostEntry, Day};
use actors::ports::Clock;
use serde_json::Value;
use zoea_contract::{CompactedJson, CostEntryJson, ReachJson, to_value};
use zoea_ledger::CompactionResult;
use zoea_settings::bounds::MAX_DAYS;

use crate::report::DayReport;
use crate::swarm::Swarm;
use zoea_system::clock::MachineClock;
use zoea_text::natural::compare_natural;

use super::ProgramInfo;
use super::arguments::{find_mysis, read_count};

/// Lists the books of the last `days` days, including today.
///
/// # Errors
/// The books cannot be read.
pub(super) async fn list_entries(
    swarm: &Swarm,
    about: &ProgramInfo,
    days: Option<u64>,
) -> Result<Value, String> {
    let days = read_count("days", days, 1, MAX_DAYS)?;
    let before = i64::try_from(days.saturating_sub(1)).unwrap_or(i64::MAX);
    let today = Day::of(MachineClock.now());
    let since = Day(today.0.saturating_sub(before));
    let books = swarm.archive().books(since).await;
    let mut books = books.map_err(|fault| format!("the books cannot be read: {fault}"))?;
    let names = swarm.names().await;
    // Those of deleted Myses come last.
    let name_of = |entry: &CostEntry| names.get(&entry.mysis).map_or("\u{10ffff}", |name| &**name);
    books.sort_by(|a, b| {
        let order = a.day.cmp(&b.day);
        let order = order.then_with(|| compare_natural(name_of(a), name_of(b)));
        order.then_with(|| (a.mysis, &a.provider).cmp(&(b.mysis, &b.provider)))
    });
    let lines = books.iter().map(|entry| {
        let name = names.get(&entry.mysis).map(|name| &**name);
        to_value(&CostEntryJson::new(
            entry,
            name,
            about.prices.is_free(&entry.provider),
        ))
    });
    Ok(lines.collect())
}

/// The oldest row of all conversations or of one. Older rows were removed.
///
/// # Errors
/// The database cannot be read.
pub(super) async fn read_reach(swarm: &Swarm, mysis: Option<String>) -> Result<Value, String> {
    let mysis = find_mysis(swarm, mysis).await?;
    let reach = swarm.ledger().reach(mysis).await;
    let reach = reach.map_err(|fault| format!("the database cannot be read: {fault}"))?;
    Ok(to_value(&ReachJson {
        removed: reach.removed,
        before: reach.before.map(|at| at.to_string()),
    }))
}

/// Returns the database's free space to the file system while the swarm goes on.
///
/// # Errors
/// The database cannot be written, or only while no program runs.
pub(super) async fn compact_database(swarm: &Swarm) -> Result<Value, String> {
    let compacted = swarm.ledger().compact().await;
    let CompactionResult { before, after } = compacted.map_err(|fault| fault.to_string())?;
    Ok(to_value(&CompactedJson { before, after }))
}

/// Reports a day (UTC): `today`, `yesterday`, or a date such as `2026-11-22`.
///
/// # Errors
/// This is no day, or the database cannot be read.
pub(super) async fn report_day(
    swarm: &Swarm,
    about: &ProgramInfo,
    day: &str,
) -> Result<Value, String> {
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
    let is_free = |provider: &str| about.prices.is_free(provider);
    let report = DayReport::from_record(day, &record, MachineClock.now(), is_free);
    serde_json::to_value(report).map_err(|error| error.to_string())
}

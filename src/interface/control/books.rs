//! The books over the control interface: tokens and cost by day, Mysis and provider.

use actors::domain::books::Day;
use actors::domain::ids::MysisId;
use actors::ports::{ArchiveFault, Clock};
use serde_json::Value;
use zoea_contract::{CompactedJson, CostEntryJson, ReachJson, to_value};
use zoea_ledger::CompactionResult;
use zoea_settings::bounds::MAX_DAYS;

use crate::interface::report::WallClock;
use crate::interface::swarm::{Swarm, unreadable};
use zoea_system::clock::MachineClock;
use zoea_text::natural::compare_natural;

use super::ProgramInfo;
use super::parameters::{AskReport, read_count};
use super::period::AskedPeriod;

/// Lists the books of the last `days` days, including today.
pub(super) async fn list_entries(
    swarm: &Swarm,
    about: &ProgramInfo,
    days: Option<u64>,
) -> Result<Value, String> {
    let days = read_count("days", days, 1, MAX_DAYS)?;
    let before = i64::try_from(days.saturating_sub(1)).unwrap_or(i64::MAX);
    let today = Day::of(MachineClock.now());
    let since = Day(today.0.saturating_sub(before));
    let cannot = |fault: ArchiveFault| format!("the books cannot be read: {fault}");
    let costs = swarm.archive().books(since).await.map_err(cannot)?;
    let saved = swarm.archive().saved_calls(since).await.map_err(cannot)?;
    let names = swarm.names().await?;
    let name_of = |mysis: MysisId| names.get(&mysis).map(|name| &**name);
    let of_costs = costs.iter().map(|entry| {
        let is_free = about.prices.is_free(&entry.provider);
        let line = CostEntryJson::new(entry, name_of(entry.mysis), is_free);
        (entry.day, entry.mysis, Some(&entry.provider), line)
    });
    let of_routines = saved.iter().map(|entry| {
        let line = CostEntryJson::of_routines(entry, name_of(entry.mysis));
        (entry.day, entry.mysis, None, line)
    });
    let mut lines: Vec<_> = of_costs.chain(of_routines).collect();
    // Those of deleted Myses come last, and those of routines after those of providers.
    let sorted = |mysis: MysisId| name_of(mysis).unwrap_or("\u{10ffff}");
    lines.sort_by(
        |(day, mysis, provider, _), (other_day, other, other_provider, _)| {
            let order = day.cmp(other_day);
            let order = order.then_with(|| compare_natural(sorted(*mysis), sorted(*other)));
            let order = order.then_with(|| mysis.cmp(other));
            let order = order.then_with(|| provider.is_none().cmp(&other_provider.is_none()));
            order.then_with(|| provider.cmp(other_provider))
        },
    );
    Ok(lines.iter().map(|(.., line)| to_value(line)).collect())
}

/// The oldest row of all conversations or of one. Older rows were removed.
pub(super) async fn read_reach(swarm: &Swarm, mysis: Option<String>) -> Result<Value, String> {
    let mysis = swarm.find(mysis.as_deref()).await?;
    let reach = swarm.ledger().reach(mysis).await.map_err(unreadable)?;
    Ok(to_value(&ReachJson {
        removed: reach.removed,
        before: reach.before.map(|at| at.to_string()),
    }))
}

/// Returns the database's free space to the file system while the swarm goes on.
pub(super) async fn compact_database(swarm: &Swarm) -> Result<Value, String> {
    let compacted = swarm.ledger().compact().await;
    let CompactionResult { before, after } = compacted.map_err(|fault| fault.to_string())?;
    Ok(to_value(&CompactedJson { before, after }))
}

/// Reports a day or any other time, and what the same hours came to before.
pub(super) async fn report_period(
    swarm: &Swarm,
    about: &ProgramInfo,
    asked: &AskReport,
) -> Result<Value, String> {
    let now = MachineClock.now();
    let asked = AskedPeriod::read(asked, now, WallClock::Local)?;
    let report = asked.report((swarm.ledger(), &about.prices), now).await?;
    serde_json::to_value(report).map_err(|error| error.to_string())
}

//! Samples over the control interface: what Myses have, earn, cost and wait for over time.

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::samples::{SampleQuery, SampleStep, SampleSteps};
use actors::ports::Clock;
use serde_json::Value;
use zoea_contract::{SampleSeriesJson, SamplesJson, to_value};
use zoea_system::clock::MachineClock;

use crate::interface::report::WallClock;
use crate::interface::swarm::Swarm;

use super::parameters::ReadSamples;
use super::period;

/// The time that is read if none is named.
const USUAL_TIME: &str = "1h";

/// Reads samples.
///
/// # Errors
/// A name or a time is wrong, the answer would be too long, or the database cannot be read.
pub(super) async fn read_samples(swarm: &Swarm, asked: ReadSamples) -> Result<Value, String> {
    let now = MachineClock.now();
    let until = asked.until.as_deref();
    let until = until.map_or(Ok(now), |until| read_time(until, (now, now)))?;
    let until = until.min(now);
    let since = read_time(asked.since.as_deref().unwrap_or(USUAL_TIME), (now, until))?;
    if since > until {
        return Err("`since` is later than `until`, or than now".to_string());
    }
    let word = asked.resolution.as_deref().unwrap_or("automatic");
    let step = SampleStep::parse(word)
        .ok_or_else(|| format!("`{word}` is not a resolution; write minute, hour or automatic"))?;
    let names = swarm.names().await?;
    let (myses, deleted) = match asked.myses.as_deref() {
        Some(myses) => (find_myses(swarm, myses).await?, Vec::new()),
        None => (names.keys().copied().collect(), read_deleted(swarm).await?),
    };
    let count = match asked.sum {
        true => 1,
        false => myses.len() + deleted.len(),
    };
    let query = SampleQuery {
        myses,
        deleted,
        is_sum: asked.sum,
        steps: SampleSteps::new(step, (since, until), count)?,
    };
    let steps = query.steps;
    let series = swarm.archive().samples(query).await;
    let series = series.map_err(|fault| format!("the samples cannot be read: {fault}"))?;
    let name = |mysis: Option<MysisId>| names.get(&mysis?).map(|name| &**name);
    let series = series.iter().filter(|series| {
        asked.myses.is_some() || !series.samples.is_empty() || series.mysis.is_none()
    });
    Ok(to_value(&SamplesJson {
        step_seconds: steps.minutes.saturating_mul(60),
        series: series
            .map(|series| SampleSeriesJson::new(series, name(series.mysis)))
            .collect(),
    }))
}

async fn find_myses(swarm: &Swarm, names: &str) -> Result<Vec<MysisId>, String> {
    let mut myses = Vec::new();
    for name in names.split(',').map(str::trim) {
        let id = swarm.id_of(name).await?;
        if !myses.contains(&id) {
            myses.push(id);
        }
    }
    Ok(myses)
}

async fn read_deleted(swarm: &Swarm) -> Result<Vec<MysisId>, String> {
    let deleted = swarm.ledger().deleted_with_samples().await;
    deleted.map_err(|fault| format!("the samples cannot be read: {fault}"))
}

pub(super) fn check_time(text: &str) -> Result<String, String> {
    let now = MachineClock.now();
    read_time(text, (now, now)).map(|_| text.to_string())
}

/// Reads a time by the clock of this machine; a time of day is the last one up to another time.
fn read_time(text: &str, (now, up_to): (Timestamp, Timestamp)) -> Result<Timestamp, String> {
    period::read_time(text, (now, up_to), WallClock::Local)
}

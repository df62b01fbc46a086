//! Samples over the control interface: what Myses have, earn, cost and wait for over time.

use actors::domain::ids::MysisId;
use actors::domain::samples::{SampleQuery, SampleStep, SampleSteps};
use actors::ports::{ArchiveFault, Clock};
use serde_json::Value;
use zoea_contract::{SampleSeriesJson, SamplesJson, to_value};
use zoea_system::clock::MachineClock;

use crate::interface::report::WallClock;
use crate::interface::swarm::Swarm;

use super::parameters::ReadSamples;
use super::period::{read_time, sampled_times};

/// Reads samples.
pub(super) async fn read_samples(swarm: &Swarm, asked: ReadSamples) -> Result<Value, String> {
    let now = MachineClock.now();
    let (since, until) = sampled_times(&asked, now, WallClock::Local)?;
    let word = asked.resolution.as_deref().unwrap_or("automatic");
    let step = SampleStep::parse(word)
        .ok_or_else(|| format!("`{word}` is not a resolution; write minute, hour or automatic"))?;
    let names = swarm.names().await?;
    let cannot = |fault: ArchiveFault| format!("the samples cannot be read: {fault}");
    let (myses, deleted) = match asked.myses.as_deref() {
        Some(myses) => (find_myses(swarm, myses).await?, Vec::new()),
        None => {
            let deleted = swarm.ledger().deleted_with_samples().await;
            (names.keys().copied().collect(), deleted.map_err(cannot)?)
        }
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
    let series = series.map_err(cannot)?;
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

pub(super) fn check_time(text: &str) -> Result<String, String> {
    let now = MachineClock.now();
    read_time(text, (now, now), WallClock::Local).map(|_| text.to_string())
}

//! `zoea simulate`: the swarm on simulated time, with faults on purpose, and the verdict.

use std::time::Duration;

use clap::Args;

use super::out;
use crate::simulation::{self, Options};

/// What `zoea simulate` can be told.
#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// What everything follows from: the same seed gives the same events.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// So many seeds, one after the other, from --seed on.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: u64,
    /// How many simulated days.
    #[arg(long, value_name = "D", default_value_t = 1.0)]
    days: f64,
    /// How many Myses.
    #[arg(long, value_name = "N", default_value_t = 5)]
    myses: usize,
    /// How often things go wrong: 0 never, 1 as on a bad day, more for worse.
    #[arg(long, value_name = "W", default_value_t = 1.0)]
    wildness: f64,
    /// Print every event, as JSON lines.
    #[arg(long)]
    events: bool,
}

pub(super) fn run(args: &SimulateArgs) -> anyhow::Result<()> {
    simulation::hush_simulated_panics();
    let mut bad = Vec::new();
    for seed in args.seed..args.seed.saturating_add(args.seeds) {
        let verdict = simulation::run(Options {
            seed,
            length: Duration::try_from_secs_f64(args.days * 86_400.0)?,
            myses: args.myses,
            wildness: args.wildness,
            is_loud: args.events,
        })?;
        out::line(&verdict.to_string())?;
        if !verdict.is_good() {
            bad.push(seed);
        }
    }
    anyhow::ensure!(bad.is_empty(), "bad seeds: {bad:?}; run one with --seed N");
    Ok(())
}

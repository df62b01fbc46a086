//! `zoea simulate`: runs the swarm on simulated time with injected faults, and prints the verdict.

use std::time::Duration;

use clap::{Args, value_parser};
use zoea_settings::bounds::{MAX_MYSES, MAX_SEEDS, MAX_SIMULATED_DAYS, MAX_WILDNESS, parse_within};

use crate::interface::cli::out;
use zoea_simulation::{SimulationOptions, SimulationProgress};
use zoea_text::figures::group_digits;

/// The most processes.
const MAX_PROCESSES: u32 = 10;

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The seed of the run: the same seed gives the same events.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many seeds to run, one after the other, from --seed on.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = value_parser!(u64).range(1..=MAX_SEEDS))]
    seeds: u64,
    /// How many simulated days.
    #[arg(long, value_name = "D", default_value_t = 1.0,
          value_parser = |text: &str| parse_within(text, &(0.0..=MAX_SIMULATED_DAYS)))]
    days: f64,
    /// How many Myses.
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = value_parser!(u32).range(1..=i64::from(MAX_MYSES)))]
    myses: u32,
    /// How many processes share them, on one database.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = value_parser!(u32).range(1..=i64::from(MAX_PROCESSES)))]
    processes: u32,
    /// How often faults occur: 0 never, 1 as on a bad day, more for worse.
    #[arg(long, value_name = "W", default_value_t = 1.0,
          value_parser = |text: &str| parse_within(text, &(0.0..=MAX_WILDNESS)))]
    wildness: f64,
    /// Use every kind of fault, not only those that the seed draws.
    #[arg(long)]
    all_faults: bool,
    /// The longest usual time of a model answer; the shortest is an eighth of it.
    #[arg(long, value_name = "DURATION", default_value = "4s")]
    thinking: humantime::Duration,
    /// Print every event, as JSON lines.
    #[arg(long)]
    events: bool,
}

pub(super) fn run(args: &SimulateArgs) -> anyhow::Result<()> {
    zoea_simulation::hush_simulated_panics();
    let mut bad = Vec::new();
    for seed in args.seed..args.seed.saturating_add(args.seeds) {
        let days = args.days;
        let _progress =
            out::Progress::start(&format!("seed {seed}"), move || describe_progress(days));
        let verdict = zoea_simulation::run(SimulationOptions {
            seed,
            length: Duration::try_from_secs_f64(args.days * 86_400.0)?,
            myses: args.myses as usize,
            processes: args.processes as usize,
            wildness: args.wildness,
            with_all_faults: args.all_faults,
            thinking: args.thinking.into(),
            progress: Some(&PROGRESS),
            is_loud: args.events,
            adapters: crate::wiring::simulated::adapters(),
        })?;
        out::line(&verdict.to_string())?;
        if !verdict.is_good() {
            bad.push(seed);
        }
    }
    anyhow::ensure!(bad.is_empty(), "bad seeds: {bad:?}; run one with --seed N");
    Ok(())
}

/// How far the present seed is.
static PROGRESS: SimulationProgress = SimulationProgress::new();

/// How far it is of so many days, and the memory, which differs between runs of the same seed.
fn describe_progress(days: f64) -> String {
    let memory = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = memory.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let memory = memory.map_or("unknown", str::trim);
    let (simulated, requests) = PROGRESS.reached();
    let simulated = simulated.as_secs_f64() / 86_400.0;
    let requests = group_digits(requests);
    format!("for {simulated:.2} of {days} days, {requests} requests, memory {memory}")
}

//! Prints what the play of a simulated swarm costs and brings: today, and with each lever.
//!
//! `cargo run --release --example economy -- --all --hours 24 --players 60` (see `--help`). With `--endpoint` a real model plays in
//! the place of the simulated player, on the same seed: the simulated clock stands while it thinks.

#![expect(clippy::print_stdout, reason = "a program that prints")]

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::domain::price::TokenPrice;
use actors::ports::{AnswerMeter, Models};
use clap::Parser;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use zoea_measures::economy::{
    EconomyOptions, EconomyReport, LEVERS, Lever, RealModel, find_lever, find_role, measure,
    role_table, table,
};
use zoea_provider::{ProviderEndpoint, Providers};

/// What the play of a simulated swarm costs and brings: today, and with each lever.
#[derive(Debug, Parser)]
struct Arguments {
    /// A lever to measure, alone; may be repeated. Levers joined by `+` are measured together.
    #[arg(long, value_name = "NAME")]
    lever: Vec<String>,
    /// Measure every lever, each alone.
    #[arg(long)]
    all: bool,
    /// List the levers and measure nothing.
    #[arg(long)]
    list: bool,
    #[arg(long, default_value_t = 24.0)]
    hours: f64,
    #[arg(long, default_value_t = 60)]
    players: usize,
    /// The only role that plays: miner, trader, contractor, explorer or talker.
    #[arg(long, value_name = "ROLE", value_parser = |name: &str| find_role(name).ok_or("no such role"))]
    only: Option<&'static str>,
    /// The mission of all roles, in the place of the mission of each.
    #[arg(long, value_name = "TEXT")]
    mission: Option<String>,
    /// The seed of all chance: the same seed gives the same table.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The longest time of a model's answer; the shortest is an eighth of it.
    #[arg(long, default_value = "4s")]
    thinking: humantime::Duration,
    /// US dollars for a million tokens of requests and of answers (gpt-5-mini, 2026-07-24).
    #[arg(long, value_names = ["IN", "OUT"], num_args = 2, default_values_t = [0.25, 2.0])]
    price: Vec<f64>,
    /// The URL of a real model's server, as far as `/v1`, which plays in the place of the simulated player.
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Members that are added to each request to it, such as `{"seed": 1}`.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    extra: String,
    /// Print each answer of the real model.
    #[arg(long)]
    answers: bool,
    /// How many measurements run at once.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Print the figures of each role as well.
    #[arg(long)]
    roles: bool,
}

/// A measurement: its name and its levers.
type Row = (String, Vec<&'static Lever>);

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if arguments.list {
        for lever in LEVERS {
            println!("{:<18} {}", lever.name, lever.what);
        }
        return Ok(());
    }
    let rows = rows(&arguments)?;
    let options = EconomyOptions {
        seed: arguments.seed,
        length: Duration::try_from_secs_f64(arguments.hours * 3600.0)?,
        players: arguments.players,
        only: arguments.only,
        mission: arguments.mission.clone(),
        thinking: arguments.thinking.into(),
        price: TokenPrice {
            input: arguments.price[0],
            output: arguments.price[1],
            cached: None,
        },
        parts: zoea::wiring::simulated::adapters(),
    };
    let player = arguments.endpoint.as_deref();
    let player = player.map_or_else(
        || "simulated".to_string(),
        |url| format!("the model at {url}, in a simulated game"),
    );
    println!(
        "{player}: {} hours, {} players, seed {}, ticks of 10 s, answers within {}; ${} and ${} for a million tokens",
        arguments.hours,
        arguments.players,
        arguments.seed,
        arguments.thinking,
        arguments.price[0],
        arguments.price[1],
    );
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let real = real_model(&arguments, runtime.handle())?;
    let measured = measure_all(&options, rows, arguments.jobs, real.as_ref())?;
    print!("{}", table(&measured));
    if arguments.roles {
        for (name, report) in &measured {
            println!("\n{name}");
            print!("{}", role_table(report));
        }
    }
    println!("measured in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn rows(arguments: &Arguments) -> anyhow::Result<Vec<Row>> {
    let mut rows = vec![("today".to_string(), Vec::new())];
    if arguments.all {
        rows.extend(
            LEVERS
                .iter()
                .map(|lever| (lever.name.to_string(), vec![lever])),
        );
    }
    for names in &arguments.lever {
        let levers = names.split('+').map(|name| {
            find_lever(name).ok_or_else(|| anyhow::anyhow!("no lever `{name}`; see --list"))
        });
        rows.push((names.clone(), levers.collect::<anyhow::Result<_>>()?));
    }
    Ok(rows)
}

fn real_model(arguments: &Arguments, runtime: &Handle) -> anyhow::Result<Option<RealModel>> {
    let Some(url) = &arguments.endpoint else {
        return Ok(None);
    };
    let endpoint = ProviderEndpoint {
        url: url.clone(),
        extra: Arc::new(serde_json::from_str(&arguments.extra)?),
        ..ProviderEndpoint::default()
    };
    let _entered = runtime.enter();
    let http = zoea_http::build_client()?;
    // The name that the simulated rules give their provider.
    let models: Arc<dyn Models> = Arc::new(Providers::new(&http, [("pilot".into(), endpoint)]));
    Ok(Some(RealModel {
        models: match arguments.answers {
            true => Arc::new(Printed(models)),
            false => models,
        },
        runtime: runtime.clone(),
    }))
}

struct Printed(Arc<dyn Models>);

impl Models for Printed {
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let asked = self.0.ask(request, meter);
        let begun = Instant::now();
        async move {
            let answer = asked.await;
            let seconds = begun.elapsed().as_secs_f64();
            match &answer {
                Ok(answer) => {
                    let calls = answer.calls.iter();
                    let calls: Vec<String> = calls
                        .map(|call| format!("{} {}", call.name, call.arguments))
                        .collect();
                    let text: String = answer.text.chars().take(160).collect();
                    let (text, usage) = (text.escape_debug(), answer.usage.unwrap_or_default());
                    println!("{seconds:.0} s, {usage:?}: {calls:?} {text}");
                }
                Err(fault) => println!("{seconds:.0} s: {fault:?}"),
            }
            answer
        }
        .boxed()
    }
}

/// Measures the rows, some at once, and returns them in their order.
fn measure_all(
    options: &EconomyOptions,
    rows: Vec<Row>,
    jobs: usize,
    real: Option<&RealModel>,
) -> anyhow::Result<Vec<(String, EconomyReport)>> {
    let next = AtomicUsize::new(0);
    let measured = Mutex::new(Vec::new());
    let work = || {
        while let Some((name, levers)) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            let place = rows.iter().position(|row| row.0 == *name);
            let report = measure(options, levers, real.cloned());
            let mut measured = measured.lock();
            measured.push((place, name.clone(), report));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(work);
        }
        work();
    });
    let mut measured = measured.into_inner();
    measured.sort_by_key(|(place, ..)| *place);
    let reports = measured.into_iter();
    reports
        .map(|(_, name, report)| Ok((name, report?)))
        .collect()
}

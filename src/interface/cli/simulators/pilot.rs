//! `zoea pilot`: serves the simulated model alone, until a signal stops it.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use zoea_grammar::fault::parse_probability;
use zoea_grammar::incident::Incident;
use zoea_grammar::units::parse_duration;
use zoea_pilot::{Habits, Persona, PilotFault, PilotOptions, Strictness};
use zoea_system::listen::{describe_listen_error, listen_address};

use super::read_incident;
use crate::interface::cli::out;

#[derive(Debug, Args)]
pub(crate) struct PilotArgs {
    /// The address to listen on; without a host on loopback, with port 0 on any free port (`:0`).
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8766", value_parser = listen_address)]
    addr: String,
    /// The seed; the same seed and the same requests give the same answers [default: a random seed].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How long the model pretends to think before it answers.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = parse_duration)]
    latency: Duration,
    /// How often a call is nonsense of the kind that models produce, from 0 to 1; never twice in a row.
    #[arg(long, value_name = "P", default_value_t = Habits::default().nonsense, value_parser = parse_probability)]
    nonsense: f64,
    /// A fault, as `KIND[@PROBABILITY][:ARGUMENT]`; may be repeated. `--help` lists the kinds.
    #[arg(long = "fault", value_name = "SPEC", long_help = zoea_pilot::fault_grammar())]
    faults: Vec<PilotFault>,
    /// Answer a request like the one of this incident as its server did (`zoea incident last`); may be
    /// repeated.
    #[arg(long = "replay", value_name = "FILE", value_parser = read_incident)]
    replays: Vec<Incident>,
    /// How the model behaves unless a line `persona: NAME` in the conversation says otherwise.
    #[arg(long, value_name = "NAME", default_value_t, long_help = personas())]
    persona: Persona,
    /// Append one JSON line per request to this file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the request bodies into the record, too.
    #[arg(long, requires = "record")]
    keep_bodies: bool,
    /// Refuse what OpenAI refuses, and no more; without it, what any server refuses that we know of.
    #[arg(long)]
    lenient: bool,
    /// Refuse a user's message right after a result, too, as Mistral's interface does.
    #[arg(long, conflicts_with = "lenient")]
    strict_order: bool,
    /// Answer 401 to callers that do not show this key.
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
}

fn personas() -> String {
    let mut text = String::from(
        "How the model behaves unless a line `persona: NAME` in the conversation says otherwise:\n",
    );
    for (name, meaning) in Persona::all() {
        text.push_str(&format!("  {name:<12} {meaning}\n"));
    }
    text
}

pub(super) async fn run(args: PilotArgs) -> anyhow::Result<()> {
    let listener = TcpListener::bind(&args.addr).await.map_err(|error| {
        let remedy = "choose another address with --addr";
        anyhow!(describe_listen_error(&args.addr, &error, remedy))
    })?;
    let address = listener.local_addr().context("read the address")?;
    let seed = args.seed.unwrap_or_else(|| u64::from(fastrand::u32(..)));
    let shutdown = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate()).context("listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("listen for SIGINT")?;
    let serving = zoea_pilot::serve(listener, args.options(seed), shutdown.clone());
    let until_reported = async {
        out::line(&format!(
            "pilot listening on http://{address}/v1 (seed {seed})"
        ))
        .context("write to stdout")?;
        // Cancel-safe: both branches only wait for a signal.
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        shutdown.cancel();
        std::future::pending().await
    };
    // The server is polled first, so that it is ready or has failed before it is announced. The
    // other branch ends only with a failure.
    tokio::select! {
        biased;
        served = serving => served,
        failed = until_reported => failed,
    }
}

impl PilotArgs {
    fn options(self, seed: u64) -> PilotOptions {
        PilotOptions {
            habits: Habits {
                seed,
                nonsense: self.nonsense,
                persona: self.persona,
            },
            latency: self.latency,
            faults: self.faults,
            replays: self.replays,
            strictness: match (self.lenient, self.strict_order) {
                (true, _) => Strictness::OpenAi,
                (false, true) => Strictness::Strictest,
                (false, false) => Strictness::Strict,
            },
            api_key: self.api_key,
            record: self.record,
            keeps_bodies: self.keep_bodies,
        }
    }
}

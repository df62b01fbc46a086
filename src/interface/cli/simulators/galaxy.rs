//! `zoea galaxy`: serves the simulated SpaceMolt server alone, until a signal stops it.

mod stdio;

use std::{path::PathBuf, time::Duration};

use anyhow::{Context as _, anyhow};
use clap::Args;
use http::{HeaderName, HeaderValue};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use zoea_galaxy::fault::{FORMS, GalaxyFault};
use zoea_galaxy::frontend::SessionRules;
use zoea_galaxy::limits::{GalaxyLimits, RateAllowance};
use zoea_galaxy::{AccessRules, Galaxy, GalaxyOptions, LinkRules, StatelessRules, UnknownSession};
use zoea_grammar::fault::explain;
use zoea_grammar::incident::Incident;
use zoea_grammar::units::parse_duration;
use zoea_system::listen::{describe_listen_error, listen_address};

use super::read_incident;
use crate::interface::cli::out;

#[derive(Debug, Args)]
#[command(after_help = faults_help())]
pub(crate) struct GalaxyArgs {
    /// The address to listen on; without a host on loopback, with port 0 on any free port (`:0`).
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8765", value_parser = listen_address)]
    addr: String,
    /// How long a tick lasts: 1ms to 10s and more.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = tick)]
    tick: Duration,
    /// The seed of the galaxy [default: the data directory's own, else 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Store everything that happens in this directory, and continue from there at the next start.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Append every executed mutation to this file, as JSON lines.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Inject a fault; may be given several times (see below).
    #[arg(long, value_name = "SPEC")]
    fault: Vec<GalaxyFault>,
    /// Answer a call like the one of this incident as its server did (`zoea incident last`); may be
    /// repeated.
    #[arg(long = "replay", value_name = "FILE", value_parser = read_incident)]
    replays: Vec<Incident>,
    /// Accept only this registration code [default: any of 1 to 64 characters].
    #[arg(long, value_name = "CODE")]
    registration_code: Option<String>,
    /// Stations pay a tenth after this many trades of all players.
    #[arg(long, value_name = "TRADES")]
    prices_fall_after: Option<u64>,
    /// Serve the MCP revision 2026-07-28, which has no sessions, beside the older ones.
    #[arg(long)]
    stateless: bool,
    /// How long a list of tools is valid, to clients without sessions.
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = parse_duration)]
    list_ttl: Duration,
    /// Answer commands that take a tick by tasks, to clients without sessions that take them.
    #[arg(long, requires = "stateless")]
    tasks: bool,
    /// Serve one client over standard input and output, as a child process of it.
    #[arg(long, conflicts_with_all = ["stateless", "token", "header"])]
    stdio: bool,
    /// How long a login link is valid, at `/link`.
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = parse_duration)]
    link_valid: Duration,
    /// How long clients wait between two checks of a login link.
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = parse_duration)]
    link_interval: Duration,
    /// Demand this bearer token in every request.
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Demand this header in every request.
    #[arg(long, value_name = "NAME=VALUE", value_parser = header)]
    header: Option<(HeaderName, HeaderValue)>,
    /// Answer requests of an unknown MCP session by HTTP 404, as the MCP specification requires,
    /// in place of 200.
    #[arg(long)]
    strict_sessions: bool,
    /// Demand the argument `session_id` in every call of an account, as the game did at first.
    #[arg(long)]
    session_id_required: bool,
    /// Boxed, because all commands share one enum.
    #[command(flatten)]
    limits: Box<LimitArgs>,
}

/// Limits: a number or `unlimited`.
///
/// Logins count real minutes. All others count minutes of six ticks, at most real ones: with a tick
/// of 1s six times as much is allowed as with 10s.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits (a number or `unlimited`)")]
struct LimitArgs {
    /// MCP initialize, register and login together, of an address, in a real minute.
    #[arg(long, value_name = "N", default_value = "30")]
    logins_per_minute: RateAllowance,
    /// Failed logins of an address, in a real minute.
    #[arg(long, value_name = "N", default_value = "5")]
    failed_logins_per_minute: RateAllowance,
    /// Mutations of an account, in six ticks.
    #[arg(long, value_name = "N", default_value = "30")]
    mutations_per_minute: RateAllowance,
    /// Queries of an account, in six ticks.
    #[arg(long, value_name = "N", default_value = "300")]
    queries_per_minute: RateAllowance,
    /// Chat messages of an account, in six ticks.
    #[arg(long, value_name = "N", default_value = "20")]
    chats_per_minute: RateAllowance,
    /// Refusals of an address, in six ticks; one more and it is blocked for a while.
    #[arg(long, value_name = "N", default_value = "50")]
    refusals_per_minute: RateAllowance,
}

fn faults_help() -> String {
    format!(
        "Faults: KIND[@PROBABILITY][:ARGUMENT], such as drop@0.01, slow@0.5:2s or outage:60s,10s. Without a\n\
         probability every request gets it. The same seed gives it to the same requests.\n\
         {}GET /faults says how often each has occurred, GET /health whether the galaxy lives.",
        explain(FORMS)
    )
}

pub(super) async fn run(args: GalaxyArgs) -> anyhow::Result<()> {
    if args.stdio {
        return serve_piped(args).await;
    }
    let shutdown = CancellationToken::new();
    // The signals are registered before the address is known to anybody, so that an early signal is
    // not lost.
    let mut interrupt = signal(SignalKind::interrupt()).context("listen for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("listen for SIGTERM")?;
    let listener = tokio::net::TcpListener::bind(&args.addr)
        .await
        .map_err(|error| {
            let remedy = "choose another address with --addr";
            anyhow!(describe_listen_error(&args.addr, &error, remedy))
        })?;
    let tick = args.tick;
    let galaxy = Galaxy::start(listener, args.options(), shutdown.clone()).await?;
    let tick_text = humantime::format_duration(tick);
    out::line(&format!(
        "galaxy listening on {} (seed {}, tick {tick_text})",
        galaxy.url(),
        galaxy.seed()
    ))?;
    let ended = galaxy.join();
    tokio::pin!(ended);
    // Cancel-safe: the signals are streams, and the pinned join continues when the other branch
    // wins.
    let tally = tokio::select! {
        tally = &mut ended => tally,
        _ = interrupt.recv() => {
            shutdown.cancel();
            ended.await
        }
        _ = terminate.recv() => {
            shutdown.cancel();
            ended.await
        }
    }?;
    let strikes: Vec<String> = tally
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    if !strikes.is_empty() {
        out::line(&format!("faults struck: {}", strikes.join(", ")))?;
    }
    Ok(())
}

/// Serves the one client at the standard streams, and ends with it.
async fn serve_piped(args: GalaxyArgs) -> anyhow::Result<()> {
    let shutdown = CancellationToken::new();
    // Several such servers may run at once.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.context("listen on loopback")?;
    let galaxy = Galaxy::start(listener, args.options(), shutdown.clone()).await?;
    let served = stdio::serve(galaxy.url()).await;
    shutdown.cancel();
    galaxy.join().await?;
    served
}

impl GalaxyArgs {
    fn options(self) -> GalaxyOptions {
        GalaxyOptions {
            seed: self.seed,
            tick: self.tick,
            data: self.data,
            ledger: self.ledger,
            faults: self.fault,
            replays: self.replays,
            limits: GalaxyLimits {
                mutations: self.limits.mutations_per_minute,
                queries: self.limits.queries_per_minute,
                chats: self.limits.chats_per_minute,
                logins: self.limits.logins_per_minute,
                failed_logins: self.limits.failed_logins_per_minute,
                refusals: self.limits.refusals_per_minute,
            },
            sessions: SessionRules {
                needs_argument: self.session_id_required,
                ..SessionRules::default()
            },
            unknown_session: if self.strict_sessions {
                UnknownSession::NotFound
            } else {
                UnknownSession::Ok
            },
            registration_code: self.registration_code,
            prices_fall_after: self.prices_fall_after,
            stateless: self.stateless.then_some(StatelessRules {
                list_ttl: self.list_ttl,
                tasks: self.tasks,
            }),
            links: LinkRules {
                interval: self.link_interval,
                valid: self.link_valid,
            },
            access: AccessRules {
                token: self.token,
                header: self.header,
            },
            ..GalaxyOptions::default()
        }
    }
}

fn header(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let read = || {
        let (name, value) = text.split_once('=')?;
        Some((name.parse().ok()?, value.parse().ok()?))
    };
    read().ok_or_else(|| "a header looks like X-Tenant=north".to_owned())
}

/// Parses a tick. The timer's resolution is a millisecond.
fn tick(text: &str) -> Result<Duration, String> {
    let tick = parse_duration(text)?;
    if tick < Duration::from_millis(1) || tick > Duration::from_secs(3600) {
        return Err("a tick lasts from 1ms to 1h".to_owned());
    }
    Ok(tick)
}

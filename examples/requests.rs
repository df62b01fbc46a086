//! The bytes per request on a long run of one Mysis, compared with sending its last fifty rows. The
//! game and the model are the simulated ones, with fast ticks.
//!
//! `cargo run --release --example requests -- [HOURS] [TICK_MS]`: the hours of the game (24 by
//! default) of 360 ticks each, and the milliseconds of a tick (1 by default).

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::compose::wire_bytes;
use actors::domain::ids::{MysisId, Seq};
use actors::domain::life::Mode;
use actors::domain::message::{Row, RowBody};
use actors::domain::model::{ChatCall, ChatMessage};
use actors::domain::order::Order;
use actors::domain::reading::{PageFrom, PageQuery};
use actors::domain::rules::ProviderRules;
use actors::ports::Archive;
use anyhow::Context;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context as LayerContext, SubscriberExt};
use zoea::host::home::Home;
use zoea::wiring::{LaunchOptions, Observers, RunningSwarm};
use zoea_galaxy::limits::GalaxyLimits;
use zoea_galaxy::{Galaxy, GalaxyOptions};
use zoea_pilot::PilotOptions;
use zoea_settings::{ProviderKind, ProviderSettings, Settings};

/// Ticks in an hour of the real game.
const TICKS_AN_HOUR: u64 = 360;
/// The number of rows that a simpler program would send.
const ROWS: usize = 50;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |otherwise| {
        let given = arguments.next().and_then(|given| given.parse().ok());
        given.unwrap_or(otherwise)
    };
    let (hours, tick): (u64, u64) = (number(24), number(1));
    let requests = Requests::default();
    let subscriber = tracing_subscriber::registry().with(requests.clone());
    tracing::subscriber::set_global_default(subscriber)?;

    let directory = tempfile::tempdir()?;
    let rows = play(directory.path(), hours * TICKS_AN_HOUR, tick).await?;
    let composed = requests.0.lock();
    report(hours, &composed, &rows)
}

/// Lets one Mysis mine and sell for `ticks` ticks. Returns all its rows.
async fn play(
    directory: &std::path::Path,
    ticks: u64,
    tick_ms: u64,
) -> anyhow::Result<Vec<Arc<Row>>> {
    let stop = CancellationToken::new();
    let loopback = async || TcpListener::bind(("127.0.0.1", 0)).await;
    let options = GalaxyOptions {
        seed: Some(1),
        tick: Duration::from_millis(tick_ms),
        limits: GalaxyLimits::NONE,
        ..GalaxyOptions::default()
    };
    let galaxy = Galaxy::start(loopback().await?, options, stop.child_token()).await?;
    let model = loopback().await?;
    let mut settings = Settings::default();
    settings.swarm.rules.turn_pause = Duration::ZERO;
    let provider = ProviderSettings {
        endpoint: format!("http://{}/v1", model.local_addr()?),
        kind: ProviderKind::OpenAi,
        rules: ProviderRules {
            model: "pilot".into(),
            ..ProviderRules::default()
        },
        ..ProviderSettings::default()
    };
    settings.providers = [("local".to_string(), provider)].into();
    settings.mcp.upstream = Some(galaxy.url());
    settings.mcp.tools.logins_per_minute = Some(1_000_000);
    let pilot = zoea_pilot::serve(model, PilotOptions::default(), stop.child_token());
    let pilot = tokio::spawn(pilot);

    let home = Home::open(directory.join("home"))?;
    let launch = LaunchOptions {
        resume: false,
        start_idle: false,
        mode: Mode::Live,
        secrets: actors::secrets::Secrets::default(),
    };
    let flight = RunningSwarm::start(home.lock()?, &settings, launch, Observers::default()).await?;
    let swarm = flight.swarm().clone();
    let create = Order::Create {
        name: "alpha".to_string(),
        provider: None,
        model: None,
        role: None,
        start: false,
    };
    let order = async |order| {
        swarm
            .order(order)
            .await
            .map_err(|no| anyhow::anyhow!("{no}"))
    };
    order(create).await?;
    let text = "Earn credits: mine ore, sell it at your station, refuel, and go again.".to_string();
    order(Order::Broadcast { text }).await?;
    tokio::time::sleep(Duration::from_millis(ticks * tick_ms)).await;
    let standings = swarm.statuses().await;
    let alpha = standings.first().context("the mysis")?.id;
    let rows = all_rows(&**swarm.archive(), alpha).await?;
    flight.shutdown().await;
    stop.cancel();
    pilot.await??;
    galaxy.join().await?;
    Ok(rows)
}

async fn all_rows(archive: &dyn Archive, mysis: MysisId) -> anyhow::Result<Vec<Arc<Row>>> {
    let mut rows: Vec<Arc<Row>> = Vec::new();
    loop {
        let after = rows.last().map_or(Seq(0), |row| row.seq);
        let page = PageQuery {
            mysis,
            from: PageFrom::After(after),
            limit: 1000,
            kinds: Vec::new(),
        };
        let more = archive.page(page).await?;
        if more.is_empty() {
            return Ok(rows);
        }
        rows.extend(more);
    }
}

fn report(hours: u64, composed: &[Composed], rows: &[Arc<Row>]) -> anyhow::Result<()> {
    anyhow::ensure!(!composed.is_empty(), "nothing was asked");
    let system = composed.iter().map(|request| request.system).max();
    let naive = last_rows_bytes(rows, system.unwrap_or(0));
    let mut ours: Vec<u64> = composed.iter().map(|request| request.bytes).collect();
    let mut theirs = naive;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{hours} hours of the game, one Mysis: {} rows",
        rows.len()
    )?;
    writeln!(
        out,
        "bytes of a request's messages    requests     mean   median      p95  largest"
    )?;
    for (name, bytes) in [
        ("as composed", &mut ours),
        ("its last 50 rows, whole", &mut theirs),
    ] {
        bytes.sort_unstable();
        let count = bytes.len().max(1);
        let at = |share: usize| bytes.get((count * share / 100).min(count - 1)).copied();
        let mean = bytes.iter().sum::<u64>() / count as u64;
        writeln!(
            out,
            "{name:<30} {count:>10} {mean:>8} {:>8} {:>8} {:>8}",
            at(50).unwrap_or(0),
            at(95).unwrap_or(0),
            at(100).unwrap_or(0),
        )?;
    }
    Ok(())
}

/// The size of each request if it had the last fifty rows that could be sent.
fn last_rows_bytes(rows: &[Arc<Row>], system: u64) -> Vec<u64> {
    let mut last: VecDeque<(Seq, u64)> = VecDeque::new();
    let mut all = Vec::new();
    for row in rows {
        if let Some(said) = row.utterance() {
            let seen = last
                .iter()
                .filter(|(seq, _)| *seq <= said.newest_seen(row.seq));
            all.push(system + seen.map(|(_, bytes)| bytes).sum::<u64>());
        }
        if let Some(message) = message(row) {
            last.push_back((row.seq, wire_bytes(&[message]) as u64 - 1));
        }
        while last.len() > ROWS {
            last.pop_front();
        }
    }
    all
}

/// A row as a message of its own.
fn message(row: &Row) -> Option<ChatMessage> {
    let text = row.text().clone();
    match &row.body {
        RowBody::Prompt { .. } | RowBody::Mission { .. } | RowBody::Peer { .. } => {
            Some(ChatMessage::User(text))
        }
        RowBody::Note { .. } => Some(ChatMessage::System(text)),
        RowBody::Reply(_) | RowBody::Call { .. } => Some(ChatMessage::Assistant {
            text,
            calls: row
                .calls()
                .iter()
                .map(|call| ChatCall {
                    id: call.id.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                })
                .collect(),
            echo: None,
        }),
        RowBody::Result { meta, .. } => Some(ChatMessage::Tool {
            call_id: meta.call_id.clone(),
            text,
        }),
        RowBody::Host { .. } | RowBody::Audit { .. } | RowBody::Unknown { .. } => None,
    }
}

/// The figures that the program traces of each request.
#[derive(Clone, Default)]
struct Requests(Arc<Mutex<Vec<Composed>>>);

#[derive(Clone, Copy, Default)]
struct Composed {
    is_composed: bool,
    bytes: u64,
    system: u64,
}

impl<S: tracing::Subscriber> Layer<S> for Requests {
    fn on_event(&self, event: &tracing::Event<'_>, _context: LayerContext<'_, S>) {
        let mut composed = Composed::default();
        event.record(&mut composed);
        if composed.is_composed {
            let mut all = self.0.lock();
            all.push(composed);
        }
    }
}

impl Visit for Composed {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "bytes" => self.bytes = value,
            "system" => self.system = value,
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.is_composed |= field.name() == "stage" && value == "composed";
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn std::fmt::Debug) {}
}

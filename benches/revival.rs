//! The revival: how long it takes from the kill of a Mysis' actor until its successor, rebuilt from
//! what is stored, asks the model.
//!
//! `cargo bench --bench revival` (some seconds); `-- 1000000` stores so many rows first.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::commander::{Commander, CommanderArgs, Outside};
use actors::domain::event::State;
use actors::domain::ids::MysisId;
use actors::domain::life::Mode;
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::domain::rules::{
    ProgressRules, ProviderRules, Relaunch, SupervisionRules, SwarmRules, ToolRules,
};
use actors::ports::{Archive, Link, Meter, Models, Upstream};
use anyhow::Context;
use futures::FutureExt;
use futures::future::BoxFuture;
use ractor::Actor;
use tokio::sync::mpsc;
use zoea::clock::WallClock;
use zoea::swarm::Swarm;

#[path = "core/desk.rs"]
mod desk;

use desk::Desk;

/// How often it is killed.
const KILLS: usize = 500;

#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn main() -> anyhow::Result<()> {
    let rows = std::env::args().find_map(|text| text.parse().ok());
    let rows = rows.unwrap_or(100_000);
    let desk = Desk::new(1);
    desk.fill(rows);
    let mut times = desk.runtime.block_on(kill_often(&desk))?;
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!(
        "{rows} rows, {KILLS} kills: asks again after {:?} (p50), {:?} (p99), {:?} (longest)",
        at(50),
        at(99),
        at(100)
    );
    Ok(())
}

async fn kill_often(desk: &Desk) -> anyhow::Result<Vec<Duration>> {
    let (asked, mut asks) = mpsc::channel(1);
    let ledger = Arc::new(desk.ledger.clone());
    let mut swarm = ledger
        .swarm()
        .await
        .map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    for mysis in &mut swarm.myses {
        mysis.state = State::Running;
    }
    let args = CommanderArgs {
        swarm,
        resume: true,
        start_idle: true,
        mode: Mode::Flying,
        rules: Arc::new(rules()),
        secrets: Vec::new(),
        outside: Outside {
            ledger: ledger.clone(),
            archive: ledger,
            models: Arc::new(Deaf(asked)),
            upstream: Arc::new(Nowhere),
            clock: Arc::new(WallClock),
        },
        watchers: Vec::new(),
        bridge: None,
        seed: 1,
    };
    let (commander, _) = Actor::spawn(None, Commander, args).await?;
    asks.recv().await.context("a first request")?;
    let mut times = Vec::with_capacity(KILLS);
    let swarm = Swarm::new(commander.clone(), desk.ledger.clone());
    for _ in 0..KILLS {
        while swarm
            .standings()
            .await
            .iter()
            .any(|mysis| mysis.state != State::Running)
        {
            tokio::task::yield_now().await;
        }
        // The youngest child is the Mysis: nobody else is ever started again here.
        let children = commander.get_children();
        let youngest = children
            .into_iter()
            .max_by_key(|child| child.get_id().pid());
        let killed = Instant::now();
        youngest.context("a child")?.kill();
        let request = asks.recv().await.context("another request")?;
        times.push(killed.elapsed());
        anyhow::ensure!(
            request.messages.len() > 2,
            "it knows its conversation: {:?}",
            request.messages.iter().skip(1).collect::<Vec<_>>()
        );
    }
    commander.stop(None);
    Ok(times)
}

/// A model that hears and never answers.
struct Deaf(mpsc::Sender<ModelRequest>);

impl Models for Deaf {
    fn ask(
        &self,
        request: ModelRequest,
        _meter: Meter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let asked = self.0.clone();
        async move {
            // Once enough was measured, nobody listens.
            let _ = asked.send(request).await;
            futures::future::pending().await
        }
        .boxed()
    }
}

/// No game server.
struct Nowhere;

impl Upstream for Nowhere {
    fn link(&self, _mysis: MysisId) -> Option<Arc<dyn Link>> {
        None
    }
}

/// Rules that relaunch at once, however often.
fn rules() -> SwarmRules {
    let provider = ProviderRules {
        model: "none".into(),
        temperature: None,
        timeout: Duration::from_secs(300),
        max_concurrency: 64,
        requests_per_minute: None,
        tokens_per_minute: None,
        circuit: actors::domain::circuit::CircuitRules::default(),
        fallback: None,
        retry: Vec::new(),
        price: None,
        context_tokens: None,
    };
    SwarmRules {
        max_myses: 1,
        default_provider: "local".into(),
        turn_pause: Duration::ZERO,
        max_model_calls: 10,
        context_window: 20,
        context_budget: 64 << 10,
        no_progress_turns: 5,
        progress: ProgressRules::default(),
        nudges: vec!["Continue your mission.".into(); 3],
        system_prompt: actors::domain::system_prompt::DEFAULT_TEMPLATE.into(),
        tools: ToolRules {
            timeout: Duration::from_secs(600),
            retry: Vec::new(),
            logins_per_minute: None,
        },
        supervision: SupervisionRules {
            relaunch: Relaunch::Always,
            first_wait: Duration::ZERO,
            longest_wait: Duration::ZERO,
            max_relaunches: u32::MAX,
            within: Duration::from_secs(1),
        },
        budget: actors::domain::budget::BudgetRules::default(),
        providers: BTreeMap::from([("local".into(), provider)]),
    }
}

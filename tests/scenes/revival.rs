//! A Mysis whose actor is killed as soon as it calls the model, again and again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::commander::{Adapters, Commander, CommanderArgs};
use actors::domain::ids::MysisId;
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::domain::rules::{ProviderRules, RelaunchPolicy, SupervisionRules, SwarmRules};
use actors::domain::state::LifeState;
use actors::freeze::FreezeSwitch;
use actors::ports::{AnswerMeter, Archive, Ledger as _, Link, Models, NoCopies, Upstream};
use actors::ui::UiRuntime;
use anyhow::Context;
use futures::FutureExt;
use futures::future::BoxFuture;
use ractor::Actor;
use tokio::sync::mpsc;
use zoea_system::clock::MachineClock;

use super::commanding::commander_args;
use super::measured_ledger::MeasuredLedger;

/// Kills it `kills` times. Returns the time of each until its successor called the model.
pub async fn kill_often(measured: &MeasuredLedger, kills: usize) -> anyhow::Result<Vec<Duration>> {
    // The maintenance after the commits of so many rows is not measured.
    while let Some(step) = measured.ledger.maintenance() {
        step.await;
    }
    let (asked, mut asks) = mpsc::channel(1);
    let ledger = Arc::new(measured.ledger.clone());
    let mut swarm = ledger
        .swarm()
        .await
        .map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    for mysis in &mut swarm.myses {
        mysis.state = LifeState::Running;
    }
    let outside = Adapters {
        ledger: ledger.clone(),
        archive: ledger,
        models: Arc::new(Deaf(asked)),
        upstream: Arc::new(Nowhere),
        clock: Arc::new(MachineClock),
        freeze: FreezeSwitch::default(),
        fleet: None,
        deleted: Arc::new(NoCopies),
        shared_limits: None,
        ui_runtime: UiRuntime::shared(),
    };
    let args = CommanderArgs {
        resume: true,
        start_idle: true,
        ..commander_args(swarm, Arc::new(rules()), outside)
    };
    let (commander, _) = Actor::spawn(None, Commander, args).await?;
    asks.recv().await.context("a first request")?;
    let mut times = Vec::with_capacity(kills);
    for _ in 0..kills {
        // The youngest child is the Mysis: no other actor is started again here.
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

/// A model that receives requests and never answers.
struct Deaf(mpsc::Sender<ModelRequest>);

impl Models for Deaf {
    fn ask(
        &self,
        request: ModelRequest,
        _meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let asked = self.0.clone();
        async move {
            // After enough measurements nobody receives them.
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

/// Rules that relaunch at once, any number of times.
fn rules() -> SwarmRules {
    SwarmRules {
        supervision: SupervisionRules {
            relaunch: RelaunchPolicy::Always,
            first_wait: Duration::ZERO,
            longest_wait: Duration::ZERO,
            max_relaunches: u32::MAX,
            ..SupervisionRules::default()
        },
        providers: BTreeMap::from([("local".into(), ProviderRules::default())]),
        ..SwarmRules::default()
    }
}

//! The operator and the killer of actors: both act at random while a process lives.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::commander::CommanderMsg;
use actors::domain::event::MysisStatus;
use actors::domain::order::{CompletedOrder, MysisOrder, Order, OrderRefusal};
use actors::domain::state::LifeState;
use ractor::ActorRef;
use tokio::task::JoinSet;

use actors::commander::CommanderHandle;

use super::chaos::{Chaos, InjectedFault};
use super::game::{GameFault, SimulatedGame};
use super::rare::RareEvent;
use super::verdict::{ActorKind, InvariantMonitor};

/// The time within which a killed actor must be replaced.
const REVIVAL_TIMEOUT: Duration = Duration::from_secs(10);

/// Starts all these tasks. They end when the returned value is dropped.
pub(super) fn fault_loop(
    commander: ActorRef<CommanderMsg>,
    swarm: CommanderHandle,
    game: SimulatedGame,
    chaos: Arc<Chaos>,
    watch: Arc<InvariantMonitor>,
) -> JoinSet<()> {
    let mut troubles = JoinSet::new();
    troubles.spawn(kill_actors(commander, chaos.clone(), watch.clone()));
    troubles.spawn(hinder_players(swarm.clone(), game, chaos.clone()));
    troubles.spawn(shift_clock(chaos.clone()));
    troubles.spawn(give_orders(swarm, chaos, watch));
    troubles
}

pub(super) async fn sleep_randomly(chaos: &Chaos, most: Duration) {
    tokio::time::sleep(chaos.duration_between(Duration::from_millis(1), most)).await;
}

pub(super) async fn draw_mysis(swarm: &CommanderHandle, chaos: &Chaos) -> Option<Arc<MysisStatus>> {
    let mut statuses = swarm.statuses().await;
    let place = chaos.number_below(statuses.len());
    (place < statuses.len()).then(|| statuses.swap_remove(place))
}

pub(super) fn new_mysis(name: &str) -> Order {
    Order::Create {
        name: name.to_string(),
        provider: None,
        model: None,
        role: None,
        start: true,
    }
}

/// Creates the Myses and sets the mission.
pub(super) async fn create_swarm(
    swarm: &CommanderHandle,
    watch: &InvariantMonitor,
    myses: usize,
    mission: String,
) -> Result<(), OrderRefusal> {
    for number in 0..myses {
        let name = format!("m{number}");
        if let CompletedOrder::Created(mysis) = swarm.order(new_mysis(&name)).await? {
            watch.on_mysis_created(mysis, &name);
        }
    }
    let mission = Order::Broadcast { text: mission };
    swarm.order(mission).await.map(drop)
}

/// Kills one actor after the other. A killed actor must be replaced within this process: the next
/// process would start it anyway, and hide that this one did not.
async fn kill_actors(
    commander: ActorRef<CommanderMsg>,
    chaos: Arc<Chaos>,
    watch: Arc<InvariantMonitor>,
) {
    let complement = count_actors(&commander);
    loop {
        sleep_randomly(&chaos, Duration::from_secs(400)).await;
        if chaos.draw_fault(InjectedFault::CommanderKill, 0.01) {
            watch.on_actor_killed(ActorKind::Commander);
            return commander.kill();
        }
        if !chaos.draw_fault(InjectedFault::ActorKill, 0.7) {
            continue;
        }
        let mut children = commander.get_children();
        children.sort_by_key(|child| child.get_id().pid());
        // Each kind is drawn equally often, whatever its number of actors.
        let kind = [ActorKind::Store, ActorKind::Gate, ActorKind::Mysis][chaos.number_below(3)];
        children.retain(|child| ActorKind::of(child) == Some(kind));
        if kind == ActorKind::Store && chaos.number_below(2) == 0 {
            // The kill comes in the middle of a commit, if one begins in time.
            let began = tokio::time::timeout(REVIVAL_TIMEOUT, watch.commit_begins.notified()).await;
            if began.is_ok() {
                watch.on_rare_event(RareEvent::StoreKilledInCommit);
            }
        }
        let place = chaos.number_below(children.len());
        if let Some(child) = children.get(place) {
            child.kill();
            watch.on_actor_killed(kind);
        }
        if tokio::time::timeout(REVIVAL_TIMEOUT, wait_until_back(&commander, &complement))
            .await
            .is_err()
        {
            let there = count_actors(&commander);
            let text = format!("{kind} was killed and is not back: {there:?} of {complement:?}");
            watch.on_actors_missing(text);
        }
    }
}

fn count_actors(commander: &ActorRef<CommanderMsg>) -> BTreeMap<ActorKind, usize> {
    let mut complement = BTreeMap::new();
    for kind in commander.get_children().iter().filter_map(ActorKind::of) {
        *complement.entry(kind).or_default() += 1;
    }
    complement
}

async fn wait_until_back(
    commander: &ActorRef<CommanderMsg>,
    complement: &BTreeMap<ActorKind, usize>,
) {
    // The dead actor leaves before its successor comes.
    tokio::time::sleep(Duration::from_millis(10)).await;
    while count_actors(commander) != *complement {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Lets the game keep a Mysis from any progress for minutes, at random times.
pub(super) async fn hinder_players(swarm: CommanderHandle, game: SimulatedGame, chaos: Arc<Chaos>) {
    loop {
        sleep_randomly(&chaos, Duration::from_secs(300)).await;
        if !chaos.draw_fault(InjectedFault::GameHindrance, 0.03) {
            continue;
        }
        let Some(mysis) = draw_mysis(&swarm, &chaos).await else {
            continue;
        };
        game.inject_fault(mysis.id, GameFault::InTransit);
        let long = chaos.duration_between(Duration::from_secs(120), Duration::from_secs(480));
        tokio::time::sleep(long).await;
        game.clear_fault(mysis.id);
    }
}

/// Sets the wall clock to another time, as an operator or a time service may.
async fn shift_clock(chaos: Arc<Chaos>) {
    loop {
        sleep_randomly(&chaos, Duration::from_secs(300)).await;
        let (fault, most) = [
            (InjectedFault::ClockBySeconds, Duration::from_secs(90)),
            (InjectedFault::ClockByHours, Duration::from_secs(48 * 3600)),
            (
                InjectedFault::ClockByYears,
                Duration::from_secs(10 * 365 * 86_400),
            ),
        ][chaos.number_below(3)];
        if chaos.draw_fault(fault, 0.05) {
            chaos.set_clock(most);
        }
    }
}

async fn give_orders(swarm: CommanderHandle, chaos: Arc<Chaos>, watch: Arc<InvariantMonitor>) {
    loop {
        sleep_randomly(&chaos, Duration::from_secs(300)).await;
        let Some(mysis) = draw_mysis(&swarm, &chaos).await else {
            continue;
        };
        let name = mysis.name.to_string();
        match chaos.number_below(20) {
            0 => {
                // A refusal is a valid answer too.
                let _ = swarm.order(MysisOrder::Stop.for_mysis(name)).await;
            }
            1..=4 => relaunch_those_at_rest(&swarm, &watch).await,
            5 => {
                let text = "Keep the ship fuelled.".to_string();
                let _ = swarm
                    .order(MysisOrder::Note(text.into()).for_mysis(name))
                    .await;
            }
            _ => {
                let text = chaos.order_text(watch.new_order());
                let sent = swarm.order(MysisOrder::Prompt(text.as_str().into()).for_mysis(name));
                if sent.await.is_ok() {
                    watch.on_order_acknowledged(mysis.id, &text);
                }
            }
        }
    }
}

pub(super) async fn relaunch_those_at_rest(swarm: &CommanderHandle, watch: &InvariantMonitor) {
    for mysis in swarm.statuses().await {
        if mysis.state == LifeState::Running {
            continue;
        }
        let name = mysis.name.to_string();
        let started = swarm.order(MysisOrder::Start.for_mysis(name)).await;
        if started.is_ok() && mysis.state == LifeState::Errored {
            watch.on_manual_relaunch();
        }
    }
}

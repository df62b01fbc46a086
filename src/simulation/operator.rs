//! The operator, and whoever kills actors: both act at random while a process lives.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::commander::CommanderMsg;
use actors::domain::event::State;
use actors::domain::order::Order;
use ractor::ActorRef;
use tokio::task::JoinSet;

use actors::commander::CommanderHandle;

use super::chaos::{Chaos, InjectedFault};
use super::game::{Game, GameFault};
use super::rare::Rare;
use super::verdict::{ActorKind, Watch};

/// Within this time whoever was killed is there again.
const RETURN: Duration = Duration::from_secs(10);

/// Begins all that; it ends when what comes back is dropped.
pub(super) fn fault_loop(
    commander: ActorRef<CommanderMsg>,
    swarm: CommanderHandle,
    game: Game,
    chaos: Arc<Chaos>,
    watch: Arc<Watch>,
) -> JoinSet<()> {
    let mut troubles = JoinSet::new();
    troubles.spawn(kill_actors(commander, chaos.clone(), watch.clone()));
    troubles.spawn(hinder(swarm.clone(), game, chaos.clone()));
    troubles.spawn(set_the_clock(chaos.clone()));
    troubles.spawn(operate(swarm, chaos, watch));
    troubles
}

async fn wait(chaos: &Chaos, most: Duration) {
    tokio::time::sleep(chaos.between(Duration::from_millis(1), most)).await;
}

/// Kills one actor after the other. What was killed must be there again before long: the next
/// process would bring it back anyway, and hide that this one did not.
async fn kill_actors(commander: ActorRef<CommanderMsg>, chaos: Arc<Chaos>, watch: Arc<Watch>) {
    let complement = complement_of(&commander);
    loop {
        wait(&chaos, Duration::from_secs(400)).await;
        if chaos.strikes(InjectedFault::CommanderKill, 0.01) {
            watch.killed(ActorKind::Commander);
            return commander.kill();
        }
        if !chaos.strikes(InjectedFault::ActorKill, 0.7) {
            continue;
        }
        let mut children = commander.get_children();
        children.sort_by_key(|child| child.get_id().pid());
        // Each kind as often as the others, however many there are of it.
        let kind = [ActorKind::Store, ActorKind::Gate, ActorKind::Mysis][chaos.below(3)];
        children.retain(|child| ActorKind::of(child) == Some(kind));
        if kind == ActorKind::Store && chaos.below(2) == 0 {
            // In the middle of a commit, if one begins before long.
            let began = tokio::time::timeout(RETURN, watch.commit_begins.notified()).await;
            if began.is_ok() {
                watch.reached(Rare::StoreKilledInCommit);
            }
        }
        let place = chaos.below(children.len());
        if let Some(child) = children.get(place) {
            child.kill();
            watch.killed(kind);
        }
        if tokio::time::timeout(RETURN, all_are_back(&commander, &complement))
            .await
            .is_err()
        {
            let there = complement_of(&commander);
            let text = format!("{kind:?} was killed and is not back: {there:?} of {complement:?}");
            watch.misses(text);
        }
    }
}

/// How many actors of each kind live.
fn complement_of(commander: &ActorRef<CommanderMsg>) -> BTreeMap<ActorKind, usize> {
    let mut complement = BTreeMap::new();
    for kind in commander.get_children().iter().filter_map(ActorKind::of) {
        *complement.entry(kind).or_default() += 1;
    }
    complement
}

async fn all_are_back(commander: &ActorRef<CommanderMsg>, complement: &BTreeMap<ActorKind, usize>) {
    // The dead one leaves before its successor comes.
    tokio::time::sleep(Duration::from_millis(10)).await;
    while complement_of(commander) != *complement {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Now and then the game lets somebody get nowhere for minutes.
async fn hinder(swarm: CommanderHandle, game: Game, chaos: Arc<Chaos>) {
    loop {
        wait(&chaos, Duration::from_secs(300)).await;
        if !chaos.strikes(InjectedFault::GameHindrance, 0.03) {
            continue;
        }
        let standings = swarm.standings().await;
        let place = chaos.below(standings.len());
        let Some(mysis) = standings.get(place) else {
            continue;
        };
        game.jinx(mysis.id, GameFault::InTransit);
        let long = chaos.between(Duration::from_secs(120), Duration::from_secs(480));
        tokio::time::sleep(long).await;
        game.free_one(mysis.id);
    }
}

/// Sets the wall clock to another time, as somebody who sets a machine right does, or wrong.
async fn set_the_clock(chaos: Arc<Chaos>) {
    loop {
        wait(&chaos, Duration::from_secs(300)).await;
        let (strike, most) = [
            (InjectedFault::ClockBySeconds, Duration::from_secs(90)),
            (InjectedFault::ClockByHours, Duration::from_secs(48 * 3600)),
            (
                InjectedFault::ClockByYears,
                Duration::from_secs(10 * 365 * 86_400),
            ),
        ][chaos.below(3)];
        if chaos.strikes(strike, 0.05) {
            chaos.set_clock(most);
        }
    }
}

/// Gives orders, and remembers which were acknowledged.
async fn operate(swarm: CommanderHandle, chaos: Arc<Chaos>, watch: Arc<Watch>) {
    loop {
        wait(&chaos, Duration::from_secs(300)).await;
        let standings = swarm.standings().await;
        let place = chaos.below(standings.len());
        let Some(mysis) = standings.get(place) else {
            continue;
        };
        let name = mysis.name.to_string();
        match chaos.below(20) {
            0 => {
                // A refusal is an answer as good as any.
                let _ = swarm.order(Order::Stop { name }).await;
            }
            1..=4 => relaunch_those_at_rest(&swarm, &watch).await,
            5 => {
                let text = "Keep the ship fuelled.".to_string();
                let _ = swarm.order(Order::AddNote { name, text }).await;
            }
            _ => {
                let text = watch.new_order();
                let sent = swarm.order(Order::Send {
                    name,
                    text: text.clone(),
                });
                if sent.await.is_ok() {
                    watch.acknowledged(mysis.id, &text);
                }
            }
        }
    }
}

async fn relaunch_those_at_rest(swarm: &CommanderHandle, watch: &Watch) {
    for mysis in swarm.standings().await {
        if mysis.state == State::Running {
            continue;
        }
        let name = mysis.name.to_string();
        let started = swarm.order(Order::Start { name }).await;
        if started.is_ok() && mysis.state == State::Errored {
            watch.relaunched_by_hand();
        }
    }
}

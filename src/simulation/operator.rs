//! The operator, and whoever kills actors: both act at random while a process lives.

use std::sync::Arc;
use std::time::Duration;

use actors::commander::CommanderMsg;
use actors::domain::event::State;
use actors::domain::order::Order;
use ractor::ActorRef;
use tokio::task::JoinSet;

use crate::swarm::Helm;

use super::chaos::{Chaos, Strike};
use super::verdict::Watch;

/// Begins all that; it ends when what comes back is dropped.
pub(super) fn troubles(
    commander: ActorRef<CommanderMsg>,
    swarm: Helm,
    chaos: Arc<Chaos>,
    watch: Arc<Watch>,
) -> JoinSet<()> {
    let mut troubles = JoinSet::new();
    troubles.spawn(kill_actors(commander, chaos.clone()));
    troubles.spawn(let_the_clock_jump(chaos.clone()));
    troubles.spawn(operate(swarm, chaos, watch));
    troubles
}

async fn wait(chaos: &Chaos, most: Duration) {
    tokio::time::sleep(chaos.between(Duration::from_millis(1), most)).await;
}

async fn kill_actors(commander: ActorRef<CommanderMsg>, chaos: Arc<Chaos>) {
    loop {
        wait(&chaos, Duration::from_secs(1200)).await;
        let mut children = commander.get_children();
        children.sort_by_key(|child| child.get_id().pid());
        let place = chaos.below(children.len());
        if chaos.strikes(Strike::ActorKill, 0.7)
            && let Some(child) = children.get(place)
        {
            child.kill();
        }
    }
}

async fn let_the_clock_jump(chaos: Arc<Chaos>) {
    loop {
        wait(&chaos, Duration::from_secs(7200)).await;
        if chaos.strikes(Strike::ClockJump, 0.5) {
            chaos.jump();
        }
    }
}

/// Gives orders, and remembers which were acknowledged.
async fn operate(swarm: Helm, chaos: Arc<Chaos>, watch: Arc<Watch>) {
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

async fn relaunch_those_at_rest(swarm: &Helm, watch: &Watch) {
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

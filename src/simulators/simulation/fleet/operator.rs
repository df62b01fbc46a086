//! The operator and the killer of actors in one process of a fleet. An order may be for any Mysis,
//! wherever it runs.

use std::sync::Arc;
use std::time::Duration;

use actors::commander::{CommanderHandle, CommanderMsg};
use actors::domain::ids::MysisId;
use actors::domain::order::{CompletedOrder, MysisOrder, Order, OrderResult};
use actors::fleet::FleetMsg;
use ractor::{ActorCell, ActorRef};
use tokio::task::JoinSet;

use super::super::chaos::InjectedFault;
use super::super::operator::{
    draw_mysis, hinder_players, new_mysis, relaunch_those_at_rest, sleep_randomly,
};
use super::super::verdict::ActorKind;
use super::world::FleetWorld;

/// The time within which a killed actor must be replaced.
const REVIVAL_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time between two kills.
const MAX_PAUSE: Duration = Duration::from_secs(300);
/// The longest time between two orders.
const MAX_ORDER_PAUSE: Duration = Duration::from_secs(100);

/// The number of Myses below which none is deleted.
const MIN_MYSES: usize = 4;

/// Starts all these tasks. They end when the returned value is dropped.
pub(super) fn trouble(
    world: &Arc<FleetWorld>,
    owner: Arc<str>,
    commander: ActorRef<CommanderMsg>,
    swarm: CommanderHandle,
) -> JoinSet<()> {
    let mut troubles = JoinSet::new();
    let killing = world.clone();
    troubles.spawn(async move { kill_actors(killing, &owner, commander).await });
    let (game, chaos) = (world.game.clone(), world.chaos.clone());
    troubles.spawn(hinder_players(swarm.clone(), game, chaos));
    troubles.spawn(give_orders(world.clone(), swarm));
    troubles
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Of(ActorKind),
    Fleet,
}

impl Victim {
    fn is(self, actor: &ActorCell) -> bool {
        match self {
            Victim::Of(kind) => ActorKind::of(actor) == Some(kind),
            Victim::Fleet => actor.is_message_type_of::<FleetMsg>() == Some(true),
        }
    }
}

async fn kill_actors(world: Arc<FleetWorld>, owner: &Arc<str>, commander: ActorRef<CommanderMsg>) {
    let (chaos, watch) = (&world.chaos, &world.watch);
    loop {
        sleep_randomly(chaos, MAX_PAUSE).await;
        if chaos.draw_fault(InjectedFault::CommanderKill, 0.01) {
            watch.on_actor_killed(ActorKind::Commander);
            world.monitor.on_commander_killed(owner);
            return commander.kill();
        }
        if !chaos.draw_fault(InjectedFault::ActorKill, 0.7) {
            continue;
        }
        let victim = [
            Victim::Of(ActorKind::Store),
            Victim::Of(ActorKind::Gate),
            Victim::Of(ActorKind::Mysis),
            Victim::Fleet,
        ][chaos.number_below(4)];
        let mut children = commander.get_children();
        children.sort_by_key(|child| child.get_id().pid());
        children.retain(|child| victim.is(child));
        let Some(child) = children.get(chaos.number_below(children.len())) else {
            continue;
        };
        child.kill();
        if victim == Victim::Of(ActorKind::Gate) {
            world.monitor.on_gate_killed(owner);
        }
        if let Victim::Of(kind) = victim {
            watch.on_actor_killed(kind);
        }
        // A Mysis may go to another process meanwhile, and comes back there.
        if victim == Victim::Of(ActorKind::Mysis) {
            continue;
        }
        let back = wait_until_back(&commander, victim, child);
        if tokio::time::timeout(REVIVAL_TIMEOUT, back).await.is_err() && !chaos.is_calm() {
            watch.on_actors_missing(format!("{victim:?} was killed and is not back"));
        }
    }
}

async fn wait_until_back(commander: &ActorRef<CommanderMsg>, victim: Victim, dead: &ActorCell) {
    let is_back = || {
        let children = commander.get_children();
        let mut others = children
            .iter()
            .filter(|child| child.get_id() != dead.get_id());
        others.any(|child| victim.is(child))
    };
    // A process that ends replaces nobody.
    while !is_back() && commander.get_status() < ractor::ActorStatus::Draining {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn give_orders(world: Arc<FleetWorld>, swarm: CommanderHandle) {
    let (chaos, watch) = (&world.chaos, &world.watch);
    loop {
        sleep_randomly(chaos, MAX_ORDER_PAUSE).await;
        if chaos.is_calm() {
            continue;
        }
        let Some(mysis) = draw_mysis(&swarm, chaos).await else {
            continue;
        };
        let name = mysis.name.to_string();
        match chaos.number_below(20) {
            0 => {
                // A refusal is a valid answer too.
                let _ = order(&world, &swarm, MysisOrder::Stop.for_mysis(name)).await;
            }
            1..=4 => relaunch_those_at_rest(&swarm, watch).await,
            6 => delete(&world, &swarm, mysis.id, &name).await,
            7 | 8 => create(&world, &swarm).await,
            5 => {
                let note = MysisOrder::Note("Keep the ship fuelled.".into());
                let _ = order(&world, &swarm, note.for_mysis(name)).await;
            }
            _ => {
                let text = chaos.order_text(watch.new_order());
                let prompt = MysisOrder::Prompt(text.as_str().into()).for_mysis(name);
                match order(&world, &swarm, prompt).await {
                    // Its Mysis may refuse it, if it was stopped meanwhile. The end checks that it is done.
                    Ok(CompletedOrder::Passed(_)) | Err(_) => {}
                    Ok(_) => watch.on_order_acknowledged(mysis.id, &text),
                }
            }
        }
    }
}

pub(super) async fn delete(
    world: &Arc<FleetWorld>,
    swarm: &CommanderHandle,
    mysis: MysisId,
    name: &str,
) {
    // With fewer there would be nobody to be taken over.
    if world.database.memory.look(|stored| stored.names().len()) < MIN_MYSES {
        return;
    }
    let population = &world.monitor.population;
    population.on_deletion_ordered(mysis, name);
    let name = name.to_string();
    let answer = order(world, swarm, Order::Delete { name, now: false }).await;
    population.on_deletion_answered(mysis, &answer, world.monitor.now());
}

/// Creates a Mysis that starts at once.
pub(super) async fn create(world: &Arc<FleetWorld>, swarm: &CommanderHandle) {
    let population = &world.monitor.population;
    let name = population.ask_for_name(world.chaos.number_below(usize::MAX));
    let created = order(world, swarm, new_mysis(&name));
    // A refusal is a valid answer too: the name is taken, or the swarm is full.
    if let Ok(CompletedOrder::Created(mysis)) = created.await {
        population.on_created(mysis, &name);
        world.watch.on_mysis_created(mysis, &name);
    }
}

/// Notes that an order is over, also when its process is killed.
struct ScriptedOrder {
    world: Arc<FleetWorld>,
    number: u64,
}

impl Drop for ScriptedOrder {
    fn drop(&mut self) {
        self.world.monitor.on_order_over(self.number);
    }
}

async fn order(world: &Arc<FleetWorld>, swarm: &CommanderHandle, order: Order) -> OrderResult {
    let given = ScriptedOrder {
        world: world.clone(),
        number: world.monitor.on_order_given(),
    };
    let answer = swarm.order(order).await;
    world.monitor.figure(|figures| {
        figures.answered += 1;
        figures.passed += u64::from(matches!(answer, Ok(CompletedOrder::Passed(_))));
    });
    drop(given);
    answer
}

pub(super) async fn freeze(
    world: Arc<FleetWorld>,
    swarm: CommanderHandle,
    home: Arc<str>,
    freezes: bool,
) {
    let (frozen, monitor) = (&world.monitor.frozen, &world.monitor);
    if !freezes {
        frozen.on_thawing(&home);
        // One that has ended is thawed later.
        let _ = swarm.order(Order::Thaw).await;
        return monitor.on_disturbed();
    }
    let number = frozen.on_freezing(&home);
    if let Ok(CompletedOrder::Frozen(Some(_))) = swarm.order(Order::Freeze).await {
        frozen.on_frozen(&home, number, monitor.now());
        monitor.on_disturbed();
    }
}

/// Drains a process, or ends that. A process that has ended needs neither.
pub(super) async fn drain(swarm: CommanderHandle, process: Arc<str>, is_draining: bool) {
    let process = process.to_string();
    let drained = swarm.order(Order::Drain {
        process,
        is_draining,
    });
    let _ = drained.await;
}

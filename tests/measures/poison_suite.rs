//! The poison suite: a swarm that plays, and the same swarm with one text that the model's server refuses.
//! All that differs between the two is what came of that text.

use std::time::Duration;

use actors::commander::CommanderHandle;
use actors::domain::event_record::OrderSource;
use actors::domain::ids::MysisId;
use actors::domain::order::{CompletedOrder, MysisOrder, Order};
use anyhow::{Context, anyhow};

use zoea_simulation::model::PilotModels;
use zoea_simulation::poison::{self, PoisonMistake, PoisonShape};
use zoea_simulation::verdict::SimulationVerdict;
use zoea_simulation::{ProgramParts, Simulation, SimulationOptions, kill_process};

/// The time in which all get an account and play.
const WARM_UP: Duration = Duration::from_secs(200);

/// How the text arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoisonWay {
    /// The operator sends it to one Mysis.
    Order,
    /// A result of one Mysis holds it.
    Result,
    /// Two Myses hear it from another player.
    Words,
    /// An order and a result of the same Mysis hold a text each.
    OrderAndResult,
}

#[derive(Clone, Copy, Debug)]
pub struct PoisonOptions {
    /// The seed of all chance.
    pub seed: u64,
    pub myses: usize,
    /// The simulated time after the warm-up.
    pub length: Duration,
    /// The mistake, if there is one.
    pub mistake: Option<PoisonMistake>,
    pub adapters: ProgramParts,
}

/// Plays with a text that arrives in this way. The server refuses it, or nothing: then all play undisturbed.
/// Returns the verdict, whose figures tell what came of it.
///
/// # Errors
/// The simulation cannot be set up.
pub fn play(
    options: &PoisonOptions,
    way: PoisonWay,
    shape: Option<PoisonShape>,
) -> anyhow::Result<SimulationVerdict> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .context("build a runtime with a simulated clock")?;
    runtime.block_on(simulate(options, way, shape))
}

async fn simulate(
    options: &PoisonOptions,
    way: PoisonWay,
    shape: Option<PoisonShape>,
) -> anyhow::Result<SimulationVerdict> {
    let mut simulation = Simulation::new(SimulationOptions {
        seed: options.seed,
        length: options.length,
        myses: options.myses,
        wildness: 0.0,
        processes: 1,
        with_all_faults: false,
        thinking: Duration::from_secs(4),
        progress: None,
        is_loud: false,
        adapters: options.adapters,
    })
    .await?;
    simulation.chaos.part_dice();
    let models = PilotModels::new(
        options.seed,
        simulation.options.thinking,
        options.adapters,
        simulation.chaos.clone(),
        simulation.watch.clone(),
    );
    simulation.models = std::sync::Arc::new(models.making(options.mistake));
    let _time = simulation.game.start_ticking();
    let commander = simulation.start_commander().await?;
    let swarm = CommanderHandle::new(commander.clone(), OrderSource::Control);
    let first = create_myses(&simulation, &swarm).await?;
    tokio::time::sleep(WARM_UP).await;
    plant(&simulation, &swarm, first, (way, shape)).await?;
    tokio::time::sleep(options.length).await;
    simulation.watch.check_population(&swarm.statuses().await);
    kill_process(&commander).await;
    Ok(simulation.watch.build_verdict(
        options.seed,
        &simulation.chaos,
        simulation.events.digest(),
        &simulation.memory.prompt_counts(),
    ))
}

/// Creates the Myses and sets the mission. Returns the first one.
async fn create_myses(simulation: &Simulation, swarm: &CommanderHandle) -> anyhow::Result<MysisId> {
    let mut first = None;
    for number in 0..simulation.options.myses {
        let name = format!("m{number}");
        let create = Order::Create {
            name: name.clone(),
            provider: None,
            model: None,
            role: None,
            start: false,
        };
        if let CompletedOrder::Created(mysis) = give(swarm, create).await? {
            simulation.watch.on_mysis_created(mysis, &name);
            first.get_or_insert(mysis);
        }
    }
    let text = "Mine ore, sell it at your station, refuel and go again.".to_string();
    give(swarm, Order::Broadcast { text }).await?;
    first.context("a swarm without Myses")
}

/// Lets the text arrive.
async fn plant(
    simulation: &Simulation,
    swarm: &CommanderHandle,
    first: MysisId,
    (way, shape): (PoisonWay, Option<PoisonShape>),
) -> anyhow::Result<()> {
    let mark = |number| match shape {
        Some(shape) => poison::mark(shape, number),
        None => format!("nothing-{number}"),
    };
    let (has_order, has_result) = match way {
        PoisonWay::Order => (true, false),
        PoisonWay::Result => (false, true),
        PoisonWay::OrderAndResult => (true, true),
        PoisonWay::Words => {
            simulation.game.say_words(&mark(1));
            return Ok(());
        }
    };
    if has_result {
        simulation.game.put_into_result(first, mark(1));
    }
    if has_order {
        let text = format!("{} {}", simulation.watch.new_order(), mark(2));
        let order = MysisOrder::Prompt(text.as_str().into()).for_mysis("m0".to_string());
        give(swarm, order).await?;
        simulation.watch.on_order_acknowledged(first, &text);
    }
    Ok(())
}

async fn give(swarm: &CommanderHandle, order: Order) -> anyhow::Result<CompletedOrder> {
    swarm.order(order).await.map_err(|why| anyhow!("{why}"))
}

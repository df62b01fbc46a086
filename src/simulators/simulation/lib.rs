//! The simulation: the real actors and rules of the swarm on simulated time, with injected faults.
//!
//! It has no socket, no file, no real clock and one thread: the same seed gives the same events,
//! byte for byte. The galaxy's frontend, the pilot's player and a ledger in memory take the place
//! of the outside. `chaos` decides on faults, and `verdict` checks what must never happen.

pub mod chaos;
mod clock;
pub mod events;
mod fleet;
mod fleet_figures;
pub mod game;
mod memory;
pub mod model;
mod operator;
pub mod poison;
mod progress;
mod rare;
pub mod rules;
mod seen;
pub mod tool_reader;
pub mod verdict;

use std::sync::{Arc, Once};
use std::time::Duration;

use actors::commander::{Adapters, Commander, CommanderArgs, CommanderMsg, Watcher};
use actors::domain::event::SwarmEvent;
use actors::domain::event_record::OrderSource;
use actors::domain::ids::Timestamp;
use actors::domain::life::Mode;
use actors::domain::model::ModelRequest;
use actors::domain::order::MysisOrder;
use actors::domain::rules::SwarmRules;
use actors::domain::state::LifeState;
use actors::freeze::FreezeSwitch;
use actors::ports::{Models, NoCopies, Upstream};
use actors::secrets::Secrets;
use actors::ui::UiRuntime;
use anyhow::Context;
use ractor::rpc::CallResult;
use ractor::{Actor, ActorRef};
use serde_json::Value;
use tokio::time::Instant;

use actors::commander::CommanderHandle;
use actors::listener::{EventHandler, Listener};

use chaos::Chaos;
use clock::SimClock;
use events::EventLog;
use game::SimulatedGame;
use model::PilotModels;
use verdict::InvariantMonitor;

pub use chaos::{InjectedFault, POISON};
pub use events::EventDigest;
pub use fleet::{FleetFault, FleetFigures, Sabotage, run as run_fleet};
pub use memory::MemoryLedger;
pub use poison::{PoisonMistake, PoisonShape};
pub use progress::SimulationProgress;
pub use rare::RareEvent;
pub use verdict::{ActorKind, BrokenPromises, PoisonFigures, Promise, SimulationVerdict};

/// The beginning of simulated time: 2026-03-11 18:00 UTC.
const START_TIME: Timestamp = Timestamp(1_773_252_000_000);

/// The shortest quiet time at the end, in which the swarm recovers.
const MIN_QUIET: Duration = Duration::from_secs(1200);
/// The number of answers that fit into half of the quiet time: those of a turn, and those of the
/// queue before it. That half is also long enough for all logins.
const ANSWERS_IN_HALF: u32 = 12;

/// How long an end in good order may take. It waits for the ledger, so it may take longer than the
/// longest outage of the ledger.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(90);

/// Parts of the program that run unchanged in a simulation. They are arguments because they know
/// wire formats, and this package does not.
#[derive(Clone, Copy, Debug)]
pub struct ProgramParts {
    /// Writes a request as a provider gets it, without its tools, for the validator.
    pub request_without_tools: fn(&ModelRequest) -> Value,
    pub request_text: fn(&ModelRequest) -> Option<String>,
    pub spare_requests: fn(Arc<dyn Upstream>) -> Arc<dyn Upstream>,
}

#[derive(Clone, Copy, Debug)]
pub struct SimulationOptions {
    pub seed: u64,
    /// The simulated time before the quiet time at the end.
    pub length: Duration,
    pub myses: usize,
    pub processes: usize,
    /// The frequency of faults: 0 for none, 1 for those of a bad day.
    pub wildness: f64,
    /// Whether all faults can happen, instead of those that the seed draws.
    pub with_all_faults: bool,
    /// The longest time that the model usually takes for an answer.
    pub thinking: Duration,
    /// Where it says how far it is. It is not part of what a seed repeats.
    pub progress: Option<&'static SimulationProgress>,
    pub is_loud: bool,
    pub adapters: ProgramParts,
}

/// Runs a simulation. Returns its verdict.
///
/// # Errors
/// The simulation itself cannot be set up. Mistakes of the swarm are in the verdict.
pub fn run(options: SimulationOptions) -> anyhow::Result<SimulationVerdict> {
    if options.processes > 1 {
        return fleet::run(options, None);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .context("build a runtime with a simulated clock")?;
    // The clock is paused only within the runtime, so everything that reads it starts there.
    runtime.block_on(async { Simulation::new(options).await?.run().await })
}

/// Keeps simulated panics off stderr. Other panics are reported as usual.
pub fn hush_simulated_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print_panic = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.payload_as_str() != Some(chaos::PANIC) {
                print_panic(panic);
            }
        }));
    });
}

/// The parts of a simulation of one process, for measures that put others in their place.
pub struct Simulation {
    pub options: SimulationOptions,
    pub chaos: Arc<Chaos>,
    pub watch: Arc<InvariantMonitor>,
    pub memory: Arc<MemoryLedger>,
    pub game: SimulatedGame,
    pub models: Arc<dyn Models>,
    pub clock: Arc<SimClock>,
    pub events: EventLog,
    pub recorder: Listener,
}

impl Simulation {
    /// Sets up everything but the Commander.
    ///
    /// # Errors
    /// The listener of events does not start.
    pub async fn new(options: SimulationOptions) -> anyhow::Result<Simulation> {
        let SimulationOptions { seed, wildness, .. } = options;
        let chaos = Arc::new(Chaos::new(seed, wildness, options.with_all_faults));
        let progress = options.progress.map(|progress| (Instant::now(), progress));
        let watch = Arc::new(InvariantMonitor::telling(progress));
        let monitor = watch.clone();
        let observe = move |event: &Arc<SwarmEvent>| monitor.on_event(event);
        let events = EventLog::new(options.is_loud);
        Ok(Simulation {
            options,
            memory: Arc::new(MemoryLedger::new(chaos.clone(), watch.clone())),
            game: SimulatedGame::new(options.seed, chaos.clone(), watch.clone()),
            models: Arc::new(PilotModels::new(
                options.seed,
                options.thinking,
                options.adapters,
                chaos.clone(),
                watch.clone(),
            )),
            clock: Arc::new(SimClock {
                begun: Instant::now(),
                chaos: chaos.clone(),
            }),
            recorder: start_listener(events.event_handler(Box::new(observe))).await?,
            events,
            chaos,
            watch,
        })
    }

    async fn run(self) -> anyhow::Result<SimulationVerdict> {
        let _time = self.game.start_ticking();
        self.create_swarm().await?;
        let rules = rules::DrawnSettings::of(self.options.seed).swarm_rules(self.options.myses);
        let end = Instant::now() + self.options.length;
        while Instant::now() < end {
            let left = end - Instant::now();
            let life = self.chaos.process_lifetime().min(left);
            let watcher = self.recorder.watcher();
            let commander = self.start_commander_with(rules.clone(), watcher).await?;
            let swarm = CommanderHandle::new(commander.clone(), OrderSource::Control);
            let faults = operator::fault_loop(
                commander.clone(),
                swarm,
                self.game.clone(),
                self.chaos.clone(),
                self.watch.clone(),
            );
            // Killing the Commander ends its process, whatever the others do.
            let lived = tokio::time::timeout(life, commander.wait(None)).await;
            drop(faults);
            self.end_process(&commander, lived.is_ok()).await;
        }
        self.run_quiet_time().await
    }

    /// Ends the process: by a kill if the seed has that fault, else in good order.
    async fn end_process(&self, commander: &ActorRef<CommanderMsg>, is_dead: bool) {
        let is_killed = self
            .chaos
            .drawn_faults()
            .contains(&InjectedFault::ProcessKill);
        if is_killed && !is_dead {
            self.chaos.count_fault(InjectedFault::ProcessKill);
        }
        if !is_killed && !is_dead {
            let closed = commander
                .call(CommanderMsg::Close, Some(CLOSE_TIMEOUT))
                .await;
            if !matches!(closed, Ok(CallResult::Success(()))) {
                self.watch
                    .on_actors_missing("a process did not end in good order".to_string());
            }
        }
        kill_process(commander).await;
    }

    /// The first process: it creates the Myses and sets the mission.
    async fn create_swarm(&self) -> anyhow::Result<()> {
        self.chaos.set_calm(true);
        let commander = self.start_commander().await?;
        let swarm = CommanderHandle::new(commander.clone(), OrderSource::Control);
        let mission = rules::DrawnSettings::of(self.options.seed).mission();
        operator::create_swarm(&swarm, &self.watch, self.options.myses, mission)
            .await
            .map_err(|why| anyhow::anyhow!("{why}"))?;
        kill_process(&commander).await;
        self.chaos.set_calm(false);
        Ok(())
    }

    /// Runs without faults until the end. Myses that stand still are relaunched once, as an
    /// operator would.
    async fn run_quiet_time(self) -> anyhow::Result<SimulationVerdict> {
        self.chaos.set_calm(true);
        self.game.clear_all_faults();
        let commander = self.start_commander().await?;
        let swarm = CommanderHandle::new(commander.clone(), OrderSource::Control);
        let half = self.half_quiet_length();
        tokio::time::sleep(half).await;
        for status in swarm.statuses().await {
            if status.state != LifeState::Running {
                let name = status.name.to_string();
                if status.state == LifeState::Errored {
                    self.watch.on_manual_relaunch();
                }
                let started = swarm.order(MysisOrder::Start.for_mysis(name)).await;
                started.map_err(|why| anyhow::anyhow!("{why}"))?;
            }
        }
        let before = swarm.statuses().await;
        tokio::time::sleep(half).await;
        let after = swarm.statuses().await;
        self.watch.check_population(&after);
        for (before, after) in before.iter().zip(&after) {
            self.watch.check_end_state(before, after);
        }
        kill_process(&commander).await;
        Ok(self.watch.build_verdict(
            self.options.seed,
            &self.chaos,
            self.events.digest(),
            &self.memory.prompt_counts(),
        ))
    }

    fn half_quiet_length(&self) -> Duration {
        let rounds = self.options.myses.div_ceil(rules::MAX_CONCURRENCY);
        let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
        let answers = ANSWERS_IN_HALF.saturating_mul(rounds);
        let asking = self.options.thinking.saturating_mul(answers);
        (MIN_QUIET / 2).max(asking).max(self.time_to_log_in())
    }

    /// The time until every Mysis is in the game again after a restart has ended all sessions: each
    /// one opens a session and logs in, within the limit of a minute.
    fn time_to_log_in(&self) -> Duration {
        let rules = rules::base_rules(self.options.myses);
        let per_minute = rules.tools.logins_per_minute.unwrap_or(u32::MAX);
        let passes = u32::try_from(self.options.myses).unwrap_or(u32::MAX);
        let passes = passes.saturating_mul(2);
        Duration::from_secs(60).saturating_mul(passes) / per_minute.max(1)
    }

    /// Starts a process with the rules of every simulation.
    ///
    /// # Errors
    /// The Commander does not start.
    pub async fn start_commander(&self) -> anyhow::Result<ActorRef<CommanderMsg>> {
        let rules = rules::base_rules(self.options.myses);
        self.start_commander_with(rules, self.recorder.watcher())
            .await
    }

    /// Starts a process with these rules.
    ///
    /// # Errors
    /// The Commander does not start.
    pub async fn start_commander_with(
        &self,
        rules: SwarmRules,
        watcher: Watcher,
    ) -> anyhow::Result<ActorRef<CommanderMsg>> {
        let swarm = self.memory.swarm_now();
        self.watch.on_process_start();
        let args = CommanderArgs {
            swarm,
            resume: true,
            start_idle: false,
            mode: Mode::Live,
            rules: Arc::new(rules),
            secrets: Secrets::default(),
            outside: Adapters {
                ledger: self.memory.clone(),
                archive: self.memory.clone(),
                models: self.models.clone(),
                upstream: (self.options.adapters.spare_requests)(Arc::new(self.game.clone())),
                clock: self.clock.clone(),
                freeze: FreezeSwitch::default(),
                fleet: None,
                deleted: Arc::new(NoCopies),
                shared_limits: None,
                ui_runtime: UiRuntime::shared(),
            },
            watchers: vec![watcher],
            link: None,
            seed: self.chaos.next_seed(),
        };
        let (commander, _) = Actor::spawn(None, Commander, args)
            .await
            .map_err(|error| anyhow::anyhow!("start the commander: {error}"))?;
        Ok(commander)
    }
}

/// Starts a listener of events.
///
/// # Errors
/// The actor does not start.
pub async fn start_listener(handler: EventHandler) -> anyhow::Result<Listener> {
    let listener = Listener::start(handler).await;
    listener.map_err(|error| anyhow::anyhow!("start a listener: {error}"))
}

/// Kills the whole process, as `kill -9` does: no actor can say anything.
pub async fn kill_process(commander: &ActorRef<CommanderMsg>) {
    let mut children = commander.get_children();
    children.sort_by_key(|child| child.get_id().pid());
    commander.kill();
    for child in &children {
        child.kill();
    }
    // An actor that has ended already is fine.
    let _ = commander.wait(None).await;
    for child in children {
        let _ = child.wait(None).await;
    }
}

//! The economy: what the play of a swarm costs and brings, with changes of its rules and without.
//!
//! Players of five roles share one game, without faults. Each role is a swarm of its own with one
//! mission, since a mission holds for a whole swarm. Everything is the program's own but the game,
//! the model and the ledger: what requests hold, when they are made, and what they are answered.

mod levers;
mod model_server;
mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actors::commander::{CommanderHandle, CommanderMsg};
use actors::domain::event_record::OrderSource;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::price::TokenPrice;
use actors::domain::rules::SwarmRules;
use actors::domain::state::LifeState;
use anyhow::{Context, anyhow};
use ractor::ActorRef;
use tokio_util::task::AbortOnDropHandle;

use super::events::EventLog;
use super::game::GameTraffic;
use super::{
    MemoryLedger, ProgramParts, Simulation, SimulationOptions, kill_process, rules, start_listener,
};
use model_server::{ModelServer, RoleModels};

pub use levers::{LEVERS, Lever, find_lever};
pub use model_server::ModelUse;
pub use table::{role_table, table};

/// The mission of miners, and of talkers between two messages.
const MINE: &str = "Mine ore, sell it at your station, refuel and go again.";
/// The role whose players the operator writes to.
const TALKER: &str = "talker";
/// What the operator writes, in turn.
const MESSAGES: [&str; 2] = [
    "Where are you, and what do you carry?",
    "Chat with whoever is around.",
];
/// The time between two messages to the same player.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(600);

/// The roles of the players and their missions.
const ROLES: [(&str, &str); 5] = [
    ("miner", MINE),
    ("trader", "Trade between stations for profit."),
    ("contractor", "Do missions for credits."),
    ("explorer", "Explore as many systems as you can."),
    (TALKER, MINE),
];

/// The options of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct EconomyOptions {
    /// The seed of all chance.
    pub seed: u64,
    /// The simulated time.
    pub length: Duration,
    /// The number of players; each role has its share of them.
    pub players: usize,
    /// The only role that plays; `None` if all do.
    pub only: Option<&'static str>,
    /// The longest time that the model takes for an answer; the shortest is an eighth of it.
    pub thinking: Duration,
    /// The price of tokens where the rules have none.
    pub price: TokenPrice,
    /// Parts of the program.
    pub parts: ProgramParts,
}

impl EconomyOptions {
    /// The roles that play, with their missions.
    fn roles(&self) -> Vec<(&'static str, &'static str)> {
        let is_wanted = |(name, _): &(&'static str, _)| self.only.is_none_or(|only| only == *name);
        ROLES.into_iter().filter(is_wanted).collect()
    }
}

/// The role of this name.
#[must_use]
pub fn find_role(name: &str) -> Option<&'static str> {
    let mut names = ROLES.into_iter().map(|(known, _)| known);
    names.find(|known| *known == name)
}

/// What a lever may change for one role.
#[derive(Clone, Debug)]
pub struct EconomySetup {
    /// The role's name.
    pub role: &'static str,
    /// Its mission.
    pub mission: String,
    /// The rules of its swarm.
    pub rules: SwarmRules,
    /// Parts of the program.
    pub parts: ProgramParts,
    /// How often a provider's model errs, where that is not the usual.
    pub nonsense: BTreeMap<Arc<str>, f64>,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct EconomyReport {
    /// The simulated time in hours.
    pub hours: f64,
    /// The figures of each role.
    pub roles: Vec<RoleReport>,
    /// Requests that the game's server got.
    pub requests: u64,
    /// Mutations of the game that were carried out.
    pub mutations: u64,
}

/// The figures of one role.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleReport {
    /// The role's name.
    pub name: &'static str,
    /// The number of its players.
    pub players: usize,
    /// The number of those that ran at the end. The others were parked, or ended their mission.
    pub running: usize,
    /// The use of its model.
    pub used: ModelUse,
    /// The credits that were earned.
    pub earned: u64,
    /// The credits that were spent.
    pub spent: u64,
}

/// Measures a swarm with these levers.
///
/// # Errors
/// The simulation cannot be set up, or a promise was broken in it, so that its figures mean nothing.
pub fn measure(options: &EconomyOptions, levers: &[&Lever]) -> anyhow::Result<EconomyReport> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .context("build a runtime with a simulated clock")?;
    runtime.block_on(async { Economy::new(options).await?.run(levers).await })
}

/// A running measurement.
struct Economy {
    options: EconomyOptions,
    /// What all swarms share: the game, the clock, the chance.
    shared: Simulation,
    server: Arc<ModelServer>,
}

/// The swarm of one role.
struct RoleSwarm {
    name: &'static str,
    players: usize,
    simulation: Simulation,
    commander: ActorRef<CommanderMsg>,
    used: Arc<Mutex<ModelUse>>,
}

impl Economy {
    async fn new(options: &EconomyOptions) -> anyhow::Result<Economy> {
        let shared = Simulation::new(SimulationOptions {
            seed: options.seed,
            length: options.length,
            myses: options.players,
            wildness: 0.0,
            processes: 1,
            with_all_faults: false,
            thinking: options.thinking,
            progress: None,
            is_loud: false,
            adapters: options.parts,
        })
        .await?;
        let server = ModelServer::new(options, shared.chaos.clone(), shared.watch.clone());
        Ok(Economy {
            options: *options,
            server: Arc::new(server),
            shared,
        })
    }

    async fn run(self, levers: &[&Lever]) -> anyhow::Result<EconomyReport> {
        let _time = self.shared.game.start_ticking();
        let mut swarms = Vec::new();
        let roles = self.options.roles();
        for (place, (name, mission)) in roles.iter().copied().enumerate() {
            let players = share_of(self.options.players, roles.len(), place);
            if players > 0 {
                let setup = EconomySetup {
                    role: name,
                    mission: mission.to_string(),
                    rules: rules::base_rules(players),
                    parts: self.options.parts,
                    nonsense: BTreeMap::new(),
                };
                swarms.push(self.start_role(players, setup, levers).await?);
            }
        }
        let talkers = swarms.iter().find(|swarm| swarm.name == TALKER);
        let _operator = talkers.map(RoleSwarm::start_operator);
        tokio::time::sleep(self.options.length).await;
        let mut roles = Vec::new();
        let GameTraffic {
            requests,
            mutations,
        } = self.shared.game.traffic();
        for swarm in swarms {
            roles.push(swarm.end(&self.shared).await);
        }
        self.check_promises()?;
        Ok(EconomyReport {
            hours: self.options.length.as_secs_f64() / 3600.0,
            roles,
            requests,
            mutations,
        })
    }

    async fn start_role(
        &self,
        players: usize,
        mut setup: EconomySetup,
        levers: &[&Lever],
    ) -> anyhow::Result<RoleSwarm> {
        for lever in levers {
            (lever.change)(&mut setup);
        }
        let used = Arc::default();
        let models = RoleModels::new(self.server.clone(), &setup, Arc::clone(&used));
        let Simulation {
            options,
            chaos,
            watch,
            game,
            clock,
            ..
        } = &self.shared;
        let simulation = Simulation {
            options: SimulationOptions {
                adapters: setup.parts,
                ..*options
            },
            chaos: chaos.clone(),
            watch: watch.clone(),
            memory: Arc::new(MemoryLedger::new(chaos.clone(), watch.clone())),
            game: game.clone(),
            models: Arc::new(models),
            clock: clock.clone(),
            events: EventLog::new(false),
            recorder: start_listener(Box::new(|_| {})).await?,
        };
        let watcher = simulation.recorder.watcher();
        let commander = simulation
            .start_commander_with(setup.rules, watcher)
            .await?;
        let swarm = RoleSwarm {
            name: setup.role,
            players,
            simulation,
            commander,
            used,
        };
        swarm.begin(&setup.mission).await?;
        Ok(swarm)
    }

    /// Checks that nothing was done twice, and that every request was valid.
    fn check_promises(&self) -> anyhow::Result<()> {
        let Simulation {
            chaos,
            watch,
            events,
            ..
        } = &self.shared;
        let seed = self.options.seed;
        let verdict = watch.build_verdict(seed, chaos, events.digest(), &Default::default());
        anyhow::ensure!(verdict.is_good(), "a promise was broken:\n{verdict}");
        Ok(())
    }
}

impl RoleSwarm {
    fn handle(&self) -> CommanderHandle {
        CommanderHandle::new(self.commander.clone(), OrderSource::Control)
    }

    /// Creates the players and gives them their mission, which starts them.
    async fn begin(&self, mission: &str) -> anyhow::Result<()> {
        let creations = (0..self.players).map(|number| Order::Create {
            name: player_name(self.name, number),
            provider: None,
            model: None,
            role: None,
            start: false,
        });
        let text = mission.to_string();
        for order in creations.chain([Order::Broadcast { text }]) {
            let given = self.handle().order(order).await;
            given.map_err(|why| anyhow!("{why}"))?;
        }
        Ok(())
    }

    /// Writes to every player from time to time, as long as the handle is kept.
    fn start_operator(&self) -> AbortOnDropHandle<()> {
        let (swarm, role, players) = (self.handle(), self.name, self.players);
        AbortOnDropHandle::new(tokio::spawn(async move {
            for message in MESSAGES.into_iter().cycle() {
                tokio::time::sleep(MESSAGE_INTERVAL).await;
                for number in 0..players {
                    let prompt = MysisOrder::Prompt(message.into());
                    // A refusal is an answer too: a player may have stopped.
                    let _ = swarm
                        .order(prompt.for_mysis(player_name(role, number)))
                        .await;
                }
            }
        }))
    }

    /// Ends the swarm, and tells what it used and earned.
    async fn end(self, shared: &Simulation) -> RoleReport {
        let statuses = self.handle().statuses().await;
        let running = statuses
            .iter()
            .filter(|status| status.state == LifeState::Running);
        let running = running.count();
        kill_process(&self.commander).await;
        self.simulation.recorder.stop().await;
        let mut report = RoleReport {
            name: self.name,
            players: self.players,
            running,
            used: *self.used.lock().unwrap_or_else(PoisonError::into_inner),
            earned: 0,
            spent: 0,
        };
        // A taken name gets digits behind it, so its beginning tells the role.
        let funds = shared.game.funds().into_iter();
        for player in funds.filter(|player| player.name.starts_with(self.name)) {
            report.earned += player.earned;
            report.spent += player.spent;
        }
        report
    }
}

fn player_name(role: &str, number: usize) -> String {
    format!("{role}-{number}")
}

/// The part of `all` that goes to one of `parts`.
fn share_of(all: usize, parts: usize, place: usize) -> usize {
    all / parts + usize::from(place < all % parts)
}

impl EconomyReport {
    /// The use of the model by all roles.
    #[must_use]
    pub fn used(&self) -> ModelUse {
        let mut sum = ModelUse::default();
        self.roles.iter().for_each(|role| sum.add(&role.used));
        sum
    }

    /// The credits that were gained: earned, and not spent again.
    #[must_use]
    pub fn gained(&self) -> i64 {
        self.roles.iter().map(RoleReport::gained).sum()
    }
}

impl RoleReport {
    /// The credits that were gained: earned, and not spent again.
    #[must_use]
    pub fn gained(&self) -> i64 {
        let whole = |credits| i64::try_from(credits).unwrap_or(i64::MAX);
        whole(self.earned).saturating_sub(whole(self.spent))
    }
}

//! The economy: what the play of a swarm costs and brings, with changes of its rules and without.
//!
//! Players of five roles share one game, without faults. Each role is a swarm of its own with one
//! mission, since a mission holds for a whole swarm. Everything is the program's own but the game,
//! the model and the ledger: what requests hold, when they are made, and what they are answered.

mod levers;
mod model_server;
mod real_model;
mod role_swarm;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::price::TokenPrice;
use actors::domain::rules::SwarmRules;
use anyhow::Context;

use model_server::{ModelServer, RoleModels};
use role_swarm::RoleSwarm;
use zoea_simulation::events::EventLog;
use zoea_simulation::game::GameTraffic;
use zoea_simulation::{
    MemoryLedger, ProgramParts, Simulation, SimulationOptions, rules, start_listener,
};

pub use levers::{LEVERS, Lever, find_lever};
pub use model_server::ModelUse;
pub use real_model::RealModel;
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
#[derive(Clone, Debug)]
pub struct EconomyOptions {
    /// The seed of all chance.
    pub seed: u64,
    /// The simulated time.
    pub length: Duration,
    /// The number of players; each role has its share of them.
    pub players: usize,
    /// The only role that plays; `None` if all do.
    pub only: Option<&'static str>,
    /// The mission of all roles; `None` if each has its own.
    pub mission: Option<String>,
    /// The longest time that the model takes for an answer; the shortest is an eighth of it.
    pub thinking: Duration,
    /// The price of tokens where the rules have none.
    pub price: TokenPrice,
    pub parts: ProgramParts,
}

impl EconomyOptions {
    /// The roles that play, with their missions.
    fn roles(&self) -> Vec<(&'static str, &'static str)> {
        let is_wanted = |(name, _): &(&'static str, _)| self.only.is_none_or(|only| only == *name);
        ROLES.into_iter().filter(is_wanted).collect()
    }
}

pub fn find_role(name: &str) -> Option<&'static str> {
    let mut names = ROLES.into_iter().map(|(known, _)| known);
    names.find(|known| *known == name)
}

/// What a lever may change for one role.
#[derive(Clone, Debug)]
pub struct EconomySetup {
    /// The role's name.
    pub role: &'static str,
    pub mission: String,
    pub rules: SwarmRules,
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
    pub name: &'static str,
    pub players: usize,
    /// The number of those that ran at the end. The others were parked, or ended their mission.
    pub running: usize,
    pub used: ModelUse,
    /// The credits that were earned.
    pub earned: u64,
    /// The credits that were spent.
    pub spent: u64,
}

/// Measures a swarm with these levers. `real` plays in the place of the simulated player.
///
/// # Errors
/// The simulation cannot be set up, or a promise was broken in it, so that its figures mean nothing.
pub fn measure(
    options: &EconomyOptions,
    levers: &[&Lever],
    real: Option<RealModel>,
) -> anyhow::Result<EconomyReport> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .context("build a runtime with a simulated clock")?;
    runtime.block_on(async { Economy::new(options, real).await?.run(levers).await })
}

/// A running measurement.
struct Economy {
    options: EconomyOptions,
    /// What all swarms share: the game, the clock, the chance.
    shared: Simulation,
    server: Arc<ModelServer>,
}

impl Economy {
    async fn new(options: &EconomyOptions, real: Option<RealModel>) -> anyhow::Result<Economy> {
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
        let server = ModelServer::new(options, real, shared.chaos.clone(), shared.watch.clone());
        Ok(Economy {
            options: options.clone(),
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
                    mission: self
                        .options
                        .mission
                        .clone()
                        .unwrap_or_else(|| mission.to_string()),
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
            .start_commander_with(setup.rules.clone(), watcher)
            .await?;
        let mut swarm = RoleSwarm {
            name: setup.role,
            players,
            simulation,
            commander,
            used,
        };
        swarm.create().await?;
        if self.server.has_real_model() {
            swarm.open_accounts().await?;
            swarm.restart(setup.rules).await?;
        }
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

/// The part of `all` that goes to one of `parts`.
fn share_of(all: usize, parts: usize, place: usize) -> usize {
    all / parts + usize::from(place < all % parts)
}

impl EconomyReport {
    /// The use of the model by all roles.
    pub fn used(&self) -> ModelUse {
        let mut sum = ModelUse::default();
        self.roles.iter().for_each(|role| sum.add(&role.used));
        sum
    }

    /// The credits that were gained: earned, and not spent again.
    pub fn gained(&self) -> i64 {
        self.roles.iter().map(RoleReport::gained).sum()
    }
}

impl RoleReport {
    /// The credits that were gained: earned, and not spent again.
    pub fn gained(&self) -> i64 {
        let whole = |credits| i64::try_from(credits).unwrap_or(i64::MAX);
        whole(self.earned).saturating_sub(whole(self.spent))
    }
}

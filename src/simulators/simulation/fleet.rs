//! Several processes in one world: the real actors of each on a time of its own, over one database
//! with leases, one game and one model.
//!
//! Nothing runs at the same time. All processes, then the world, run for a slice of time, one after
//! the other on one thread, so that the same seed gives the same events.

mod client;
mod database;
mod frozen;
mod line;
mod monitor;
mod operator;
mod outside;
mod own_time;
mod population;
mod process;
mod quiet;
mod sabotage;
mod script;
mod session;
mod slots;
mod tokens;
mod world;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::rules::SwarmRules;

use super::SimulationOptions;
use super::chaos::InjectedFault;
use super::rules;
use super::verdict::SimulationVerdict;
use monitor::FleetLimits;
use script::FaultScript;
use slots::Slots;
use tokens::TokenLimits;
use world::FleetWorld;

pub use super::fleet_figures::{FleetFault, FleetFigures};
pub use sabotage::Sabotage;

/// How long each runs before the next one does. What goes from one to the other takes as long.
const SLICE: Duration = Duration::from_millis(20);
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The tokens a minute of one Mysis, where they are limited: those of a few requests.
const TOKENS_A_MINUTE: RangeInclusive<u64> = 12_000..=40_000;
/// The tokens of one Mysis in a day, where there is a budget: those of some minutes.
const TOKENS_A_DAY: RangeInclusive<u64> = 4_000..=16_000;

/// How many more Myses a process takes than there are at the beginning.
const NEWCOMERS: usize = 4;

struct FleetRun {
    options: SimulationOptions,
    slots: Slots,
    script: FaultScript,
    world: Arc<FleetWorld>,
}

/// Runs several processes, with a mistake in the simulated database if there is to be one.
///
/// # Errors
/// The simulation itself cannot be set up.
pub fn run(
    options: SimulationOptions,
    sabotage: Option<Sabotage>,
) -> anyhow::Result<SimulationVerdict> {
    let mut dice = fastrand::Rng::with_seed(options.seed ^ 0xf1ee7);
    let settings = FleetSettings::draw(&mut dice, options.myses).showing(sabotage);
    let drawn = rules::DrawnSettings::of(options.seed);
    let rules = Arc::new(settings.troubled_rules(drawn.swarm_rules(options.myses + NEWCOMERS)));
    let world = Arc::new(FleetWorld::new(
        &options,
        settings.limits(options.processes),
        sabotage,
    )?);
    let run = FleetRun {
        slots: Slots::new(options.processes, &mut dice, &rules, sabotage),
        script: FaultScript::new(dice, &options, sabotage),
        world: world.clone(),
        options,
    };
    run.run(&settings)
}

#[derive(Clone, Copy, Debug)]
struct FleetSettings {
    max_concurrency: usize,
    requests_per_minute: Option<u32>,
    logins_per_minute: u32,
    tokens_per_minute: Option<u64>,
    /// The tokens of a day for all together.
    budget: Option<u64>,
}

impl FleetSettings {
    fn draw(dice: &mut fastrand::Rng, myses: usize) -> FleetSettings {
        FleetSettings {
            // A limit that nobody reaches would show nothing.
            max_concurrency: dice.usize(2..=(myses / 2).max(2)),
            requests_per_minute: dice.bool().then(|| dice.u32(60..=120)),
            logins_per_minute: dice.u32(24..=60),
            tokens_per_minute: dice
                .bool()
                .then(|| dice.u64(TOKENS_A_MINUTE) * myses as u64),
            budget: (dice.u8(..4) == 0).then(|| dice.u64(TOKENS_A_DAY) * myses as u64),
        }
    }

    /// The same settings, with the limit that shows a mistake.
    fn showing(mut self, sabotage: Option<Sabotage>) -> FleetSettings {
        if sabotage == Some(Sabotage::GrantsTokensToEach) {
            self.tokens_per_minute = Some(60_000);
        }
        if sabotage == Some(Sabotage::HidesSpending) {
            (self.tokens_per_minute, self.budget) = (None, Some(20_000));
        }
        self
    }

    fn limit(self, mut rules: SwarmRules) -> SwarmRules {
        for provider in rules.providers.values_mut() {
            provider.max_concurrency = self.max_concurrency;
            provider.requests_per_minute = self.requests_per_minute;
            provider.tokens_per_minute = self.tokens_per_minute;
        }
        rules.tools.logins_per_minute = Some(self.logins_per_minute);
        // These models count more than a thousand tokens of each request.
        let of_each = &mut rules.budget.mysis.tokens;
        *of_each = of_each.map(|tokens| tokens * 5);
        rules
    }

    fn troubled_rules(self, mut rules: SwarmRules) -> SwarmRules {
        rules.budget.swarm.tokens = self.budget;
        self.limit(rules)
    }

    /// What servers may count. Each process may begin with one request of its part.
    fn limits(self, processes: usize) -> FleetLimits {
        let burst = self.max_concurrency + processes;
        let whole = |per_minute: u32| per_minute as usize;
        FleetLimits {
            in_flight: self.max_concurrency,
            requests_a_minute: self.requests_per_minute.map(|limit| whole(limit) + burst),
            logins_a_minute: whole(self.logins_per_minute)
                + whole(self.logins_per_minute) / 8
                + processes,
            tokens: TokenLimits {
                a_minute: self.tokens_per_minute,
                budget: self.budget,
                in_flight: self.max_concurrency as u64,
            },
        }
    }

    fn base_rules(self, myses: usize) -> Arc<SwarmRules> {
        Arc::new(self.limit(rules::base_rules(myses + NEWCOMERS)))
    }
}

impl FleetRun {
    fn run(mut self, settings: &FleetSettings) -> anyhow::Result<SimulationVerdict> {
        self.create_swarm()?;
        let end = self.world.now() + self.options.length;
        while self.world.now() < end {
            self.script.act(&self.world, &mut self.slots);
            self.pass_slice()?;
            if self.has_shown() {
                return Ok(self.verdict(settings));
            }
        }
        let rules = settings.base_rules(self.options.myses);
        self.run_quiet_time(settings, &rules)?;
        Ok(self.verdict(settings))
    }

    /// Whether a mistake that was made on purpose is found.
    fn has_shown(&self) -> bool {
        let memory = &self.world.database.memory;
        let stands_twice = || memory.prompt_counts().values().any(|times| *times > 1);
        self.world.sabotage.is_some() && (self.world.watch.has_violations() || stands_twice())
    }

    fn pass_slice(&mut self) -> anyhow::Result<()> {
        let now = self.world.now();
        let next = now + SLICE;
        self.slots.pass(&self.world, now, next)?;
        self.world.run_until(next);
        if now.as_millis().is_multiple_of(LOOK_INTERVAL.as_millis()) {
            self.look();
        }
        Ok(())
    }

    fn look(&self) {
        let monitor = &self.world.monitor;
        let is_away = || self.world.chaos.is_going_on(InjectedFault::StoreAway);
        if self.world.within(is_away) {
            monitor.on_disturbed();
        }
        monitor.check_orphans(self.world.database.running(), &self.slots.acting());
        monitor.check_answers();
        let database = &self.world.database;
        self.world.within(|| {
            monitor.on_parts_looked_at(|provider, owner| database.has_part(provider, owner));
        });
        monitor.tokens.on_books(database.spent(), monitor.now());
        let living = self.slots.living();
        let held = || self.world.database.part_holders_besides(&living);
        monitor.check_parts(self.world.within(held));
    }

    fn verdict(&self, settings: &FleetSettings) -> SimulationVerdict {
        let limits = settings.limits(self.options.processes);
        let figures = FleetFigures {
            processes: self.options.processes,
            in_flight_limit: limits.in_flight,
            minute_limit: limits.requests_a_minute,
            logins_limit: limits.logins_a_minute,
            tokens: self.world.monitor.tokens.words(),
            ..self.world.monitor.figures()
        };
        let memory = &self.world.database.memory;
        let verdict = self.world.watch.build_verdict(
            self.options.seed,
            &self.world.chaos,
            self.world.events.digest(),
            &memory.prompt_counts(),
        );
        SimulationVerdict {
            fleet: Some(figures),
            ..verdict
        }
    }
}

//! Slots: the machines of a fleet, with the process that runs on each, if one does.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::rules::SwarmRules;

use super::frozen::FreezeFile;
use super::line::DatabaseWay;
use super::process::{Process, ProcessPlan};
use super::sabotage::Sabotage;
use super::world::FleetWorld;

/// How far the monotonic clock of a process may run from the server's: a hundred times of what is
/// usual.
const MAX_RATE_ERROR: f64 = 0.01;
/// How soon a process that ended by itself is started again.
const RESTART_PAUSE: Duration = Duration::from_secs(3);

pub(super) struct Slot {
    pub(super) plan: ProcessPlan,
    pub(super) process: Option<Process>,
    /// When a process is started there; `None` for not at all.
    pub(super) start_at: Option<Duration>,
    /// Until when the way to the database is not in order.
    pub(super) way_until: Option<Duration>,
    pub(super) drained_until: Option<Duration>,
    pub(super) frozen_until: Option<Duration>,
    lives: u32,
}

impl Slot {
    /// Whether a fault may strike the process.
    pub(super) fn is_undisturbed(&self) -> bool {
        let is_able = self.process.as_ref().is_some_and(Process::is_able);
        is_able && self.way_until.is_none() && self.drained_until.is_none()
    }

    pub(super) fn owner(&self) -> Option<&Arc<str>> {
        self.process.as_ref().map(|process| &process.owner)
    }

    /// Kills the process, as `kill -9` does.
    pub(super) fn kill(&mut self, start_at: Duration) {
        self.process = None;
        self.way_until = None;
        self.drained_until = None;
        self.start_at = Some(start_at);
    }

    fn start(&mut self, world: &Arc<FleetWorld>) -> anyhow::Result<()> {
        self.lives += 1;
        let owner = format!("{}.{}", self.plan.home, self.lives);
        self.process = Some(Process::start(world, &self.plan, &owner)?);
        self.start_at = None;
        Ok(())
    }

    /// Lets the process run until `next`.
    fn pass(
        &mut self,
        world: &Arc<FleetWorld>,
        now: Duration,
        next: Duration,
    ) -> anyhow::Result<()> {
        if self.way_until.is_some_and(|until| until <= now) {
            self.way_until = None;
            if let Some(process) = &self.process {
                process.line.set_way(DatabaseWay::Open);
            }
        }
        if self.process.is_none() && self.start_at.is_some_and(|at| at <= now) {
            self.start(world)?;
        }
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        if let Some(until) = process.paused_until {
            if now < until {
                return Ok(());
            }
            process.wake(now);
        }
        process.run_until(next);
        if process.has_ended() {
            let pause = self.start_at.unwrap_or(now + RESTART_PAUSE);
            self.kill(pause);
            world.monitor.on_disturbed();
        }
        Ok(())
    }
}

pub(super) struct Slots {
    pub(super) all: Vec<Slot>,
    first: usize,
}

impl Slots {
    pub(super) fn new(
        count: usize,
        dice: &mut fastrand::Rng,
        rules: &Arc<SwarmRules>,
        sabotage: Option<Sabotage>,
    ) -> Slots {
        let forgets_freezes = sabotage == Some(Sabotage::ForgetsFreezes);
        let slot = |number| Slot {
            plan: ProcessPlan {
                home: format!("p{number}"),
                rate: 1.0 + (dice.f64() * 2.0 - 1.0) * MAX_RATE_ERROR,
                rules: rules.clone(),
                freeze: Arc::new(FreezeFile::new(forgets_freezes)),
                is_troubled: true,
            },
            process: None,
            start_at: None,
            way_until: None,
            drained_until: None,
            frozen_until: None,
            lives: 0,
        };
        Slots {
            all: (0..count).map(slot).collect(),
            first: 0,
        }
    }

    /// Lets all processes run until `next`, another one first each time.
    pub(super) fn pass(
        &mut self,
        world: &Arc<FleetWorld>,
        now: Duration,
        next: Duration,
    ) -> anyhow::Result<()> {
        let count = self.all.len();
        for place in 0..count {
            self.all[(self.first + place) % count].pass(world, now, next)?;
        }
        self.first = (self.first + 1) % count;
        Ok(())
    }

    /// All processes, whatever they do.
    pub(super) fn living(&self) -> BTreeSet<Arc<str>> {
        let processes = self.all.iter().filter_map(|slot| slot.process.as_ref());
        processes.map(|process| process.owner.clone()).collect()
    }

    /// The processes that run, reach the database and are not frozen.
    pub(super) fn acting(&self) -> BTreeSet<Arc<str>> {
        let slots = self
            .all
            .iter()
            .filter(|slot| slot.plan.freeze.since().is_none());
        let processes = slots.filter_map(|slot| slot.process.as_ref());
        let able = processes.filter(|process| process.is_able());
        able.map(|process| process.owner.clone()).collect()
    }
}

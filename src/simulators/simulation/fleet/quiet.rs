//! The beginning and the end of a run: a first process creates the swarm, and in the quiet time all
//! processes have to run all Myses.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::commander::CommanderHandle;
use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use actors::domain::order::MysisOrder;
use actors::domain::rules::SwarmRules;
use actors::domain::state::LifeState;

use super::super::memory::StoredSwarm;
use super::super::operator::create_swarm;
use super::super::rules::MISSION;
use super::super::verdict::Promise;
use super::{FleetRun, FleetSettings, operator};

const MIN_HALF: Duration = Duration::from_secs(300);
const TOKENS_A_REQUEST: u64 = 6_000;
/// The number of answers that fit into half of the quiet time.
const ANSWERS_IN_HALF: usize = 12;
const MAX_QUESTION_TIME: Duration = Duration::from_secs(120);
/// The time between the starts of two processes at the beginning.
const JOIN_INTERVAL: Duration = Duration::from_secs(7);

type Statuses = Vec<Arc<MysisStatus>>;

impl FleetRun {
    /// The first process creates the Myses and sets the mission. Then the others join.
    pub(super) fn create_swarm(&mut self) -> anyhow::Result<()> {
        let world = self.world.clone();
        world.chaos.set_calm(true);
        self.slots.all[0].start_at = Some(world.now());
        let (myses, watch) = (self.options.myses, world.watch.clone());
        let create =
            |swarm| async move { create_swarm(&swarm, &watch, myses, MISSION.to_string()).await };
        let created = self.ask(0, create)?;
        created.map_err(|why| anyhow::anyhow!("the swarm cannot be created: {why}"))?;
        world.chaos.set_calm(false);
        for (number, slot) in self.slots.all.iter_mut().enumerate().skip(1) {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            slot.start_at = Some(world.now() + JOIN_INTERVAL * number);
        }
        Ok(())
    }

    /// Asks a process, and lets time pass until it answers.
    fn ask<T, F>(
        &mut self,
        place: usize,
        ask: impl FnOnce(CommanderHandle) -> F,
    ) -> anyhow::Result<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let late = self.world.now() + MAX_QUESTION_TIME;
        let answer: Arc<Mutex<Option<T>>> = Arc::default();
        let mut ask = Some(ask);
        while self.world.now() < late {
            if let Some(process) = &self.slots.all[place].process
                && let Some(swarm) = process.swarm()
                && let Some(ask) = ask.take()
            {
                let (asked, answer) = (ask(swarm), answer.clone());
                process.spawn(async move {
                    let answered = asked.await;
                    *answer.lock() = Some(answered);
                });
            }
            self.pass_slice()?;
            let answered = answer.lock().take();
            if let Some(answered) = answered {
                return Ok(answered);
            }
        }
        anyhow::bail!("process {place} does not answer")
    }

    fn pass(&mut self, time: Duration) -> anyhow::Result<()> {
        let end = self.world.now() + time;
        while self.world.now() < end && !self.has_shown() {
            self.pass_slice()?;
        }
        Ok(())
    }

    /// Runs without faults until the end. Myses that stand still are relaunched once, as an operator
    /// would.
    pub(super) fn run_quiet_time(
        &mut self,
        settings: &FleetSettings,
        rules: &Arc<SwarmRules>,
    ) -> anyhow::Result<()> {
        let world = self.world.clone();
        world.chaos.set_calm(true);
        world.game.clear_all_faults();
        world.monitor.tokens.end_budgets();
        self.script.end(&world, &mut self.slots);
        self.thaw_all()?;
        for slot in &mut self.slots.all {
            slot.plan.rules = rules.clone();
            slot.plan.is_troubled = false;
            if let Some(process) = &slot.process {
                process.change_rules(rules);
            }
        }
        let half = self.half_quiet_length(settings);
        self.pass(half)?;
        let here = self.all_here()?;
        let unstarted = world.monitor.population.unstarted(&here);
        world.watch.add_violations(Promise::NotLost, unstarted);
        for status in here {
            if status.state != LifeState::Running {
                if status.state == LifeState::Errored {
                    world.watch.on_manual_relaunch();
                }
                let order = MysisOrder::Start.for_mysis(status.name.to_string());
                let started = self.ask(0, |swarm| async move { swarm.order(order).await })?;
                if let Err(why) = started {
                    let text = format!("{} cannot be started: {why}", status.name);
                    world.watch.add_violation(Promise::AllRunning, text);
                }
            }
        }
        let before = self.all_here()?;
        self.pass(half)?;
        let after = self.all_here()?;
        self.compare_population();
        world.watch.check_population(&after);
        let before: BTreeMap<MysisId, _> =
            before.iter().map(|status| (status.id, status)).collect();
        for after in &after {
            if let Some(before) = before.get(&after.id) {
                world.watch.check_end_state(before, after);
            }
        }
        let undone = world.database.undone_orders();
        world.watch.add_violations(Promise::Answered, undone);
        self.check_screens()
    }

    /// Thaws all homes. Who was frozen plays on.
    fn thaw_all(&mut self) -> anyhow::Result<()> {
        for place in 0..self.slots.all.len() {
            let home: Arc<str> = self.slots.all[place].plan.home.as_str().into();
            self.slots.all[place].frozen_until = None;
            let world = self.world.clone();
            let thaw = |swarm| operator::freeze(world, swarm, home, false);
            self.ask(place, thaw)?;
        }
        Ok(())
    }

    /// Compares who is stored with what was said of those that were created and deleted meanwhile.
    fn compare_population(&self) {
        let (watch, monitor) = (&self.world.watch, &self.world.monitor);
        let stored = self.world.database.memory.look(StoredSwarm::names);
        let at_end = monitor.population.compare(&stored);
        for mysis in at_end.gone {
            watch.on_mysis_deleted(mysis);
        }
        for (mysis, name) in at_end.appeared {
            watch.on_mysis_created(mysis, &name);
        }
        watch.add_violations(Promise::Deletions, at_end.wrong);
        monitor.figure(|figures| {
            figures.created = at_end.created;
            figures.deleted = at_end.deleted;
        });
    }

    fn half_quiet_length(&self, settings: &FleetSettings) -> Duration {
        let myses = self
            .world
            .database
            .memory
            .look(|stored| stored.names().len());
        let myses = myses.max(self.options.myses);
        let rounds = myses.div_ceil(settings.max_concurrency);
        let answers = u32::try_from(ANSWERS_IN_HALF * rounds).unwrap_or(u32::MAX);
        // Where there is less than one request for each process, they take turns, and each turn of ten
        // seconds loses some.
        let turns = self.options.processes.div_ceil(settings.max_concurrency);
        let turns = u32::try_from(turns.min(3)).unwrap_or(1);
        let asking = self.options.thinking.saturating_mul(answers * turns);
        let requests = ANSWERS_IN_HALF * myses;
        let by_tokens = settings
            .tokens_per_minute
            .map(|tokens| tokens / TOKENS_A_REQUEST);
        let a_minute = settings.requests_per_minute.map(u64::from);
        let a_minute = [a_minute, by_tokens].into_iter().flatten().min();
        let a_minute = a_minute.unwrap_or(u64::MAX).max(1);
        let pacing = Duration::from_secs(60).mul_f64(requests as f64 / a_minute as f64);
        MIN_HALF.max(asking).max(pacing * 2)
    }

    fn all_here(&mut self) -> anyhow::Result<Statuses> {
        let mut all = Statuses::new();
        for place in 0..self.slots.all.len() {
            let known = self.ask(place, |swarm| async move { swarm.statuses().await })?;
            all.extend(
                known
                    .into_iter()
                    .filter(|status| status.elsewhere.is_none()),
            );
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    fn check_screens(&mut self) -> anyhow::Result<()> {
        for place in 0..self.slots.all.len() {
            let shown = self.ask(place, |swarm| async move { swarm.statuses().await })?;
            let stored = self.world.database.memory.look(StoredSwarm::names);
            let shown: BTreeMap<MysisId, Arc<str>> = shown
                .iter()
                .map(|status| (status.id, status.name.clone()))
                .collect();
            if shown != stored {
                let text = format!("process {place} shows {shown:?} of {stored:?}");
                self.world.watch.add_violation(Promise::NotLost, text);
            }
        }
        Ok(())
    }
}

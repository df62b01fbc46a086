//! The script of faults: what happens to whole processes, and when.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use actors::commander::CommanderHandle;
use actors::domain::ids::MysisId;

use super::super::SimulationOptions;
use super::super::fleet_figures::FleetFault;
use super::line::DatabaseWay;
use super::operator;
use super::sabotage::Sabotage;
use super::slots::{Slot, Slots};
use super::world::FleetWorld;

/// The time between two faults at a wildness of 1. They rarely come more often than a lease lasts,
/// so that what follows from one is seen.
const MEAN_GAP: Duration = Duration::from_secs(1200);
/// The shortest mean time between two faults.
const MIN_MEAN_GAP: Duration = Duration::from_secs(70);
const LEASE: Duration = Duration::from_secs(30);
/// How soon a thaw is ordered again that did not come about.
const THAW_RETRY: Duration = Duration::from_secs(10);
const UPDATE_PAUSE: Duration = Duration::from_secs(8);

pub(super) struct FaultScript {
    dice: fastrand::Rng,
    drawn: BTreeSet<FleetFault>,
    mean_gap: Duration,
    /// When the next fault strikes; `None` for never.
    next: Option<Duration>,
    /// The machines whose processes are still to be updated, and when the next one is.
    updates: VecDeque<usize>,
    next_update: Duration,
    /// What the operator does at a certain time because of a fault.
    errands: Vec<(Duration, Errand)>,
}

#[derive(Clone, Debug)]
enum Errand {
    /// Deletes a Mysis that a process holds, or any.
    Delete(Arc<str>),
    Create,
    /// Kills a process that was frozen. Its home stays frozen.
    Kill(Arc<str>),
}

impl FaultScript {
    /// The script of a seed; that of one fault where a mistake is to be shown.
    pub(super) fn new(
        mut dice: fastrand::Rng,
        options: &SimulationOptions,
        sabotage: Option<Sabotage>,
    ) -> FaultScript {
        let share = [0.3, 0.6, 1.0][dice.usize(..3)];
        let mut drawn = BTreeSet::from(FleetFault::ALL);
        drawn.retain(|_| options.with_all_faults || dice.f64() < share);
        if let Some(sabotage) = sabotage {
            drawn = sabotage.shown_by().iter().copied().collect();
        }
        let has_faults = options.wildness > 0.0 && !drawn.is_empty();
        let mean_gap = has_faults.then(|| MEAN_GAP.div_f64(options.wildness).max(MIN_MEAN_GAP));
        FaultScript {
            drawn,
            next: mean_gap,
            mean_gap: mean_gap.unwrap_or(MEAN_GAP),
            dice,
            updates: VecDeque::new(),
            next_update: Duration::ZERO,
            errands: Vec::new(),
        }
    }

    fn between(&mut self, least: Duration, most: Duration) -> Duration {
        least + (most - least).mul_f64(self.dice.f64())
    }

    pub(super) fn act(&mut self, world: &Arc<FleetWorld>, slots: &mut Slots) {
        let now = world.now();
        self.end_draining(world, slots, now);
        self.go_on_updating(world, slots, now);
        self.run_errands(world, slots, now);
        thaw_those_due(world, slots, now);
        if self.next.is_some_and(|next| next <= now) {
            let gap = self.between(self.mean_gap / 2, self.mean_gap * 3 / 2);
            self.next = Some(now + gap);
            let drawn: Vec<FleetFault> = self.drawn.iter().copied().collect();
            let fault = drawn[self.dice.usize(..drawn.len())];
            self.strike(world, slots, fault);
        }
    }

    fn strike(&mut self, world: &Arc<FleetWorld>, slots: &mut Slots, fault: FleetFault) {
        if fault == FleetFault::RollingUpdate {
            if self.updates.is_empty() {
                self.updates.extend(0..slots.all.len());
                self.count(world, fault, slots.all.len());
            }
            return;
        }
        let able = (0..slots.all.len()).filter(|place| slots.all[*place].is_undisturbed());
        let mut able: Vec<usize> = able.collect();
        self.dice.shuffle(&mut able);
        // Now and then the last one is struck, too.
        let spared = usize::from(self.dice.usize(..6) > 0);
        let most = able.len().saturating_sub(spared);
        let wanted = match fault {
            FleetFault::KillSeveral => self.dice.usize(2..=3),
            FleetFault::Kill
            | FleetFault::Restart
            | FleetFault::Close
            | FleetFault::RollingUpdate
            | FleetFault::Drain
            | FleetFault::ClockSet
            | FleetFault::Deletion
            | FleetFault::Freeze => 1,
            FleetFault::ShortCut
            | FleetFault::LongCut
            | FleetFault::ShortPause
            | FleetFault::LongPause
            | FleetFault::SlowDatabase
            | FleetFault::LostAnswers => self.dice.usize(1..=2),
        };
        able.truncate(wanted.min(most));
        self.count(world, fault, able.len());
        for place in able {
            self.plan_errands(world, slots, fault, place);
            self.strike_one(world, slots, fault, place);
        }
    }

    fn count(&self, world: &FleetWorld, fault: FleetFault, times: usize) {
        world.monitor.on_disturbed();
        if times > 0 {
            world
                .monitor
                .figure(|figures| *figures.struck.entry(fault).or_default() += times as u64);
        }
    }

    fn strike_one(
        &mut self,
        world: &Arc<FleetWorld>,
        slots: &mut Slots,
        fault: FleetFault,
        place: usize,
    ) {
        let (now, slot) = (world.now(), &mut slots.all[place]);
        let short = self.between(LEASE / 10, LEASE * 2 / 3);
        let long = self.between(LEASE, LEASE * 3);
        let Some(process) = &mut slot.process else {
            return;
        };
        match fault {
            FleetFault::Kill | FleetFault::KillSeveral => slot.kill(now + long * 2),
            FleetFault::Restart => slot.kill(now + short / 20),
            FleetFault::Close => {
                process.begin_closing(world);
                slot.start_at = Some(now + long);
            }
            FleetFault::RollingUpdate | FleetFault::Deletion => {}
            FleetFault::Drain => {
                slot.drained_until = Some(now + long);
                self.drain(world, slots, place, true);
            }
            FleetFault::Freeze => {
                slot.frozen_until = Some(now + long);
                if let Some(swarm) = process.swarm() {
                    let (world, home) = (world.clone(), slot.plan.home.as_str().into());
                    process.spawn(operator::freeze(world, swarm, home, true));
                }
            }
            FleetFault::ShortCut | FleetFault::LongCut => {
                let way = [DatabaseWay::Refused, DatabaseWay::Silent][self.dice.usize(..2)];
                process.line.set_way(way);
                let is_long = fault == FleetFault::LongCut;
                slot.way_until = Some(now + if is_long { long } else { short });
            }
            FleetFault::ShortPause => process.paused_until = Some(now + short),
            FleetFault::LongPause => process.paused_until = Some(now + long),
            FleetFault::SlowDatabase => {
                process.line.set_way(DatabaseWay::Slow);
                slot.way_until = Some(now + long);
            }
            FleetFault::LostAnswers => {
                process.line.set_way(DatabaseWay::Lossy);
                slot.way_until = Some(now + long);
            }
            FleetFault::ClockSet => {
                let most = [90_000, 172_800_000][self.dice.usize(..2)];
                process.set_clock(self.dice.i64(-most..most));
            }
        }
    }

    /// Plans what comes soon after a fault: the operator deletes a Mysis of the process that is struck and
    /// creates others, and one that is frozen is killed.
    fn plan_errands(&mut self, world: &FleetWorld, slots: &Slots, fault: FleetFault, place: usize) {
        let is_drawn = self.drawn.contains(&FleetFault::Deletion) && self.dice.bool();
        let Some(process) = &slots.all[place].process else {
            return;
        };
        let owner = || process.owner.clone();
        let mut errands = Vec::new();
        if fault == FleetFault::Deletion || is_drawn {
            errands.extend([Errand::Delete(owner()), Errand::Create, Errand::Create]);
        }
        let kills = self.drawn.contains(&FleetFault::Kill) && self.dice.bool();
        if fault == FleetFault::Freeze && kills {
            errands.push(Errand::Kill(owner()));
        }
        for errand in errands {
            let at = world.now() + self.between(Duration::ZERO, LEASE / 3);
            self.errands.push((at, errand));
        }
    }

    fn run_errands(&mut self, world: &Arc<FleetWorld>, slots: &mut Slots, now: Duration) {
        let is_due = |(at, _): &mut (Duration, Errand)| *at <= now;
        let due: Vec<_> = self.errands.extract_if(.., is_due).collect();
        for (_, errand) in due {
            match errand {
                Errand::Delete(owner) => {
                    let Some((mysis, name)) = self.choose_of(world, &owner) else {
                        continue;
                    };
                    self.ask_one(world, slots, |world, swarm| async move {
                        operator::delete(&world, &swarm, mysis, &name).await;
                    });
                }
                Errand::Create => self.ask_one(world, slots, |world, swarm| async move {
                    operator::create(&world, &swarm).await;
                }),
                Errand::Kill(owner) => {
                    // It comes back while it is frozen, or its leases expire.
                    let dead_for = match self.dice.bool() {
                        true => self.between(LEASE / 60, LEASE / 10),
                        false => self.between(LEASE * 2, LEASE * 6),
                    };
                    let is_it = |slot: &&mut Slot| slot.owner() == Some(&owner);
                    if let Some(slot) = slots.all.iter_mut().find(is_it) {
                        slot.kill(now + dead_for);
                        self.count(world, FleetFault::Kill, 1);
                    }
                }
            }
        }
    }

    /// Lets the operator do something at any process that can be asked.
    fn ask_one<F>(
        &mut self,
        world: &Arc<FleetWorld>,
        slots: &Slots,
        work: impl FnOnce(Arc<FleetWorld>, CommanderHandle) -> F,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let able = slots.all.iter().filter(|slot| slot.is_undisturbed());
        let able: Vec<_> = able.filter_map(|slot| slot.process.as_ref()).collect();
        let chosen = self.dice.usize(..able.len().max(1));
        if let Some(process) = able.get(chosen)
            && let Some(swarm) = process.swarm()
        {
            process.spawn(work(world.clone(), swarm));
        }
    }

    /// A Mysis that this process holds, or any, if it holds none.
    fn choose_of(&mut self, world: &FleetWorld, owner: &Arc<str>) -> Option<(MysisId, Arc<str>)> {
        let all = world.database.population();
        let is_its = |of: &Option<Arc<str>>| of.as_ref() == Some(owner);
        let of_it = all.iter().filter(|(_, _, of)| is_its(of));
        let mut known: Vec<_> = of_it.collect();
        if known.is_empty() {
            known = all.iter().collect();
        }
        let place = self.dice.usize(..known.len().max(1));
        let (mysis, name, _) = known.get(place)?;
        Some((*mysis, name.clone()))
    }

    /// Drains a process, or ends that, by an order to another one or to itself.
    fn drain(
        &mut self,
        world: &Arc<FleetWorld>,
        slots: &mut Slots,
        place: usize,
        is_draining: bool,
    ) {
        let owner = slots.all[place]
            .process
            .as_ref()
            .map(|process| process.owner.clone());
        let Some(name) = owner.and_then(|owner| world.database.name_of(&owner)) else {
            return;
        };
        let able: Vec<usize> = (0..slots.all.len())
            .filter(|other| slots.all[*other].is_undisturbed())
            .collect();
        let giver = match able.is_empty() {
            true => place,
            false => able[self.dice.usize(..able.len())],
        };
        if let Some(process) = &slots.all[giver].process
            && let Some(swarm) = process.swarm()
        {
            process.spawn(operator::drain(swarm, name, is_draining));
        }
    }

    fn end_draining(&mut self, world: &Arc<FleetWorld>, slots: &mut Slots, now: Duration) {
        for place in 0..slots.all.len() {
            let until = slots.all[place].drained_until;
            if until.is_some_and(|until| until <= now) {
                slots.all[place].drained_until = None;
                self.drain(world, slots, place, false);
            }
        }
    }

    /// Ends the next process of a rolling update once the one before is back.
    fn go_on_updating(&mut self, world: &Arc<FleetWorld>, slots: &mut Slots, now: Duration) {
        let Some(place) = self.updates.front().copied() else {
            return;
        };
        if now < self.next_update {
            return;
        }
        let before = place.checked_sub(1).map(|before| &slots.all[before]);
        let is_back = before.is_none_or(|slot| slot.process.as_ref().is_some_and(|p| p.is_able()));
        let is_late = now > self.next_update + LEASE * 4;
        if !is_back && !is_late {
            return;
        }
        self.updates.pop_front();
        self.next_update = now + UPDATE_PAUSE;
        let slot = &mut slots.all[place];
        if slot.is_undisturbed()
            && let Some(process) = &slot.process
        {
            process.begin_closing(world);
            slot.start_at = Some(now + Duration::from_millis(500));
            world.monitor.on_disturbed();
        }
    }

    pub(super) fn end(&mut self, world: &Arc<FleetWorld>, slots: &mut Slots) {
        let now = world.now();
        self.next = None;
        self.updates.clear();
        self.errands.clear();
        world.monitor.on_disturbed();
        for slot in &mut slots.all {
            slot.way_until = slot.way_until.map(|_| now);
            slot.drained_until = slot.drained_until.map(|_| now);
            slot.start_at = slot.start_at.map(|_| now);
            if let Some(process) = &mut slot.process {
                process.paused_until = process.paused_until.map(|_| now);
            }
        }
        self.end_draining(world, slots, now);
    }
}

/// Thaws the homes whose time has come. One in which nothing runs, or whose process ends meanwhile, is
/// thawed later.
fn thaw_those_due(world: &Arc<FleetWorld>, slots: &mut Slots, now: Duration) {
    for slot in &mut slots.all {
        if slot.frozen_until.is_none_or(|until| now < until) {
            continue;
        }
        let is_frozen = world.monitor.frozen.is_frozen(&slot.plan.home);
        if !is_frozen && slot.plan.freeze.since().is_none() {
            slot.frozen_until = None;
            continue;
        }
        if let Some(process) = slot.process.as_ref().filter(|process| process.is_able())
            && let Some(swarm) = process.swarm()
        {
            let (world, home) = (world.clone(), slot.plan.home.as_str().into());
            process.spawn(operator::freeze(world, swarm, home, false));
            slot.frozen_until = Some(now + THAW_RETRY);
        }
    }
}

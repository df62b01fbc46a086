//! Leases and processes, as `src/storage/ledger/leases.rs` and `src/storage/ledger/fleet.rs` keep them by SQL.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::fleet_share::{FleetCounts, KindCounts};
use actors::domain::ids::{Incarnation, MysisId};
use actors::domain::record::{Mission, MysisRecord};
use actors::ports::{FleetReport, ProcessSign, SwarmRecord};
use tokio::time::Instant;

use super::super::super::memory::StoredSwarm;
use super::super::sabotage::Sabotage;
use super::super::session::LeaseSession;
use super::{FleetDatabase, FleetTables, server_time};

const LEASE_TIME: Duration = Duration::from_secs(30);

pub(super) struct Lease {
    pub(super) home: Arc<str>,
    pub(super) owner: Arc<str>,
    pub(super) expires: Instant,
}

pub(super) struct ProcessRow {
    home: Arc<str>,
    name: Arc<str>,
    capacity: i64,
    is_frozen: bool,
    is_draining: bool,
    expires: Instant,
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) struct FleetView {
    pub(in super::super) held: usize,
    pub(in super::super) processes: usize,
    pub(in super::super) myses: usize,
    pub(in super::super) orders: usize,
    pub(in super::super) counts: FleetCounts,
}

impl FleetTables {
    fn is_of_frozen(&self, lease: Option<&Lease>) -> bool {
        if self.frees_the_frozen {
            return false;
        }
        let process = lease.and_then(|lease| self.processes.get(&lease.owner));
        process.is_some_and(|process| process.is_frozen)
    }

    /// Whether somebody else than this owner may take a Mysis.
    fn is_free_for(&self, owner: &str, mysis: MysisId, now: Instant) -> bool {
        let lease = self.leases.get(&mysis);
        !self.is_of_frozen(lease)
            && lease.is_none_or(|lease| lease.expires <= now && *lease.owner != *owner)
    }

    fn owned(&self, owner: &str) -> BTreeSet<MysisId> {
        let ours = self.leases.iter();
        let ours = ours.filter(|(_, lease)| *lease.owner == *owner);
        ours.map(|(id, _)| *id).collect()
    }

    pub(super) fn owner_of(&self, mysis: MysisId) -> Option<Arc<str>> {
        self.leases.get(&mysis).map(|lease| lease.owner.clone())
    }

    fn owners_at(&self, home: &str) -> Vec<Arc<str>> {
        let rows = self.processes.iter().filter(|(_, row)| *row.home == *home);
        rows.map(|(owner, _)| owner.clone()).collect()
    }

    pub(super) fn hold(&mut self, session: &LeaseSession, mysis: MysisId, now: Instant) {
        let lease = Lease {
            home: session.home.clone(),
            owner: session.owner.clone(),
            expires: now + LEASE_TIME,
        };
        self.leases.insert(mysis, lease);
    }

    /// Removes what belongs to a Mysis that is deleted, as foreign keys do.
    pub(super) fn forget(&mut self, mysis: MysisId) {
        self.leases.remove(&mysis);
        self.statuses.remove(&mysis);
        self.forget_orders(mysis);
    }

    /// The first free one of `sim`, `sim-2`, `sim-3`.
    fn free_name(&self) -> Arc<str> {
        let is_taken = |name: &str| self.processes.values().any(|row| &*row.name == name);
        let numbers = 2..=self.processes.len() + 2;
        let mut names =
            std::iter::once("sim".to_string()).chain(numbers.map(|number| format!("sim-{number}")));
        let free = names.find(|name| !is_taken(name));
        free.unwrap_or_default().into()
    }
}

impl FleetDatabase {
    pub(in super::super) fn open(
        &self,
        session: &LeaseSession,
    ) -> (SwarmRecord, Vec<(MysisId, Incarnation)>) {
        let (mut tables, now) = (self.tables.lock(), server_time());
        let is_alone = !tables
            .processes
            .values()
            .any(|other| other.home != session.home && other.expires > now);
        let all: Vec<MysisId> = self
            .memory
            .look(|swarm| swarm.states().map(|of| of.0).collect());
        for mysis in all.iter().copied() {
            let lease = tables.leases.get(&mysis);
            let is_own = lease.is_some_and(|lease| lease.home == session.home);
            let is_free = is_alone
                && !tables.is_of_frozen(lease)
                && lease.is_none_or(|lease| lease.expires <= now);
            if is_own || is_free {
                self.check_taking(&tables, session, mysis);
                tables.hold(session, mysis, now);
            }
        }
        let earlier: Vec<Arc<str>> = tables.owners_at(&session.home);
        for owner in earlier {
            let row = tables.processes.remove(&owner);
            // This one takes the place of a frozen one.
            if let Some(row) = row.filter(|row| row.is_frozen) {
                let row = ProcessRow {
                    is_draining: false,
                    ..row
                };
                tables.processes.insert(session.owner.clone(), row);
            }
        }
        let ours = tables.owned(&session.owner);
        self.memory.look(|swarm| {
            let fences = swarm.incarnations(&all.into_iter().collect());
            (swarm.swarm_of(&ours), fences)
        })
    }

    fn check_taking(&self, tables: &FleetTables, session: &LeaseSession, mysis: MysisId) {
        if let Some(lease) = tables.leases.get(&mysis) {
            self.monitor.on_taken(&lease.home, &session.home, mysis);
        }
    }

    pub(in super::super) fn give_back(&self, owner: &str, myses: &[MysisId]) {
        let mut tables = self.tables.lock();
        for mysis in myses {
            let is_ours = |lease: &Lease| *lease.owner == *owner;
            if tables.leases.get(mysis).is_some_and(is_ours) {
                tables.leases.remove(mysis);
            }
        }
    }

    pub(in super::super) fn renew(
        &self,
        session: &LeaseSession,
        report: &FleetReport,
    ) -> BTreeSet<MysisId> {
        let (mut tables, now) = (self.tables.lock(), server_time());
        let name = match tables.processes.get(&session.owner) {
            Some(row) => row.name.clone(),
            None => tables.free_name(),
        };
        let is_draining = tables
            .processes
            .get(&session.owner)
            .is_some_and(|row| row.is_draining);
        let row = ProcessRow {
            home: session.home.clone(),
            name,
            capacity: i64::try_from(report.capacity).unwrap_or(i64::MAX),
            is_frozen: report.is_frozen,
            is_draining,
            expires: now + LEASE_TIME,
        };
        tables.processes.insert(session.owner.clone(), row);
        self.monitor
            .frozen
            .on_shared(&session.home, report.is_frozen);
        for lease in tables.leases.values_mut() {
            if lease.owner == session.owner {
                lease.expires = now + LEASE_TIME;
            }
        }
        tables.owned(&session.owner)
    }

    pub(in super::super) fn look(&self, owner: &str) -> FleetView {
        let (tables, now) = (self.tables.lock(), server_time());
        let mut counts = FleetCounts::default();
        let takes = |row: &&ProcessRow| row.expires > now && !row.is_frozen && !row.is_draining;
        counts.capacity = tables
            .processes
            .values()
            .filter(takes)
            .map(|row| row.capacity)
            .sum();
        counts.is_draining = tables
            .processes
            .get(owner)
            .is_some_and(|row| row.is_draining);
        let states: Vec<_> = self.memory.look(|swarm| swarm.states().collect());
        for (mysis, runs) in &states {
            let lease = tables.leases.get(mysis);
            if tables.is_of_frozen(lease) {
                continue;
            }
            let kind: &mut KindCounts = match runs {
                true => &mut counts.running,
                false => &mut counts.resting,
            };
            kind.all += 1;
            kind.here += i64::from(lease.is_some_and(|lease| *lease.owner == *owner));
            kind.free += i64::from(tables.is_free_for(owner, *mysis, now));
        }
        FleetView {
            held: tables.owned(owner).len(),
            processes: tables.processes.len(),
            myses: states.len(),
            orders: tables.orders.len(),
            counts,
        }
    }

    /// Takes so many free leases at most, of Myses that run or of others, and returns them with their
    /// newest incarnations.
    pub(in super::super) fn take(
        &self,
        session: &LeaseSession,
        runs: bool,
        count: i64,
    ) -> Vec<(MysisId, Incarnation)> {
        let (mut tables, now) = (self.tables.lock(), server_time());
        let count = usize::try_from(count).unwrap_or(0);
        let states: Vec<_> = self.memory.look(|swarm| swarm.states().collect());
        let takes_anything = self.is_sabotaged(Sabotage::TakesWhatIsHeld);
        let is_free = |mysis: MysisId| {
            let is_others = |lease: &Lease| lease.owner != session.owner;
            takes_anything && tables.leases.get(&mysis).is_some_and(is_others)
                || tables.is_free_for(&session.owner, mysis, now)
        };
        let free = states
            .into_iter()
            .filter(|(_, is_running)| *is_running == runs);
        let free = free.map(|(mysis, _)| mysis).filter(|mysis| is_free(*mysis));
        let taken: BTreeSet<MysisId> = free.take(count).collect();
        for mysis in &taken {
            self.check_taking(&tables, session, *mysis);
            tables.hold(session, *mysis, now);
        }
        self.memory.look(|swarm| swarm.incarnations(&taken))
    }

    /// Gives everything back at an orderly end.
    pub(in super::super) fn leave(&self, session: &LeaseSession) {
        let (mut tables, now) = (self.tables.lock(), server_time());
        if !session.held().is_frozen() {
            tables
                .leases
                .retain(|_, lease| lease.owner != session.owner);
        }
        if let Some(row) = tables.processes.get_mut(&session.owner) {
            row.expires = now;
        }
        drop(tables);
        self.give_back_allowances(session);
    }

    pub(in super::super) fn drain(&self, name: &str, is_draining: bool) -> bool {
        let (mut tables, now) = (self.tables.lock(), server_time());
        let processes = tables.processes.values_mut();
        let mut named = processes.filter(|row| &*row.name == name && row.expires > now);
        let found = named.next();
        found.map(|row| row.is_draining = is_draining).is_some()
    }

    pub(in super::super) fn name_of(&self, owner: &str) -> Option<Arc<str>> {
        let tables = self.tables.lock();
        tables.processes.get(owner).map(|row| row.name.clone())
    }

    pub(in super::super) fn signs(&self, owner: &str) -> Vec<ProcessSign> {
        let (tables, now) = (self.tables.lock(), server_time());
        let rows = tables.processes.iter();
        let sign = |(of, row): (&Arc<str>, &ProcessRow)| ProcessSign {
            owner: of.clone(),
            name: row.name.clone(),
            is_alive: row.expires > now,
            is_here: **of == *owner,
        };
        rows.map(sign).collect()
    }

    pub(in super::super) fn records_of(
        &self,
        myses: &BTreeSet<MysisId>,
    ) -> (Vec<MysisRecord>, Vec<Arc<str>>, Option<Mission>) {
        self.memory.look(|swarm| {
            let (records, passwords) = swarm.records_of(myses);
            (records, passwords, swarm.mission_now())
        })
    }

    pub(in super::super) fn owner_of(&self, mysis: MysisId) -> Option<Arc<str>> {
        self.tables.lock().owner_of(mysis)
    }

    pub(in super::super) fn population(&self) -> Vec<(MysisId, Arc<str>, Option<Arc<str>>)> {
        let tables = self.tables.lock();
        let known = self.memory.look(StoredSwarm::names).into_iter();
        known
            .map(|(mysis, name)| (mysis, name, tables.owner_of(mysis)))
            .collect()
    }

    /// The running Myses, with the process that holds each, without those that a frozen one holds.
    pub(in super::super) fn running(&self) -> Vec<(MysisId, Option<Arc<str>>)> {
        let tables = self.tables.lock();
        let states: Vec<_> = self.memory.look(|swarm| swarm.states().collect());
        let is_frozen = |mysis: MysisId| tables.is_of_frozen(tables.leases.get(&mysis));
        let running = states.into_iter();
        let running = running.filter(|(mysis, runs)| *runs && !is_frozen(*mysis));
        let owned = running.map(|(mysis, _)| (mysis, tables.owner_of(mysis)));
        owned.collect()
    }
}

//! Limits and outages, as `src/storage/ledger/allowances.rs` and `src/storage/ledger/outages.rs` keep them by SQL.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::books::Day;
use actors::domain::held::{HeldText, SharedTrial, TrialClaim};
use actors::domain::ids::Lane;
use actors::domain::model::ServiceReturn;
use actors::domain::sharing::{
    Allowance, LimitClaim, LimitKind, LimitPart, OutageChange, OutageReport, SharedOutage, grant,
};
use actors::ports::{LimitNews, LimitReport};
use tokio::time::Instant;

use super::super::super::memory::StoredSwarm;
use super::super::sabotage::Sabotage;
use super::super::session::LeaseSession;
use super::{FleetDatabase, server_time};

/// How long a part lasts, and what is known of an outage.
const PART_TIME: Duration = Duration::from_secs(10);
/// How long an expired part is remembered.
const REMEMBERED: Duration = Duration::from_secs(60);
const TRIAL_TIME: Duration = Duration::from_secs(3600);

#[derive(Default)]
pub(super) struct LimitTables {
    allowances: BTreeMap<(String, Arc<str>), AllowanceRow>,
    outages: BTreeMap<Arc<str>, OutageRow>,
    version: i64,
    trials: Vec<(TrialClaim, Instant)>,
}

#[derive(Clone)]
struct AllowanceRow {
    home: Arc<str>,
    part: u64,
    used: u64,
    wanted: u64,
    unit: u64,
    expires: Instant,
}

struct OutageRow {
    version: i64,
    text: Arc<str>,
    ends_by: Option<ServiceReturn>,
    since: Instant,
    next_try: Instant,
    expires: Instant,
}

impl LimitTables {
    fn seen(&self, name: &str, session: &LeaseSession, now: Instant) -> Vec<Allowance> {
        let rows = self.allowances.iter().filter(|((of, _), row)| {
            let is_remembered = now.saturating_duration_since(row.expires) < REMEMBERED;
            of == name && is_remembered
        });
        let seen = rows.map(|((_, owner), row)| Allowance {
            owner: owner.clone(),
            part: row.part,
            used: row.used,
            wanted: row.wanted,
            unit: row.unit,
            lives: row.expires > now && (row.home != session.home || *owner == session.owner),
        });
        seen.collect()
    }

    fn share_outage(&mut self, report: &OutageReport, now: Instant) {
        match &report.change {
            None => {
                let known = self.outages.get_mut(&report.provider);
                if let Some(row) = known.filter(|row| row.version == report.seen) {
                    row.expires = now + PART_TIME;
                }
            }
            Some(OutageChange::Over) => {
                self.outages.remove(&report.provider);
            }
            Some(OutageChange::Away(shared)) => {
                self.version += 1;
                let row = OutageRow {
                    version: self.version,
                    text: shared.text.clone(),
                    ends_by: shared.ends_by,
                    since: now.checked_sub(shared.since).unwrap_or(now),
                    next_try: now + shared.next_try,
                    expires: now + PART_TIME,
                };
                self.outages.insert(report.provider.clone(), row);
            }
        }
    }

    fn share_trials(&mut self, claims: &[TrialClaim], now: Instant) -> Vec<SharedTrial> {
        self.trials
            .retain(|(_, at)| now.saturating_duration_since(*at) < TRIAL_TIME);
        for claim in claims {
            let is_known = self.trials.iter().any(|(known, _)| known == claim);
            if !is_known && claim.is_admitted(&self.shared_trials(now)) {
                self.trials.push((claim.clone(), now));
            }
        }
        self.shared_trials(now)
    }

    fn shared_trials(&self, now: Instant) -> Vec<SharedTrial> {
        let trials = self.trials.iter().map(|(claim, at)| SharedTrial {
            claim: claim.clone(),
            age: now.saturating_duration_since(*at),
        });
        trials.collect()
    }

    fn shared_outages(&self, now: Instant) -> Vec<SharedOutage> {
        let rows = self.outages.iter().filter(|(_, row)| row.expires > now);
        let shared = rows.map(|(provider, row)| SharedOutage {
            provider: provider.clone(),
            version: row.version,
            text: row.text.clone(),
            ends_by: row.ends_by,
            since: now.saturating_duration_since(row.since),
            next_try: row.next_try.saturating_duration_since(now),
        });
        shared.collect()
    }
}

impl FleetDatabase {
    pub(in super::super) fn renew_limits(
        &self,
        session: &LeaseSession,
        report: &LimitReport,
    ) -> LimitNews {
        let (mut tables, now) = (self.tables.lock(), server_time());
        let limits = &mut tables.limits;
        let mut parts = Vec::new();
        for claim in &report.claims {
            let part = self.renew_part(limits, session, claim, now);
            parts.push(part);
        }
        if !self.is_sabotaged(Sabotage::KeepsPartsOfTheDead) {
            for ((_, owner), row) in &mut limits.allowances {
                if row.home == session.home && *owner != session.owner && row.expires > now {
                    row.expires = now;
                }
            }
        }
        for outage in &report.outages {
            if outage.change.is_some() || outage.seen != 0 {
                limits.share_outage(outage, now);
            }
        }
        let day = report.day;
        LimitNews {
            parts,
            spent: day
                .filter(|_| !self.is_sabotaged(Sabotage::HidesSpending))
                .map(|day| self.memory.look(|swarm| swarm.spent_together(day))),
            outages: limits.shared_outages(now),
            trials: limits.share_trials(&report.trials, now),
            held: self.held_news(report.held_stamp),
        }
    }

    /// The texts that are held back, if that is news.
    fn held_news(&self, known: i64) -> Option<(i64, Vec<HeldText>)> {
        let texts = self.memory.look(StoredSwarm::held_texts);
        let stamp = texts.iter().fold(0, |stamp: i64, held| {
            let place = held.mysis.0.wrapping_mul(31).wrapping_add(held.seq.0);
            stamp.wrapping_add(place ^ held.doubted_at.0)
        });
        (stamp != known).then_some((stamp, texts))
    }

    fn renew_part(
        &self,
        limits: &mut LimitTables,
        session: &LeaseSession,
        claim: &LimitClaim,
        now: Instant,
    ) -> LimitPart {
        let name = claim.name();
        let mut seen = limits.seen(&name, session, now);
        if self.is_sabotaged(Sabotage::GrantsAllToEach)
            || self.is_sabotaged(Sabotage::GrantsTokensToEach) && claim.kind == LimitKind::Tokens
        {
            seen.retain(|row| row.owner == session.owner);
        }
        let second = self.monitor.server_second();
        let granted = grant(claim, &session.owner, &seen, second);
        let lasts = match self.is_sabotaged(Sabotage::KeepsPartsOfTheDead) {
            true => Duration::from_secs(86_400),
            false => PART_TIME,
        };
        let row = AllowanceRow {
            home: session.home.clone(),
            part: granted.held,
            used: claim.used,
            wanted: claim.need.wanted,
            unit: claim.need.unit,
            expires: now + lasts,
        };
        limits.allowances.insert((name, session.owner.clone()), row);
        LimitPart {
            lane: claim.lane.clone(),
            kind: claim.kind,
            part: granted.part,
            is_first: granted.is_first,
        }
    }

    pub(super) fn give_back_allowances(&self, session: &LeaseSession) {
        let (mut tables, now) = (self.tables.lock(), server_time());
        for ((_, owner), row) in &mut tables.limits.allowances {
            if *owner == session.owner {
                row.expires = now;
            }
        }
    }

    /// The tokens that are stored as spent, by day.
    pub(in super::super) fn spent(&self) -> BTreeMap<Day, u64> {
        let mut spent = BTreeMap::new();
        for entry in self.memory.look(|swarm| swarm.books_since(Day(i64::MIN))) {
            *spent.entry(entry.day).or_default() += entry.spent.tokens();
        }
        spent
    }

    pub(in super::super) fn part_holders_besides(
        &self,
        living: &BTreeSet<Arc<str>>,
    ) -> BTreeSet<Arc<str>> {
        let (tables, now) = (self.tables.lock(), server_time());
        let rows = tables.limits.allowances.iter();
        let held = rows.filter(|(_, row)| row.expires > now && row.part > 0);
        let owners = held.map(|((_, owner), _)| owner.clone());
        owners.filter(|owner| !living.contains(owner)).collect()
    }

    /// Whether this process has a part of a provider's requests in flight that has not expired.
    pub(in super::super) fn has_part(&self, provider: &Arc<str>, owner: &Arc<str>) -> bool {
        let (tables, now) = (self.tables.lock(), server_time());
        let name =
            LimitClaim::name_of(&Lane::Provider(provider.clone()), LimitKind::InFlight, None);
        let row = tables.limits.allowances.get(&(name, owner.clone()));
        row.is_some_and(|row| row.expires > now)
    }
}

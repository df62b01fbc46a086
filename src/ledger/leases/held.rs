//! What a process holds, as far as it knows: leases that it took, and who was told of them.

use std::collections::BTreeSet;
use std::time::Duration;

use actors::domain::ids::MysisId;
use actors::ports::FleetReport;
use tokio::time::Instant;

/// How often leases are renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(10);
/// For how long after the beginning of a renewal a process relies on its leases. They last five
/// seconds longer, by the server's clock: time for what is just leaving.
const SAFE_TIME: Duration = Duration::from_secs(25);

/// The Myses of this process. A Mysis stays here until the swarm has let it go, whoever holds its
/// lease, so that it is never taken anew while its earlier life is at work.
#[derive(Debug, Default)]
pub(crate) struct HeldMyses {
    all: BTreeSet<MysisId>,
    /// Taken, and not yet taken up by the swarm.
    untold: BTreeSet<MysisId>,
    /// Maybe taken: the commit had no answer.
    doubtful: BTreeSet<MysisId>,
    /// Held no more, and not yet let go by the swarm.
    lost: BTreeSet<MysisId>,
    /// When the last renewal began.
    renewed: Option<Instant>,
    /// What was said of this process at the last renewal.
    said: (usize, bool),
    /// When it was last read where every Mysis is.
    placed: Option<Instant>,
}

impl HeldMyses {
    /// What was taken when the database was opened. The swarm starts with it.
    pub(crate) fn begin(&mut self, ours: BTreeSet<MysisId>) {
        self.all = ours;
    }

    /// A new Mysis.
    pub(crate) fn add(&mut self, mysis: MysisId) {
        self.all.insert(mysis);
    }

    pub(crate) fn all(&self) -> BTreeSet<MysisId> {
        self.all.clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn lost(&self) -> Vec<MysisId> {
        self.lost.iter().copied().collect()
    }

    pub(crate) fn untold(&self) -> BTreeSet<MysisId> {
        self.untold.clone()
    }

    pub(crate) fn is_frozen(&self) -> bool {
        self.said.1
    }

    /// Whether a renewal is due: by time, or because this process has changed.
    pub(crate) fn is_due(&self, report: &FleetReport) -> bool {
        let is_other = self.said != (report.capacity, report.is_frozen);
        let is_old = |renewed: Instant| renewed.elapsed() >= RENEWAL_INTERVAL;
        is_other || !self.lost.is_empty() || self.renewed.is_none_or(is_old)
    }

    /// Whether it is time to read where every Mysis is. The next time begins now then.
    pub(crate) fn places_are_due(&mut self, now: Instant, interval: Duration) -> bool {
        let is_due = |placed: Instant| now.duration_since(placed) >= interval;
        let is_due = self.placed.is_none_or(is_due);
        if is_due {
            self.placed = Some(now);
        }
        is_due
    }

    /// Until when no other process takes what is held here; `None` where something is lost.
    pub(crate) fn safe_until(&self) -> Option<Instant> {
        let renewed = self.renewed.filter(|_| self.lost.is_empty());
        renewed.map(|renewed| renewed + SAFE_TIME)
    }

    /// Takes the result of a renewal: what was held before it, and what is.
    pub(crate) fn renewed(
        &mut self,
        (before, owned): (&BTreeSet<MysisId>, &BTreeSet<MysisId>),
        began: Instant,
        report: &FleetReport,
    ) {
        let doubtful = std::mem::take(&mut self.doubtful);
        self.take(doubtful.intersection(owned).copied().collect());
        self.lost = before.difference(owned).copied().collect();
        self.renewed = Some(began);
        self.said = (report.capacity, report.is_frozen);
    }

    pub(crate) fn doubt(&mut self, taken: &BTreeSet<MysisId>) {
        self.doubtful.extend(taken);
    }

    pub(crate) fn take(&mut self, taken: BTreeSet<MysisId>) {
        self.doubtful.retain(|mysis| !taken.contains(mysis));
        let new: Vec<MysisId> = taken.difference(&self.all).copied().collect();
        self.untold.extend(&new);
        self.all.extend(new);
    }

    pub(crate) fn arrive(&mut self, myses: &[MysisId]) {
        for mysis in myses {
            self.untold.remove(mysis);
        }
    }

    /// Myses that this process runs no more.
    pub(crate) fn forget(&mut self, myses: &[MysisId]) {
        for mysis in myses {
            self.all.remove(mysis);
            self.untold.remove(mysis);
            self.lost.remove(mysis);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ids: &[i64]) -> BTreeSet<MysisId> {
        ids.iter().copied().map(MysisId).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewal_is_due_by_time_and_when_the_process_has_changed() {
        let mut held = HeldMyses::default();
        let report = FleetReport::default();
        assert!(held.is_due(&report), "it never was");
        let began = Instant::now();
        held.renewed((&set(&[]), &set(&[])), began, &report);
        assert!(!held.is_due(&report));
        assert_eq!(held.safe_until(), Some(began + SAFE_TIME));
        let frozen = FleetReport {
            is_frozen: true,
            ..report.clone()
        };
        assert!(held.is_due(&frozen));
        tokio::time::advance(RENEWAL_INTERVAL).await;
        assert!(held.is_due(&report));
    }

    #[test]
    fn what_is_lost_is_told_until_it_is_let_go() {
        let mut held = HeldMyses::default();
        held.begin(set(&[1, 2]));
        let before = held.all();
        // One that is created during the renewal is not lost.
        held.add(MysisId(3));
        held.renewed(
            (&before, &set(&[2])),
            Instant::now(),
            &FleetReport::default(),
        );
        assert_eq!((held.lost(), held.safe_until()), (vec![MysisId(1)], None));
        assert!(held.is_due(&FleetReport::default()), "until all is well");
        held.forget(&[MysisId(1)]);
        assert_eq!((held.lost(), held.all()), (vec![], set(&[2, 3])));
    }

    #[test]
    fn what_is_taken_is_told_until_it_has_arrived() {
        let mut held = HeldMyses::default();
        held.doubt(&set(&[4, 5, 6]));
        // The answer was lost, and the next renewal shows what happened.
        let (before, owned) = (set(&[]), set(&[4, 5]));
        held.renewed((&before, &owned), Instant::now(), &FleetReport::default());
        assert_eq!(held.untold(), set(&[4, 5]));
        held.arrive(&[MysisId(4)]);
        assert_eq!(held.untold(), set(&[5]));
        held.take(set(&[4]));
        assert_eq!(held.untold(), set(&[5]), "it is here already");
    }
}

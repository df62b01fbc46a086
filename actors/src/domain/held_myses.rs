//! What a process holds, as far as it knows: leases that it took, and who was told of them.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::ids::{Moment, MysisId};

const RENEWAL_INTERVAL: Duration = Duration::from_secs(10);
/// For how long after the beginning of a renewal a process relies on its leases. They last five
/// seconds longer, by the server's clock: time for what is just leaving.
const SAFE_TIME: Duration = Duration::from_secs(25);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessSays {
    pub capacity: usize,
    pub is_frozen: bool,
}

/// The Myses of this process. A Mysis stays here until the swarm has let it go, whoever holds its
/// lease, so that it is never taken anew while its earlier life is at work.
#[derive(Debug, Default)]
pub struct HeldMyses {
    all: BTreeSet<MysisId>,
    /// Taken, and not yet taken up by the swarm.
    unread: BTreeSet<MysisId>,
    /// Maybe taken: the commit had no answer.
    doubtful: BTreeSet<MysisId>,
    /// Held no more, and not yet let go by the swarm.
    lost: BTreeSet<MysisId>,
    /// When the last renewal began.
    renewed: Option<Moment>,
    said: ProcessSays,
    /// When it was last read where every Mysis is.
    placed: Option<Moment>,
}

impl HeldMyses {
    /// What was taken when the database was opened. The swarm starts with it.
    pub fn begin(&mut self, ours: BTreeSet<MysisId>) {
        self.all = ours;
    }

    pub fn add(&mut self, mysis: MysisId) {
        self.doubtful.remove(&mysis);
        self.all.insert(mysis);
    }

    pub fn all(&self) -> BTreeSet<MysisId> {
        self.all.clone()
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Those that another process took, until they are let go.
    pub fn lost(&self) -> Vec<MysisId> {
        self.lost.iter().copied().collect()
    }

    /// Those that the swarm has not taken up yet.
    pub fn unread(&self) -> BTreeSet<MysisId> {
        self.unread.clone()
    }

    pub fn is_frozen(&self) -> bool {
        self.said.is_frozen
    }

    /// Whether a renewal is due: by time, or because this process has changed.
    pub fn is_due(&self, says: ProcessSays, now: Moment) -> bool {
        let is_other = self.said != says;
        let is_old = |renewed: Moment| now.since(renewed) >= RENEWAL_INTERVAL;
        is_other || !self.lost.is_empty() || self.renewed.is_none_or(is_old)
    }

    /// Whether it is time to read where every Mysis is. The next time begins now then.
    pub fn places_are_due(&mut self, now: Moment, interval: Duration) -> bool {
        let is_due = |placed: Moment| now.since(placed) >= interval;
        let is_due = self.placed.is_none_or(is_due);
        if is_due {
            self.placed = Some(now);
        }
        is_due
    }

    /// Until when no other process takes what is held here; `None` where something is lost.
    pub fn safe_until(&self) -> Option<Moment> {
        let renewed = self.renewed.filter(|_| self.lost.is_empty());
        renewed.map(|renewed| renewed.plus(SAFE_TIME))
    }

    /// Takes the result of a renewal: what was held before it, and what is.
    pub fn renewed(
        &mut self,
        (before, owned): (&BTreeSet<MysisId>, &BTreeSet<MysisId>),
        began: Moment,
        says: ProcessSays,
    ) {
        // What is not found stays doubtful: its commit may be visible only after this.
        self.take(self.doubtful.intersection(owned).copied().collect());
        self.lost = before.difference(owned).copied().collect();
        self.renewed = Some(began);
        self.said = says;
    }

    /// Notes what is about to be taken, by a commit that may have no answer.
    pub fn doubt(&mut self, taken: &BTreeSet<MysisId>) {
        self.doubtful.extend(taken);
    }

    pub fn take(&mut self, taken: BTreeSet<MysisId>) {
        self.doubtful.retain(|mysis| !taken.contains(mysis));
        let new: Vec<MysisId> = taken.difference(&self.all).copied().collect();
        self.unread.extend(&new);
        self.all.extend(new);
    }

    /// Notes what the swarm has taken up.
    pub fn arrive(&mut self, myses: &[MysisId]) {
        for mysis in myses {
            self.unread.remove(mysis);
        }
    }

    /// Myses that this process runs no more.
    pub fn forget(&mut self, myses: &[MysisId]) {
        for mysis in myses {
            self.all.remove(mysis);
            self.unread.remove(mysis);
            self.doubtful.remove(mysis);
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

    #[test]
    fn a_renewal_is_due_by_time_and_when_the_process_has_changed() {
        let mut held = HeldMyses::default();
        let says = ProcessSays::default();
        let began = Moment(700);
        assert!(held.is_due(says, began), "it never was");
        held.renewed((&set(&[]), &set(&[])), began, says);
        assert!(!held.is_due(says, began));
        assert_eq!(held.safe_until(), Some(began.plus(SAFE_TIME)));
        let frozen = ProcessSays {
            is_frozen: true,
            ..says
        };
        assert!(held.is_due(frozen, began));
        assert!(held.is_due(says, began.plus(RENEWAL_INTERVAL)));
    }

    #[test]
    fn what_is_lost_is_told_until_it_is_let_go() {
        let mut held = HeldMyses::default();
        held.begin(set(&[1, 2]));
        let before = held.all();
        // One that is created during the renewal is not lost.
        held.add(MysisId(3));
        held.renewed((&before, &set(&[2])), Moment(1), ProcessSays::default());
        assert_eq!((held.lost(), held.safe_until()), (vec![MysisId(1)], None));
        assert!(
            held.is_due(ProcessSays::default(), Moment(1)),
            "until all is well"
        );
        held.forget(&[MysisId(1)]);
        assert_eq!((held.lost(), held.all()), (vec![], set(&[2, 3])));
    }

    #[test]
    fn what_is_taken_is_told_until_it_has_arrived() {
        let mut held = HeldMyses::default();
        held.doubt(&set(&[4, 5, 6]));
        // The answer was lost, and a later renewal shows what happened, at the latest once the commit is visible.
        let none = set(&[]);
        for owned in [none.clone(), set(&[4, 5])] {
            held.renewed((&none, &owned), Moment(1), ProcessSays::default());
        }
        assert_eq!(held.unread(), set(&[4, 5]));
        held.arrive(&[MysisId(4)]);
        assert_eq!(held.unread(), set(&[5]));
        held.take(set(&[4]));
        assert_eq!(held.unread(), set(&[5]), "it is here already");
    }
}

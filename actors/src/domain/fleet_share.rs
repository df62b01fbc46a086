//! Shares: how many Myses each process of a fleet runs, takes and gives back.

/// What a process sees of the fleet. Myses of frozen processes are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FleetCounts {
    /// The capacity of all processes that live and are neither frozen nor being drained.
    pub capacity: i64,
    pub is_draining: bool,
    pub running: KindCounts,
    pub resting: KindCounts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCounts {
    pub all: i64,
    /// Held by this process.
    pub here: i64,
    /// Held by no process, or by none any more.
    pub free: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FleetPlan {
    /// How many running Myses are too many here.
    pub surplus: i64,
    /// How many running Myses are to be taken.
    pub running: i64,
    /// How many Myses at rest are to be taken.
    pub resting: i64,
}

impl FleetCounts {
    pub fn plan(&self, capacity: usize, is_frozen: bool) -> FleetPlan {
        if is_frozen {
            return FleetPlan::default();
        }
        if self.is_draining {
            // Without anybody else they would not run at all.
            let surplus = match self.capacity {
                0 => 0,
                _ => self.running.here,
            };
            return FleetPlan {
                surplus,
                ..FleetPlan::default()
            };
        }
        let capacity = i64::try_from(capacity).unwrap_or(i64::MAX);
        let share = |of: KindCounts| share_of(of.all, capacity, self.capacity);
        let room = |of: KindCounts| of.free.min(share(of) - of.here).max(0);
        FleetPlan {
            surplus: (self.running.here - share(self.running)).max(0),
            running: room(self.running),
            resting: room(self.resting),
        }
    }
}

/// The share of a process in so many Myses: in proportion to its capacity, and rounded up, so that
/// all shares together are never too few.
fn share_of(total: i64, capacity: i64, fleet_capacity: i64) -> i64 {
    // Its own row may have expired.
    let of_all = fleet_capacity.max(capacity).max(1);
    let product = i128::from(total.max(0)) * i128::from(capacity.max(0));
    let share = (product + i128::from(of_all) - 1) / i128::from(of_all);
    i64::try_from(share).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(running: [i64; 3], resting: [i64; 3], capacity: i64) -> FleetCounts {
        let kind = |[all, here, free]: [i64; 3]| KindCounts { all, here, free };
        FleetCounts {
            capacity,
            is_draining: false,
            running: kind(running),
            resting: kind(resting),
        }
    }

    fn planned(seen: &FleetCounts) -> [i64; 3] {
        let plan = seen.plan(100, false);
        [plan.surplus, plan.running, plan.resting]
    }

    #[test]
    fn a_process_takes_up_to_its_share_and_gives_back_what_runs_beyond_it() {
        let none = [0, 0, 0];
        for (seen, does) in [
            // Alone it takes everything.
            (counts([60, 0, 60], [5, 0, 5], 100), [0, 60, 5]),
            // One of three is gone.
            (counts([60, 20, 20], none, 200), [0, 10, 0]),
            // A second one has come.
            (counts([60, 60, 0], [9, 9, 0], 200), [30, 0, 0]),
            (counts([60, 0, 7], none, 200), [0, 7, 0]),
            // Nobody takes more than is free.
            (counts([3, 2, 0], none, 200), [0, 0, 0]),
        ] {
            assert_eq!(planned(&seen), does, "{seen:?}");
        }
    }

    #[test]
    fn a_frozen_process_neither_takes_nor_gives() {
        let seen = counts([60, 40, 20], [5, 0, 5], 100);
        assert_eq!(seen.plan(100, true), FleetPlan::default());
    }

    #[test]
    fn a_drained_process_gives_back_all_unless_nobody_would_take_it() {
        for (capacity, surplus) in [(100, 20), (0, 0)] {
            let seen = FleetCounts {
                is_draining: true,
                ..counts([60, 20, 20], [0, 0, 0], capacity)
            };
            let plan = seen.plan(100, false);
            assert_eq!((plan.surplus, plan.running), (surplus, 0));
        }
    }

    #[test]
    fn equal_processes_have_equal_shares() {
        assert_eq!(share_of(60, 16, 16), 60);
        assert_eq!(share_of(60, 16, 32), 30);
        assert_eq!(share_of(10, 16, 64), 3);
        assert_eq!(share_of(0, 16, 64), 0);
        assert_eq!(share_of(7, 0, 64), 0);
        assert_eq!(share_of(7, 16, 0), 7, "its own row has expired");
    }

    proptest! {
        #[test]
        fn all_shares_together_are_enough(
            total in 0..20_000_i64,
            capacities in proptest::collection::vec(1..10_000_i64, 1..12),
        ) {
            let sum: i64 = capacities.iter().sum();
            let shares = capacities.iter().map(|capacity| share_of(total, *capacity, sum));
            let together: i64 = shares.sum();
            prop_assert!(together >= total);
            prop_assert!(together < total + i64::try_from(capacities.len()).unwrap());
        }
    }
}

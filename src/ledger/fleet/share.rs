//! Shares: how many Myses are for one process of a fleet.

/// The share of a process in so many Myses: in proportion to its capacity, and rounded up, so that
/// all shares together are never too few.
pub(super) fn share_of(total: i64, capacity: i64, fleet_capacity: i64) -> i64 {
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

//! Grants: what a process gets of a limit, in view of what all processes said of it.

use std::sync::Arc;

use super::{LimitClaim, LimitNeed, divide};

/// What one process said of one limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub owner: Arc<str>,
    pub part: u64,
    pub used: u64,
    pub wanted: u64,
    pub unit: u64,
    /// Whether its part has not expired.
    pub lives: bool,
}

/// What a process gets of a limit, and what it holds from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    pub part: u64,
    /// What nobody else may use.
    pub held: u64,
    /// Whether nobody used the limit in the last minute.
    pub is_first: bool,
}

/// The part of the process with this owner, in view of all rows of the limit, by owner, in this second
/// of the server's clock.
pub fn grant(claim: &LimitClaim, owner: &str, rows: &[Allowance], second: u64) -> Granted {
    let (own, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| &*row.owner == owner);
    let others_live = || others.iter().filter(|row| row.lives);
    let gone = others
        .iter()
        .filter(|row| !row.lives && claim.kind.lingers());
    let of_gone: u64 = gone.map(|row| row.used).sum();
    let limit = claim.limit.saturating_sub(of_gone);

    let need = |row: &&&Allowance| LimitNeed {
        wanted: row.wanted,
        unit: row.unit,
    };
    let before = others_live().filter(|row| &*row.owner < owner);
    let after = others_live().filter(|row| &*row.owner > owner);
    let mut needs: Vec<LimitNeed> = before.map(|row| need(&row)).collect();
    let place = needs.len();
    needs.push(claim.need);
    needs.extend(after.map(|row| need(&row)));
    let target = divide(limit, &needs, second / claim.kind.turn_seconds())[place];

    // A part that has expired may be another's by now.
    let held = match own.first().is_some_and(|row| row.lives) {
        true => claim.held,
        false => 0,
    };
    let of_others: u64 = others_live().map(|row| row.part).sum();
    let free = limit.saturating_sub(of_others);
    let part = target.min(free.max(held));
    Granted {
        part,
        held: part.max(held).max(claim.used),
        is_first: rows.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::ids::Lane;
    use crate::sharing::LimitKind;

    fn claim(kind: LimitKind, held: u64, used: u64, wanted: u64) -> LimitClaim {
        LimitClaim {
            lane: Lane::Provider("p".into()),
            kind,
            group: None,
            limit: 6,
            held,
            used,
            need: LimitNeed { wanted, unit: 1 },
        }
    }

    fn row(owner: &str, part: u64, used: u64, wanted: u64) -> Allowance {
        Allowance {
            owner: owner.into(),
            part,
            used,
            wanted,
            unit: 1,
            lives: true,
        }
    }

    fn granted(claim: &LimitClaim, rows: &[Allowance]) -> (u64, u64) {
        let granted = grant(claim, "b", rows, 0);
        (granted.part, granted.held)
    }

    #[test]
    fn a_part_grows_only_out_of_what_no_process_holds() {
        let wants = claim(LimitKind::InFlight, 0, 0, 9);
        assert_eq!(granted(&wants, &[]), (6, 6));
        assert!(grant(&wants, "b", &[], 0).is_first);
        assert_eq!(granted(&wants, &[row("a", 6, 6, 9)]), (0, 0));
        assert_eq!(granted(&wants, &[row("a", 4, 4, 9)]), (2, 2));
        assert_eq!(granted(&wants, &[row("a", 1, 1, 1)]), (5, 5));
        assert!(!grant(&wants, "b", &[row("a", 4, 4, 9)], 0).is_first);
    }

    #[test]
    fn what_may_still_be_used_is_held_until_it_is_not() {
        let both = [row("a", 0, 0, 9), row("b", 6, 6, 9)];
        let claimed = claim(LimitKind::InFlight, 6, 6, 9);
        assert_eq!(granted(&claimed, &both), (3, 6), "it is not told yet");
        let claimed = claim(LimitKind::InFlight, 3, 5, 9);
        assert_eq!(granted(&claimed, &both), (3, 5), "two calls are not over");
        let claimed = claim(LimitKind::InFlight, 3, 2, 9);
        assert_eq!(granted(&claimed, &both), (3, 3));
    }

    #[test]
    fn a_part_that_has_expired_is_not_held_any_more() {
        let expired = Allowance {
            lives: false,
            ..row("b", 6, 6, 9)
        };
        let others = row("a", 6, 6, 9);
        let claimed = claim(LimitKind::InFlight, 6, 2, 9);
        assert_eq!(granted(&claimed, &[others, expired.clone()]), (0, 2));
        assert_eq!(granted(&claimed, &[expired]), (6, 6));
    }

    #[test]
    fn what_a_dead_process_used_counts_for_a_minute_where_a_minute_is_limited() {
        let dead = Allowance {
            lives: false,
            ..row("a", 6, 4, 9)
        };
        for (kind, part) in [(LimitKind::Tokens, 2), (LimitKind::InFlight, 6)] {
            let wants = claim(kind, 0, 0, 9);
            assert_eq!(
                granted(&wants, std::slice::from_ref(&dead)),
                (part, part),
                "{kind:?}"
            );
        }
    }

    proptest! {
        /// Processes whose steps come in any order, of which some die.
        #[test]
        fn whatever_happens_all_together_never_use_more_than_the_limit(
            limit in 1..20_u64,
            steps in proptest::collection::vec((0..4_usize, 0..12_u64, any::<bool>()), 1..80),
        ) {
            let owners = ["a", "b", "c", "d"];
            let mut rows: BTreeMap<usize, Allowance> = BTreeMap::new();
            // What each may use, and uses.
            let mut parts = [0_u64; 4];
            let mut used = [0_u64; 4];
            for (second, (who, wanted, dies)) in steps.into_iter().enumerate() {
                if dies && second % 7 == 0 {
                    rows.remove(&who);
                    parts[who] = 0;
                    used[who] = 0;
                    continue;
                }
                let claimed = LimitClaim {
                    limit,
                    ..claim(LimitKind::InFlight, parts[who], used[who], wanted)
                };
                // It goes on with what it has while it asks.
                used[who] = used[who].max(parts[who].min(wanted));
                let seen: Vec<Allowance> = rows.values().cloned().collect();
                let granted = grant(&claimed, owners[who], &seen, second as u64);
                rows.insert(who, row(owners[who], granted.held, claimed.used, wanted));
                parts[who] = granted.part;
                // Calls end, and others begin.
                used[who] = if wanted % 3 == 0 { parts[who].min(wanted) } else { used[who].min(wanted.max(parts[who])) };
                let all: u64 = (0..4).map(|who| used[who].max(parts[who])).sum();
                prop_assert!(all <= limit, "{parts:?} {used:?}");
            }
        }
    }
}

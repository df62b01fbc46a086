//! Sharing: how the processes of a fleet divide a limit, so that it holds for all of them together.
//!
//! Each process says what it would use, and gets a part. A part is only ever made larger out of what
//! no process holds, so all parts together never exceed the limit.

mod grant;

use std::sync::Arc;
use std::time::Duration;

use strum::{EnumCount, VariantArray};

use super::ids::Lane;
use super::model::ServiceReturn;

pub use grant::{Allowance, Granted, grant};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumCount, VariantArray)]
pub enum LimitKind {
    InFlight,
    /// Requests that begin in a minute, in thousandths, so that few can be divided among many.
    Pace,
    /// Tokens of requests that begin in a minute.
    Tokens,
    /// The right to try a server that is away: one process has it.
    Trial,
}

impl LimitKind {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// Whether what a process used still counts for a minute after its end.
    #[must_use]
    pub fn lingers(self) -> bool {
        match self {
            LimitKind::Tokens => true,
            // Calls end with their process, and a pace that nobody holds is no debt.
            LimitKind::InFlight | LimitKind::Pace | LimitKind::Trial => false,
        }
    }

    /// For how many seconds one process is the first when there is not enough for all. What was used
    /// comes back within that time.
    #[must_use]
    pub fn turn_seconds(self) -> u64 {
        match self {
            LimitKind::InFlight | LimitKind::Pace | LimitKind::Trial => 10,
            LimitKind::Tokens => 90,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            LimitKind::InFlight => "in flight",
            LimitKind::Pace => "a minute",
            LimitKind::Tokens => "tokens a minute",
            LimitKind::Trial => "trial call",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitClaim {
    pub lane: Lane,
    pub kind: LimitKind,
    /// Those who share the limit, if not all processes do.
    pub group: Option<Arc<str>>,
    pub limit: u64,
    /// What this process may use until it is told otherwise.
    pub held: u64,
    /// What it uses now and cannot give back at once.
    pub used: u64,
    /// What it would use if it could.
    pub need: LimitNeed,
}

impl LimitClaim {
    pub fn name(&self) -> String {
        LimitClaim::name_of(&self.lane, self.kind, self.group.as_deref())
    }

    pub fn name_of(lane: &Lane, kind: LimitKind, group: Option<&str>) -> String {
        let (kind, group) = (kind.as_str(), group.unwrap_or_default());
        match lane {
            Lane::Provider(provider) => format!("provider {provider}{group}: {kind}"),
            Lane::Logins => format!("logins {group}: {kind}"),
            Lane::Game => format!("game {group}: {kind}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitPart {
    pub lane: Lane,
    pub kind: LimitKind,
    pub part: u64,
    /// Whether nobody used the limit in the last minute.
    pub is_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitNeed {
    pub wanted: u64,
    /// The least that is of use.
    pub unit: u64,
}

impl LimitNeed {
    fn unit(self, limit: u64) -> u64 {
        self.unit.clamp(1, limit.max(1))
    }

    /// What it gets if nobody gets more than this.
    fn at(self, level: u64, limit: u64) -> u64 {
        let unit = self.unit(limit);
        level.min(self.wanted) / unit * unit
    }
}

/// Divides a limit. Nobody gets more while another one lacks something, and nobody more than it wants,
/// until all have what they want; the rest is divided evenly then. `turn` says whose turn it is where
/// there is not enough for all: that one gets what is of use to it first.
pub fn divide(limit: u64, needs: &[LimitNeed], turn: u64) -> Vec<u64> {
    let count = needs.len() as u64;
    if count == 0 {
        return Vec::new();
    }
    let first = usize::try_from(turn % count).unwrap_or(0);
    let least = |place: usize, need: &LimitNeed| match place == first && need.wanted > 0 {
        true => need.unit(limit).min(limit),
        false => 0,
    };
    let parts_at = |level: u64| -> Vec<u64> {
        let parts = needs.iter().enumerate();
        let part =
            |(place, need): (usize, &LimitNeed)| need.at(level, limit).max(least(place, need));
        parts.map(part).collect()
    };
    let mut parts = parts_at(highest_level(limit, parts_at));
    let mut rest = limit.saturating_sub(sum(&parts));
    let mut order: Vec<usize> = (first..needs.len()).chain(0..first).collect();
    order.sort_by_key(|place| parts[*place]);
    for place in order {
        let unit = needs[place].unit(limit);
        if parts[place] >= needs[place].wanted {
            continue;
        }
        if unit > rest {
            // What is too little for this one is kept until it is enough.
            return parts;
        }
        parts[place] += unit;
        rest -= unit;
    }
    let has_all = parts
        .iter()
        .zip(needs)
        .all(|(part, need)| *part >= need.wanted);
    if has_all {
        for part in &mut parts {
            *part += rest / count;
        }
    }
    parts
}

/// The highest level at which all parts together do not exceed the limit.
fn highest_level(limit: u64, parts_at: impl Fn(u64) -> Vec<u64>) -> u64 {
    let (mut fits, mut exceeds) = (0, limit.saturating_add(1));
    while fits + 1 < exceeds {
        let level = fits + (exceeds - fits) / 2;
        match sum(&parts_at(level)) <= limit {
            true => fits = level,
            false => exceeds = level,
        }
    }
    fits
}

fn sum(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(*part))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutageReport {
    pub provider: Arc<str>,
    /// The version of what all say, as far as this process knows; 0 if they say that it works.
    pub seen: i64,
    /// What this process has found out since; `None` if nothing.
    pub change: Option<OutageChange>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutageChange {
    Away(SharedOutage),
    Over,
}

/// A server that is away, as processes tell each other. Times are relative, because their clocks are
/// not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedOutage {
    pub provider: Arc<str>,
    /// Changes whenever anything of it does.
    pub version: i64,
    pub text: Arc<str>,
    pub ends_by: Option<ServiceReturn>,
    pub since: Duration,
    /// The time until the next trial call.
    pub next_try: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn divided(limit: u64, wanted: &[u64], turn: u64) -> Vec<u64> {
        let need = |wanted: &u64| LimitNeed {
            wanted: *wanted,
            unit: 1,
        };
        let needs: Vec<LimitNeed> = wanted.iter().map(need).collect();
        divide(limit, &needs, turn)
    }

    #[test]
    fn who_asks_for_less_leaves_the_rest_to_the_others() {
        assert_eq!(divided(6, &[9, 9, 9], 0), [2, 2, 2]);
        assert_eq!(divided(6, &[1, 9, 9], 0), [1, 3, 2]);
        assert_eq!(divided(6, &[1, 9, 9], 2), [1, 2, 3]);
        assert_eq!(divided(6, &[0, 9, 0], 0), [0, 6, 0]);
        assert_eq!(divided(64, &[10, 2], 0), [36, 28], "there is room for more");
        assert_eq!(divided(5, &[], 0), [0_u64; 0]);
    }

    #[test]
    fn where_there_is_less_than_one_for_each_they_take_turns() {
        let turns = [0, 1, 2, 3].map(|turn| divided(1, &[4, 4, 4], turn));
        assert_eq!(turns, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]);
        assert_eq!(divided(2, &[4, 4, 4], 2), [1, 0, 1]);
    }

    #[test]
    fn what_is_of_no_use_is_not_given_and_who_needs_much_at_once_gets_it_in_turn() {
        let needs = [(60, 40), (60, 5), (60, 5)].map(|(wanted, unit)| LimitNeed { wanted, unit });
        assert_eq!(divide(60, &needs, 0), [40, 10, 10]);
        assert_eq!(divide(60, &needs, 1), [0, 30, 30]);
        // One that is larger than the limit.
        let needs = [(90, 90), (20, 20)].map(|(wanted, unit)| LimitNeed { wanted, unit });
        assert_eq!(divide(60, &needs, 0), [60, 0]);
    }

    proptest! {
        #[test]
        fn all_parts_together_never_exceed_the_limit_and_nothing_that_is_wanted_is_left(
            limit in 0..100_000_u64,
            needs in proptest::collection::vec((0..50_000_u64, 1..20_000_u64), 1..12),
            turn in 0..100_u64,
        ) {
            let needs: Vec<LimitNeed> =
                needs.iter().map(|(wanted, unit)| LimitNeed { wanted: *wanted, unit: *unit }).collect();
            let parts = divide(limit, &needs, turn);
            prop_assert!(sum(&parts) <= limit);
            let of_one = |need: &LimitNeed| LimitNeed { unit: 1, ..*need };
            let needs: Vec<LimitNeed> = needs.iter().map(of_one).collect();
            let wanted = needs.iter().map(|need| need.wanted).sum::<u64>();
            let parts = divide(limit, &needs, turn);
            prop_assert!(sum(&parts) <= limit);
            prop_assert!(sum(&parts) >= wanted.min(limit), "{parts:?}");
        }

        #[test]
        fn equal_needs_get_equal_parts(
            limit in 0..10_000_u64,
            wanted in 0..5_000_u64,
            count in 1..12_usize,
            turn in 0..100_u64,
        ) {
            let parts = divided(limit, &vec![wanted; count], turn);
            let (least, most) = (parts.iter().min(), parts.iter().max());
            prop_assert!(most.unwrap() - least.unwrap() <= 1, "{parts:?}");
        }
    }
}

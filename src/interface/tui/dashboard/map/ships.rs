//! The ships of the swarm by system.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::ids::{MysisId, Timestamp};

use crate::dashboard::roster::Roster;
use crate::dashboard::text::tone::Tone;

/// Up to this many ships are shown by their initials.
const MAX_INITIALS: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SystemShips {
    pub(super) myses: Vec<MysisId>,
    /// What they earned in the last hour; `None` if nobody's credits are known.
    pub(super) earned: Option<i64>,
    /// The ships as the map shows them: few by their initials, if those differ, many as a number.
    pub(super) figure: String,
}

impl SystemShips {
    /// What one of them earned in the last hour, on average.
    fn earned_each(&self) -> Option<i64> {
        let count = i64::try_from(self.myses.len()).ok()?;
        self.earned?.checked_div(count)
    }
}

pub(super) fn ships_by_system(roster: &Roster, now: Timestamp) -> BTreeMap<Arc<str>, SystemShips> {
    let mut systems: BTreeMap<Arc<str>, SystemShips> = BTreeMap::new();
    for (id, member) in roster.members() {
        let figures = &member.status.figures;
        let Some(system) = &figures.facts.system else {
            continue;
        };
        let ships = systems.entry(system.clone()).or_default();
        ships.myses.push(*id);
        if let Some(earned) = figures.earned_last_hour(now) {
            ships.earned = Some(ships.earned.unwrap_or(0).saturating_add(earned));
        }
    }
    for ships in systems.values_mut() {
        ships.figure = figure(roster, &ships.myses);
    }
    systems
}

fn figure(roster: &Roster, myses: &[MysisId]) -> String {
    let count = myses.len();
    if count > MAX_INITIALS {
        return count.to_string();
    }
    let names = myses.iter().filter_map(|id| roster.get(*id));
    let letters = names.filter_map(|member| member.status.name.chars().next());
    let letters: Vec<char> = letters.flat_map(char::to_uppercase).collect();
    let distinct: BTreeSet<char> = letters.iter().copied().collect();
    let are_plain = letters.iter().all(|letter| letter.is_ascii_alphabetic());
    match are_plain && distinct.len() == count {
        true => letters.into_iter().collect(),
        false => count.to_string(),
    }
}

pub(super) fn best_earned(systems: &BTreeMap<Arc<str>, SystemShips>) -> i64 {
    let each = systems.values().filter_map(SystemShips::earned_each);
    each.max().unwrap_or(0)
}

/// The colour of a system's ships: what one of them earns beside the best of all systems.
pub(super) fn tone_of(ships: &SystemShips, best: i64) -> Tone {
    match ships.earned_each() {
        Some(each) if each < 0 => Tone::Fault,
        None | Some(0) => Tone::Dim,
        Some(each) if each.saturating_mul(3) >= best.saturating_mul(2) => Tone::Success,
        Some(each) if each.saturating_mul(3) >= best => Tone::Accent,
        Some(_) => Tone::Warning,
    }
}

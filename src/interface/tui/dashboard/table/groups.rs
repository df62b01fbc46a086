//! Groups of the table: Myses with something in common, under one line with their sums.

mod sums;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::outages::ServerOutages;
use strum::{EnumCount, VariantArray};
use zoea_text::natural::compare_natural;

use super::MysisTable;
use super::columns::Column;
use super::seen_state::SeenState;
use super::sorting::Sorting;
use crate::dashboard::roster::{Roster, RosterMember};
use crate::dashboard::toolkit::list::Listed;

pub use sums::GroupSums;

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, VariantArray)]
pub enum Grouping {
    Place,
    Role,
    Model,
    State,
}

impl Grouping {
    /// All, in the order of the key.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// The word on screen, which the command takes, too.
    pub fn as_str(self) -> &'static str {
        match self {
            Grouping::Place => "place",
            Grouping::Role => "role",
            Grouping::Model => "model",
            Grouping::State => "state",
        }
    }

    pub fn parse(word: &str) -> Option<Grouping> {
        Self::ALL.into_iter().find(|it| it.as_str() == word)
    }

    pub fn is_of_game(self) -> bool {
        match self {
            Grouping::Place => true,
            Grouping::Role | Grouping::Model | Grouping::State => false,
        }
    }

    pub(super) fn column(self) -> Option<Column> {
        match self {
            // It has the place within the system besides.
            Grouping::Place => None,
            Grouping::Role => Some(Column::Role),
            Grouping::Model => Some(Column::Model),
            Grouping::State => Some(Column::State),
        }
    }

    /// The group of a Mysis; `None` where that is not known.
    fn key(self, status: &MysisStatus, outages: &ServerOutages) -> GroupKey {
        match self {
            Grouping::Place => status.figures.facts.system.clone(),
            Grouping::Role => status.profile.role.clone(),
            Grouping::Model => Some(status.model.clone()),
            Grouping::State => Some(SeenState::of(status, outages).as_str().into()),
        }
    }

    fn tells_apart(self, roster: &Roster, outages: &ServerOutages) -> bool {
        let mut members = roster.members().values();
        let key = |member: &RosterMember| self.key(&member.status, outages);
        let first = members.next().map(key);
        members.any(|member| first.as_ref() != Some(&key(member)))
    }

    /// What is said of those of whom it is not known.
    fn unknown(self) -> &'static str {
        match self {
            Grouping::Place => "place unknown",
            Grouping::Role => "no role",
            Grouping::Model | Grouping::State => "unknown",
        }
    }
}

/// The grouping after this one, in a circle with none: the next that tells these Myses apart.
pub fn next_grouping(
    present: Option<Grouping>,
    roster: &Roster,
    outages: &ServerOutages,
) -> Option<Grouping> {
    let place = Grouping::ALL.iter().position(|it| Some(*it) == present);
    let next = place.map_or(0, |place| place + 1);
    let mut rest = Grouping::ALL.into_iter().skip(next);
    rest.find(|it| it.tells_apart(roster, outages))
}

pub type GroupKey = Option<Arc<str>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableLine {
    /// A group, whose Myses follow unless it is folded.
    Group(GroupKey),
    Mysis(MysisId),
}

impl Listed for TableLine {
    type Key = TableLine;

    fn key(&self) -> &TableLine {
        self
    }
}

#[derive(Clone, Debug)]
pub struct Group {
    pub key: GroupKey,
    /// Where its Myses stand in the order of the table.
    pub myses: Range<usize>,
    pub sums: GroupSums,
}

impl Group {
    pub fn name(&self, by: Grouping) -> String {
        match &self.key {
            Some(key) => zoea_text::clean::one_line(key),
            None => by.unknown().to_string(),
        }
    }
}

impl MysisTable {
    /// What the Myses of a group have in common; `None` without groups.
    pub fn grouping(&self) -> Option<Grouping> {
        self.grouping
    }

    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub fn group(&self, key: &GroupKey) -> Option<&Group> {
        self.groups.iter().find(|group| group.key == *key)
    }

    /// Whether the Myses of a group are not shown.
    pub fn is_folded(&self, key: &GroupKey) -> bool {
        self.closed.contains(key)
    }

    /// The group that keys act upon; `None` while a Mysis is selected.
    pub fn selected_group(&self) -> Option<&Group> {
        match self.selection.line(&self.lines)? {
            TableLine::Mysis(_) => None,
            TableLine::Group(key) => self.group(key),
        }
    }

    /// Puts the Myses into groups, or into none.
    pub fn group_by(&mut self, grouping: Option<Grouping>) {
        self.grouping = grouping;
        self.closed = Arc::default();
        self.groups = Arc::default();
        self.arrange_anew();
    }

    pub fn toggle_fold(&mut self) {
        let Some(key) = self.selected_group().map(|group| group.key.clone()) else {
            return;
        };
        let closed = Arc::make_mut(&mut self.closed);
        if !closed.remove(&key) {
            closed.insert(key);
        }
        self.lay_out_lines();
    }

    /// Folds all groups, or shows the Myses of all if all are folded. The selected Mysis' group is selected then.
    pub fn toggle_all_folds(&mut self) {
        let keys = || self.groups.iter().map(|group| group.key.clone());
        let closed = match keys().all(|key| self.closed.contains(&key)) {
            true => BTreeSet::new(),
            false => keys().collect(),
        };
        let selected = self.selected_range().start;
        let group = self.group_around(selected);
        let is_hidden = group.is_some_and(|group| closed.contains(&group.key));
        if let (Some(group), true) = (group, is_hidden) {
            let line = TableLine::Group(group.key.clone());
            self.selection.select(Some(line));
        }
        self.closed = Arc::new(closed);
        self.lay_out_lines();
    }

    /// Shows the Myses of the group that has this place of the order.
    pub(super) fn unfold_around(&mut self, place: usize) {
        let key = self.group_around(place).map(|group| group.key.clone());
        if let Some(key) = key.filter(|key| self.closed.contains(key)) {
            Arc::make_mut(&mut self.closed).remove(&key);
            self.lay_out_lines();
        }
    }

    fn group_around(&self, place: usize) -> Option<&Group> {
        let mut groups = self.groups.iter();
        groups.find(|group| group.myses.contains(&place))
    }

    /// Makes the lines anew. Where the selected Mysis is in a folded group, its neighbour is selected.
    pub(super) fn lay_out_lines(&mut self) {
        let myses = |range: Range<usize>| {
            let myses = self.order.get(range).unwrap_or_default();
            myses.iter().map(|id| TableLine::Mysis(*id))
        };
        let mut lines = Vec::with_capacity(self.order.len() + self.groups.len());
        for group in self.groups.iter() {
            lines.push(TableLine::Group(group.key.clone()));
            if !self.closed.contains(&group.key) {
                lines.extend(myses(group.myses.clone()));
            }
        }
        if self.grouping.is_none() {
            lines.extend(myses(0..self.order.len()));
        }
        self.lines = Arc::new(lines);
    }

    pub fn sum_groups(&mut self, roster: &Roster, now: Timestamp) {
        if self.groups.is_empty() {
            return;
        }
        let order = &self.order;
        for group in Arc::make_mut(&mut self.groups) {
            let myses = order.get(group.myses.clone()).unwrap_or_default();
            let members = myses.iter().filter_map(|id| roster.get(*id));
            group.sums = GroupSums::of(members, now);
        }
    }

    /// Puts Myses, which are sorted, into groups. These stand by their sum of the sorted column, else by their names;
    /// those of whom nothing is known come last. Where it stays as it is, each stays in its group, and groups stay
    /// where they are. Returns the Myses in their new order.
    pub(super) fn put_in_groups(
        &mut self,
        by: Grouping,
        sorted: &[MysisId],
        (roster, outages): (&Roster, &ServerOutages),
        now: Timestamp,
        stays: bool,
    ) -> Arc<Vec<MysisId>> {
        let mut found: Vec<(GroupKey, Vec<MysisId>)> = Vec::new();
        let mut places: BTreeMap<GroupKey, usize> = BTreeMap::new();
        let mut known: BTreeMap<MysisId, GroupKey> = BTreeMap::new();
        for group in self.groups.iter().filter(|_| stays) {
            places.insert(group.key.clone(), found.len());
            found.push((group.key.clone(), Vec::new()));
            let myses = self.order.get(group.myses.clone()).unwrap_or_default();
            known.extend(myses.iter().map(|id| (*id, group.key.clone())));
        }
        for member in sorted.iter().filter_map(|id| roster.get(*id)) {
            let id = member.status.id;
            let key = known.remove(&id);
            let key = key.unwrap_or_else(|| by.key(&member.status, outages));
            let place = *places.entry(key.clone()).or_insert_with(|| {
                found.push((key, Vec::new()));
                found.len() - 1
            });
            found[place].1.push(id);
        }
        found.retain(|(_, myses)| !myses.is_empty());
        let mut found: Vec<_> = found
            .into_iter()
            .map(|(key, myses)| {
                let members = myses.iter().filter_map(|id| roster.get(*id));
                (key, GroupSums::of(members, now), myses)
            })
            .collect();
        if !stays {
            let Sorting { by, is_reversed } = self.sorting;
            let rank = |sums: &GroupSums| sums.rank(by, now);
            found.sort_by(|(a, a_sums, _), (b, b_sums, _)| {
                let order = rank(a_sums).cmp(&rank(b_sums));
                order.then_with(|| compare_keys(a, b))
            });
            if is_reversed {
                found.reverse();
            }
        }
        let (mut order, mut groups) = (Vec::with_capacity(sorted.len()), Vec::new());
        for (key, sums, myses) in found {
            let from = order.len();
            order.extend(myses);
            let myses = from..order.len();
            groups.push(Group { key, myses, sums });
        }
        self.groups = Arc::new(groups);
        Arc::new(order)
    }
}

fn compare_keys(a: &GroupKey, b: &GroupKey) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare_natural(a, b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

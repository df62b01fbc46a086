//! The sums of a group, and where it stands by them.

use actors::domain::ids::Timestamp;

use crate::dashboard::earning::{EarnRate, rate_line};
use crate::dashboard::money::{self, SwarmMoney, money_of, short_credits};
use crate::dashboard::roster::{Counts, RosterMember};
use crate::dashboard::table::columns::{Column, PlacedColumn};
use crate::dashboard::table::ranks::{NeedRank, need_rank};
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupSums {
    pub counts: Counts,
    pub money: SwarmMoney,
    /// How many need the operator.
    pub needs: usize,
}

impl GroupSums {
    /// The sums of these Myses.
    #[must_use]
    pub fn of<'a>(
        members: impl Iterator<Item = &'a RosterMember> + Clone,
        now: Timestamp,
    ) -> GroupSums {
        let needs = |member: &&RosterMember| need_rank(&member.status) != NeedRank::None;
        GroupSums {
            counts: Counts::of(members.clone()),
            money: money_of(members.clone(), now),
            needs: members.filter(needs).count(),
        }
    }

    /// The highest point of what it earned.
    #[must_use]
    pub fn highest_point(&self) -> i64 {
        self.money.points.iter().copied().max().unwrap_or(0)
    }

    /// The sum in a column, where there is one. All groups share the scale of the bars.
    #[must_use]
    pub fn cell(&self, placed: PlacedColumn, now: Timestamp, scale: i64) -> Option<StyledLine> {
        let columns = usize::from(placed.width);
        let amount = |sum: u64| StyledLine::of(figures::amount(sum), Tone::Dim);
        match placed.column {
            Column::Trend => {
                let points = &self.money.points;
                let rate = self.money.has_rate();
                rate.then(|| rate_line(points, now, scale, columns))
            }
            Column::Credits => {
                let credits = money::credits(self.money.credits?, columns);
                Some(StyledLine::of(credits, Tone::Text))
            }
            Column::Earned => {
                let earned = self.money.earned?;
                let tone = if earned < 0 { Tone::Fault } else { Tone::Text };
                Some(StyledLine::of(short_credits(earned), tone))
            }
            Column::Turns => Some(amount(self.counts.turns)),
            Column::Tokens => Some(amount(self.counts.tokens)),
            Column::Cost => {
                let cost = figures::money(self.counts.cost_micros);
                (self.counts.cost_micros > 0).then(|| StyledLine::of(cost, Tone::Dim))
            }
            Column::Mark
            | Column::Name
            | Column::State
            | Column::Doing
            | Column::Process
            | Column::Place
            | Column::Cargo
            | Column::Fuel
            | Column::Words
            | Column::Account
            | Column::Role
            | Column::Provider
            | Column::Model
            | Column::Nudges
            | Column::Value
            | Column::Latency
            | Column::Seen => None,
        }
    }

    /// The place of its group by a column: the least first.
    pub(super) fn rank(&self, by: Column, now: Timestamp) -> i64 {
        let most = |sum: u64| i64::try_from(sum).unwrap_or(i64::MAX).saturating_neg();
        match by {
            Column::Mark => most(self.needs.min(1) as u64),
            Column::Trend if self.money.has_rate() => {
                let rate = EarnRate::of(&self.money.points, now);
                rate.per_minute.saturating_neg()
            }
            Column::Trend => i64::MAX,
            Column::Earned => self.money.earned.map_or(i64::MAX, i64::saturating_neg),
            Column::Credits => self.money.credits.map_or(i64::MAX, i64::saturating_neg),
            Column::Turns => most(self.counts.turns),
            Column::Tokens => most(self.counts.tokens),
            Column::Cost => most(self.counts.cost_micros),
            Column::Name
            | Column::State
            | Column::Doing
            | Column::Process
            | Column::Place
            | Column::Cargo
            | Column::Fuel
            | Column::Words
            | Column::Account
            | Column::Role
            | Column::Provider
            | Column::Model
            | Column::Nudges
            | Column::Value
            | Column::Latency
            | Column::Seen => 0,
        }
    }
}

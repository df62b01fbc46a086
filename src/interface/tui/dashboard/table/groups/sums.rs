//! The sums of a group, and where it stands by them.

use actors::domain::ids::Timestamp;
use actors::domain::needs::operator_need;

use crate::dashboard::earning::{EarnRate, rate_line};
use crate::dashboard::money::{self, SwarmMoney, money_of, short_credits};
use crate::dashboard::roster::{Counts, RosterMember};
use crate::dashboard::table::columns::{Column, PlacedColumn};
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupSums {
    pub counts: Counts,
    pub money: SwarmMoney,
    pub needs: usize,
}

impl GroupSums {
    pub fn of<'a>(
        members: impl Iterator<Item = &'a RosterMember> + Clone,
        now: Timestamp,
    ) -> GroupSums {
        let needs = |member: &&RosterMember| operator_need(&member.status).is_some();
        GroupSums {
            counts: Counts::of(members.clone()),
            money: money_of(members.clone(), now),
            needs: members.filter(needs).count(),
        }
    }

    pub fn highest_point(&self) -> i64 {
        self.money.points.iter().copied().max().unwrap_or(0)
    }

    /// The sum in a column, where there is one. All groups share the scale of the bars.
    pub fn cell(&self, placed: PlacedColumn, now: Timestamp, scale: i64) -> Option<StyledLine> {
        let (columns, since) = (usize::from(placed.width), self.money.begun);
        match self.sum(placed.column, now)? {
            Sum::Needs(_) => None,
            Sum::Rate(_) => Some(rate_line(&self.money.points, (now, since), scale, columns)),
            Sum::Credits(credits) => {
                let credits = money::credits(credits, columns);
                Some(StyledLine::of(credits, Tone::Text))
            }
            Sum::Earned(earned) => {
                let tone = if earned < 0 { Tone::Fault } else { Tone::Text };
                Some(StyledLine::of(short_credits(earned), tone))
            }
            Sum::Amount(amount) => Some(StyledLine::of(figures::amount(amount), Tone::Dim)),
            Sum::Cost(micros) => {
                (micros > 0).then(|| StyledLine::of(figures::money(micros), Tone::Dim))
            }
        }
    }

    /// The place of its group by a column: the least first, and what is not known last.
    pub(super) fn rank(&self, by: Column, now: Timestamp) -> i64 {
        let most = |sum: u64| i64::try_from(sum).unwrap_or(i64::MAX).saturating_neg();
        match self.sum(by, now) {
            None => i64::MAX,
            Some(Sum::Needs(needs)) => most(needs.min(1) as u64),
            Some(Sum::Rate(sum) | Sum::Credits(sum) | Sum::Earned(sum)) => sum.saturating_neg(),
            Some(Sum::Amount(sum) | Sum::Cost(sum)) => most(sum),
        }
    }

    fn sum(&self, column: Column, now: Timestamp) -> Option<Sum> {
        let (_, sum) = SUMS.iter().find(|(known, _)| *known == column)?;
        sum(self, now)
    }
}

type SumOf = fn(&GroupSums, Timestamp) -> Option<Sum>;

/// The columns in which groups have sums.
const SUMS: [(Column, SumOf); 7] = [
    (Column::Mark, |of, _| Some(Sum::Needs(of.needs))),
    (Column::Trend, |of, now| {
        let money = &of.money;
        let rate = || EarnRate::of(&money.points, now, money.begun).per_minute;
        money.has_rate().then(rate).map(Sum::Rate)
    }),
    (Column::Credits, |of, _| of.money.credits.map(Sum::Credits)),
    (Column::Earned, |of, _| of.money.earned.map(Sum::Earned)),
    (Column::Turns, |of, _| Some(Sum::Amount(of.counts.turns))),
    (Column::Tokens, |of, _| Some(Sum::Amount(of.counts.tokens))),
    (Column::Cost, |of, _| Some(Sum::Cost(of.counts.cost_micros))),
];

/// What a group has of a column.
enum Sum {
    Needs(usize),
    /// Credits a minute.
    Rate(i64),
    Credits(i64),
    Earned(i64),
    Amount(u64),
    /// In millionths of a dollar.
    Cost(u64),
}

//! What was spent in a period: whole days (UTC) by the books, which keep what rows had that are removed by now, and
//! parts of days by the rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::books::{BudgetUse, CostEntry, Day};
use actors::domain::ids::MysisId;
use actors::domain::period::Period;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entity::message;
use crate::{LedgerInner, metadata, saved_calls};

const PIECE_ROWS: u64 = 5_000;

impl LedgerInner {
    pub(super) async fn spent_in(&self, period: Period) -> Result<Vec<CostEntry>, DbErr> {
        let mut spent: BTreeMap<(MysisId, Arc<str>), CostEntry> = BTreeMap::new();
        let mut add = |entry: CostEntry| {
            let key = (entry.mysis, entry.provider.clone());
            match spent.get_mut(&key) {
                Some(sum) => sum.spent.add(&entry.spent),
                None => drop(spent.insert(key, entry)),
            }
        };
        for entry in self.books(Day::of(period.from)).await? {
            if period.covers(Period::of_day(entry.day)) {
                add(entry);
            }
        }
        for (day, part) in partial_days(period) {
            let read = |mysis, metadata: &str| {
                if let Some(bill) = metadata::parse_bill(metadata) {
                    let mut spent = BudgetUse::default();
                    spent.add_charge(&bill);
                    add(CostEntry {
                        day,
                        mysis,
                        provider: bill.provider,
                        spent,
                    });
                }
            };
            let kinds = ["reply", "call", "host"];
            self.read_metadata(part, (&kinds, "\"usage\":{"), read)
                .await?;
        }
        Ok(spent.into_values().collect())
    }

    /// How many calls routines made in the models' place.
    pub(super) async fn saved_in(&self, period: Period) -> Result<u64, DbErr> {
        let whole = self.saved_calls(Day::of(period.from)).await?;
        let whole = whole.iter();
        let whole = whole.filter(|entry| period.covers(Period::of_day(entry.day)));
        let mut calls: u64 = whole.map(|entry| entry.calls).sum();
        for (_, part) in partial_days(period) {
            let read = |_, metadata: &str| {
                let call = metadata::parse_result(metadata);
                let is_saved_call =
                    call.is_some_and(|(id, status)| saved_calls::is_saved_call(&id, status));
                calls += u64::from(is_saved_call);
            };
            self.read_metadata(part, (&["result"], "\"call_id\":\"r"), read)
                .await?;
        }
        Ok(calls)
    }

    /// Reads the metadata of the rows of these kinds that contain a text, of one piece after the other.
    async fn read_metadata(
        &self,
        period: Period,
        (kinds, text): (&[&str], &str),
        mut read: impl FnMut(MysisId, &str),
    ) -> Result<(), DbErr> {
        use message::Column;
        let mut after = i64::MIN;
        loop {
            let rows: Vec<(i64, i64, String)> = message::Entity::find()
                .select_only()
                .columns([Column::Id, Column::MysisId, Column::Metadata])
                .filter(Column::Id.gt(after))
                .filter(Column::At.gte(period.from.0))
                .filter(Column::At.lt(period.until.0))
                .filter(Column::Kind.is_in(kinds.iter().copied()))
                .filter(Column::Metadata.contains(text))
                .order_by_asc(Column::Id)
                .limit(PIECE_ROWS)
                .into_tuple()
                .all(&self.readers)
                .await?;
            let Some((last, ..)) = rows.last() else {
                return Ok(());
            };
            after = *last;
            for (_, mysis, metadata) in &rows {
                read(MysisId(*mysis), metadata);
            }
        }
    }
}

/// The days of which only a part is of this time.
fn partial_days(period: Period) -> impl Iterator<Item = (Day, Period)> {
    let days = period.days();
    days.filter(move |(day, part)| *part != Period::of_day(*day))
}

//! A day's record for reports: what each Mysis did, and its cost according to the books.

use std::collections::BTreeMap;

use actors::domain::books::{BudgetUse, Day};
use actors::domain::ids::MysisId;
use actors::ports::ArchiveFault;
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
};

use super::entity::{message, mysis};
use super::{LedgerInner, SqlLedger, error_text};

/// The number of earlier days whose cost is included.
const LOOK_BACK_DAYS: i64 = 13;

/// The record of one Mysis for one day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MysisDay {
    /// Its name; `None` once it is deleted.
    pub name: Option<String>,
    /// Turns with a reply of the model.
    pub turns: u64,
    /// How often it became errored.
    pub faults: u64,
    /// Its credits according to its first and its last status of the day.
    pub credits: Option<(i64, i64)>,
    /// Its cost.
    pub spent: BudgetUse,
}

/// The record of a swarm for one day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DayRecord {
    /// The Myses that did or spent anything.
    pub myses: BTreeMap<MysisId, MysisDay>,
    /// The cost of this day and of the days before, for each day with any.
    pub days: BTreeMap<Day, BudgetUse>,
}

impl SqlLedger {
    /// Reads the record of a day (UTC).
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn day(&self, day: Day) -> Result<DayRecord, ArchiveFault> {
        let read = self.inner.day(day).await;
        read.map_err(|error| ArchiveFault(error_text(&error)))
    }
}

impl LedgerInner {
    async fn day(&self, day: Day) -> Result<DayRecord, DbErr> {
        let mut record = DayRecord::default();
        for entry in self
            .books(Day(day.0.saturating_sub(LOOK_BACK_DAYS)))
            .await?
        {
            if entry.day > day {
                continue;
            }
            record.days.entry(entry.day).or_default().add(&entry.spent);
            if entry.day == day {
                let of = record.myses.entry(entry.mysis).or_default();
                of.spent.add(&entry.spent);
            }
        }
        use message::Column;
        let turns = select_day(day)
            .column(Column::MysisId)
            .expr(Expr::col(Column::Turn).count_distinct())
            .filter(Column::Kind.is_in(["reply", "call"]))
            .group_by(Column::MysisId);
        let turns: Vec<(i64, i64)> = turns.into_tuple().all(&self.readers).await?;
        for (mysis, turns) in turns {
            let of = record.myses.entry(MysisId(mysis)).or_default();
            of.turns = u64::try_from(turns).unwrap_or(0);
        }
        let faults = select_day(day)
            .column(Column::MysisId)
            .expr(Column::Id.count())
            .filter(Column::Kind.eq("host"))
            .filter(Column::Metadata.contains("\"code\":\"errored\""))
            .group_by(Column::MysisId);
        let faults: Vec<(i64, i64)> = faults.into_tuple().all(&self.readers).await?;
        for (mysis, faults) in faults {
            let of = record.myses.entry(MysisId(mysis)).or_default();
            of.faults = u64::try_from(faults).unwrap_or(0);
        }
        for (mysis, content) in self.first_and_last_looks(day).await? {
            let Some(credits) = credits_in(&content) else {
                continue;
            };
            let of = record.myses.entry(MysisId(mysis)).or_default();
            let first = of.credits.map_or(credits, |(first, _)| first);
            of.credits = Some((first, credits));
        }
        let names = mysis::Entity::find()
            .select_only()
            .columns([mysis::Column::Id, mysis::Column::Name])
            .filter(mysis::Column::CreatedAt.lt(day.end_time().0));
        let names: Vec<(i64, String)> = names.into_tuple().all(&self.readers).await?;
        for (mysis, name) in names {
            record.myses.entry(MysisId(mysis)).or_default().name = Some(name);
        }
        Ok(record)
    }

    /// The first and the last status of each Mysis that contains credits, oldest first.
    async fn first_and_last_looks(&self, day: Day) -> Result<Vec<(i64, String)>, DbErr> {
        use message::Column;
        let one_each = |id: SimpleExpr| {
            let looks = select_day(day)
                .expr(id)
                .filter(Column::Kind.eq("result"))
                .filter(Column::Metadata.contains("\"tool\":\"get_status\""))
                .filter(
                    Condition::any()
                        .add(Column::Content.contains("\"credits\""))
                        .add(Column::Content.contains("cr | ")),
                )
                .group_by(Column::MysisId);
            Column::Id.in_subquery(looks.into_query())
        };
        let (first, last) = (one_each(Column::Id.min()), one_each(Column::Id.max()));
        message::Entity::find()
            .select_only()
            .columns([Column::MysisId, Column::Content])
            .filter(Condition::any().add(first).add(last))
            .order_by_asc(Column::Id)
            .into_tuple()
            .all(&self.readers)
            .await
    }
}

/// A query for the rows of a day, without columns.
fn select_day(day: Day) -> Select<message::Entity> {
    message::Entity::find()
        .select_only()
        .filter(message::Column::At.gte(day.start_time().0))
        .filter(message::Column::At.lt(day.end_time().0))
}

/// The credits in the result of a status query.
fn credits_in(content: &str) -> Option<i64> {
    let seen = zoea_spacemolt::results::read_facts(content)?;
    let player = seen.get("player").and_then(|player| player.as_object());
    player.unwrap_or(&seen).get("credits")?.as_i64()
}

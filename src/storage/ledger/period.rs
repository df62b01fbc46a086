//! The record of a time for reports: what each Mysis did, its cost, its samples, and the events up to its end.

mod sampled;
mod spent;

use std::collections::BTreeMap;

use actors::domain::books::{CostEntry, Day};
use actors::domain::event_record::EventRecord;
use actors::domain::game::{GameReading, GameRef};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::period::Period;
use actors::domain::samples::{Flow, Hour};
use actors::ports::ArchiveFault;
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
};

use super::dialect::Dialect;
use super::entity::{message, mysis};
use super::fault::archive_fault;
use super::samples::hours_between;
use super::{LedgerInner, SqlLedger};
use actors::domain::reading::{EventQuery, MAX_EVENTS};

pub use sampled::{PeriodSamples, SwarmMinute, SystemShare};

/// What stands in the metadata of a result of a tool that is no game's.
const OTHER_TOOLS: &str = "\"game\":\"any\"";
const LOOK_BACK_DAYS: i64 = 13;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MysisShare {
    /// Its name; `None` once it is deleted.
    pub name: Option<String>,
    pub turns: u64,
    /// How often it became errored.
    pub faults: u64,
    /// Its credits, or the number that the operator named, at the beginning and at the end: by its samples, or by its
    /// first and its last status where there are none.
    pub credits: Option<(i64, i64)>,
    /// The sum of its samples; `None` without any.
    pub sampled: Option<Flow>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeriodRecord {
    pub myses: BTreeMap<MysisId, MysisShare>,
    pub spent: Vec<CostEntry>,
    pub saved_calls: u64,
    /// The books of its days (UTC) and of the days before.
    pub books: Vec<CostEntry>,
    pub samples: PeriodSamples,
    /// The stored events up to its end, oldest first.
    pub events: Vec<EventRecord>,
    /// Whether older events are no longer stored.
    pub are_events_cut: bool,
    /// Whether several processes may share the database, so that an event may be of one of them.
    pub is_shared: bool,
    pub has_other_tools: bool,
}

impl SqlLedger {
    /// Reads the record of a period.
    pub async fn period(&self, period: Period) -> Result<PeriodRecord, ArchiveFault> {
        self.inner.period(period).await.map_err(archive_fault)
    }
}

impl LedgerInner {
    async fn period(&self, period: Period) -> Result<PeriodRecord, DbErr> {
        let last = Day::of(Timestamp(period.until.0.saturating_sub(1)));
        let mut record = PeriodRecord {
            spent: self.spent_in(period).await?,
            saved_calls: self.saved_in(period).await?,
            books: self
                .books(Day(last.0.saturating_sub(LOOK_BACK_DAYS)))
                .await?,
            samples: PeriodSamples::new(period),
            is_shared: self.dialect == Dialect::Postgres,
            ..PeriodRecord::default()
        };
        record.books.retain(|entry| entry.day <= last);
        for entry in &record.spent {
            record.myses.entry(entry.mysis).or_default();
        }
        self.read_rows(period, &mut record).await?;
        self.read_samples(period, &mut record).await?;
        record.events = self.events(EventQuery::newest(MAX_EVENTS)).await?;
        record.events.retain(|event| event.at < period.until);
        // Kept are the newest so many numbers. These may be fewer rows, since a server passes over some numbers.
        let newest = usize::try_from(self.newest_event().await?);
        record.are_events_cut = newest.is_ok_and(|newest| newest > MAX_EVENTS);
        Ok(record)
    }

    /// Adds what the rows tell: turns, faults, credits and names.
    async fn read_rows(&self, period: Period, record: &mut PeriodRecord) -> Result<(), DbErr> {
        use message::Column;
        let turns = select_period(period).filter(Column::Kind.is_in(["reply", "call"]));
        let turns = self.count_rows(turns, Expr::col(Column::Turn).count_distinct());
        for (mysis, turns) in turns.await? {
            record.myses.entry(mysis).or_default().turns = turns;
        }
        let faults = select_period(period)
            .filter(Column::Kind.eq("host"))
            .filter(Column::Metadata.contains("\"code\":\"errored\""));
        let faults = self.count_rows(faults, Column::Id.count());
        for (mysis, faults) in faults.await? {
            record.myses.entry(mysis).or_default().faults = faults;
        }
        for (mysis, content) in self.first_and_last_looks(period).await? {
            let Some(credits) = credits_in(&content) else {
                continue;
            };
            let of = record.myses.entry(MysisId(mysis)).or_default();
            let first = of.credits.map_or(credits, |(first, _)| first);
            of.credits = Some((first, credits));
        }
        let other = select_period(period)
            .column(Column::Id)
            .filter(Column::Kind.eq("result"))
            .filter(Column::Metadata.contains(OTHER_TOOLS));
        let other: Option<i64> = other.into_tuple().one(&self.readers).await?;
        record.has_other_tools = other.is_some();
        let names = mysis::Entity::find()
            .select_only()
            .columns([mysis::Column::Id, mysis::Column::Name])
            .filter(mysis::Column::CreatedAt.lt(period.until.0));
        let names: Vec<(i64, String)> = names.into_tuple().all(&self.readers).await?;
        for (mysis, name) in names {
            record.myses.entry(MysisId(mysis)).or_default().name = Some(name);
        }
        Ok(())
    }

    async fn count_rows(
        &self,
        rows: Select<message::Entity>,
        count: SimpleExpr,
    ) -> Result<Vec<(MysisId, u64)>, DbErr> {
        let mysis = message::Column::MysisId;
        let counts = rows.column(mysis).expr(count).group_by(mysis);
        let counts: Vec<(i64, i64)> = counts.into_tuple().all(&self.readers).await?;
        let counts = counts.into_iter();
        Ok(counts
            .map(|(mysis, count)| (MysisId(mysis), u64::try_from(count).unwrap_or(0)))
            .collect())
    }

    /// Adds the samples, of one Mysis after the other.
    async fn read_samples(&self, period: Period, record: &mut PeriodRecord) -> Result<(), DbErr> {
        let first = Hour::of(period.from);
        let last = Hour::of(Timestamp(period.until.0.saturating_sub(1)));
        let deleted = self.deleted_with_samples().await?;
        let known = record.myses.iter();
        let known = known.filter_map(|(id, of)| of.name.as_ref().map(|_| *id));
        let myses: Vec<MysisId> = known.chain(deleted).collect();
        for mysis in myses {
            let is_deleted = record.myses.get(&mysis).is_none_or(|of| of.name.is_none());
            let hours = hours_between(&self.readers, mysis, (first, last)).await?;
            // The account of a deleted Mysis plays on with another one.
            let before = match is_deleted {
                true => None,
                false => self.facts_before(mysis, first).await?,
            };
            let before = before.and_then(|facts| facts.worth());
            let sum = record.samples.add_mysis(&hours, before, !is_deleted);
            if sum.flow.is_none() && sum.credits.is_none() {
                continue;
            }
            let of = record.myses.entry(mysis).or_default();
            of.sampled = sum.flow;
            of.credits = sum.credits.or(of.credits);
        }
        Ok(())
    }

    /// The first and the last status of each Mysis that contains credits, oldest first.
    async fn first_and_last_looks(&self, period: Period) -> Result<Vec<(i64, String)>, DbErr> {
        use message::Column;
        let one_each = |id: SimpleExpr| {
            let looks = select_period(period)
                .expr(id)
                .filter(Column::Kind.eq("result"))
                .filter(Column::Metadata.contains("\"tool\":\"get_status\""))
                // Of a tool that is no game's nothing is read.
                .filter(Column::Metadata.not_like(format!("%{OTHER_TOOLS}%")))
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

/// A query for the rows of a period, without columns.
fn select_period(period: Period) -> Select<message::Entity> {
    message::Entity::find()
        .select_only()
        .filter(message::Column::At.gte(period.from.0))
        .filter(message::Column::At.lt(period.until.0))
}

/// The credits in the result of a status query, which was stored without the word of another game.
fn credits_in(content: &str) -> Option<i64> {
    let reading = GameReading::of(GameRef::of_key(None), content);
    reading.facts()?.standing("get_status", true).credits
}

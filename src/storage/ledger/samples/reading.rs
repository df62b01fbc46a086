//! Reads samples: those of one Mysis after the other, so that an answer takes little memory.

use actors::domain::ids::MysisId;
use actors::domain::samples::{
    GameFacts, Hour, PackedHour, Sample, SampleQuery, SampleSeries, SeriesBuilder,
};
use actors::ports::ArchiveFault;
use sea_orm::prelude::Expr;
use sea_orm::sea_query::UnionType;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
};

use crate::entity::{sample, sample_hour};
use crate::fault::archive_fault;
use crate::{LedgerInner, SqlLedger};

use super::packed_hour;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredHour {
    pub(crate) packed: PackedHour,
    /// Whether it was old enough to become one sample.
    pub(crate) is_thinned: bool,
}

/// Stands in place of the newest counted row where an hour is thinned.
const THINNED: i64 = -1;

impl SqlLedger {
    /// All stored hours of a Mysis, oldest first, for an export.
    pub(crate) async fn all_samples(
        &self,
        mysis: MysisId,
    ) -> Result<Vec<StoredHour>, ArchiveFault> {
        let all = (Hour(i64::MIN), Hour(i64::MAX));
        let hours = hours_between(&self.inner.readers, mysis, all).await;
        hours.map_err(archive_fault)
    }
}

impl LedgerInner {
    pub(crate) async fn samples(&self, query: &SampleQuery) -> Result<Vec<SampleSeries>, DbErr> {
        let steps = query.steps;
        let mut sum = SeriesBuilder::new(steps);
        let mut series = Vec::new();
        let deleted = query.deleted.iter().map(|mysis| (*mysis, true));
        let myses = query.myses.iter().map(|mysis| (*mysis, false));
        for (mysis, is_deleted) in myses.chain(deleted) {
            let mut builder = SeriesBuilder::new(steps);
            for hour in hours_between(&self.readers, mysis, steps.hours()).await? {
                read_hour(&hour.packed)
                    .iter()
                    .for_each(|sample| builder.add(sample));
            }
            let older = match is_deleted {
                // A deleted Mysis has nothing any more.
                true => {
                    builder.forget_older_facts();
                    None
                }
                false if builder.wants_older_facts() => {
                    self.facts_before(mysis, steps.hours().0).await?
                }
                false => None,
            };
            let mut samples = builder.finish(older);
            if query.is_sum {
                let samples_of_deleted = samples.iter_mut().filter(|_| is_deleted);
                samples_of_deleted.for_each(|sample| sample.facts = GameFacts::default());
                sum.add_series(&samples);
            } else {
                series.push(SampleSeries {
                    mysis: Some(mysis),
                    samples,
                });
            }
        }
        if query.is_sum {
            series.push(SampleSeries {
                mysis: None,
                samples: sum.finish(None),
            });
        }
        Ok(series)
    }

    /// The facts of the newest sample before an hour.
    pub(crate) async fn facts_before(
        &self,
        mysis: MysisId,
        before: Hour,
    ) -> Result<Option<GameFacts>, DbErr> {
        // In this order: an hour that is thinned meanwhile is read twice, not missed.
        let new = sample::Entity::find()
            .filter(sample::Column::MysisId.eq(mysis.0))
            .filter(sample::Column::Hour.lt(before.0))
            .order_by_desc(sample::Column::Hour)
            .one(&self.readers)
            .await?;
        let thinned = sample_hour::Entity::find()
            .filter(sample_hour::Column::MysisId.eq(mysis.0))
            .filter(sample_hour::Column::Hour.lt(before.0))
            .order_by_desc(sample_hour::Column::Hour)
            .one(&self.readers)
            .await?;
        let both = [thinned.map(thinned_hour), new.map(packed_hour)];
        let newest = both.into_iter().flatten().max_by_key(|hour| hour.hour);
        let last = newest.and_then(|hour| read_hour(&hour).pop());
        Ok(last.map(|sample| sample.facts))
    }
}

/// The stored hours from one to another, both included, oldest first. One statement reads both
/// tables, so that an hour which is thinned meanwhile is read once.
pub(crate) async fn hours_between(
    connection: &impl ConnectionTrait,
    mysis: MysisId,
    (first, last): (Hour, Hour),
) -> Result<Vec<StoredHour>, DbErr> {
    let old = sample_hour::Entity::find()
        .filter(sample_hour::Column::MysisId.eq(mysis.0))
        .filter(sample_hour::Column::Hour.between(first.0, last.0))
        .column_as(Expr::value(THINNED), "upto")
        .into_query();
    let mut both = sample::Entity::find()
        .filter(sample::Column::MysisId.eq(mysis.0))
        .filter(sample::Column::Hour.between(first.0, last.0))
        .into_query();
    both.union(UnionType::All, old);
    let asked = connection.get_database_backend().build(&both);
    let hours = sample::Entity::find().from_raw_sql(asked);
    let mut hours = hours.all(connection).await?;
    // What was thinned of an hour came before what a clock that was set back made of it.
    hours.sort_by_key(|hour| (hour.hour, hour.upto != THINNED));
    Ok(hours.into_iter().map(stored_hour).collect())
}

fn stored_hour(model: sample::Model) -> StoredHour {
    let is_thinned = model.upto == THINNED;
    let mut packed = packed_hour(model);
    packed.upto = packed.upto.max(0);
    StoredHour { packed, is_thinned }
}

/// The samples of an hour. One that cannot be read has none; `zoea db check` tells of it.
pub(crate) fn read_hour(hour: &PackedHour) -> Vec<Sample> {
    hour.samples().unwrap_or_else(|fault| {
        tracing::warn!(hour = hour.hour.0, %fault, "samples cannot be read");
        Vec::new()
    })
}

pub(super) fn thinned_hour(model: sample_hour::Model) -> PackedHour {
    PackedHour {
        hour: Hour(model.hour),
        upto: 0,
        bytes: model.packed.into(),
    }
}

//! Thinning: after a week the samples of an hour become one, and after a year it is removed. A step
//! takes some hours of one Mysis, in one transaction.

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::samples::{Hour, PackedHour, Sample};
use actors::ports::ArchiveFault;
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    Statement,
};

use crate::entity::{sample, sample_hour};
use crate::fault::archive_fault;
use crate::replacing::replacing;
use crate::write_lock::WriteLock;
use crate::writer::Tx;
use crate::{LedgerInner, SqlLedger};

use super::packed_hour;
use super::reading::thinned_hour;

const MINUTES_KEPT_HOURS: i64 = 7 * 24;
const HOURS_KEPT_HOURS: i64 = 365 * 24;
/// The hours of one step. The next commit waits for a step to end.
const STEP_HOURS: u64 = 24;

impl SqlLedger {
    /// The deleted Myses that have samples.
    pub async fn deleted_with_samples(&self) -> Result<Vec<MysisId>, ArchiveFault> {
        let deleted = self.inner.deleted_with_samples().await;
        deleted.map_err(archive_fault)
    }
}

impl LedgerInner {
    /// Thins the oldest samples of a Mysis. Returns whether there may be more to do.
    pub(crate) async fn thin_samples(&self, mysis: MysisId, now: Timestamp) -> Result<bool, DbErr> {
        if self.is_thin(mysis, now).await? {
            return Ok(false);
        }
        let tx = self.begin_for(mysis, WriteLock::Common).await?;
        thin_oldest(&tx, mysis, now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Whether there is nothing to do, which is told without waiting for the writer.
    async fn is_thin(&self, mysis: MysisId, now: Timestamp) -> Result<bool, DbErr> {
        let old = old_minutes(mysis, now).one(&self.readers).await?;
        let outdated = outdated_hours(mysis, now).one(&self.readers).await?;
        Ok(old.is_none() && outdated.is_none())
    }

    pub(crate) async fn deleted_with_samples(&self) -> Result<Vec<MysisId>, DbErr> {
        let mut found = Vec::new();
        for table in ["sample", "sample_hour"] {
            // One step in the table's key for each Mysis, however many samples it has.
            let asked = Statement::from_string(
                self.dialect.backend(),
                format!(
                    "WITH RECURSIVE owner(id) AS (SELECT min(mysis_id) FROM {table} UNION ALL \
                     SELECT (SELECT min(mysis_id) FROM {table} WHERE mysis_id > owner.id) FROM owner \
                     WHERE owner.id IS NOT NULL) SELECT id FROM owner \
                     WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM mysis)"
                ),
            );
            for row in self.readers.query_all_raw(asked).await? {
                found.push(MysisId(row.try_get_by_index(0)?));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// The hours whose minutes are old, oldest first.
fn old_minutes(mysis: MysisId, now: Timestamp) -> Select<sample::Entity> {
    let before = Hour::of(now).0.saturating_sub(MINUTES_KEPT_HOURS);
    sample::Entity::find()
        .filter(sample::Column::MysisId.eq(mysis.0))
        .filter(sample::Column::Hour.lt(before))
        .order_by_asc(sample::Column::Hour)
}

/// The thinned hours that are too old to be kept, oldest first.
fn outdated_hours(mysis: MysisId, now: Timestamp) -> Select<sample_hour::Entity> {
    let oldest = Hour::of(now).0.saturating_sub(HOURS_KEPT_HOURS);
    sample_hour::Entity::find()
        .filter(sample_hour::Column::MysisId.eq(mysis.0))
        .filter(sample_hour::Column::Hour.lt(oldest))
        .order_by_asc(sample_hour::Column::Hour)
}

/// Thins the oldest hours. It reads within the transaction: another process that shares the database
/// may thin the samples of a deleted Mysis at the same time.
async fn thin_oldest(tx: &Tx, mysis: MysisId, now: Timestamp) -> Result<(), DbErr> {
    let old = old_minutes(mysis, now).limit(STEP_HOURS).all(tx).await?;
    let old: Vec<PackedHour> = old.into_iter().map(packed_hour).collect();
    let hours: Vec<i64> = old.iter().map(|hour| hour.hour.0).collect();
    let outdated = outdated_hours(mysis, now).limit(STEP_HOURS).all(tx).await?;
    if !old.is_empty() {
        let thinned = sample_hour::Entity::find()
            .filter(sample_hour::Column::MysisId.eq(mysis.0))
            .filter(sample_hour::Column::Hour.is_in(hours.iter().copied()))
            .all(tx)
            .await?;
        let thinned: Vec<PackedHour> = thinned.into_iter().map(thinned_hour).collect();
        let models = old.iter().map(|hour| {
            let earlier = thinned.iter().find(|earlier| earlier.hour == hour.hour);
            sample_hour::ActiveModel {
                mysis_id: Set(mysis.0),
                hour: Set(hour.hour.0),
                packed: Set(thin_hour(hour, earlier).bytes.to_vec()),
            }
        });
        sample_hour::Entity::insert_many(models)
            .on_conflict(replacing::<sample_hour::Entity>())
            .exec_without_returning(tx)
            .await?;
        sample::Entity::delete_many()
            .filter(sample::Column::MysisId.eq(mysis.0))
            .filter(sample::Column::Hour.is_in(hours))
            .exec(tx)
            .await?;
    }
    if !outdated.is_empty() {
        let outdated = outdated.into_iter().map(|hour| hour.hour);
        sample_hour::Entity::delete_many()
            .filter(sample_hour::Column::MysisId.eq(mysis.0))
            .filter(sample_hour::Column::Hour.is_in(outdated))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// The hour as one sample. `earlier` is what was thinned of the same hour before, which only a
/// clock that was set back makes. Bytes that cannot be read stay as they are.
fn thin_hour(hour: &PackedHour, earlier: Option<&PackedHour>) -> PackedHour {
    let sums: Result<Vec<Option<Sample>>, _> = earlier
        .into_iter()
        .chain([hour])
        .map(PackedHour::sum)
        .collect();
    let Ok(sums) = sums else {
        return hour.clone();
    };
    let samples: Vec<Sample> = sums.into_iter().flatten().collect();
    let both = PackedHour::of_samples(hour.hour, 0, &samples);
    match both.sum() {
        Ok(Some(sum)) => PackedHour::of_samples(hour.hour, 0, &[sum]),
        Ok(None) | Err(_) => hour.clone(),
    }
}

//! Samples in the database: a row for each Mysis and hour with the minutes of that hour, and one with
//! their sum once they are old. The samples of a deleted Mysis stay, as its books do.

mod importing;
mod reading;
mod thinning;

pub(crate) use reading::{StoredHour, hours_between, read_hour};

use std::collections::BTreeMap;

use actors::domain::books::Day;
use actors::domain::ids::MysisId;
use actors::domain::samples::{Hour, PackedHour, StoredSamples};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::books::{counted, newest_day, readable_lines};
use super::connection::DialectConnection;
use super::entity::{sample, spending};
use super::writer::Tx;

/// Stores the samples of an hour in place of those that are stored of it.
pub(super) async fn save_hour(tx: &Tx, mysis: MysisId, hour: &PackedHour) -> Result<(), DbErr> {
    tx.replace_later(sample::ActiveModel {
        mysis_id: Set(mysis.0),
        hour: Set(hour.hour.0),
        packed: Set(hour.bytes.to_vec()),
        upto: Set(hour.upto),
    })
    .await
}

impl<C: ConnectionTrait + Send> DialectConnection<C> {
    pub(super) async fn newest_hours(&self, mysis: MysisId) -> Result<Vec<PackedHour>, DbErr> {
        // The hours that were written last. After the clock was set back, those are not the latest.
        let hours = sample::Entity::find()
            .filter(sample::Column::MysisId.eq(mysis.0))
            .order_by_desc(sample::Column::Upto)
            .order_by_desc(sample::Column::Hour)
            .limit(StoredSamples::HOURS as u64)
            .all(self)
            .await?;
        Ok(hours.into_iter().map(packed_hour).collect())
    }

    /// The newest day of the books, and what these Myses cost on it, in millionths of a US dollar.
    pub(super) async fn newest_costs(
        &self,
        myses: &[i64],
    ) -> Result<(Day, BTreeMap<i64, u64>), DbErr> {
        let day = newest_day(self).await?.unwrap_or_default();
        let lines = readable_lines(self.dialect())
            .filter(spending::Column::Day.eq(day.0))
            .filter(spending::Column::MysisId.is_in(myses.iter().copied()))
            .into_model::<spending::Model>();
        let mut costs: BTreeMap<i64, u64> = BTreeMap::new();
        for line in lines.all(self).await? {
            let sum = costs.entry(line.mysis_id).or_default();
            *sum = sum.saturating_add(counted(line.cost_micros));
        }
        Ok((day, costs))
    }
}

fn packed_hour(model: sample::Model) -> PackedHour {
    PackedHour {
        hour: Hour(model.hour),
        upto: model.upto,
        bytes: model.packed.into(),
    }
}

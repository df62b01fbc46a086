//! Imports samples.

use std::collections::BTreeSet;

use actors::domain::ids::MysisId;
use actors::domain::write::Write;
use actors::ports::LedgerFault;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::BulkImport;
use crate::entity::{message, sample, sample_hour};

use super::StoredHour;

impl BulkImport {
    /// The hours of which a Mysis has samples here.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(crate) async fn sampled_hours(&self, mysis: MysisId) -> Result<BTreeSet<i64>, LedgerFault> {
        let read = async {
            let new: Vec<i64> = sample::Entity::find()
                .filter(sample::Column::MysisId.eq(mysis.0))
                .select_only()
                .column(sample::Column::Hour)
                .into_tuple()
                .all(self.transaction())
                .await?;
            let thinned: Vec<i64> = sample_hour::Entity::find()
                .filter(sample_hour::Column::MysisId.eq(mysis.0))
                .select_only()
                .column(sample_hour::Column::Hour)
                .into_tuple()
                .all(self.transaction())
                .await?;
            Ok(new.into_iter().chain(thinned).collect())
        };
        read.await.map_err(|error: DbErr| self.fault(&error))
    }

    /// Imports the samples of an hour. A thinned one stays thinned, because it counts no rows.
    ///
    /// # Errors
    /// Another process holds the Mysis, or the database fails.
    pub(crate) async fn samples(
        &self,
        mysis: MysisId,
        hour: &StoredHour,
    ) -> Result<(), LedgerFault> {
        let write = Write::Samples {
            mysis,
            hour: hour.packed.clone(),
        };
        if !hour.is_thinned {
            return self.write(&write).await;
        }
        let thinned = sample_hour::ActiveModel {
            mysis_id: Set(mysis.0),
            hour: Set(hour.packed.hour.0),
            packed: Set(hour.packed.bytes.to_vec()),
        };
        let again = OnConflict::columns([sample_hour::Column::MysisId, sample_hour::Column::Hour])
            .update_column(sample_hour::Column::Packed)
            .to_owned();
        let written = async {
            self.check(&write).await?;
            sample_hour::Entity::insert(thinned)
                .on_conflict(again)
                .exec_without_returning(self.transaction())
                .await
        };
        written.await.map(drop).map_err(|error| self.fault(&error))
    }

    /// Makes the samples of a Mysis count no rows beyond its last one.
    ///
    /// # Errors
    /// The database fails.
    pub(crate) async fn uncount_missing_rows(&self, mysis: MysisId) -> Result<(), LedgerFault> {
        let written = async {
            let last: Option<i64> = message::Entity::find()
                .filter(message::Column::MysisId.eq(mysis.0))
                .order_by_desc(message::Column::Seq)
                .select_only()
                .column(message::Column::Seq)
                .into_tuple()
                .one(self.transaction())
                .await?;
            let last = last.unwrap_or(0);
            sample::Entity::update_many()
                .col_expr(sample::Column::Upto, Expr::value(last))
                .filter(sample::Column::MysisId.eq(mysis.0))
                .filter(sample::Column::Upto.gt(last))
                .exec(self.transaction())
                .await
        };
        written.await.map(drop).map_err(|error| self.fault(&error))
    }
}

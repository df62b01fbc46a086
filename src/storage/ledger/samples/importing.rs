//! Imports samples.

use std::collections::BTreeSet;

use actors::domain::ids::MysisId;
use actors::domain::write::Write;
use actors::ports::LedgerFault;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use crate::BulkImport;
use crate::archive::of;
use crate::entity::{sample, sample_hour};
use crate::recall::newest_but;

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
        let written = async {
            self.check(&write).await?;
            self.transaction().replace_later(thinned).await
        };
        written.await.map_err(|error| self.fault(&error))
    }

    /// Makes the samples of a Mysis count no rows beyond its last one.
    ///
    /// # Errors
    /// The database fails.
    pub(crate) async fn uncount_missing_rows(&self, mysis: MysisId) -> Result<(), LedgerFault> {
        let written = async {
            let last = newest_but(self.transaction(), of(mysis), 0).await?;
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

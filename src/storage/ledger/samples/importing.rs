//! Imports samples.

use std::collections::BTreeSet;

use actors::domain::ids::MysisId;
use actors::domain::samples::Hour;
use actors::domain::write::Write;
use actors::ports::LedgerFault;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::BulkImport;
use crate::archive::of;
use crate::entity::{sample, sample_hour};
use crate::recall::newest_but;

use super::{StoredHour, hours_between};

impl BulkImport {
    /// The hours of which a Mysis has samples here.
    pub(crate) async fn sampled_hours(&self, mysis: MysisId) -> Result<BTreeSet<i64>, LedgerFault> {
        let all = (Hour(i64::MIN), Hour(i64::MAX));
        let hours = hours_between(self.transaction(), mysis, all).await;
        let hours = hours.map_err(|error| self.fault(&error))?.into_iter();
        Ok(hours.map(|hour| hour.packed.hour.0).collect())
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

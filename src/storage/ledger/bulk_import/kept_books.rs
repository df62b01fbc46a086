//! The books of Myses that were here before an import. They stay as they are.

use actors::domain::books::Day;
use actors::domain::ids::MysisId;
use actors::ports::LedgerFault;
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter};

use super::BulkImport;
use crate::books::readable_lines;
use crate::entity::{removed, spared, spending};
use crate::removals::note_removal;

pub(super) struct KeptBooks {
    mysis: MysisId,
    spending: Vec<spending::Model>,
    spared: Vec<spared::Model>,
}

impl BulkImport {
    /// Lays the books of a Mysis aside, which stay as they are. Without any, its rows make them.
    pub(crate) async fn keep_books(&self, mysis: MysisId) -> Result<(), LedgerFault> {
        let read = async {
            let spending = readable_lines(self.tx.dialect())
                .filter(spending::Column::MysisId.eq(mysis.0))
                .into_model()
                .all(&self.tx)
                .await?;
            let spared = spared::Entity::find()
                .filter(spared::Column::MysisId.eq(mysis.0))
                .all(&self.tx)
                .await?;
            let laid_aside = spending::Entity::delete_many();
            let laid_aside = laid_aside.filter(spending::Column::MysisId.eq(mysis.0));
            laid_aside.exec(&self.tx).await?;
            let laid_aside = spared::Entity::delete_many();
            let laid_aside = laid_aside.filter(spared::Column::MysisId.eq(mysis.0));
            laid_aside.exec(&self.tx).await?;
            Ok(KeptBooks {
                mysis,
                spending,
                spared,
            })
        };
        let kept: Result<KeptBooks, DbErr> = read.await;
        let kept = kept.map_err(|error| self.fault(&error))?;
        if !kept.spending.is_empty() || !kept.spared.is_empty() {
            self.books.lock().await.push(kept);
        }
        Ok(())
    }

    /// Puts books that were laid aside into the place of what imported rows entered. Days of which rows are missing are
    /// noted like those of removed rows.
    pub(super) async fn restore_books(&self) -> Result<(), DbErr> {
        for kept in self.books.lock().await.drain(..) {
            let mysis = kept.mysis.0;
            let of_rows = spending::Entity::find()
                .filter(spending::Column::MysisId.eq(mysis))
                .all(&self.tx)
                .await?;
            let differs = |line: &&spending::Model| !of_rows.contains(line);
            let days = kept.spending.iter().filter(differs).map(|line| line.day);
            if let Some(day) = days.max() {
                let noted = removed::Model {
                    mysis_id: mysis,
                    count: 0,
                    upto: 0,
                    at: Day(day).start_time().0,
                };
                note_removal(&self.tx, noted).await?;
            }
            for line in kept.spending {
                let line = line.into_active_model().reset_all();
                self.tx.replace_later(line).await?;
            }
            for line in kept.spared {
                let line = line.into_active_model().reset_all();
                self.tx.replace_later(line).await?;
            }
        }
        Ok(())
    }
}

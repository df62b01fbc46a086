//! The check of the books' figures.

use actors::domain::books::Day;
use actors::domain::ids::MysisId;
use sea_orm::DbErr;

use crate::mend;

use super::{CheckFinding, CheckTransaction, finding_of};

impl CheckTransaction {
    /// Checks that no line of the books and no total exceeds what calls can have used.
    pub(super) async fn check_figures(&self) -> Result<CheckFinding, DbErr> {
        let lines = mend::corrupt_lines(&self.tx, self.dialect).await?;
        let totals = mend::corrupt_totals(&self.tx, self.dialect).await?;
        let of_lines = lines.iter().map(|line| {
            let (mysis, day) = (MysisId(line.mysis), Day(line.day));
            format!("what mysis {mysis} used on {day} of {}", line.provider)
        });
        let of_totals = totals
            .iter()
            .map(|total| format!("what mysis {} used in all", MysisId(total.mysis)));
        let found = of_lines.chain(of_totals);
        Ok(
            finding_of(found, "every figure of the books can be true").map_err(|what| {
                format!(
                    "{what}: more than any calls can use; start zoea in its home once (zoea status \
                 will do), which counts it again"
                )
            }),
        )
    }
}

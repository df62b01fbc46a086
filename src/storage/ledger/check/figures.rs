//! The check of the books' figures.

use actors::domain::books::Day;
use actors::domain::ids::MysisId;
use sea_orm::{DbErr, IdenStatic};

use crate::books::{BOOK_FIGURES, MAX_SUM};

use super::{CheckFinding, CheckTransaction, finding_of};

const TOTALS_FIGURES: [&str; 4] = ["turns", "tokens_in", "tokens_out", "cost_micros"];

impl CheckTransaction {
    /// Checks that no line of the books and no total exceeds what calls can have used.
    pub(super) async fn check_figures(&self) -> Result<CheckFinding, DbErr> {
        let of_lines = self.corrupt_lines().await?.into_iter();
        let of_lines = of_lines.map(|(mysis, day, provider)| {
            let (mysis, day) = (MysisId(mysis), Day(day));
            format!("what mysis {mysis} used on {day} of {provider}")
        });
        let are_good = self.are_within(&TOTALS_FIGURES);
        let of_totals = format!("SELECT id FROM mysis WHERE NOT ({are_good})");
        let of_totals: Vec<(i64,)> = self.query_rows(&of_totals).await?;
        let of_totals = of_totals.into_iter();
        let of_totals = of_totals.map(|(id,)| format!("what mysis {} used in all", MysisId(id)));
        let found = finding_of(
            of_lines.chain(of_totals),
            "every figure of the books can be true",
        );
        Ok(found
            .map_err(|what| format!("{what}: more than any calls can use; it counts as nothing")))
    }

    /// The lines of the books with figures that cannot be true: whose, of which day, of which provider.
    pub(super) async fn corrupt_lines(&self) -> Result<Vec<(i64, i64, String)>, DbErr> {
        let are_good = self.are_within(&BOOK_FIGURES.map(|column| column.as_str()));
        let lines = format!("SELECT mysis_id, day, provider FROM spending WHERE NOT ({are_good})");
        self.query_rows(&lines).await
    }

    fn are_within(&self, figures: &[&str]) -> String {
        let figures = figures.iter();
        let are_good = figures.map(|figure| self.dialect.is_within(figure, MAX_SUM));
        are_good.collect::<Vec<_>>().join(" AND ")
    }
}

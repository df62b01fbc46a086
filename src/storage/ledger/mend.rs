//! Repairs figures of the books that no calls can have used. Older versions accepted such figures.
//! They are computed again from the rows when the database is opened.
//!
//! Rows stay as they are. A figure in a row that cannot be true counts as zero when it is read.

use std::fmt;

use actors::domain::books::{BudgetUse, Day};
use actors::domain::bounds;
use actors::domain::ids::MysisId;
use sea_orm::prelude::Expr;
use sea_orm::sea_query::Func;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    Statement,
};

use super::dialect::Dialect;
use super::entity::{message, mysis, spending};
use super::write_lock::WriteLock;
use super::writer::Tx;
use super::{LedgerInner, metadata};

/// [`bounds::MAX_SUM`] as a database integer.
pub(super) const MAX_SUM: i64 = bounds::MAX_SUM.cast_signed();
/// The columns of a line of the books.
pub(super) const BOOK_FIGURES: [&str; 5] = ["calls", "input", "output", "cached", "cost_micros"];
const TOTALS_FIGURES: [&str; 4] = ["turns", "tokens_in", "tokens_out", "cost_micros"];
/// Stands for a figure that cannot be true.
const CORRUPT_FIGURE: i64 = -1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MendReport {
    pub lines: usize,
    pub myses: usize,
}

impl fmt::Display for MendReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the books held more tokens than model calls can \
             use, because an older version accepted a provider's figures ({} lines, the totals of {} myses): they were counted again from \
             the rows, without the implausible figures",
            self.lines, self.myses
        )
    }
}

/// A line of the books with figures that cannot be true. Those are [`CORRUPT_FIGURE`].
#[derive(FromQueryResult)]
pub(super) struct CorruptLine {
    pub(super) day: i64,
    #[sea_orm(from_alias = "mysis_id")]
    pub(super) mysis: i64,
    pub(super) provider: String,
    calls: i64,
    input: i64,
    output: i64,
    cached: i64,
    cost_micros: i64,
}

/// Totals of a Mysis with figures that cannot be true. Those are [`CORRUPT_FIGURE`].
#[derive(FromQueryResult)]
pub(super) struct CorruptTotals {
    #[sea_orm(from_alias = "id")]
    pub(super) mysis: i64,
    turns: i64,
    tokens_in: i64,
    tokens_out: i64,
    cost_micros: i64,
}

/// An expression for a figure, or for another number if the figure cannot be true.
pub(super) fn figure_or(dialect: Dialect, figure: &str, otherwise: i64) -> String {
    let is_within = dialect.is_within(figure, MAX_SUM);
    format!("CASE WHEN {is_within} THEN {figure} ELSE {otherwise} END")
}

async fn query_corrupt<T: FromQueryResult>(
    connection: &impl ConnectionTrait,
    dialect: Dialect,
    (table, key): (&str, &str),
    figures: &[&str],
) -> Result<Vec<T>, DbErr> {
    let read = figures.iter();
    let read =
        read.map(|figure| format!("{} AS {figure}", figure_or(dialect, figure, CORRUPT_FIGURE)));
    let is_good = figures.iter();
    let is_good = is_good.map(|figure| dialect.is_within(figure, MAX_SUM));
    let asked = format!(
        "SELECT {key}, {} FROM {table} WHERE NOT ({})",
        read.collect::<Vec<_>>().join(", "),
        is_good.collect::<Vec<_>>().join(" AND ")
    );
    let asked = Statement::from_string(dialect.backend(), asked);
    let found = connection.query_all_raw(asked).await?;
    found
        .iter()
        .map(|row| T::from_query_result(row, ""))
        .collect()
}

/// The lines of the books with figures that cannot be true.
pub(super) async fn corrupt_lines(
    connection: &impl ConnectionTrait,
    dialect: Dialect,
) -> Result<Vec<CorruptLine>, DbErr> {
    let place = ("spending", "day, mysis_id, provider");
    query_corrupt(connection, dialect, place, &BOOK_FIGURES).await
}

/// The totals of Myses with figures that cannot be true.
pub(super) async fn corrupt_totals(
    connection: &impl ConnectionTrait,
    dialect: Dialect,
) -> Result<Vec<CorruptTotals>, DbErr> {
    query_corrupt(connection, dialect, ("mysis", "id"), &TOTALS_FIGURES).await
}

impl LedgerInner {
    /// Repairs the figures if there are any. A database that cannot be written now is repaired at
    /// the next start.
    pub(super) async fn mend_if_possible(&self) -> Option<MendReport> {
        let mended = self.with_timeout(self.mend_figures()).await;
        mended.unwrap_or_else(|error| {
            tracing::warn!(%error, "failed to correct the books");
            None
        })
    }

    async fn mend_figures(&self) -> Result<Option<MendReport>, DbErr> {
        let lines = corrupt_lines(&self.readers, self.dialect).await?;
        let totals = corrupt_totals(&self.readers, self.dialect).await?;
        if lines.is_empty() && totals.is_empty() {
            return Ok(None);
        }
        let tx = self.begin(WriteLock::All).await?;
        // Another process may have repaired them meanwhile.
        let lines = corrupt_lines(&tx, self.dialect).await?;
        for line in &lines {
            mend_line(&tx, line).await?;
        }
        let totals = corrupt_totals(&tx, self.dialect).await?;
        for of in &totals {
            mend_totals(&tx, of).await?;
        }
        tx.commit().await?;
        Ok(Some(MendReport {
            lines: lines.len(),
            myses: totals.len(),
        }))
    }
}

/// Computes the spoilt figures of a line again. Removed rows cannot contribute.
async fn mend_line(tx: &Tx, line: &CorruptLine) -> Result<(), DbErr> {
    let mut spent = BudgetUse::default();
    for metadata in bills_of(tx, line).await? {
        let bill = metadata::parse_bill(&metadata);
        if let Some(bill) = bill.filter(|bill| *bill.provider == *line.provider) {
            spent.add_charge(&bill);
        }
    }
    use spending::Column;
    let mut update = spending::Entity::update_many()
        .filter(Column::Day.eq(line.day))
        .filter(Column::MysisId.eq(line.mysis))
        .filter(Column::Provider.eq(&*line.provider));
    for (column, known, counted) in [
        (Column::Calls, line.calls, spent.calls),
        (Column::Input, line.input, spent.input),
        (Column::Output, line.output, spent.output),
        (Column::Cached, line.cached, spent.cached),
        (Column::CostMicros, line.cost_micros, spent.cost_micros),
    ] {
        if known == CORRUPT_FIGURE {
            update = update.col_expr(column, Expr::value(to_stored_sum(counted)));
        }
    }
    update.exec(tx).await.map(|_| ())
}

async fn bills_of(tx: &Tx, line: &CorruptLine) -> Result<Vec<String>, DbErr> {
    let day = Day(line.day);
    use message::Column;
    message::Entity::find()
        .select_only()
        .column(Column::Metadata)
        .filter(Column::MysisId.eq(line.mysis))
        .filter(Column::At.gte(day.start_time().0))
        .filter(Column::At.lt(day.end_time().0))
        .filter(Column::Kind.is_in(["reply", "call", "host"]))
        .filter(Column::Metadata.contains("\"usage\":{"))
        .into_tuple()
        .all(tx)
        .await
}

/// Computes the totals of a Mysis from the books, which are repaired already.
async fn mend_totals(tx: &Tx, of: &CorruptTotals) -> Result<(), DbErr> {
    let mut spent = BudgetUse::default();
    let counted = |value: i64| u64::try_from(value).unwrap_or(0);
    let lines = spending::Entity::find().filter(spending::Column::MysisId.eq(of.mysis));
    for line in lines.all(tx).await? {
        spent.add(&BudgetUse {
            calls: counted(line.calls),
            input: counted(line.input),
            output: counted(line.output),
            cached: counted(line.cached),
            cost_micros: counted(line.cost_micros),
        });
    }
    use mysis::Column;
    let mut update = mysis::Entity::update_many().filter(Column::Id.eq(of.mysis));
    for (column, known, counted) in [
        (Column::TokensIn, of.tokens_in, spent.input),
        (Column::TokensOut, of.tokens_out, spent.output),
        (Column::CostMicros, of.cost_micros, spent.cost_micros),
    ] {
        if known == CORRUPT_FIGURE {
            update = update.col_expr(column, Expr::value(to_stored_sum(counted)));
        }
    }
    if of.turns == CORRUPT_FIGURE {
        let turns = turns_of(tx, MysisId(of.mysis)).await?;
        update = update.col_expr(Column::Turns, Expr::value(turns));
    }
    update.exec(tx).await.map(|_| ())
}

/// Turns with a reply of the model, as far as the rows go back.
async fn turns_of(tx: &Tx, mysis: MysisId) -> Result<i64, DbErr> {
    use message::Column;
    let turns: Option<i64> = message::Entity::find()
        .select_only()
        .expr(Func::count_distinct(Expr::col(Column::Turn)))
        .filter(Column::Kind.is_in(["reply", "call"]))
        .filter(Column::MysisId.eq(mysis.0))
        .into_tuple()
        .one(tx)
        .await?;
    Ok(turns.unwrap_or(0))
}

fn to_stored_sum(counted: u64) -> i64 {
    i64::try_from(counted).map_or(MAX_SUM, |counted| counted.min(MAX_SUM))
}

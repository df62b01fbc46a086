//! The books in the database. A row's charge is entered in the transaction of the row, so that
//! books and rows agree after a crash. The books of a deleted Mysis stay.

use actors::domain::books::{BudgetUse, CostEntry, Day};
use actors::domain::bounds;
use actors::domain::budget::{ProviderSpending, SpentTogether};
use actors::domain::ids::MysisId;
use actors::domain::message::Row;
use actors::domain::model::Charge;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IdenStatic, QueryFilter,
    QueryOrder, QuerySelect, Select,
};

use super::LedgerInner;
use super::dialect::Dialect;
use super::entity::spending::{ActiveModel, Column, Entity, Model};
use super::saved_calls;
use super::server::on_server;
use super::writer::Tx;

/// [`bounds::MAX_SUM`] as a database integer.
pub(super) const MAX_SUM: i64 = bounds::MAX_SUM.cast_signed();
/// The figures of a line of the books.
pub(super) const BOOK_FIGURES: [Column; 5] = [
    Column::Calls,
    Column::Input,
    Column::Output,
    Column::Cached,
    Column::CostMicros,
];

/// An expression for a figure, or for 0 if the figure cannot be true. The first build accepted such figures.
pub(super) fn plausible(dialect: Dialect, figure: &str) -> String {
    let is_within = dialect.is_within(figure, MAX_SUM);
    format!("CASE WHEN {is_within} THEN {figure} ELSE 0 END")
}

/// The lines of the books. A figure that cannot be true must not make the other lines unreadable.
pub(super) fn readable_lines(dialect: Dialect) -> Select<Entity> {
    let key = [Column::Day, Column::MysisId, Column::Provider];
    let mut lines = Entity::find().select_only().columns(key);
    for figure in BOOK_FIGURES.map(|column| column.as_str()) {
        lines = lines.expr_as(Expr::cust(plausible(dialect, figure)), figure);
    }
    lines
}

/// Enters the charge of a new row, and the call that it shows to be spared.
pub(super) async fn enter_row(tx: &Tx, mysis: MysisId, row: &Row) -> Result<(), DbErr> {
    enter_bill(tx, mysis, row).await?;
    saved_calls::enter_call(tx, mysis, row).await
}

async fn enter_bill(tx: &Tx, mysis: MysisId, row: &Row) -> Result<(), DbErr> {
    let Some(bill) = row.charge() else {
        return Ok(());
    };
    let mut add = OnConflict::columns([Column::Day, Column::MysisId, Column::Provider]);
    for column in BOOK_FIGURES {
        // Added to as it stands, a figure that cannot be true would become one that can, or fail.
        let known = plausible(tx.dialect(), &format!("spending.{}", column.as_str()));
        let sum = Expr::cust(known).add(Expr::col(("excluded", column)));
        add.value(column, tx.dialect().at_most(sum, MAX_SUM));
    }
    tx.later(Entity::insert(line_model(mysis, Day::of(row.at), &bill)).on_conflict(add))
        .await
}

fn line_model(mysis: MysisId, day: Day, bill: &Charge) -> ActiveModel {
    let stored = |value: u64| Set(i64::try_from(value).unwrap_or(MAX_SUM));
    let mut spent = BudgetUse::default();
    spent.add_charge(bill);
    ActiveModel {
        day: Set(day.0),
        mysis_id: Set(mysis.0),
        provider: Set(bill.provider.to_string()),
        calls: stored(spent.calls),
        input: stored(spent.input),
        output: stored(spent.output),
        cached: stored(spent.cached),
        cost_micros: stored(spent.cost_micros),
    }
}

pub(super) fn counted(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn entry_from_model(model: Model) -> CostEntry {
    CostEntry {
        day: Day(model.day),
        mysis: MysisId(model.mysis_id),
        provider: model.provider.into(),
        spent: BudgetUse {
            calls: counted(model.calls),
            input: counted(model.input),
            output: counted(model.output),
            cached: counted(model.cached),
            cost_micros: counted(model.cost_micros),
        },
    }
}

/// What was spent on a day by provider. A line without a cost had no known price.
const SUM_OF_DAY: &str = "\
    SELECT provider, least(sum(calls), 1e15)::bigint AS calls, least(sum(input), 1e15)::bigint AS input, \
        least(sum(output), 1e15)::bigint AS output, least(sum(cached), 1e15)::bigint AS cached, \
        least(sum(cost_micros), 1e15)::bigint AS cost_micros, \
        least(coalesce(sum(input + output) FILTER (WHERE cost_micros = 0), 0), 1e15)::bigint \
            AS costless_tokens \
    FROM spending WHERE day = $1 GROUP BY provider";

#[derive(Debug, FromQueryResult)]
struct ProviderSums {
    provider: String,
    calls: i64,
    input: i64,
    output: i64,
    cached: i64,
    cost_micros: i64,
    costless_tokens: i64,
}

impl ProviderSums {
    fn into_spending(self) -> ProviderSpending {
        ProviderSpending {
            provider: self.provider.into(),
            spent: BudgetUse {
                calls: counted(self.calls),
                input: counted(self.input),
                output: counted(self.output),
                cached: counted(self.cached),
                cost_micros: counted(self.cost_micros),
            },
            costless_tokens: counted(self.costless_tokens),
        }
    }
}

impl LedgerInner {
    pub(super) async fn books(&self, since: Day) -> Result<Vec<CostEntry>, DbErr> {
        let lines = readable_lines(self.dialect)
            .filter(Column::Day.gte(since.0))
            .order_by_asc(Column::Day)
            .order_by_asc(Column::MysisId)
            .order_by_asc(Column::Provider);
        let lines = lines.into_model::<Model>().all(&self.readers).await?;
        Ok(lines.into_iter().map(entry_from_model).collect())
    }

    pub(super) async fn spent_together(&self, day: Day) -> Result<SpentTogether, DbErr> {
        let sums = on_server(SUM_OF_DAY, [day.0.into()]);
        let sums = ProviderSums::find_by_statement(sums);
        let providers = sums.all(&self.readers).await?.into_iter();
        Ok(SpentTogether {
            day,
            providers: providers.map(ProviderSums::into_spending).collect(),
        })
    }

    pub(super) async fn newest_books(&self) -> Result<Vec<CostEntry>, DbErr> {
        match newest_day(&self.readers).await? {
            Some(newest) => self.books(newest).await,
            None => Ok(Vec::new()),
        }
    }
}

pub(super) async fn newest_day(connection: &impl ConnectionTrait) -> Result<Option<Day>, DbErr> {
    let newest: Option<i64> = Entity::find()
        .order_by_desc(Column::Day)
        .select_only()
        .column(Column::Day)
        .into_tuple()
        .one(connection)
        .await?;
    Ok(newest.map(Day))
}

//! Rows that take the place of those with the same key, and values of columns that do.

use actors::domain::ids::MysisId;
use sea_orm::prelude::Expr;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, Iterable, PrimaryKeyToColumn, QueryFilter,
    Value,
};

use super::entity::mysis;
use super::writer::Tx;

/// What an insert does where a row with the same key is there: all other columns are those of the new row.
pub(super) fn replacing<E: EntityTrait>() -> OnConflict {
    let is_key = |column: &E::Column| E::PrimaryKey::from_column(*column).is_some();
    let (keys, others): (Vec<_>, Vec<_>) = E::Column::iter().partition(is_key);
    OnConflict::columns(keys).update_columns(others).to_owned()
}

impl Tx {
    /// Stores a row in place of the one with the same key, like [`Tx::later`].
    pub(super) async fn replace_later<A: ActiveModelTrait>(&self, model: A) -> Result<(), DbErr> {
        let insert = A::Entity::insert(model).on_conflict(replacing::<A::Entity>());
        self.later(insert).await
    }
}

/// Sets a column of a Mysis. A deleted one is not created again.
pub(super) async fn set_column(
    tx: &Tx,
    mysis: MysisId,
    column: mysis::Column,
    value: impl Into<Value>,
) -> Result<(), DbErr> {
    let all = mysis::Entity::update_many().col_expr(column, Expr::value(value));
    tx.later(all.filter(mysis::Column::Id.eq(mysis.0))).await
}

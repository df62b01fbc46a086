//! Notes how far back conversations reach: of what was removed, or was removed before it was imported.

use sea_orm::prelude::Expr;
use sea_orm::sea_query::{ExprTrait, OnConflict};
use sea_orm::{ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel};

use super::entity::removed;
use super::writer::Tx;

/// Records how far back a conversation now reaches.
pub(super) async fn note_removal(tx: &Tx, noted: removed::Model) -> Result<(), DbErr> {
    let mut more = OnConflict::column(removed::Column::MysisId);
    let excluded = |column: removed::Column| Expr::col(("excluded", column));
    let own = |column: removed::Column| Expr::col((removed::Entity, column));
    more.value(
        removed::Column::Count,
        own(removed::Column::Count).add(excluded(removed::Column::Count)),
    );
    for column in [removed::Column::Upto, removed::Column::At] {
        let newer =
            Expr::case(excluded(column).gt(own(column)), excluded(column)).finally(own(column));
        more.value(column, newer);
    }
    removed::Entity::insert(noted.into_active_model().reset_all())
        .on_conflict(more)
        .exec_without_returning(tx)
        .await
        .map(drop)
}

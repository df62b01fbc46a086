//! Game accounts: their owners, and which free one is given next.

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::record::{GameAccount, PoolAccount};
use sea_orm::ActiveValue::Set;
use sea_orm::prelude::Expr;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use super::entity::account;
use super::writer::Tx;

pub(super) async fn save_account(
    tx: &Tx,
    mysis: MysisId,
    account: &GameAccount,
    at: Timestamp,
) -> Result<(), DbErr> {
    let renewed = [
        account::Column::Password,
        account::Column::AssignedTo,
        account::Column::LastUsedAt,
    ];
    put_account(tx, account, (Some(mysis), at, Some(at)), renewed.into()).await
}

pub(super) async fn pool_account(
    tx: &Tx,
    pooled: &PoolAccount,
    at: Timestamp,
) -> Result<(), DbErr> {
    let mut renewed = vec![account::Column::Password];
    if pooled.owner.is_some() {
        renewed.push(account::Column::AssignedTo);
    }
    put_account(tx, &pooled.account, (pooled.owner, at, None), renewed).await
}

/// Stores an account. Of one that is known, only these columns are renewed.
async fn put_account(
    tx: &Tx,
    account: &GameAccount,
    (owner, at, last_used_at): (Option<MysisId>, Timestamp, Option<Timestamp>),
    renewed: Vec<account::Column>,
) -> Result<(), DbErr> {
    let model = account::ActiveModel {
        username: Set(account.username.to_string()),
        password: Set(account.password.to_string()),
        assigned_to: Set(owner.map(|owner| owner.0)),
        created_at: Set(at.0),
        last_used_at: Set(last_used_at.map(|at| at.0)),
    };
    let mut known = OnConflict::column(account::Column::Username);
    known.update_columns(renewed);
    let insert = account::Entity::insert(model).on_conflict(known);
    insert.exec_without_returning(tx).await.map(drop)
}

/// Gives a Mysis the oldest free account, or returns the account that it already has.
pub(super) async fn claim_account(
    tx: &Tx,
    mysis: MysisId,
    at: Timestamp,
) -> Result<Option<GameAccount>, DbErr> {
    let found = match account_of(tx, mysis).await? {
        Some(own) => Some(own),
        None => {
            account::Entity::find()
                .filter(account::Column::AssignedTo.is_null())
                .order_by_asc(account::Column::CreatedAt)
                .order_by_asc(account::Column::Username)
                .one(tx)
                .await?
        }
    };
    let Some(found) = found else {
        return Ok(None);
    };
    account::Entity::update_many()
        .col_expr(account::Column::AssignedTo, Expr::value(mysis.0))
        .col_expr(account::Column::LastUsedAt, Expr::value(at.0))
        .filter(account::Column::Username.eq(found.username.as_str()))
        .exec(tx)
        .await?;
    Ok(Some(found.into()))
}

pub(super) async fn account_of(
    connection: &impl ConnectionTrait,
    mysis: MysisId,
) -> Result<Option<account::Model>, DbErr> {
    let owned = account::Entity::find().filter(account::Column::AssignedTo.eq(mysis.0));
    owned.one(connection).await
}

impl From<account::Model> for GameAccount {
    fn from(model: account::Model) -> GameAccount {
        GameAccount {
            username: model.username.into(),
            password: model.password.into(),
        }
    }
}

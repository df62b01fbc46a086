//! A game account of the pool.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "account")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub username: String,
    pub password: String,
    pub assigned_to: Option<i64>,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}

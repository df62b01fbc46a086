//! A mission of the operator.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "mission")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    pub id: i64,
    pub content: String,
    pub at: i64,
    pub cleared_at: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}

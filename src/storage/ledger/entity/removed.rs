//! How far back a conversation reaches after old rows were removed.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "removed")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    pub count: i64,
    pub upto: i64,
    pub at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

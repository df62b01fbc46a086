//! The routines of each Mysis.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "routine")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    pub memo: String,
}

impl ActiveModelBehavior for ActiveModel {}

//! The state of each Mysis' stall detection.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "watch")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    pub memo: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

//! The calls that routines made in the models' place, by day and Mysis.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "spared")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    pub calls: i64,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

//! The calls that routines made in the models' place, by day and Mysis.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "spared")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    pub calls: i64,
}

impl ActiveModelBehavior for ActiveModel {}

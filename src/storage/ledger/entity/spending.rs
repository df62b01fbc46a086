//! What model calls cost, by day, Mysis and provider.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "spending")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub provider: String,
    pub calls: i64,
    pub input: i64,
    pub output: i64,
    pub cached: i64,
    pub cost_micros: i64,
}

impl ActiveModelBehavior for ActiveModel {}

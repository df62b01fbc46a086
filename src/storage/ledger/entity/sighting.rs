//! A snapshot of the game that a Mysis received.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sighting")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub account: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub tool: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub arguments: String,
    pub call_seq: i64,
    pub call_position: i32,
    pub digest: String,
    pub tick: Option<i64>,
    pub at: i64,
    pub stale_by: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

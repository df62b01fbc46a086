//! Texts that are held back from models.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "held_text")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub provider: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub model: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    pub kind: String,
    pub content: String,
    pub is_local: bool,
    pub said: String,
    pub proof: String,
    pub at: i64,
    pub doubted_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

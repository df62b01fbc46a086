//! A row of a conversation.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "message")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub mysis_id: i64,
    pub seq: i64,
    pub at: i64,
    pub turn: i64,
    pub kind: String,
    pub content: String,
    pub reasoning: Option<String>,
    pub sender: Option<String>,
    pub metadata: Option<String>,
    pub horizon: Option<i64>,
    pub mission_id: Option<i64>,
    pub call_seq: Option<i64>,
    pub call_position: Option<i32>,
}

impl ActiveModelBehavior for ActiveModel {}

//! A call of a row of kind `call`.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "tool_call")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub position: i32,
    pub call_id: String,
    pub name: String,
    pub arguments: String,
    pub status: String,
    pub read_only: bool,
    pub sent_at: Option<i64>,
    /// The id under which the server works on it, until its result is stored.
    pub task: Option<String>,
    /// The routine that made it, if the model did not.
    pub routine: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

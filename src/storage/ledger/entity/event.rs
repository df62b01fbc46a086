//! Something that happened, or that an operator ordered.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "event")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    pub id: i64,
    pub at: i64,
    pub kind: String,
    pub mysis_id: Option<i64>,
    pub mysis: Option<String>,
    pub severity: String,
    pub code: String,
    pub text: String,
    pub source: Option<String>,
    pub seq: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}

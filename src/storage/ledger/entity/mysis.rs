//! A Mysis.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "mysis")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub name: String,
    pub provider: String,
    pub model: Option<String>,
    pub temperature: Option<f64>,
    pub state: String,
    pub reason: Option<String>,
    pub fault_kind: Option<String>,
    pub fault_text: Option<String>,
    pub fault_at: Option<i64>,
    pub state_at: i64,
    pub is_called: bool,
    pub incarnation: i64,
    pub notes_after: i64,
    pub turns: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cost_micros: i64,
    pub created_at: i64,
    pub working_set: Option<String>,
    pub role: Option<String>,
    pub follows_role: bool,
    pub tier: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

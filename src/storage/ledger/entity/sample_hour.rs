//! An old hour of a Mysis, as one sample.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sample_hour")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub hour: i64,
    pub packed: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}

//! An old hour of a Mysis, as one sample.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sample_hour")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub hour: i64,
    pub packed: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

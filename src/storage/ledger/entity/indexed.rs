//! The progress of the search index, and how many of its entries are for removed rows. The table
//! has one row.

use sea_orm::entity::prelude::*;

use super::Relation;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "indexed")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub one: i64,
    pub upto: i64,
    pub held: i64,
    pub forgotten: i64,
}

impl ActiveModelBehavior for ActiveModel {}

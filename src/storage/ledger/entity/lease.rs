//! The process that runs a Mysis. Only a server's database has this table. The server's clock alone
//! sets and checks the expiry.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "lease")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    pub home: String,
    pub owner: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {
    #[sea_orm(
        belongs_to = "super::mysis::Entity",
        from = "Column::MysisId",
        to = "super::mysis::Column::Id"
    )]
    Mysis,
}

impl Related<super::mysis::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Mysis.def()
    }
}

impl Related<Entity> for super::mysis::Entity {
    fn to() -> RelationDef {
        Relation::Mysis.def().rev()
    }
}

impl ActiveModelBehavior for ActiveModel {}

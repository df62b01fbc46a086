//! The process that runs a Mysis. Only a server's database has this table. The server's clock alone
//! sets and checks the expiry.

use sea_orm::entity::prelude::*;

use super::{Relation, mysis};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "lease")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub mysis_id: i64,
    pub home: String,
    pub owner: String,
}

impl Related<Entity> for mysis::Entity {
    fn to() -> RelationDef {
        mysis::Entity::belongs_to(Entity)
            .from(mysis::Column::Id)
            .to(Column::MysisId)
            .into()
    }
}

impl ActiveModelBehavior for ActiveModel {}

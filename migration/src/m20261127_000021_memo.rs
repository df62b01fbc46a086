//! What each Mysis writes down for its next life, by kind.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

use crate::step::{Step, to_mysis};

pub(crate) const STEP: Step = Step {
    name: "m20261127_000021_memo",
    tables: |_| vec![memo_table()],
    ..Step::EMPTY
};

fn memo_table() -> TableCreateStatement {
    Table::create()
        .table("memo")
        .col(big_integer("mysis_id"))
        .col(text("kind"))
        .col(text("memo"))
        .primary_key(Index::create().col("mysis_id").col("kind"))
        .foreign_key(&mut to_mysis("memo", "mysis_id"))
        .to_owned()
}

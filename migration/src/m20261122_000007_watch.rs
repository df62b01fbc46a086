//! The state of the stall detector of each Mysis.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

use crate::step::{Step, to_mysis};

pub(crate) const STEP: Step = Step {
    name: "m20261122_000007_watch",
    tables: |_| vec![watch_table()],
    ..Step::EMPTY
};

fn watch_table() -> TableCreateStatement {
    Table::create()
        .table("watch")
        .col(big_integer("mysis_id").primary_key())
        .col(text("memo"))
        .foreign_key(&mut to_mysis("watch", "mysis_id"))
        .to_owned()
}

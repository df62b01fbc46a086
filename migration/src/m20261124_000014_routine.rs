//! The routines of each Mysis, and which calls are of one.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

use crate::step::{Step, to_mysis};

pub(crate) const STEP: Step = Step {
    name: "m20261124_000014_routine",
    tables: |_| vec![routine_table()],
    statements: |_| vec!["ALTER TABLE tool_call ADD COLUMN routine TEXT"],
};

fn routine_table() -> TableCreateStatement {
    Table::create()
        .table("routine")
        .col(big_integer("mysis_id").primary_key())
        .col(text("memo"))
        .foreign_key(&mut to_mysis("routine", "mysis_id"))
        .to_owned()
}

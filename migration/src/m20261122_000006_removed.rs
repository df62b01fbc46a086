//! Removed rows: how far back each conversation reaches after old rows were removed, and how many
//! entries of the index belong to removed rows.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;

use crate::step::{Step, to_mysis};

pub(crate) const STEP: Step = Step {
    name: "m20261122_000006_removed",
    tables: |_| vec![removed_table()],
    statements: |_| ADD_INDEX_COUNTS.to_vec(),
};

/// The number of rows in the index, and the number of those removed since the index was last
/// rebuilt. Until then it keeps a mark for each of them.
const ADD_INDEX_COUNTS: [&str; 3] = [
    "ALTER TABLE indexed ADD COLUMN held BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE indexed ADD COLUMN forgotten BIGINT NOT NULL DEFAULT 0",
    "UPDATE indexed SET held = (SELECT count(*) FROM message WHERE id <= upto)",
];

/// `count` rows were removed. The newest of them had the place `upto` and the time `at`.
fn removed_table() -> TableCreateStatement {
    Table::create()
        .table("removed")
        .col(big_integer("mysis_id").primary_key())
        .col(big_integer("count"))
        .col(big_integer("upto"))
        .col(big_integer("at"))
        .foreign_key(&mut to_mysis("removed", "mysis_id"))
        .to_owned()
}

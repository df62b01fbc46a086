//! The calls that routines made in the models' place, by day and Mysis.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;
use sea_orm_migration::sea_orm::DbBackend;

use crate::step::{Step, as_one_tree};

pub(crate) const STEP: Step = Step {
    name: "m20261126_000017_spared",
    tables: |backend| vec![spared_table(backend)],
    statements: |_| vec![BACKFILL],
};

fn spared_table(backend: DbBackend) -> TableCreateStatement {
    let mut table = Table::create();
    // No foreign key: like the spending, the calls of a deleted Mysis stay.
    table
        .table("spared")
        .col(big_integer("day"))
        .col(big_integer("mysis_id"))
        .col(big_integer("calls"))
        .primary_key(Index::create().col("day").col("mysis_id"));
    as_one_tree(table, backend)
}

/// Counts the calls of routines that are still stored, by the day on which they were written down. Looks of a routine's own
/// are none of them.
const BACKFILL: &str = "
INSERT INTO spared (day, mysis_id, calls)
SELECT message.at / 86400000, message.mysis_id, count(*)
FROM tool_call JOIN message ON message.mysis_id = tool_call.mysis_id AND message.seq = tool_call.seq
WHERE tool_call.routine IS NOT NULL AND tool_call.status IN ('done', 'failed', 'unknown')
  AND tool_call.call_id NOT LIKE 'look%'
GROUP BY 1, 2";

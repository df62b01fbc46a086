//! Spending: the cost of model calls, by day, Mysis and provider.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};
use sea_orm_migration::sea_orm::DbBackend;

use crate::step::{Step, as_one_tree, by_place};

pub(crate) const STEP: Step = Step {
    name: "m20261122_000005_spending",
    tables: |backend| vec![spending_table(backend)],
    // Older databases are all SQLite.
    statements: |backend| by_place(backend, vec![BACKFILL], vec![]),
};

fn spending_table(backend: DbBackend) -> TableCreateStatement {
    let mut table = Table::create();
    // No foreign key: the spending of a deleted Mysis stays.
    table
        .table("spending")
        .col(big_integer("day"))
        .col(big_integer("mysis_id"))
        .col(text("provider"))
        .col(big_integer("calls"))
        .col(big_integer("input"))
        .col(big_integer("output"))
        .col(big_integer("cached"))
        .col(big_integer("cost_micros"))
        .primary_key(Index::create().col("day").col("mysis_id").col("provider"));
    as_one_tree(table, backend)
}

/// Fills the table from the rows of before. Their costs were not stored then.
const BACKFILL: &str = "
INSERT INTO spending (day, mysis_id, provider, calls, input, output, cached, cost_micros)
SELECT at / 86400000, mysis_id, coalesce(json_extract(metadata, '$.provider'), ''), count(*),
       sum(coalesce(json_extract(metadata, '$.usage.input'), 0)),
       sum(coalesce(json_extract(metadata, '$.usage.output'), 0)),
       sum(coalesce(json_extract(metadata, '$.usage.cached'), 0)),
       0
FROM message
WHERE kind IN ('reply', 'call')
  AND CASE WHEN json_valid(metadata) THEN json_type(metadata, '$.usage') = 'object' ELSE 0 END
GROUP BY 1, 2, 3";

//! Sightings: the newest result of each snapshot query, by Mysis.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, integer, text, text_null};
use sea_orm_migration::sea_orm::DbBackend;

use crate::step::{Step, as_one_tree, to_mysis};

pub(crate) const STEP: Step = Step {
    name: "m20261122_000003_sighting",
    tables: |backend| vec![sighting_table(backend)],
    ..Step::EMPTY
};

fn sighting_table(backend: DbBackend) -> TableCreateStatement {
    let mut table = Table::create();
    table
        .table("sighting")
        .col(big_integer("mysis_id"))
        .col(text("account"))
        .col(text("tool"))
        .col(text("arguments"))
        .col(big_integer("call_seq"))
        .col(integer("call_position"))
        .col(text("digest"))
        .col(big_integer_null("tick"))
        .col(big_integer("at"))
        .col(text_null("stale_by"))
        .primary_key(
            Index::create()
                .col("mysis_id")
                .col("account")
                .col("tool")
                .col("arguments"),
        )
        .foreign_key(&mut to_mysis("sighting", "mysis_id"));
    as_one_tree(table, backend)
}

//! Texts that are held back from models, because a server refuses them.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, boolean, text};

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261127_000018_held_text",
    tables: |_| vec![held_text_table()],
    ..Step::EMPTY
};

fn held_text_table() -> TableCreateStatement {
    // No foreign key: what was learnt of a server outlives the Mysis that found it out.
    Table::create()
        .table("held_text")
        .col(text("provider"))
        .col(text("model"))
        .col(big_integer("mysis_id"))
        .col(big_integer("seq"))
        .col(text("content"))
        .col(boolean("is_local"))
        .col(text("said"))
        .col(text("proof"))
        .col(big_integer("at"))
        .col(big_integer("doubted_at"))
        .primary_key(
            Index::create()
                .col("provider")
                .col("model")
                .col("mysis_id")
                .col("seq"),
        )
        .to_owned()
}

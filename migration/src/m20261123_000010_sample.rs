//! Samples: what each Mysis has and does, by minute in packed hours, and by hour once they are old.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;

use crate::step::{Step, as_one_tree};

pub(crate) const STEP: Step = Step {
    name: "m20261123_000010_sample",
    tables: |backend| {
        let mut sample = hour_table("sample");
        sample.col(big_integer("upto"));
        // One tree would take rows of a kilobyte out of their pages, so the minutes are in an ordinary
        // table.
        vec![sample, as_one_tree(hour_table("sample_hour"), backend)]
    },
    ..Step::EMPTY
};

fn hour_table(name: &'static str) -> TableCreateStatement {
    // No foreign key: the samples of a deleted Mysis stay.
    Table::create()
        .table(name)
        .col(big_integer("mysis_id"))
        .col(big_integer("hour"))
        .col(ColumnDef::new("packed").blob().not_null())
        .primary_key(Index::create().col("mysis_id").col("hour"))
        .to_owned()
}

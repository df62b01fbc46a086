//! Events: the history of the swarm, and of the orders with their sources.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text, text_null};

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261123_000008_event",
    tables: |_| vec![event_table()],
    ..Step::EMPTY
};

fn event_table() -> TableCreateStatement {
    // No foreign key: the events of a deleted Mysis stay.
    Table::create()
        .table("event")
        .col(big_integer("number").auto_increment().primary_key())
        .col(big_integer("id").unique_key())
        .col(big_integer("at"))
        .col(text("kind"))
        .col(big_integer_null("mysis_id"))
        .col(text_null("mysis"))
        .col(text("severity"))
        .col(text("code"))
        .col(text("text"))
        .col(text_null("source"))
        .to_owned()
}

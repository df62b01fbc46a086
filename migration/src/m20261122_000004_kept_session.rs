//! Kept sessions: the data with which each Mysis resumes its session with the game server.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text, text_null};

use crate::step::{Step, to_mysis};

pub(crate) const STEP: Step = Step {
    name: "m20261122_000004_kept_session",
    tables: |_| vec![kept_session_table()],
    ..Step::EMPTY
};

fn kept_session_table() -> TableCreateStatement {
    Table::create()
        .table("kept_session")
        .col(big_integer("mysis_id").primary_key())
        .col(text("ticket"))
        .col(text_null("account"))
        .foreign_key(&mut to_mysis("kept_session", "mysis_id"))
        .to_owned()
}

//! The first schema: Myses, their conversations, missions and game accounts.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, big_integer_null, boolean, double_null, integer_null, text, text_null,
};
use sea_orm_migration::sea_orm::DbBackend;

use crate::step::{Step, as_one_tree, to_mysis};

pub(crate) const STEP: Step = Step {
    name: "m20261121_000001_first_flight",
    tables: |backend| {
        vec![
            mysis_table(),
            mission_table(),
            tool_call_table(backend),
            message_table(),
            account_table(),
        ]
    },
    statements: |_| INDEXES.to_vec(),
};

/// Partial indexes, which the schema builder cannot express. The text is the same in SQLite and
/// Postgres.
const INDEXES: [&str; 4] = [
    "CREATE UNIQUE INDEX message_place ON message (mysis_id, seq)",
    "CREATE INDEX message_order ON message (mysis_id, kind, seq) \
     WHERE kind IN ('prompt', 'mission', 'peer', 'note', 'reply')",
    "CREATE INDEX tool_call_open ON tool_call (mysis_id) WHERE status IN ('recorded', 'sent')",
    "CREATE UNIQUE INDEX account_owner ON account (assigned_to) WHERE assigned_to IS NOT NULL",
];

fn mysis_table() -> TableCreateStatement {
    Table::create()
        .table("mysis")
        .col(big_integer("id").primary_key())
        .col(text("name").unique_key())
        .col(text("provider"))
        .col(text_null("model"))
        .col(double_null("temperature"))
        .col(text("state"))
        .col(text_null("reason"))
        .col(text_null("fault_kind"))
        .col(text_null("fault_text"))
        .col(big_integer_null("fault_at"))
        .col(big_integer("state_at"))
        .col(boolean("is_called").default(false))
        .col(big_integer("incarnation").default(0))
        .col(big_integer("notes_after").default(0))
        .col(big_integer("turns").default(0))
        .col(big_integer("tokens_in").default(0))
        .col(big_integer("tokens_out").default(0))
        .col(big_integer("cost_micros").default(0))
        .col(big_integer("created_at"))
        .to_owned()
}

fn mission_table() -> TableCreateStatement {
    Table::create()
        .table("mission")
        .col(big_integer("number").auto_increment().primary_key())
        .col(big_integer("id").unique_key())
        .col(text("content"))
        .col(big_integer("at"))
        .col(big_integer_null("cleared_at"))
        .to_owned()
}

fn message_table() -> TableCreateStatement {
    Table::create()
        .table("message")
        .col(big_integer("id").auto_increment().primary_key())
        .col(big_integer("mysis_id"))
        .col(big_integer("seq"))
        .col(big_integer("at"))
        .col(big_integer("turn"))
        .col(text("kind"))
        .col(text("content"))
        .col(text_null("reasoning"))
        .col(text_null("sender"))
        .col(text_null("metadata"))
        .col(big_integer_null("horizon"))
        .col(big_integer_null("mission_id"))
        .col(big_integer_null("call_seq"))
        .col(integer_null("call_position"))
        .foreign_key(&mut to_mysis("message", "mysis_id"))
        .foreign_key(
            ForeignKey::create()
                .from("message", "mission_id")
                .to("mission", "id"),
        )
        .foreign_key(
            ForeignKey::create()
                .from("message", ("mysis_id", "call_seq", "call_position"))
                .to("tool_call", ("mysis_id", "seq", "position")),
        )
        .to_owned()
}

fn tool_call_table(backend: DbBackend) -> TableCreateStatement {
    let mut table = Table::create();
    table
        .table("tool_call")
        .col(big_integer("mysis_id"))
        .col(big_integer("seq"))
        .col(ColumnDef::new("position").integer().not_null())
        .col(text("call_id"))
        .col(text("name"))
        .col(text("arguments"))
        .col(text("status"))
        .col(boolean("read_only"))
        .col(big_integer_null("sent_at"))
        .primary_key(Index::create().col("mysis_id").col("seq").col("position"))
        .foreign_key(&mut to_mysis("tool_call", "mysis_id"));
    as_one_tree(table, backend)
}

fn account_table() -> TableCreateStatement {
    Table::create()
        .table("account")
        .col(text("username").primary_key())
        .col(text("password"))
        .col(big_integer_null("assigned_to"))
        .col(big_integer("created_at"))
        .col(big_integer_null("last_used_at"))
        .foreign_key(&mut to_mysis("account", "assigned_to"))
        .to_owned()
}

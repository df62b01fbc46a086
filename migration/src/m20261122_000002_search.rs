//! Search: an index of all words said, and fewer other indexes, so that a row costs less.
//!
//! SQLite only: on another database nothing is indexed, and a search reads what it looks through.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in FEWER_INDEXES {
            connection.execute_unprepared(statement).await?;
        }
        if manager.get_database_backend() == DbBackend::Sqlite {
            for statement in SEARCH {
                connection.execute_unprepared(statement).await?;
            }
        }
        Ok(())
    }

    /// Killed half-way, it has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// Nobody asks for open calls by their index; and of the kinds that are asked for by name, only the
/// rare ones are worth one: the newest reply is found from the end of a conversation.
const FEWER_INDEXES: [&str; 3] = [
    "DROP INDEX tool_call_open",
    "DROP INDEX message_order",
    "CREATE INDEX message_order ON message (mysis_id, kind, seq) \
     WHERE kind IN ('prompt', 'mission', 'peer', 'note')",
];

/// Which rows hold which three letters in a row, without the rows themselves and without the
/// places in them: what is found is looked at before it counts. `indexed.upto` is the newest row
/// that is in it.
const SEARCH: [&str; 6] = [
    "CREATE VIRTUAL TABLE message_text USING fts5(owner, body, content = '', columnsize = 0, \
     detail = none, tokenize = 'trigram case_sensitive 1')",
    "INSERT INTO message_text (message_text, rank) VALUES ('pgsz', 980)",
    "INSERT INTO message_text (message_text, rank) VALUES ('automerge', 8)",
    "CREATE VIRTUAL TABLE message_term USING fts5vocab(message_text, row)",
    "CREATE TABLE indexed (one INTEGER PRIMARY KEY CHECK (one = 1), upto INTEGER NOT NULL)",
    "INSERT INTO indexed (one, upto) VALUES (1, 0)",
];

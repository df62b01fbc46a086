//! Search: an index of all stored text, and fewer other indexes, so that a row costs less.
//!
//! SQLite has its own full-text index. Postgres has one of the extension `pg_trgm` over a
//! lower-case copy of the text, so that both treat lower case alike.

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
        let is_file = manager.get_database_backend() == DbBackend::Sqlite;
        let search: &[&str] = if is_file {
            &CREATE_SEARCH
        } else {
            &CREATE_SEARCH_ON_A_SERVER
        };
        for statement in search {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// No query uses the index of open calls. Of the kinds that queries name, only the rare ones are
/// worth an index: the newest reply is found from the end of a conversation.
const FEWER_INDEXES: [&str; 3] = [
    "DROP INDEX tool_call_open",
    "DROP INDEX message_order",
    "CREATE INDEX message_order ON message (mysis_id, kind, seq) \
     WHERE kind IN ('prompt', 'mission', 'peer', 'note')",
];

/// The trigrams of each row, without the rows and without positions: a match is verified against
/// the row. `indexed.upto` is the newest row in the index.
const CREATE_SEARCH: [&str; 6] = [
    "CREATE VIRTUAL TABLE message_text USING fts5(owner, body, content = '', columnsize = 0, \
     detail = none, tokenize = 'trigram case_sensitive 1')",
    "INSERT INTO message_text (message_text, rank) VALUES ('pgsz', 980)",
    "INSERT INTO message_text (message_text, rank) VALUES ('automerge', 8)",
    "CREATE VIRTUAL TABLE message_term USING fts5vocab(message_text, row)",
    "CREATE TABLE indexed (one INTEGER PRIMARY KEY CHECK (one = 1), upto INTEGER NOT NULL)",
    "INSERT INTO indexed (one, upto) VALUES (1, 0)",
];

/// The same on a server. The extension may be in a schema of its own. A deleted row goes with its
/// text. The last index finds the rows that point to a call when the call is deleted, which a
/// server looks up call by call.
const CREATE_SEARCH_ON_A_SERVER: [&str; 7] = [
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE TABLE message_text (id BIGINT PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE, \
     mysis_id BIGINT NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX message_text_mysis ON message_text (mysis_id, id)",
    "DO $$ BEGIN EXECUTE format('CREATE INDEX message_text_letters ON message_text \
     USING gin (body %I.gin_trgm_ops)', (SELECT nspname FROM pg_extension \
     JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm')); END $$",
    "CREATE TABLE indexed (one BIGINT PRIMARY KEY CHECK (one = 1), upto BIGINT NOT NULL)",
    "INSERT INTO indexed (one, upto) VALUES (1, 0)",
    "CREATE INDEX message_call ON message (mysis_id, call_seq, call_position) \
     WHERE call_seq IS NOT NULL",
];

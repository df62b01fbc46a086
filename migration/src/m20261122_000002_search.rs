//! Search: an index of all stored text, and fewer other indexes, so that a row costs less.
//!
//! SQLite has its own full-text index. Postgres has one of the extension `pg_trgm` over a
//! lower-case copy of the text, so that both treat lower case alike.

use crate::step::{Step, by_place};

pub(crate) const STEP: Step = Step {
    name: "m20261122_000002_search",
    statements: |backend| {
        let search = by_place(backend, &CREATE_SEARCH[..], &CREATE_SEARCH_ON_A_SERVER);
        [&FEWER_INDEXES[..], search].concat()
    },
    ..Step::EMPTY
};

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

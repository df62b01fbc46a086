//! Everything as it is stored and exported: each kind of write in the tables, and the lines of an export.

use actors::domain::screen::ExportFormat;
use actors::secrets::Secrets;
use sea_orm::Statement;
use serde_json::{Map, Value, json};
use zoea_golden::{hold, hold_json};

use super::super::dialect::Dialect;
use super::super::export::{ExportOrder, export_to_file};
use super::super::tables::{TABLES, WhenDeleted};
use super::repeating::of_every_kind;
use super::*;

pub(super) async fn texts(ledger: &SqlLedger, query: &str) -> Vec<String> {
    let asked = Statement::from_string(ledger.inner.dialect.backend(), query);
    let rows = ledger.inner.readers.query_all_raw(asked).await.unwrap();
    let texts = rows.iter().map(|row| row.try_get_by_index(0).unwrap());
    texts.collect()
}

/// The rows of a table. A text that is JSON is shown as what it says.
async fn table(ledger: &SqlLedger, table: &str) -> Value {
    let columns = format!("SELECT name FROM pragma_table_info('{table}')");
    let columns = texts(ledger, &columns).await.into_iter();
    let columns: Vec<String> = columns
        .map(|name| {
            format!("'{name}', CASE typeof(\"{name}\") WHEN 'blob' THEN hex(\"{name}\") ELSE \"{name}\" END")
        })
        .collect();
    let rows = format!(
        "SELECT json_object({}) FROM \"{table}\"",
        columns.join(", ")
    );
    let rows = texts(ledger, &rows).await.into_iter().map(|row| {
        let mut row: Map<String, Value> = serde_json::from_str(&row).unwrap();
        for value in row.values_mut() {
            let read = value
                .as_str()
                .map(serde_json::from_str::<Map<String, Value>>);
            if let Some(Ok(read)) = read {
                *value = json!({ "JSON": read });
            }
        }
        Value::Object(row)
    });
    rows.collect()
}

on_both!(no_table_is_without_an_answer);

#[tokio::test]
async fn what_is_stored_and_exported_keeps_its_form() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = SqlLedger::open(&directory.path().join("zoea.db"))
        .await
        .unwrap();
    write(&ledger, of_every_kind()).await.unwrap();
    let schema = "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL \
                  AND name NOT LIKE 'message_text_%' ORDER BY type DESC, name";
    hold("schema.sql", &texts(&ledger, schema).await.join("\n"));
    // The index says nothing that the rows do not, and steps say when they were made.
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'message_t%' \
                  AND name NOT LIKE 'sqlite%' AND name NOT IN ('indexed', 'seaql_migrations') ORDER BY name";
    let mut stored = Map::new();
    for name in texts(&ledger, tables).await {
        let rows = table(&ledger, &name).await;
        stored.insert(name, rows);
    }
    hold_json("stored.json", &Value::Object(stored));
    let order = ExportOrder {
        mysis: None,
        format: ExportFormat::JsonLines,
        names_account: true,
    };
    let file = directory.path().join("export.jsonl");
    export_to_file(&ledger, order, &file, &Secrets::default())
        .await
        .unwrap();
    let lines = std::fs::read_to_string(file).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    hold_json("export.json", &lines.collect());
}

#[tokio::test]
async fn the_tables_of_a_server_keep_their_form() {
    let Some(books) = Books::server() else {
        return;
    };
    let ledger = books.open().await;
    let columns = "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable \
                   FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1";
    let columns = texts(&ledger, columns).await;
    hold("schema-server.txt", &columns.join("\n"));
}

/// Each table has its answers in the list of tables, whichever database it is in, and those of a Mysis say so.
async fn no_table_is_without_an_answer(books: Books) {
    let ledger = books.open().await;
    let schema = match ledger.inner.dialect {
        Dialect::Sqlite => {
            "SELECT name || '.' || (SELECT group_concat('/' || name, '') FROM pragma_table_info(t.name)) || '/' \
             FROM pragma_table_list AS t WHERE schema = 'main' AND type IN ('table', 'virtual') \
             AND name NOT LIKE 'sqlite%' AND name <> 'message_term'"
        }
        Dialect::Postgres => {
            "SELECT table_name || '.' || string_agg('/' || column_name, '') || '/' \
             FROM information_schema.columns WHERE table_schema = current_schema() GROUP BY table_name"
        }
    };
    let schema = texts(&ledger, schema).await;
    let mut unanswered = Vec::new();
    for line in &schema {
        let (table, columns) = line.split_once('.').unwrap();
        let mut all = TABLES.iter();
        let wanted = match all.find(|(name, ..)| *name == table) {
            Some((_, WhenDeleted::Go(column) | WhenDeleted::Freed(column), _)) => column,
            Some((_, WhenDeleted::Follow | WhenDeleted::Stay, _)) => continue,
            None => "a place in the list",
        };
        if !columns.contains(&format!("/{wanted}/")) {
            unanswered.push(format!("{table}: {wanted} is missing"));
        }
    }
    assert_eq!(unanswered, [""; 0]);
    // Whatever refers to a Mysis goes with it by the list, or is said to stay or to follow.
    write(&ledger, of_every_kind()).await.unwrap();
    write(&ledger, vec![Write::Delete { mysis: ALPHA }])
        .await
        .unwrap();
    let mut left = Vec::new();
    for (table, when_deleted, _) in &TABLES {
        let is_here = schema
            .iter()
            .any(|line| line.starts_with(&format!("{table}.")));
        let (WhenDeleted::Go(column) | WhenDeleted::Freed(column)) = when_deleted else {
            continue;
        };
        assert!(is_here, "{table}");
        let rows = format!("SELECT '{table}' FROM {table} WHERE {column} = {}", ALPHA.0);
        left.extend(texts(&ledger, &rows).await);
    }
    assert_eq!(left, [""; 0]);
}

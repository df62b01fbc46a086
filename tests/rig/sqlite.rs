//! SQL by hand, for databases that the program itself would never write.

use std::path::Path;

use migration::{Migrator, MigratorTrait};
use sea_orm::sqlx::sqlite::SqliteRow;
use sea_orm::sqlx::{AssertSqlSafe, Connection, Row, SqliteConnection};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Opens a database, which is created if it does not exist, for as long as some work takes.
fn in_database<T>(file: &Path, work: impl AsyncFnOnce(&mut SqliteConnection) -> T) -> T {
    runtime().block_on(async {
        let address = format!("sqlite://{}?mode=rwc", file.display());
        let mut connection = SqliteConnection::connect(&address)
            .await
            .expect("the database opens");
        let result = work(&mut connection).await;
        connection.close().await.expect("it closes");
        result
    })
}

/// Executes statements on a database, which is created if it does not exist. The log stays as it is
/// if the statements ask for one.
pub fn execute(file: &Path, statements: &str) {
    while_open(file, statements, || ());
}

/// Executes statements, and calls `act` while the database is still open.
pub fn while_open(file: &Path, statements: &str, act: impl FnOnce()) {
    in_database(file, async |connection| {
        sea_orm::sqlx::raw_sql(AssertSqlSafe(statements.to_string()))
            .execute(connection)
            .await
            .expect("the statements are right");
        act();
    });
}

/// Creates a database of a version.
pub fn migrate(file: &Path, version: u32) {
    runtime().block_on(async {
        let address = format!("sqlite://{}?mode=rwc", file.display());
        let database = sea_orm::Database::connect(address).await.expect("it opens");
        Migrator::up(&database, Some(version))
            .await
            .expect("the steps");
        database.close().await.expect("it closes");
    });
}

/// The rows of a query's result.
fn rows(file: &Path, query: &str) -> Vec<SqliteRow> {
    in_database(file, async |connection| {
        sea_orm::sqlx::query(AssertSqlSafe(query.to_string()))
            .fetch_all(connection)
            .await
            .expect("the query is right")
    })
}

/// The first column of a query's result, as text.
pub fn column(file: &Path, query: &str) -> Vec<String> {
    rows(file, query).iter().map(|row| row.get(0)).collect()
}

/// Every value of every table, as text, with its table and column.
pub fn all_texts(file: &Path) -> Vec<(String, String)> {
    // The contents of an index are in tables of its own.
    let tables = column(
        file,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    );
    let mut texts = Vec::new();
    for table in tables {
        let columns = column(
            file,
            &format!("SELECT name FROM pragma_table_info('{table}')"),
        );
        for name in columns {
            let query = format!("SELECT CAST(\"{name}\" AS BLOB) FROM \"{table}\"");
            let place = format!("{table}.{name}");
            let values = blobs(file, &query).into_iter();
            texts.extend(
                values.map(|value| (place.clone(), String::from_utf8_lossy(&value).into_owned())),
            );
        }
    }
    texts
}

fn blobs(file: &Path, query: &str) -> Vec<Vec<u8>> {
    let values = rows(file, query);
    let values = values.iter().map(|row| row.get::<Option<Vec<u8>>, _>(0));
    values.map(Option::unwrap_or_default).collect()
}

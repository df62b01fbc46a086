//! SQL by hand, for databases that the program itself would never write.

use std::path::Path;

use migration::{Migrator, MigratorTrait};
use sea_orm::sqlx::{Connection, Row, SqliteConnection};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Executes statements on a database, which is created if it does not exist. The log stays as it is
/// if the statements ask for one.
pub fn execute(file: &Path, statements: &str) {
    runtime().block_on(async {
        let mut connection = open(file).await;
        sea_orm::sqlx::raw_sql(sea_orm::sqlx::AssertSqlSafe(statements.to_string()))
            .execute(&mut connection)
            .await
            .expect("the statements are right");
        connection.close().await.expect("it closes");
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

/// The first column of a query's result, as text.
pub fn column(file: &Path, query: &str) -> Vec<String> {
    runtime().block_on(async {
        let mut connection = open(file).await;
        let rows = sea_orm::sqlx::query(sea_orm::sqlx::AssertSqlSafe(query.to_string()))
            .fetch_all(&mut connection)
            .await
            .expect("the query is right");
        connection.close().await.expect("it closes");
        rows.iter().map(|row| row.get(0)).collect()
    })
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
    runtime().block_on(async {
        let mut connection = open(file).await;
        let rows = sea_orm::sqlx::query(sea_orm::sqlx::AssertSqlSafe(query.to_string()))
            .fetch_all(&mut connection)
            .await
            .expect("the query is right");
        connection.close().await.expect("it closes");
        let values = rows.iter().map(|row| row.get::<Option<Vec<u8>>, _>(0));
        values.map(Option::unwrap_or_default).collect()
    })
}

async fn open(file: &Path) -> SqliteConnection {
    SqliteConnection::connect(&format!("sqlite://{}?mode=rwc", file.display()))
        .await
        .expect("the database opens")
}

/// Executes statements, and calls `act` while the database is still open.
pub fn while_open(file: &Path, statements: &str, act: impl FnOnce()) {
    runtime().block_on(async {
        let mut connection = open(file).await;
        sea_orm::sqlx::raw_sql(sea_orm::sqlx::AssertSqlSafe(statements.to_string()))
            .execute(&mut connection)
            .await
            .expect("the statements are right");
        act();
        connection.close().await.expect("it closes");
    });
}

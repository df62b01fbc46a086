//! What a step is. It has shipped with the steps: its meaning never changes.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// A step: what it creates, and what it executes after that.
pub(crate) struct Step {
    /// The name that databases store.
    pub(crate) name: &'static str,
    pub(crate) tables: fn(DbBackend) -> Vec<TableCreateStatement>,
    pub(crate) statements: fn(DbBackend) -> Vec<&'static str>,
}

impl Step {
    pub(crate) const EMPTY: Step = Step {
        name: "",
        tables: |_| Vec::new(),
        statements: |_| Vec::new(),
    };
}

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        self.name
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        for table in (self.tables)(backend) {
            manager.create_table(table).await?;
        }
        let connection = manager.get_connection();
        for statement in (self.statements)(backend) {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// The statements of a file, or of a server.
pub(crate) fn by_place<T>(backend: DbBackend, in_a_file: T, on_a_server: T) -> T {
    match backend == DbBackend::Sqlite {
        true => in_a_file,
        false => on_a_server,
    }
}

/// Makes a table of a file one tree instead of two: its rows are only ever found by their key.
pub(crate) fn as_one_tree(
    mut table: TableCreateStatement,
    backend: DbBackend,
) -> TableCreateStatement {
    if backend == DbBackend::Sqlite {
        table.extra("WITHOUT ROWID");
    }
    table
}

/// The reference of a table to the Mysis that this column names.
pub(crate) fn to_mysis(table: &'static str, column: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, column)
        .to("mysis", "id")
        .to_owned()
}

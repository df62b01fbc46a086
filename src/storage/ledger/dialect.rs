//! Dialects: the differences between SQLite and Postgres. All other queries of the ledger have one
//! text for both.

use actors::domain::ids::MysisId;
use sea_orm::prelude::Expr;
use sea_orm::sea_query::{Query, SimpleExpr};
use sea_orm::{DbBackend, DbErr, RuntimeErr, Statement, Value};

use super::trigrams;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// SQLite: a file of the home.
    Sqlite,
    /// Postgres: a server.
    Postgres,
}

/// A row of the index: its id, its Mysis, and its text in lower case.
pub(super) type IndexRow = (i64, MysisId, String);

impl Dialect {
    pub(super) fn backend(self) -> DbBackend {
        match self {
            Dialect::Sqlite => DbBackend::Sqlite,
            Dialect::Postgres => DbBackend::Postgres,
        }
    }

    pub(super) fn taken(self, mut statement: Statement) -> Statement {
        let values = statement.values.iter_mut().flat_map(|values| &mut values.0);
        for value in values {
            if let Value::String(Some(text)) = value {
                self.make_storable(text);
            }
        }
        statement
    }

    /// Removes what the database cannot store from a text: Postgres has no NUL.
    pub(super) fn make_storable(self, text: &mut String) {
        if self == Dialect::Postgres && text.contains('\0') {
            *text = text.replace('\0', "\u{fffd}");
        }
    }

    /// The tables of the user, without the database's own.
    pub(super) fn list_tables(self) -> Statement {
        let query = match self {
            Dialect::Sqlite => {
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            }
            // The tables of an extension are ignored.
            Dialect::Postgres => {
                "SELECT relname::text FROM pg_class \
                 WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') \
                 AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass \
                 AND objid = pg_class.oid AND deptype = 'e') ORDER BY relname"
            }
        };
        Statement::from_string(self.backend(), query)
    }

    /// What an operator can do if a database is not for this program.
    pub(super) fn elsewhere_advice(self) -> &'static str {
        match self {
            Dialect::Sqlite => "use another home with --home",
            Dialect::Postgres => "name another database in store.database_url",
        }
    }

    /// Adds rows to the index, all in one statement, because each statement goes to the driver's thread,
    /// or to the server, and back.
    pub(super) fn insert_into_index(self, rows: impl Iterator<Item = IndexRow>) -> Statement {
        let columns = match self {
            Dialect::Sqlite => ["rowid", "owner", "body"],
            Dialect::Postgres => ["id", "mysis_id", "body"],
        };
        let mut insert = Query::insert();
        insert.into_table("message_text").columns(columns);
        for (id, mysis, body) in rows {
            let owner = match self {
                Dialect::Sqlite => Expr::value(trigrams::owner(mysis)),
                Dialect::Postgres => Expr::value(mysis.0),
            };
            insert.values_panic([Expr::value(id), owner, Expr::value(body)]);
        }
        self.backend().build(&insert)
    }

    /// Removes rows from the index in one statement, with exactly the texts that were inserted. Returns `None` if
    /// the deletion of a row removes it.
    pub(super) fn delete_from_index(
        self,
        rows: impl Iterator<Item = IndexRow>,
    ) -> Option<Statement> {
        if self == Dialect::Postgres {
            return None;
        }
        let mut delete = Query::insert();
        delete
            .into_table("message_text")
            .columns(["message_text", "rowid", "owner", "body"]);
        for (id, mysis, body) in rows {
            let owner = trigrams::owner(mysis);
            delete.values_panic(["delete".into(), id.into(), owner.into(), body.into()]);
        }
        Some(self.backend().build(&delete))
    }

    /// Whether a key of this many bytes can be indexed. A server's index does not accept long keys.
    pub(super) fn accepts_key_length(self, bytes: usize) -> bool {
        match self {
            Dialect::Sqlite => true,
            Dialect::Postgres => bytes <= 2000,
        }
    }

    /// A query for the newest indexed rows before one that match.
    pub(super) fn select_indexed(
        self,
        question: &str,
        mysis: Option<MysisId>,
        before: i64,
        limit: u64,
    ) -> Statement {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut values: Vec<Value> = vec![question.into(), before.into(), limit.into()];
        let sql = match self {
            // The question contains the owner, so no other condition is needed.
            Dialect::Sqlite => {
                "SELECT rowid FROM message_text WHERE message_text MATCH ? AND rowid < ? \
                 ORDER BY rowid DESC LIMIT ?"
                    .to_string()
            }
            Dialect::Postgres => {
                values.extend(mysis.map(|mysis| Value::from(mysis.0)));
                let own = mysis.map_or("", |_| "AND mysis_id = $4 ");
                format!(
                    "SELECT id FROM message_text WHERE body LIKE $1 AND id < $2 {own}\
                     ORDER BY id DESC LIMIT $3"
                )
            }
        };
        Statement::from_sql_and_values(self.backend(), sql, values)
    }

    /// A part of a row's content in bytes, from an offset.
    pub(super) fn content_piece(self, offset: u64, limit: u64) -> SimpleExpr {
        match self {
            // Both count positions from 1.
            Dialect::Sqlite => {
                let start = i64::try_from(offset).unwrap_or(i64::MAX - 1) + 1;
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                Expr::cust_with_values("substr(CAST(content AS BLOB), ?, ?)", [start, limit])
            }
            // Texts there are never longer than an `int` can count.
            Dialect::Postgres => {
                let start = i32::try_from(offset).unwrap_or(i32::MAX - 1) + 1;
                let limit = i32::try_from(limit).unwrap_or(i32::MAX);
                Expr::cust_with_values(
                    "substring(convert_to(content, 'UTF8') from $1 for $2)",
                    [start, limit],
                )
            }
        }
    }

    /// The length of a row's content in bytes.
    pub(super) fn content_length(self) -> SimpleExpr {
        match self {
            Dialect::Sqlite => Expr::cust("length(CAST(content AS BLOB))"),
            Dialect::Postgres => Expr::cust("octet_length(content)::bigint"),
        }
    }

    pub(super) fn at_most(self, number: SimpleExpr, most: i64) -> SimpleExpr {
        let least = match self {
            Dialect::Sqlite => "min(?, ?)",
            Dialect::Postgres => "LEAST($1, $2)",
        };
        Expr::cust_with_exprs(least, [number, Expr::value(most)])
    }

    /// An expression for whether a column contains an integer from 0 to a bound.
    pub(super) fn is_within(self, column: &str, most: i64) -> String {
        match self {
            // An SQLite column can contain a value of another type, for example a real number that
            // exceeds an integer.
            Dialect::Sqlite => {
                format!("(typeof({column}) = 'integer' AND {column} BETWEEN 0 AND {most})")
            }
            Dialect::Postgres => format!("({column} BETWEEN 0 AND {most})"),
        }
    }

    /// Whether repeating a statement cannot help, because the statement itself is wrong or
    /// contradicts what is stored.
    pub(super) fn is_final(self, error: &DbErr) -> bool {
        let Some(code) = error_code(error) else {
            return false;
        };
        match self {
            // SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH.
            Dialect::Sqlite => {
                let primary = code.parse::<u32>().map(|code| code & 0xff);
                matches!(primary, Ok(1 | 19 | 20))
            }
            // Classes: data, integrity, syntax, program limit. A missing right (42501) may still be
            // granted.
            Dialect::Postgres => {
                let is_wrong = ["22", "23", "42", "54"]
                    .iter()
                    .any(|class| code.starts_with(class));
                is_wrong && code != "42501"
            }
        }
    }
}

/// The database's code of a failed statement. Errors of connections and of beginning or ending
/// transactions may pass, whatever their code.
fn error_code(error: &DbErr) -> Option<String> {
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) =
        error
    else {
        return None;
    };
    Some(error.as_database_error()?.code()?.into_owned())
}

//! Checks whether a database is sound, with the database's own check and with our invariants.
//!
//! Everything is read in one read-only transaction. A program may use the database meanwhile.

mod figures;
mod samples;

use std::collections::{BTreeMap, BTreeSet};

use actors::domain::bounds;
use actors::domain::ids::MysisId;
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, Statement, TransactionTrait,
    TryGetableMany,
};

use super::dialect::Dialect;
use super::opening::{self, DatabaseLocation};
use super::{OpenError, books, error_text, server, trigrams};

/// [`bounds::MAX_CALL_TOKENS`] as a database integer.
const MAX_CALL_TOKENS: i64 = bounds::MAX_CALL_TOKENS.cast_signed();
/// The rows at either end of the index that are searched in it.
const SAMPLE_ROWS: usize = 200;
const MAX_NAMED_MISTAKES: usize = 5;

pub type CheckResult = (&'static str, Result<String, String>);

/// Checks a database. A program may be using it.
///
/// # Errors
/// It is not our database, is newer than this program, or cannot be read.
pub async fn check(database: &DatabaseLocation<'_>) -> Result<Vec<CheckResult>, OpenError> {
    let connection = match database {
        DatabaseLocation::File(path) => opening::open_for_reading(path).await?,
        DatabaseLocation::Server(address) => {
            address.count_myses().await?;
            address.open_single()
        }
    };
    let checked = run_checks(&connection, database.dialect()).await;
    server::close_single(connection).await;
    checked.map_err(|error| database.unusable(&error))
}

async fn run_checks(
    connection: &DatabaseConnection,
    dialect: Dialect,
) -> Result<Vec<CheckResult>, DbErr> {
    let tx = connection.begin().await?;
    if dialect == Dialect::Postgres {
        let at_one_moment = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";
        tx.execute_unprepared(at_one_moment).await?;
    }
    let look = CheckTransaction { tx, dialect };
    let mut checked = Vec::new();
    for (name, find) in CHECKS {
        // A page that cannot be read is a finding, too.
        let found = find(&look).await;
        checked.push((name, found.unwrap_or_else(|error| Err(error_text(&error)))));
    }
    Ok(checked)
}

type CheckFinding = Result<String, String>;
type CheckFn = fn(&CheckTransaction) -> BoxFuture<'_, Result<CheckFinding, DbErr>>;

const CHECKS: [(&str, CheckFn); 8] = [
    ("pages", |look| look.check_pages().boxed()),
    ("references", |look| look.check_references().boxed()),
    ("calls", |look| look.check_calls().boxed()),
    ("places", |look| look.check_places().boxed()),
    ("index", |look| look.check_index().boxed()),
    ("books", |look| look.check_books().boxed()),
    ("samples", |look| look.check_samples().boxed()),
    (FIGURES_CHECK, |look| look.check_figures().boxed()),
];

/// The check whose findings make no copy unsound: such figures read as 0.
pub(super) const FIGURES_CHECK: &str = "figures";

/// The transaction in which everything is read as of one moment.
struct CheckTransaction {
    tx: DatabaseTransaction,
    dialect: Dialect,
}

impl CheckTransaction {
    async fn query_rows<T: TryGetableMany>(&self, sql: &str) -> Result<Vec<T>, DbErr> {
        let asked = Statement::from_string(self.dialect.backend(), sql);
        let rows = self.tx.query_all_raw(asked).await?;
        rows.iter()
            .map(|row| Ok(T::try_get_many_by_index(row)?))
            .collect()
    }

    async fn check_pages(&self) -> Result<CheckFinding, DbErr> {
        if self.dialect == Dialect::Postgres {
            return Ok(Ok("the server's business".to_string()));
        }
        let said: Vec<(String,)> = self.query_rows("PRAGMA integrity_check").await?;
        if said.len() == 1 && said[0].0 == "ok" {
            let (pages, size): (i64, i64) = self
                .query_rows(
                    "SELECT page_count, page_size FROM pragma_page_count(), pragma_page_size()",
                )
                .await?
                .pop()
                .unwrap_or_default();
            return Ok(Ok(format!("{pages} pages of {size} bytes are sound")));
        }
        Ok(Err(join_mistakes(said.into_iter().map(|(text,)| text))))
    }

    async fn check_references(&self) -> Result<CheckFinding, DbErr> {
        if self.dialect == Dialect::Postgres {
            return Ok(Ok("the server sees to them".to_string()));
        }
        let broken: Vec<(String, String)> = self
            .query_rows("SELECT \"table\", parent FROM pragma_foreign_key_check()")
            .await?;
        let broken = broken.into_iter();
        Ok(finding_of(
            broken.map(|(from, to)| format!("a {from} without its {to}")),
            "every reference has its target",
        ))
    }

    /// Checks that each call belongs to a row, and that exactly the finished calls have a result.
    async fn check_calls(&self) -> Result<CheckFinding, DbErr> {
        let answered = "SELECT mysis_id, call_seq, call_position FROM message \
                        WHERE call_seq IS NOT NULL";
        let over = "SELECT mysis_id, seq, position FROM tool_call \
                    WHERE status NOT IN ('recorded', 'sent')";
        let calling = "SELECT mysis_id, seq FROM message WHERE kind = 'call'";
        let called = "SELECT mysis_id, seq FROM tool_call";
        let mut mistakes = Vec::new();
        for (one, other, what) in [
            (over, answered, "is over and has no result"),
            (answered, over, "has a result and is not over"),
        ] {
            let found: Vec<(i64, i64, i32)> =
                self.query_rows(&format!("{one} EXCEPT {other}")).await?;
            mistakes.extend(found.into_iter().map(|(mysis, seq, position)| {
                format!("call {seq}.{position} of mysis {} {what}", MysisId(mysis))
            }));
        }
        for (one, other, what) in [
            (calling, called, "calls nothing"),
            (called, calling, "has calls and is no row of calls"),
        ] {
            let found: Vec<(i64, i64)> = self.query_rows(&format!("{one} EXCEPT {other}")).await?;
            mistakes.extend(
                found
                    .into_iter()
                    .map(|(mysis, seq)| format!("row {seq} of mysis {} {what}", MysisId(mysis))),
            );
        }
        let (calls,): (i64,) = self.query_one("SELECT count(*) FROM tool_call").await?;
        Ok(finding_of(
            mistakes.into_iter(),
            &format!("{calls} calls are paired with their results"),
        ))
    }

    /// Checks that no row is missing after those that retention removed.
    async fn check_places(&self) -> Result<CheckFinding, DbErr> {
        let gaps: Vec<(i64, i64, i64)> = self
            .query_rows(
                "SELECT message.mysis_id, coalesce(max(upto), 0), max(seq) - coalesce(max(upto), 0) \
                 - count(CASE WHEN seq > coalesce(upto, 0) THEN 1 END) FROM message \
                 LEFT JOIN removed ON removed.mysis_id = message.mysis_id \
                 GROUP BY message.mysis_id",
            )
            .await?;
        let missing = gaps.into_iter().filter(|(.., missing)| *missing != 0);
        let missing = missing.map(|(mysis, upto, missing)| {
            format!("mysis {} lacks {missing} rows after {upto}", MysisId(mysis))
        });
        let (rows,): (i64,) = self.query_one("SELECT count(*) FROM message").await?;
        Ok(finding_of(missing, &format!("{rows} rows without a gap")))
    }

    async fn query_one<T: TryGetableMany + Default>(&self, sql: &str) -> Result<T, DbErr> {
        Ok(self.query_rows(sql).await?.pop().unwrap_or_default())
    }

    /// Checks that the search index finds the rows that it should contain.
    async fn check_index(&self) -> Result<CheckFinding, DbErr> {
        if self.dialect == Dialect::Postgres {
            let missing: Vec<(i64,)> = self
                .query_rows(
                    "SELECT id FROM message WHERE id <= (SELECT upto FROM indexed) \
                     AND NOT EXISTS (SELECT FROM message_text WHERE message_text.id = message.id) \
                     LIMIT 100",
                )
                .await?;
            let missing = missing.into_iter();
            return Ok(finding_of(
                missing.map(|(id,)| format!("row {id} is not in the index")),
                "every row up to the newest that should be is in the index",
            ));
        }
        let (mut missing, mut looked) = (Vec::new(), 0);
        for order in ["ASC", "DESC"] {
            let rows: Vec<(i64, i64, String)> = self
                .query_rows(&format!(
                    "SELECT id, mysis_id, substr(content, 1, 200) FROM message \
                     WHERE id <= (SELECT upto FROM indexed) AND length(content) >= 3 \
                     ORDER BY id {order} LIMIT {SAMPLE_ROWS}"
                ))
                .await?;
            for (id, mysis, text) in rows {
                looked += 1;
                // The last character of the sample may differ from the indexed text, so it is left
                // out.
                let mut text = trigrams::small(&text);
                text.pop();
                let Some(question) = trigrams::question(&text, Some(MysisId(mysis))) else {
                    continue;
                };
                let asked = Statement::from_sql_and_values(
                    self.dialect.backend(),
                    "SELECT rowid FROM message_text WHERE message_text MATCH ? AND rowid = ?",
                    [question.into(), id.into()],
                );
                if self.tx.query_one_raw(asked).await?.is_none() {
                    missing.push(format!("row {id} is not found by its words"));
                }
            }
        }
        Ok(finding_of(
            missing.into_iter(),
            &format!("{looked} rows were looked for in the index of words, and found"),
        ))
    }

    /// The sums of the calls by Mysis and day, computed from the rows.
    async fn sum_rows(&self) -> Result<SumsByDay, DbErr> {
        let (number, has_bill): (fn(&str) -> String, _) = match self.dialect {
            Dialect::Sqlite => (
                |key| format!("json_extract(metadata, '$.usage.{key}')"),
                "CASE WHEN json_valid(metadata) THEN json_type(metadata, '$.usage') = 'object' \
                 ELSE 0 END",
            ),
            Dialect::Postgres => (
                |key| format!("(metadata::json->'usage'->>'{key}')::numeric"),
                "metadata LIKE '%\"usage\":{%'",
            ),
        };
        // A count that no call can have counts as zero, here and in the books.
        let of_a_call = |key: &str| {
            let number = number(key);
            let is_within = self.dialect.is_within(&number, MAX_CALL_TOKENS);
            total_of(&format!("CASE WHEN {is_within} THEN {number} ELSE 0 END"))
        };
        let rows = self
            .query_rows(&format!(
                "SELECT message.mysis_id, message.at / 86400000, count(*), {}, {} FROM message \
                 LEFT JOIN removed ON removed.mysis_id = message.mysis_id \
                 WHERE kind IN ('reply', 'call', 'host') AND {has_bill} \
                 AND message.at / 86400000 > coalesce(removed.at / 86400000, -1) GROUP BY 1, 2",
                of_a_call("input"),
                of_a_call("output")
            ))
            .await?;
        Ok(by_mysis_and_day(rows))
    }

    async fn sum_books(&self) -> Result<SumsByDay, DbErr> {
        let of_a_line = |figure: &str| total_of(&books::plausible(self.dialect, figure));
        let lines = self
            .query_rows(&format!(
                "SELECT spending.mysis_id, day, {}, {}, {} FROM spending \
                 JOIN mysis ON mysis.id = spending.mysis_id \
                 LEFT JOIN removed ON removed.mysis_id = spending.mysis_id \
                 WHERE day > coalesce(removed.at / 86400000, -1) GROUP BY 1, 2",
                of_a_line("calls"),
                of_a_line("input"),
                of_a_line("output")
            ))
            .await?;
        Ok(by_mysis_and_day(lines))
    }

    /// Compares the books with the rows, for the days without removed rows.
    async fn check_books(&self) -> Result<CheckFinding, DbErr> {
        let (of_books, mut of_rows) = (self.sum_books().await?, self.sum_rows().await?);
        let spoilt = self.corrupt_lines().await?.into_iter();
        let spoilt: BTreeSet<(i64, i64)> = spoilt.map(|(mysis, day, _)| (mysis, day)).collect();
        let mut mistakes = Vec::new();
        for (of, booked) in &of_books {
            let counted = of_rows.remove(of).unwrap_or_default();
            if counted != *booked && !spoilt.contains(of) {
                mistakes.push(mismatch_text(*of, *booked, counted));
            }
        }
        mistakes.extend(
            of_rows
                .into_iter()
                .map(|(of, counted)| mismatch_text(of, (0, 0, 0), counted)),
        );
        Ok(finding_of(
            mistakes.into_iter(),
            &format!(
                "{} sums by day and mysis agree with the rows",
                of_books.len()
            ),
        ))
    }
}

type DaySum = (i64, i64, i64);

/// Calls, input tokens and output tokens, by Mysis and day.
type SumsByDay = BTreeMap<(i64, i64), (i64, i64, i64)>;

fn by_mysis_and_day(sums: Vec<(i64, i64, i64, i64, i64)>) -> SumsByDay {
    let sums = sums.into_iter();
    sums.map(|(mysis, day, calls, input, output)| ((mysis, day), (calls, input, output)))
        .collect()
}

fn total_of(figure: &str) -> String {
    format!("CAST(coalesce(sum({figure}), 0) AS BIGINT)")
}

fn mismatch_text((mysis, day): (i64, i64), booked: DaySum, counted: DaySum) -> String {
    let day = actors::domain::books::Day(day);
    format!(
        "mysis {} on {day}: the books say {booked:?}, the rows {counted:?} (calls, tokens in, out)",
        MysisId(mysis)
    )
}

fn finding_of(mistakes: impl Iterator<Item = String>, good: &str) -> CheckFinding {
    let mut mistakes = mistakes.peekable();
    match mistakes.peek() {
        None => Ok(good.to_string()),
        Some(_) => Err(join_mistakes(mistakes)),
    }
}

fn join_mistakes(mistakes: impl Iterator<Item = String>) -> String {
    let mistakes: Vec<String> = mistakes.collect();
    let few = mistakes[..mistakes.len().min(MAX_NAMED_MISTAKES)].join("; ");
    match mistakes.len().saturating_sub(MAX_NAMED_MISTAKES) {
        0 => few,
        more => format!("{few}; and {more} more"),
    }
}

//! The search index. It is updated behind the commits in steps of some hundred rows, so that no
//! commit waits for it and a row costs little. A search reads the rows that are not indexed yet
//! itself.

mod settled;

use std::sync::atomic::Ordering;

use actors::domain::ids::MysisId;
use actors::domain::write::{Batch, Write};
use sea_orm::sea_query::{Expr, ExprTrait, LockType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};

pub(crate) use settled::SettledRows;

use super::LedgerInner;
use super::answer_time::limited;
use super::connection::read_number;
use super::dialect::{Dialect, IndexRow};
use super::entity::{indexed, message};
use super::server::on_server;
use super::trigrams;
use super::write_lock::WriteLock;
use super::writer::Tx;

/// The rows of one step. A step is due when this many wait.
pub(super) const STEP_ROWS: i64 = 256;
/// The most bytes of one step. The next commit waits for a step to end.
const STEP_BYTES: usize = 512 << 10;
/// The index is not rebuilt for fewer removed rows than this.
const MIN_FORGOTTEN_ROWS: i64 = 2000;
/// The index pages that one step of a rebuild writes. The next commit waits for a step to end.
const MERGE_PAGES: i64 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renewal {
    /// The first step. It restarts a rebuild that is in progress.
    First,
    Next,
}

/// The rows of one statement.
const PIECE_ROWS: usize = 32;

/// One process at a time indexes. The others have nothing to wait for.
const TRY_LOCK_INDEX: &str = "SELECT pg_try_advisory_xact_lock(2053076321, 5)";

impl LedgerInner {
    pub(super) fn note_rows(&self, batches: &[&Batch]) {
        let is_row = |write: &&Write| matches!(write, Write::Append { .. });
        let writes = batches.iter().flat_map(|batch| &batch.writes);
        let count = i64::try_from(writes.filter(is_row).count()).unwrap_or(0);
        self.waiting.fetch_add(count, Ordering::Relaxed);
    }

    /// Whether enough rows wait to make a step worthwhile.
    pub(super) fn is_index_due(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) >= STEP_ROWS
    }

    pub(super) async fn indexed_upto(&self) -> Result<i64, DbErr> {
        let upto: Option<i64> = indexed::Entity::find()
            .select_only()
            .column(indexed::Column::Upto)
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(upto.unwrap_or(0))
    }

    /// Counts the rows that are not indexed yet.
    pub(super) async fn count_waiting(&self) -> Result<(), DbErr> {
        let waiting = newest_row(&self.readers).await? - self.indexed_upto().await?;
        self.waiting.store(waiting, Ordering::Relaxed);
        Ok(())
    }

    /// Indexes the oldest waiting rows. A step that fails is repeated later.
    pub(super) async fn update_index(&self) {
        // Resetting the count keeps a step that failed, or that came too early, from being repeated
        // at once.
        self.waiting.store(0, Ordering::Relaxed);
        let stepped = limited(self.dialect, async {
            match self.index_step().await? {
                0 => Ok(()),
                _ => self.count_waiting().await,
            }
        });
        if let Err(error) = stepped.await {
            tracing::warn!(%error, "failed to index rows for search");
        }
    }

    /// Indexes some rows, unless another process does so now. Returns how many.
    pub(super) async fn index_step(&self) -> Result<i64, DbErr> {
        let tx = self.begin(WriteLock::Own).await?;
        if !try_lock_index(&tx).await? {
            tx.commit().await?;
            return Ok(0);
        }
        let mut upto = self.indexed_upto().await?;
        let settled = self.settled_upto(&tx, upto).await?;
        let (mut rows, mut bytes) = (0, 0);
        while rows < STEP_ROWS && bytes < STEP_BYTES {
            let piece = next_rows(&tx, upto, settled).await?;
            let Some((newest, ..)) = piece.last() else {
                break;
            };
            (rows, upto) = (rows + piece.len() as i64, *newest);
            bytes += piece.iter().map(text_bytes).sum::<usize>();
            let words = piece.iter().map(|(id, mysis, content, reasoning)| {
                index_row(*id, *mysis, content, reasoning.as_deref())
            });
            tx.execute_raw(self.dialect.insert_into_index(words))
                .await?;
        }
        indexed::Entity::update_many()
            .col_expr(indexed::Column::Upto, upto.into())
            .col_expr(
                indexed::Column::Held,
                Expr::col(indexed::Column::Held).add(rows),
            )
            .exec(&tx)
            .await?;
        tx.commit().await?;
        Ok(rows)
    }
}

/// The number of the newest row of the whole swarm; 0 if there is none.
pub(super) async fn newest_row(connection: &impl ConnectionTrait) -> Result<i64, DbErr> {
    let newest: Option<i64> = message::Entity::find()
        .select_only()
        .column(message::Column::Id)
        .order_by_desc(message::Column::Id)
        .into_tuple()
        .one(connection)
        .await?;
    Ok(newest.unwrap_or(0))
}

/// Whether this transaction may index. A file has one writer.
async fn try_lock_index(tx: &Tx) -> Result<bool, DbErr> {
    if tx.dialect() == Dialect::Sqlite {
        return Ok(true);
    }
    let row = tx.query_one_raw(on_server(TRY_LOCK_INDEX, [])).await?;
    row.map_or(Ok(false), |row| row.try_get_by_index(0))
}

/// A row's id, Mysis, text and reasoning.
type RowText = (i64, i64, String, Option<String>);

async fn next_rows(tx: &Tx, after: i64, settled: i64) -> Result<Vec<RowText>, DbErr> {
    let mut rows = message::Entity::find();
    if tx.dialect() == Dialect::Postgres {
        // Another process may remove a row meanwhile. It waits until the row's text is in the index,
        // and removes that with it.
        rows = rows.lock(LockType::KeyShare);
    }
    rows.filter(message::Column::Id.gt(after))
        .filter(message::Column::Id.lte(settled))
        .order_by_asc(message::Column::Id)
        .limit(PIECE_ROWS as u64)
        .select_only()
        .column(message::Column::Id)
        .column(message::Column::MysisId)
        .column(message::Column::Content)
        .column(message::Column::Reasoning)
        .into_tuple()
        .all(tx)
        .await
}

fn text_bytes((_, _, content, reasoning): &RowText) -> usize {
    content.len() + reasoning.as_ref().map_or(0, String::len)
}

/// Removes indexed rows from the index. SQLite needs the original texts for that. A server removes
/// the entries with their rows.
pub(super) async fn forget_rows(tx: &Tx, rows: &[message::Model], upto: i64) -> Result<(), DbErr> {
    let indexed: Vec<_> = rows.iter().filter(|row| row.id <= upto).collect();
    let mut forgotten = 0_i64;
    for some in indexed.chunks(PIECE_ROWS) {
        let words = some
            .iter()
            .map(|row| index_row(row.id, row.mysis_id, &row.content, row.reasoning.as_deref()));
        if let Some(forgetting) = tx.dialect().delete_from_index(words) {
            tx.execute_raw(forgetting).await?;
            forgotten += some.len() as i64;
        }
    }
    if forgotten == 0 {
        return Ok(());
    }
    let (held, gone) = (indexed::Column::Held, indexed::Column::Forgotten);
    indexed::Entity::update_many()
        .col_expr(held, Expr::col(held).sub(forgotten))
        .col_expr(gone, Expr::col(gone).add(forgotten))
        .exec(tx)
        .await?;
    Ok(())
}

impl LedgerInner {
    /// Whether enough entries are for removed rows to make a rebuild worthwhile. A server cleans
    /// its index itself.
    pub(super) async fn is_index_worn(&self) -> Result<bool, DbErr> {
        if self.dialect == Dialect::Postgres {
            return Ok(false);
        }
        let state = indexed::Entity::find().one(&self.readers).await?;
        Ok(state.is_some_and(|state| {
            state.forgotten >= MIN_FORGOTTEN_ROWS && state.forgotten >= state.held / 2
        }))
    }

    /// Rebuilds a part of the index without removed rows. Returns whether there is more to do.
    pub(super) async fn renew_index(&self, piece: Renewal) -> Result<bool, DbErr> {
        let tx = self.begin(WriteLock::Own).await?;
        let pages = match piece {
            Renewal::First => -MERGE_PAGES,
            Renewal::Next => MERGE_PAGES,
        };
        let changes = "SELECT total_changes()";
        let before = read_number(&tx, changes).await?;
        let merge = Statement::from_sql_and_values(
            DbBackend::Sqlite,
            "INSERT INTO message_text (message_text, rank) VALUES ('merge', ?)",
            [pages.into()],
        );
        tx.execute_raw(merge).await?;
        // Fewer than two changes mean that nothing was left to do.
        let is_over = read_number(&tx, changes).await? - before < 2;
        if is_over {
            indexed::Entity::update_many()
                .col_expr(indexed::Column::Forgotten, 0.into())
                .exec(&tx)
                .await?;
        }
        tx.commit().await?;
        Ok(!is_over)
    }
}

fn index_row(id: i64, mysis: i64, content: &str, reasoning: Option<&str>) -> IndexRow {
    let mut body = trigrams::small(content);
    body.push_str(trigrams::TEXT_END);
    if let Some(reasoning) = reasoning {
        body.push_str(&trigrams::small(reasoning));
        body.push_str(trigrams::TEXT_END);
    }
    (id, MysisId(mysis), body)
}

//! Recall: what a Mysis takes up again, and what of it is answered.

use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::message::{Row, RowKind};
use actors::domain::record::{MysisProfile, StoredHistory};
use actors::domain::state::Totals;
use sea_orm::prelude::Expr;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::LedgerInner;
use super::archive::{RARE_KINDS_CONDITION, of, profile, totals};
use super::entity::{message, mysis};

/// Rows at the end of a conversation that a Mysis takes up again, and as many that may be sent.
const MAX_RECALLED_ROWS: u64 = 96;
/// Orders before those that are taken up because nobody has answered them yet.
const MAX_RECALLED_ORDERS: u64 = 100;

/// The newest words of a Mysis; zeros where it has said nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastReply {
    /// Where they stand.
    pub(super) seq: i64,
    /// The last row that they answer: the last one that the model had seen; 0 where it had seen
    /// none. Of older programs that is not known: all that stands before them.
    pub(super) answers: i64,
}

impl LastReply {
    fn new(seq: i64, seen_up_to: Option<i64>) -> LastReply {
        LastReply {
            seq,
            answers: seen_up_to.unwrap_or(seq),
        }
    }

    /// A row as words, if it is any.
    fn of(row: &message::Model) -> Option<LastReply> {
        let is_said = row.kind == RowKind::Reply.as_str() && !row.content.is_empty();
        is_said.then(|| LastReply::new(row.seq, row.horizon))
    }
}

impl LedgerInner {
    pub(super) async fn recall(&self, mysis: MysisId) -> Result<StoredHistory, DbErr> {
        // Side by side: whoever was killed is back the sooner for it.
        let ((rows, last), notes, (profile, totals), sightings, watch) = tokio::try_join!(
            self.newest_rows(mysis),
            self.recall_notes(mysis),
            self.read_profile(mysis),
            self.sightings(mysis),
            self.watch(mysis),
        )?;
        Ok(StoredHistory {
            rows,
            notes,
            last,
            profile,
            totals,
            sightings,
            watch,
        })
    }

    /// The rows that are taken up, in their order, and the place of the last row.
    async fn newest_rows(&self, mysis: MysisId) -> Result<(Vec<Arc<Row>>, Seq), DbErr> {
        let mut models = of(mysis)
            .order_by_desc(message::Column::Seq)
            .limit(MAX_RECALLED_ROWS)
            .all(&self.readers)
            .await?;
        let last = Seq(models.first().map_or(0, |model| model.seq));
        let mut before = self.sendable_before(mysis, &models).await?;
        models.append(&mut before);
        models.reverse();
        let mut rows = self.unanswered_before(mysis, &models).await?;
        rows.append(&mut models);
        Ok((self.complete(rows).await?, last))
    }

    /// As many rows before these, the newest first, that all together are so many that may be sent: a
    /// night of retries does not fill the place of what was said.
    async fn sendable_before(
        &self,
        mysis: MysisId,
        newest: &[message::Model],
    ) -> Result<Vec<message::Model>, DbErr> {
        let sendable = |model: &&message::Model| is_sendable(model);
        let missing = MAX_RECALLED_ROWS - newest.iter().filter(sendable).count() as u64;
        let Some(oldest) = newest.last().filter(|_| missing > 0) else {
            return Ok(Vec::new());
        };
        of(mysis)
            .filter(message::Column::Seq.lt(oldest.seq))
            .filter(message::Column::Kind.is_in(sendable_kinds()))
            .order_by_desc(message::Column::Seq)
            .limit(missing)
            .all(&self.readers)
            .await
    }

    /// Where the oldest of the rows stands that are taken up since they may be sent; 0 where all are.
    pub(super) async fn oldest_to_send(&self, mysis: MysisId) -> Result<i64, DbErr> {
        let sendable = of(mysis).filter(message::Column::Kind.is_in(sendable_kinds()));
        self.newest_but(sendable, MAX_RECALLED_ROWS - 1).await
    }

    /// Where the newest of some rows stands that has so many newer ones; 0 where there is none.
    pub(super) async fn newest_but(
        &self,
        rows: Select<message::Entity>,
        newer: u64,
    ) -> Result<i64, DbErr> {
        let place: Option<i64> = rows
            .order_by_desc(message::Column::Seq)
            .offset(newer)
            .limit(1)
            .select_only()
            .column(message::Column::Seq)
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(place.unwrap_or(0))
    }

    /// Direct messages before the rows that are taken up, which no words of the model answer; in
    /// their order.
    async fn unanswered_before(
        &self,
        mysis: MysisId,
        taken: &[message::Model],
    ) -> Result<Vec<message::Model>, DbErr> {
        let Some(first) = taken.first() else {
            return Ok(Vec::new());
        };
        let said = taken.iter().rev().find_map(LastReply::of);
        let answered = said.map_or(0, |said| said.answers);
        let mut orders = of(mysis)
            .filter(Expr::cust(RARE_KINDS_CONDITION))
            .filter(message::Column::Kind.eq(RowKind::Prompt.as_str()))
            .filter(message::Column::Seq.lt(first.seq))
            .filter(message::Column::Seq.gt(answered))
            .order_by_desc(message::Column::Seq)
            .limit(MAX_RECALLED_ORDERS)
            .all(&self.readers)
            .await?;
        let oldest = orders.last().map(|order| order.seq);
        if let Some(oldest) = oldest.filter(|_| said.is_none()) {
            // What was said before the oldest of them answers none of them.
            let said = self.newest_words(mysis, oldest).await?;
            orders.retain(|order| order.seq > said.answers);
        }
        orders.reverse();
        Ok(orders)
    }

    /// The newest words that stand after a place.
    pub(super) async fn newest_words(
        &self,
        mysis: MysisId,
        after: i64,
    ) -> Result<LastReply, DbErr> {
        let newest: Option<(i64, Option<i64>)> = of(mysis)
            .filter(message::Column::Seq.gt(after))
            .filter(message::Column::Kind.eq(RowKind::Reply.as_str()))
            .filter(message::Column::Content.ne(""))
            .order_by_desc(message::Column::Seq)
            .limit(1)
            .select_only()
            .column(message::Column::Seq)
            .column(message::Column::Horizon)
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(newest.map_or_else(LastReply::default, |(seq, seen_up_to)| {
            LastReply::new(seq, seen_up_to)
        }))
    }

    async fn recall_notes(&self, mysis: MysisId) -> Result<Vec<Arc<Row>>, DbErr> {
        let after = self.notes_after(mysis).await?;
        let notes = of(mysis)
            .filter(Expr::cust(RARE_KINDS_CONDITION))
            .filter(message::Column::Kind.eq(RowKind::Note.as_str()))
            .filter(message::Column::Seq.gt(after))
            .order_by_asc(message::Column::Seq)
            .all(&self.readers)
            .await?;
        self.complete(notes).await
    }

    /// The place up to which the operator cleared the notes.
    pub(super) async fn notes_after(&self, mysis: MysisId) -> Result<i64, DbErr> {
        let after: Option<i64> = mysis::Entity::find_by_id(mysis.0)
            .select_only()
            .column(mysis::Column::NotesAfter)
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(after.unwrap_or(0))
    }

    /// The settings of a Mysis, and what it has used up.
    async fn read_profile(
        &self,
        mysis: MysisId,
    ) -> Result<(Option<MysisProfile>, Option<Totals>), DbErr> {
        let model = mysis::Entity::find_by_id(mysis.0)
            .one(&self.readers)
            .await?;
        Ok((model.as_ref().map(profile), model.as_ref().map(totals)))
    }
}

fn sendable_kinds() -> impl Iterator<Item = &'static str> {
    let kinds = RowKind::ALL.into_iter().filter(|kind| kind.is_sendable());
    kinds.map(RowKind::as_str)
}

/// Whether a row may be part of a request.
pub(super) fn is_sendable(row: &message::Model) -> bool {
    sendable_kinds().any(|kind| kind == row.kind)
}

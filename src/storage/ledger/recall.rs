//! Recall: the part of its conversation with which a Mysis continues after a start, and which of it
//! is answered.

mod together;

use std::collections::BTreeSet;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::message::RowKind;
use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

use super::archive::{RARE_KINDS_CONDITION, of};
use super::connection::DialectConnection;
use super::entity::{message, mysis, tool_call};

pub(super) use together::Recalls;

/// The number of newest rows that a Mysis recalls, and the number of rows among all recalled ones
/// that a request may contain.
const MAX_RECALLED_ROWS: u64 = 192;
/// The most unanswered orders that are recalled from before those rows.
const MAX_RECALLED_ORDERS: u64 = 100;

/// Whether a row is no step of a routine, nor the result of one. No request contains those.
const NO_STEP_CONDITION: &str = "NOT EXISTS (SELECT 1 FROM tool_call \
     WHERE tool_call.mysis_id = message.mysis_id \
     AND tool_call.seq = COALESCE(message.call_seq, message.seq) \
     AND tool_call.routine IS NOT NULL)";

/// The newest reply with words of a Mysis; all zeros if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastReply {
    pub(super) seq: i64,
    /// The newest row that the model had seen when it replied; 0 if it had seen none.
    pub(super) answers: i64,
}

impl LastReply {
    /// The row as a reply with words, if it is one.
    fn of(row: &message::Model) -> Option<LastReply> {
        let is_said = row.kind == RowKind::Reply.as_str() && !row.content.is_empty();
        is_said.then(|| LastReply {
            seq: row.seq,
            answers: row.horizon.unwrap_or_default(),
        })
    }
}

impl<C: ConnectionTrait + Send> DialectConnection<C> {
    /// The recalled rows in order, and the number of the last row.
    async fn newest_rows(&self, mysis: MysisId) -> Result<(Vec<message::Model>, Seq), DbErr> {
        let mut models = of(mysis)
            .order_by_desc(message::Column::Seq)
            .limit(MAX_RECALLED_ROWS)
            .all(self)
            .await?;
        let last = Seq(models.first().map_or(0, |model| model.seq));
        if (models.len() as u64) < MAX_RECALLED_ROWS {
            // There are no others.
            models.reverse();
            return Ok((models, last));
        }
        let steps = self.steps_among(mysis, &models).await?;
        let mut before = self.sendable_before(mysis, &models, &steps).await?;
        models.append(&mut before);
        models.reverse();
        let mut rows = self.unanswered_before(mysis, &models).await?;
        rows.append(&mut models);
        Ok((rows, last))
    }

    /// Which calls among these rows were made by routines.
    async fn steps_among(
        &self,
        mysis: MysisId,
        rows: &[message::Model],
    ) -> Result<BTreeSet<i64>, DbErr> {
        let Some(oldest) = rows.last() else {
            return Ok(BTreeSet::new());
        };
        let steps: Vec<i64> = tool_call::Entity::find()
            .filter(tool_call::Column::MysisId.eq(mysis.0))
            .filter(tool_call::Column::Seq.gte(oldest.call_seq.unwrap_or(oldest.seq)))
            .filter(tool_call::Column::Routine.is_not_null())
            .select_only()
            .column(tool_call::Column::Seq)
            .into_tuple()
            .all(self)
            .await?;
        Ok(steps.into_iter().collect())
    }

    /// Rows before these, newest first, as many as are needed to recall enough rows that a request
    /// may contain. Without them, a night of retries would push all messages out of the recalled
    /// part.
    async fn sendable_before(
        &self,
        mysis: MysisId,
        newest: &[message::Model],
        steps: &BTreeSet<i64>,
    ) -> Result<Vec<message::Model>, DbErr> {
        let is_step = |model: &message::Model| steps.contains(&model.call_seq.unwrap_or(model.seq));
        let sendable = |model: &&message::Model| is_sendable(model) && !is_step(model);
        let missing = MAX_RECALLED_ROWS - newest.iter().filter(sendable).count() as u64;
        let Some(oldest) = newest.last().filter(|_| missing > 0) else {
            return Ok(Vec::new());
        };
        of(mysis)
            .filter(message::Column::Seq.lt(oldest.seq))
            .filter(message::Column::Kind.is_in(sendable_kinds()))
            .filter(Expr::cust(NO_STEP_CONDITION))
            .order_by_desc(message::Column::Seq)
            .limit(missing)
            .all(self)
            .await
    }

    /// The oldest row that is recalled because a request may contain it; 0 if all are.
    pub(super) async fn oldest_to_send(&self, mysis: MysisId) -> Result<i64, DbErr> {
        let sendable = of(mysis)
            .filter(message::Column::Kind.is_in(sendable_kinds()))
            .filter(Expr::cust(NO_STEP_CONDITION));
        newest_but(self, sendable, MAX_RECALLED_ROWS - 1).await
    }

    /// Direct messages from before the recalled rows that no reply answers, in order.
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
            .all(self)
            .await?;
        let oldest = orders.last().map(|order| order.seq);
        if let Some(oldest) = oldest.filter(|_| said.is_none()) {
            // A reply from before the oldest order answers none of them.
            let said = self.newest_words(mysis, oldest).await?;
            orders.retain(|order| order.seq > said.answers);
        }
        orders.reverse();
        Ok(orders)
    }

    /// The newest reply with words after a row.
    pub(super) async fn newest_words(
        &self,
        mysis: MysisId,
        after: i64,
    ) -> Result<LastReply, DbErr> {
        let newest: Option<(i64, i64)> = of(mysis)
            .filter(message::Column::Seq.gt(after))
            .filter(message::Column::Kind.eq(RowKind::Reply.as_str()))
            .filter(message::Column::Content.ne(""))
            .filter(message::Column::Horizon.is_not_null())
            .order_by_desc(message::Column::Seq)
            .select_only()
            .column(message::Column::Seq)
            .column(message::Column::Horizon)
            .into_tuple()
            .one(self)
            .await?;
        let reply = newest.map(|(seq, answers)| LastReply { seq, answers });
        Ok(reply.unwrap_or_default())
    }

    /// The row up to which the operator cleared the notes.
    pub(super) async fn notes_after(&self, mysis: MysisId) -> Result<i64, DbErr> {
        let after: Option<i64> = mysis::Entity::find_by_id(mysis.0)
            .select_only()
            .column(mysis::Column::NotesAfter)
            .into_tuple()
            .one(self)
            .await?;
        Ok(after.unwrap_or(0))
    }
}

/// The row that has exactly this many newer ones in a query; 0 if there is none.
pub(super) async fn newest_but(
    connection: &impl ConnectionTrait,
    rows: Select<message::Entity>,
    newer: u64,
) -> Result<i64, DbErr> {
    let place: Option<i64> = rows
        .order_by_desc(message::Column::Seq)
        .offset(newer)
        .select_only()
        .column(message::Column::Seq)
        .into_tuple()
        .one(connection)
        .await?;
    Ok(place.unwrap_or(0))
}

pub(super) fn sendable_kinds() -> impl Iterator<Item = &'static str> {
    let kinds = RowKind::ALL.into_iter().filter(|kind| kind.is_sendable());
    kinds.map(RowKind::as_str)
}

pub(super) fn is_sendable(row: &message::Model) -> bool {
    sendable_kinds().any(|kind| kind == row.kind)
}

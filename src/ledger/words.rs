//! Words: what the newest ones of a Mysis answer, and which notes still hold.

use actors::domain::ids::MysisId;
use actors::domain::message::Kind;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::Inner;
use super::archive::of;
use super::entity::{message, mysis};

/// The newest words of a Mysis; zeros where it has said nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said {
    /// Where they stand.
    pub(super) seq: i64,
    /// The last row that they answer: the last one that the model had seen; 0 where it had seen
    /// none. Of older programs that is not known: all that stands before them.
    pub(super) answers: i64,
}

impl Inner {
    /// The newest words that stand after a place.
    pub(super) async fn newest_words(&self, mysis: MysisId, after: i64) -> Result<Said, DbErr> {
        let newest: Option<(i64, Option<i64>)> = of(mysis)
            .filter(message::Column::Seq.gt(after))
            .filter(message::Column::Kind.eq(Kind::Reply.as_str()))
            .filter(message::Column::Content.ne(""))
            .order_by_desc(message::Column::Seq)
            .limit(1)
            .select_only()
            .column(message::Column::Seq)
            .column(message::Column::Horizon)
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(newest.map_or_else(Said::default, |(seq, horizon)| Said {
            seq,
            answers: horizon.unwrap_or(seq),
        }))
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
}

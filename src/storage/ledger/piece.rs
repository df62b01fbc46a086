//! Reads a long tool result in parts, without loading all of it into memory.

use actors::domain::ids::MysisId;
use actors::ports::{ResultPiece, ResultQuery};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::LedgerInner;
use super::archive::of;
use super::entity::{message, tool_call};

/// The place of a call: the row that made it and its position there.
type CallPlace = (i64, i32);

impl LedgerInner {
    pub(super) async fn result_of(
        &self,
        asked: &ResultQuery,
    ) -> Result<Option<ResultPiece>, DbErr> {
        if let Some(place) = parse_call_key(&asked.call_id)
            && let Some(piece) = self.read_piece(asked, place).await?
        {
            return Ok(Some(piece));
        }
        let by_id = self.newest_call(asked.mysis, &asked.call_id).await?;
        match by_id.or_else(|| parse_own_id(&asked.call_id)) {
            Some(place) => self.read_piece(asked, place).await,
            None => Ok(None),
        }
    }

    async fn newest_call(&self, mysis: MysisId, call_id: &str) -> Result<Option<CallPlace>, DbErr> {
        tool_call::Entity::find()
            .filter(tool_call::Column::MysisId.eq(mysis.0))
            .filter(tool_call::Column::CallId.eq(call_id))
            .order_by_desc(tool_call::Column::Seq)
            .select_only()
            .column(tool_call::Column::Seq)
            .column(tool_call::Column::Position)
            .into_tuple()
            .one(&self.readers)
            .await
    }

    /// Reads a part of a result. The database cuts it out by bytes.
    async fn read_piece(
        &self,
        asked: &ResultQuery,
        place: CallPlace,
    ) -> Result<Option<ResultPiece>, DbErr> {
        let dialect = self.dialect;
        let limit = u64::try_from(asked.limit).unwrap_or(u64::MAX);
        let found: Option<(Vec<u8>, i64)> = of(asked.mysis)
            .filter(message::Column::Seq.gt(place.0))
            .filter(message::Column::CallSeq.eq(place.0))
            .filter(message::Column::CallPosition.eq(place.1))
            .order_by_asc(message::Column::Seq)
            .select_only()
            .column_as(dialect.content_piece(asked.offset, limit), "piece")
            .column_as(dialect.content_length(), "whole")
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(found.map(|(bytes, whole)| {
            let whole = u64::try_from(whole).unwrap_or(0);
            ResultPiece::of_bytes(&bytes, asked.offset.min(whole), whole)
        }))
    }
}

/// Parses a call's key, `<seq>.<position>`.
fn parse_call_key(call_id: &str) -> Option<CallPlace> {
    let (seq, position) = call_id.split_once('.')?;
    Some((seq.parse().ok()?, position.parse().ok()?))
}

/// Parses an id that we made, `call_<seq>_<position>`.
fn parse_own_id(call_id: &str) -> Option<CallPlace> {
    let (seq, position) = call_id
        .trim_end_matches('x')
        .strip_prefix("call_")?
        .split_once('_')?;
    Some((seq.parse().ok()?, position.parse().ok()?))
}

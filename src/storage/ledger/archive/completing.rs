//! Rows with what other tables have of them: the calls of call rows, and the texts of missions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::message::{CallRecord, Row, RowKind};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use crate::connection::DialectConnection;
use crate::entity::{message, mission, tool_call};
use crate::listed::padded;
use crate::rows;

impl<C: ConnectionTrait + Send> DialectConnection<C> {
    pub(crate) async fn complete(
        &self,
        models: Vec<message::Model>,
    ) -> Result<Vec<Arc<Row>>, DbErr> {
        self.complete_with(models, &mut BTreeMap::new()).await
    }

    /// The same with texts of missions that are known, to which it adds.
    pub(crate) async fn complete_with(
        &self,
        models: Vec<message::Model>,
        missions: &mut BTreeMap<i64, Arc<str>>,
    ) -> Result<Vec<Arc<Row>>, DbErr> {
        let named = models.iter().filter_map(|model| model.mission_id);
        let new: BTreeSet<i64> = named.filter(|id| !missions.contains_key(id)).collect();
        if !new.is_empty() {
            let found = mission::Entity::find()
                .filter(mission::Column::Id.is_in(padded(new)))
                .all(self)
                .await?;
            let found = found.into_iter();
            missions.extend(found.map(|mission| (mission.id, mission.content.into())));
        }
        let mut calls = self.calls_of_rows(&models).await?;
        let rows = models.iter().map(|model| {
            let calls = calls.remove(&(model.mysis_id, model.seq));
            let mission = model.mission_id.and_then(|id| missions.get(&id).cloned());
            let row = rows::from_model(model, calls.unwrap_or_default(), mission);
            Arc::new(row)
        });
        Ok(rows.collect())
    }

    async fn calls_of_rows(
        &self,
        models: &[message::Model],
    ) -> Result<BTreeMap<(i64, i64), Vec<CallRecord>>, DbErr> {
        let mut found: BTreeMap<(i64, i64), Vec<CallRecord>> = BTreeMap::new();
        let mut callers: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        let is_call = |model: &&message::Model| model.kind == RowKind::Call.as_str();
        for model in models.iter().filter(is_call) {
            callers.entry(model.mysis_id).or_default().push(model.seq);
        }
        for (mysis, seqs) in callers {
            let calls = tool_call::Entity::find()
                .filter(tool_call::Column::MysisId.eq(mysis))
                .filter(tool_call::Column::Seq.is_in(padded(seqs)))
                .order_by_asc(tool_call::Column::Seq)
                .order_by_asc(tool_call::Column::Position)
                .all(self)
                .await?;
            for call in calls {
                let of_row = found.entry((mysis, call.seq)).or_default();
                of_row.push(rows::call_from_model(call));
            }
        }
        Ok(found)
    }
}

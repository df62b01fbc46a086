//! The calls that routines made in the models' place, by day. Each is entered in the transaction of its result, so that
//! they and the rows agree after a crash. Those of a deleted Mysis stay.

use actors::domain::books::{Day, SavedCalls};
use actors::domain::ids::MysisId;
use actors::domain::message::{CallStatus, Row};
use actors::domain::routine::saves_a_call;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::LedgerInner;
use super::entity::spared::{ActiveModel, Column, Entity, Model};
use super::entity::tool_call;
use super::writer::Tx;

/// Enters a new row, if it is the result of a call that a routine made in the model's place.
pub(super) async fn enter_call(tx: &Tx, mysis: MysisId, row: &Row) -> Result<(), DbErr> {
    let Some((call, _, meta)) = row.result() else {
        return Ok(());
    };
    if !is_saved_call(&meta.call_id, meta.status) {
        return Ok(());
    }
    let key = (mysis.0, call.seq.0, i32::from(call.position));
    let routine: Option<Option<String>> = tool_call::Entity::find_by_id(key)
        .select_only()
        .column(tool_call::Column::Routine)
        .into_tuple()
        .one(tx)
        .await?;
    if routine.flatten().is_none() {
        return Ok(());
    }
    let mut add = OnConflict::columns([Column::Day, Column::MysisId]);
    let excluded = Expr::col(("excluded", Column::Calls));
    add.value(
        Column::Calls,
        Expr::col((Entity, Column::Calls)).add(excluded),
    );
    let line = ActiveModel {
        day: Set(Day::of(row.at).0),
        mysis_id: Set(mysis.0),
        calls: Set(1),
    };
    tx.later(Entity::insert(line).on_conflict(add)).await
}

/// Whether the result of a call with this id and status may be that of one that a routine made.
pub(super) fn is_saved_call(id: &str, status: CallStatus) -> bool {
    saves_a_call(id, status) && is_step_id(id)
}

/// Whether an id looks like that of a routine's step (`r3.1.12`). Most results are of other calls, of which the database
/// need not be asked.
fn is_step_id(id: &str) -> bool {
    let numbers = id.strip_prefix('r');
    numbers.is_some_and(|rest| rest.split('.').all(|part| part.parse::<u32>().is_ok()))
}

impl LedgerInner {
    /// The calls that routines made in the models' place since a day.
    pub(super) async fn saved_calls(&self, since: Day) -> Result<Vec<SavedCalls>, DbErr> {
        let lines = Entity::find()
            .filter(Column::Day.gte(since.0))
            .order_by_asc(Column::Day)
            .order_by_asc(Column::MysisId)
            .all(&self.readers)
            .await?;
        Ok(lines.into_iter().map(entry_from_model).collect())
    }
}

fn entry_from_model(model: Model) -> SavedCalls {
    SavedCalls {
        day: Day(model.day),
        mysis: MysisId(model.mysis_id),
        calls: u64::try_from(model.calls).unwrap_or(0),
    }
}

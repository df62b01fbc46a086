//! Applies the domain's writes to the database. Applying a write again changes nothing.

use std::sync::Arc;

use actors::domain::ids::{CallKey, MissionId, MysisId, Timestamp};
use actors::domain::message::{CallStatus, Row};
use actors::domain::record::{Mission, NewMysis, ProfileChange};
use actors::domain::state::Totals;
use actors::domain::write::Write;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::prelude::Expr;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QuerySelect,
};

use super::accounts::{pool_account, save_account};
use super::books::MAX_SUM;
use super::entity::{message, mission, mysis, tool_call};
use super::replacing::set_column;
use super::writer::Tx;
use super::{books, events, held, memos, rows, samples, sessions, snapshots, tables};

const MAX_CALLS_PER_INSERT: usize = 500;

pub(super) async fn apply_write(tx: &Tx, write: &Write) -> Result<(), DbErr> {
    match write {
        Write::Create(new) => create_mysis(tx, new).await,
        Write::Configure { mysis, change } => configure_mysis(tx, *mysis, change).await,
        Write::Delete { mysis } => tables::delete_mysis(tx, *mysis).await,
        Write::Fence { mysis, incarnation } => {
            set_column(tx, *mysis, mysis::Column::Incarnation, incarnation.0).await
        }
        Write::State { .. } => set_state(tx, write).await,
        Write::Called { mysis } => set_column(tx, *mysis, mysis::Column::IsCalled, true).await,
        Write::Append { mysis, row } => append_row(tx, *mysis, row).await,
        Write::CallSent { mysis, call, at } => mark_call(tx, (*mysis, *call), Some(*at)).await,
        Write::CallHeld { mysis, call } => mark_call(tx, (*mysis, *call), None).await,
        Write::CallTask { mysis, call, task } => {
            let set = tool_call::ActiveModel {
                task: Set(task.as_deref().map(str::to_string)),
                ..Default::default()
            };
            update_call(tx, (*mysis, *call), Some(CallStatus::Sent), set).await
        }
        Write::Totals { mysis, totals } => set_totals(tx, *mysis, *totals).await,
        Write::ClearNotes { mysis, upto } => {
            set_column(tx, *mysis, mysis::Column::NotesAfter, upto.0).await
        }
        Write::SaveSnapshot {
            mysis,
            account,
            snapshot,
        } => snapshots::save_snapshot(tx, *mysis, account, snapshot).await,
        Write::Stale {
            mysis,
            account,
            tools,
            by,
        } => snapshots::mark_stale(tx, *mysis, account, tools, by).await,
        Write::ForgetSnapshots { mysis, account } => {
            snapshots::forget_account(tx, *mysis, account).await
        }
        Write::Mission(mission) => add_mission(tx, mission).await,
        Write::ClearMission { mission, at } => clear_mission(tx, *mission, *at).await,
        Write::SaveAccount { mysis, account, at } => save_account(tx, *mysis, account, *at).await,
        Write::KeepSession { mysis, session } => {
            sessions::save_session(tx, *mysis, session.as_ref()).await
        }
        Write::Memo { mysis, kind, memo } => memos::save_memo(tx, *mysis, *kind, memo).await,
        Write::Samples { mysis, hour } => samples::save_hour(tx, *mysis, hour).await,
        // Only a server has orders of other processes (`fleet`).
        Write::OrderDone { .. } => Ok(()),
        Write::HoldText(held) => held::hold_text(tx, held).await,
        Write::ReleaseText(held) => held::release_text(tx, held).await,
        Write::Event(record) => events::add_event(tx, record).await,
        Write::PoolAccount { account, at } => pool_account(tx, account, *at).await,
    }
}

async fn create_mysis(tx: &Tx, new: &NewMysis) -> Result<(), DbErr> {
    let model = mysis::ActiveModel {
        id: Set(new.id.0),
        name: Set(new.profile.name.to_string()),
        provider: Set(new.profile.provider.to_string()),
        model: Set(new.profile.model.as_deref().map(str::to_string)),
        temperature: Set(new.profile.temperature.map(f64::from)),
        state: Set("idle".to_string()),
        reason: Set(None),
        fault_kind: Set(None),
        fault_text: Set(None),
        fault_at: Set(None),
        state_at: Set(new.at.0),
        is_called: Set(false),
        incarnation: Set(0),
        notes_after: Set(0),
        turns: Set(0),
        tokens_in: Set(0),
        tokens_out: Set(0),
        cost_micros: Set(0),
        working_set: Set(None),
        role: Set(new.profile.role.as_deref().map(str::to_string)),
        follows_role: Set(new.profile.follows_role),
        tier: Set(None),
        created_at: Set(new.at.0),
    };
    tx.later(mysis::Entity::insert(model).on_conflict_do_nothing())
        .await
}

async fn configure_mysis(tx: &Tx, mysis: MysisId, change: &ProfileChange) -> Result<(), DbErr> {
    let text = |text: &Arc<str>| text.to_string();
    let (provider, model) = (change.provider.as_ref(), change.model.as_ref());
    let temperature = change.temperature.map(f64::from);
    let set = mysis::ActiveModel {
        provider: provider.map_or(NotSet, |new| Set(text(new))),
        model: model.map_or(NotSet, |new| Set(new.as_ref().map(text))),
        temperature: temperature.map_or(NotSet, |new| Set(Some(new))),
        role: change
            .role
            .as_ref()
            .map_or(NotSet, |new| Set(new.as_ref().map(text))),
        follows_role: change.follows_role.map_or(NotSet, Set),
        ..Default::default()
    };
    if !set.is_changed() {
        return Ok(());
    }
    update_mysis(tx, mysis, set).await
}

/// Updates a Mysis. A deleted one is not created again.
async fn update_mysis(tx: &Tx, mysis: MysisId, mut set: mysis::ActiveModel) -> Result<(), DbErr> {
    set.id = NotSet;
    let all = mysis::Entity::update_many().set(set);
    tx.later(all.filter(mysis::Column::Id.eq(mysis.0))).await
}

async fn set_state(tx: &Tx, write: &Write) -> Result<(), DbErr> {
    let Write::State {
        mysis,
        state,
        reason,
        fault,
        at,
    } = write
    else {
        return Ok(());
    };
    let fault = fault.as_ref();
    let set = mysis::ActiveModel {
        state: Set(state.as_str().to_string()),
        reason: Set(reason.as_deref().map(str::to_string)),
        fault_kind: Set(fault.map(|fault| fault.kind.as_str().to_string())),
        fault_text: Set(fault.map(|fault| fault.text.to_string())),
        fault_at: Set(fault.map(|fault| fault.at.0)),
        state_at: Set(at.0),
        is_called: Set(false),
        ..Default::default()
    };
    update_mysis(tx, *mysis, set).await
}

async fn append_row(tx: &Tx, mysis: MysisId, row: &Row) -> Result<(), DbErr> {
    let place = OnConflict::columns([message::Column::MysisId, message::Column::Seq])
        .do_nothing()
        .to_owned();
    let insert = message::Entity::insert(rows::to_model(mysis, row)).on_conflict(place);
    if tx.expects_new_rows() {
        tx.insert_later(insert).await?;
    } else if insert.exec_without_returning(tx).await? == 0 {
        return check_same(tx, mysis, row).await;
    }
    books::enter_row(tx, mysis, row).await?;
    let calls = rows::call_models(mysis, row);
    // A statement accepts a limited number of values.
    for some in calls.chunks(MAX_CALLS_PER_INSERT) {
        tx.later(tool_call::Entity::insert_many(some.to_vec()))
            .await?;
    }
    if let Some((call, _, meta)) = row.result() {
        let set = tool_call::ActiveModel {
            status: Set(meta.status.as_str().to_string()),
            task: Set(None),
            ..Default::default()
        };
        update_call(tx, (mysis, call), None, set).await?;
    }
    Ok(())
}

/// Checks that a row which is already stored is the same one. Another row in its place is a
/// contradiction.
async fn check_same(tx: &Tx, mysis: MysisId, row: &Row) -> Result<(), DbErr> {
    let stored: Option<(i64, String)> = message::Entity::find()
        .filter(message::Column::MysisId.eq(mysis.0))
        .filter(message::Column::Seq.eq(row.seq.0))
        .select_only()
        .column(message::Column::At)
        .column(message::Column::Kind)
        .into_tuple()
        .one(tx)
        .await?;
    if stored == Some((row.at.0, row.kind_word().to_string())) {
        return Ok(());
    }
    Err(DbErr::Custom(format!(
        "another row stands at {} of mysis {mysis}",
        row.seq
    )))
}

/// Marks a call as sent, or takes the mark back, unless its result is already stored.
async fn mark_call(
    tx: &Tx,
    call: (MysisId, CallKey),
    sent_at: Option<Timestamp>,
) -> Result<(), DbErr> {
    let (from, to) = match sent_at {
        Some(_) => (CallStatus::Recorded, CallStatus::Sent),
        None => (CallStatus::Sent, CallStatus::Recorded),
    };
    let set = tool_call::ActiveModel {
        status: Set(to.as_str().to_string()),
        sent_at: Set(sent_at.map(|at| at.0)),
        ..Default::default()
    };
    update_call(tx, call, Some(from), set).await
}

/// Updates a call; with a status, only one that has it, so that none whose result is stored changes.
async fn update_call(
    tx: &Tx,
    (mysis, call): (MysisId, CallKey),
    status: Option<CallStatus>,
    set: tool_call::ActiveModel,
) -> Result<(), DbErr> {
    let is_it = Condition::all()
        .add(tool_call::Column::MysisId.eq(mysis.0))
        .add(tool_call::Column::Seq.eq(call.seq.0))
        .add(tool_call::Column::Position.eq(i32::from(call.position)))
        .add_option(status.map(|status| tool_call::Column::Status.eq(status.as_str())));
    let all = tool_call::Entity::update_many().set(set);
    tx.later(all.filter(is_it)).await
}

async fn set_totals(tx: &Tx, mysis: MysisId, totals: Totals) -> Result<(), DbErr> {
    let stored = |value: u64| Set(i64::try_from(value).map_or(MAX_SUM, |sum| sum.min(MAX_SUM)));
    let set = mysis::ActiveModel {
        turns: stored(totals.turns),
        tokens_in: stored(totals.tokens_in),
        tokens_out: stored(totals.tokens_out),
        cost_micros: stored(totals.cost_micros),
        ..Default::default()
    };
    update_mysis(tx, mysis, set).await
}

async fn add_mission(tx: &Tx, mission: &Mission) -> Result<(), DbErr> {
    let model = mission::ActiveModel {
        number: NotSet,
        id: Set(mission.id.0),
        content: Set(mission.text.to_string()),
        at: Set(mission.at.0),
        cleared_at: Set(None),
    };
    let insert = mission::Entity::insert(model);
    tx.later(insert.on_conflict_do_nothing_on([mission::Column::Id]))
        .await
}

async fn clear_mission(tx: &Tx, mission: MissionId, at: Timestamp) -> Result<(), DbErr> {
    tx.later(
        mission::Entity::update_many()
            .col_expr(mission::Column::ClearedAt, Expr::value(at.0))
            .filter(mission::Column::Id.eq(mission.0))
            .filter(mission::Column::ClearedAt.is_null()),
    )
    .await
}

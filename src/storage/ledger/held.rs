//! Texts that are held back from models, for all processes on the database.

use actors::domain::held::{HeldKind, HeldText, MAX_HELD};
use actors::domain::ids::{MysisId, Seq, Timestamp};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::entity::held_text::{ActiveModel, Column, Entity, Model};
use super::writer::Tx;

/// Stores a text in place of what was stored of its row.
pub(super) async fn hold_text(tx: &Tx, held: &HeldText) -> Result<(), DbErr> {
    let model = ActiveModel {
        kind: Set(held.kind.as_str().to_string()),
        provider: Set(held.provider.to_string()),
        model: Set(held.model.to_string()),
        mysis_id: Set(held.mysis.0),
        seq: Set(held.seq.0),
        // Postgres takes no such sign in a text.
        content: Set(held.text.replace('\0', "")),
        is_local: Set(held.is_local),
        said: Set(held.said.replace('\0', "")),
        proof: Set(held.proof.to_string()),
        at: Set(held.at.0),
        doubted_at: Set(held.doubted_at.0),
    };
    let key = [
        Column::Provider,
        Column::Model,
        Column::MysisId,
        Column::Seq,
    ];
    let mut replace = OnConflict::columns(key);
    replace.update_columns([
        Column::Kind,
        Column::Content,
        Column::IsLocal,
        Column::Said,
        Column::Proof,
        Column::DoubtedAt,
    ]);
    tx.later(Entity::insert(model).on_conflict(replace)).await
}

/// Removes a text, whoever found it out.
pub(super) async fn release_text(tx: &Tx, held: &HeldText) -> Result<(), DbErr> {
    tx.later(
        Entity::delete_many()
            .filter(Column::Provider.eq(held.provider.to_string()))
            .filter(Column::Model.eq(held.model.to_string()))
            .filter(Column::Kind.eq(held.kind.as_str()))
            .filter(Column::Content.eq(held.text.replace('\0', ""))),
    )
    .await
}

pub(super) async fn read_texts(connection: &impl ConnectionTrait) -> Result<Vec<HeldText>, DbErr> {
    let mut held = Entity::find()
        .order_by_desc(Column::At)
        .limit(MAX_HELD as u64)
        .all(connection)
        .await?;
    held.reverse();
    Ok(held.into_iter().filter_map(held_from_model).collect())
}

/// `None` for what another version learnt, of which this one knows nothing.
fn held_from_model(model: Model) -> Option<HeldText> {
    Some(HeldText {
        kind: HeldKind::parse(&model.kind)?,
        provider: model.provider.into(),
        model: model.model.into(),
        text: model.content.into(),
        mysis: MysisId(model.mysis_id),
        seq: Seq(model.seq),
        is_local: model.is_local,
        said: model.said.into(),
        proof: model.proof.into(),
        at: Timestamp(model.at),
        doubted_at: Timestamp(model.doubted_at),
    })
}

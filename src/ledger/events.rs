//! Events: what happened in the swarm and who ordered what. Only the newest are kept.

use actors::domain::event::MysisRef;
use actors::domain::event_record::{EventId, EventRecord, EventRecordKind, OrderSource};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::message::Severity;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::prelude::Expr;
use sea_orm::sea_query::OnConflict;
use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::LedgerInner;
use super::entity::event;
use super::writer::Tx;

/// The number of events that are kept.
pub(super) const MAX_EVENTS: i64 = 10_000;

/// Stores an event and removes the oldest ones beyond the limit.
pub(super) async fn add_event(tx: &Tx, record: &EventRecord) -> Result<(), DbErr> {
    let model = event::ActiveModel {
        number: NotSet,
        id: Set(record.id.0),
        at: Set(record.at.0),
        kind: Set(record.kind.as_str().to_string()),
        mysis_id: Set(record.mysis.as_ref().map(|who| who.id.0)),
        mysis: Set(record.mysis.as_ref().map(|who| who.name.to_string())),
        severity: Set(record.severity.as_str().to_string()),
        code: Set(record.code.to_string()),
        text: Set(record.text.to_string()),
        source: Set(record.source.map(|source| source.as_str().to_string())),
    };
    let known = OnConflict::column(event::Column::Id)
        .do_nothing()
        .to_owned();
    event::Entity::insert(model)
        .on_conflict(known)
        .exec_without_returning(tx)
        .await?;
    let old = format!("number <= (SELECT max(number) FROM event) - {MAX_EVENTS}");
    event::Entity::delete_many()
        .filter(Expr::cust(old))
        .exec(tx)
        .await?;
    Ok(())
}

impl LedgerInner {
    /// The newest events, oldest first.
    pub(super) async fn events(&self, limit: usize) -> Result<Vec<EventRecord>, DbErr> {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let mut models = event::Entity::find()
            .order_by_desc(event::Column::Number)
            .limit(limit.min(MAX_EVENTS.unsigned_abs()))
            .all(&self.readers)
            .await?;
        models.reverse();
        Ok(models.into_iter().map(record_from_model).collect())
    }
}

fn record_from_model(model: event::Model) -> EventRecord {
    let mysis = model.mysis_id.zip(model.mysis);
    EventRecord {
        id: EventId(model.id),
        at: Timestamp(model.at),
        // A kind that only a newer program knows is shown as a notice.
        kind: EventRecordKind::parse(&model.kind).unwrap_or(EventRecordKind::Notice),
        mysis: mysis.map(|(id, name)| MysisRef {
            id: MysisId(id),
            name: name.into(),
        }),
        severity: Severity::parse(&model.severity),
        code: model.code.into(),
        text: model.text.into(),
        source: model.source.as_deref().and_then(OrderSource::parse),
    }
}

//! Events: what happened in the swarm and who ordered what. Only the newest are kept.

use actors::domain::event::MysisRef;
use actors::domain::event_record::{EventId, EventRecord, EventRecordKind, OrderSource};
use actors::domain::ids::{MysisId, Seq, Timestamp};
use actors::domain::message::{RowKind, Severity};
use actors::domain::reading::{EventQuery, MAX_EVENTS};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::prelude::Expr;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::LedgerInner;
use super::entity::{event, message};
use super::writer::Tx;

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
        seq: Set(record.row.map(|row| row.0)),
    };
    let known = OnConflict::column(event::Column::Id)
        .do_nothing()
        .to_owned();
    tx.later(event::Entity::insert(model).on_conflict(known))
        .await?;
    let old = format!("number <= (SELECT max(number) FROM event) - {MAX_EVENTS}");
    tx.later(event::Entity::delete_many().filter(Expr::cust(old)))
        .await?;
    Ok(())
}

impl LedgerInner {
    /// Events, oldest first, with the answers to messages.
    pub(super) async fn events(&self, query: EventQuery) -> Result<Vec<EventRecord>, DbErr> {
        let limit = u64::try_from(query.limit.min(MAX_EVENTS)).unwrap_or(u64::MAX);
        let mut found = event::Entity::find();
        if let Some(before) = query.before {
            let known = event::Entity::find()
                .filter(event::Column::Id.eq(before.0))
                .one(&self.readers)
                .await?;
            // Of an event that is no longer kept there are no older ones.
            let Some(known) = known else {
                return Ok(Vec::new());
            };
            found = found.filter(event::Column::Number.lt(known.number));
        }
        let mut models = found
            .order_by_desc(event::Column::Number)
            .limit(limit)
            .all(&self.readers)
            .await?;
        models.reverse();
        let mut records: Vec<EventRecord> = models.into_iter().map(record_from_model).collect();
        for record in &mut records {
            if record.awaits_answer() {
                record.answered = self.answer_to(record).await?;
            }
        }
        Ok(records)
    }

    /// The first words of a Mysis that were said with a message in sight.
    async fn answer_to(&self, message: &EventRecord) -> Result<Option<Seq>, DbErr> {
        let (Some(who), Some(row)) = (&message.mysis, message.row) else {
            return Ok(None);
        };
        let found: Option<i64> = message::Entity::find()
            .select_only()
            .column(message::Column::Seq)
            .filter(message::Column::MysisId.eq(who.id.0))
            .filter(message::Column::Seq.gt(row.0))
            .filter(message::Column::Kind.eq(RowKind::Reply.as_str()))
            .filter(message::Column::Horizon.gte(row.0))
            .filter(message::Column::Content.ne(""))
            .order_by_asc(message::Column::Seq)
            .limit(1)
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(found.map(Seq))
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
        row: model.seq.map(Seq),
        answered: None,
    }
}

//! Events: what happened in the swarm and who ordered what. Only the newest are kept.

use actors::domain::event::MysisRef;
use actors::domain::event_record::{EventId, EventRecord, EventRecordKind, OrderSource};
use actors::domain::ids::{MysisId, Seq, Timestamp};
use actors::domain::message::{RowKind, Severity};
use actors::domain::reading::{EventQuery, MAX_EVENTS};
use actors::ports::ArchiveFault;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::prelude::Expr;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::archive::of;
use super::entity::{event, message};
use super::fault::archive_fault;
use super::recall::newest_but;
use super::writer::Tx;
use super::{LedgerInner, SqlLedger};

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
    let insert = event::Entity::insert(model);
    tx.later(insert.on_conflict_do_nothing_on([event::Column::Id]))
        .await?;
    let old = format!("number <= (SELECT max(number) FROM event) - {MAX_EVENTS}");
    tx.later(event::Entity::delete_many().filter(Expr::cust(old)))
        .await
}

#[derive(Debug)]
pub struct EventPage {
    /// The events with their numbers, which grow in the order in which they were stored, oldest first.
    pub events: Vec<(i64, EventRecord)>,
    /// The numbers of the oldest and of the newest event that were kept when the page was read.
    pub bounds: Option<(i64, i64)>,
}

impl SqlLedger {
    /// The newest events, or the oldest ones after the one of a number.
    pub async fn event_page(
        &self,
        after: Option<i64>,
        limit: usize,
    ) -> Result<EventPage, ArchiveFault> {
        let read = async {
            let most = u64::try_from(limit.min(MAX_EVENTS)).unwrap_or(u64::MAX);
            // Before the events: of one that is removed meanwhile the bounds say nothing wrong.
            let bounds = self.inner.event_bounds().await?;
            let events = match after {
                None => {
                    self.inner
                        .newest_events(event::Entity::find(), most)
                        .await?
                }
                Some(after) => {
                    let found = event::Entity::find().filter(event::Column::Number.gt(after));
                    let found = found.order_by_asc(event::Column::Number).limit(most);
                    let models = found.all(&self.inner.readers).await?;
                    self.inner.with_answers(models).await?
                }
            };
            Ok(EventPage { events, bounds })
        };
        let page: Result<EventPage, DbErr> = read.await;
        page.map_err(archive_fault)
    }

    /// The number of the newest event; 0 if there is none.
    pub async fn newest_event(&self) -> Result<i64, ArchiveFault> {
        self.inner.newest_event().await.map_err(archive_fault)
    }

    /// Whether a Mysis said something with its newest direct message in sight; `None` if it got none.
    pub async fn has_answered(&self, mysis: MysisId) -> Result<Option<bool>, ArchiveFault> {
        let answered = self.inner.has_answered(mysis).await;
        answered.map_err(archive_fault)
    }
}

impl LedgerInner {
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
        let found = self.newest_events(found, limit).await?;
        Ok(found.into_iter().map(|(_, record)| record).collect())
    }

    async fn newest_events(
        &self,
        found: Select<event::Entity>,
        limit: u64,
    ) -> Result<Vec<(i64, EventRecord)>, DbErr> {
        let found = found.order_by_desc(event::Column::Number).limit(limit);
        let mut models = found.all(&self.readers).await?;
        models.reverse();
        self.with_answers(models).await
    }

    /// The events of these rows with their numbers, and with the answers to messages.
    async fn with_answers(
        &self,
        models: Vec<event::Model>,
    ) -> Result<Vec<(i64, EventRecord)>, DbErr> {
        let mut records = Vec::new();
        for model in models {
            let (number, mut record) = (model.number, record_from_model(model));
            if let (true, Some(who), Some(row)) =
                (record.awaits_answer(), &record.mysis, record.row)
            {
                record.answered = self.answer_to(who.id, row).await?;
            }
            records.push((number, record));
        }
        Ok(records)
    }

    async fn event_bounds(&self) -> Result<Option<(i64, i64)>, DbErr> {
        let number = event::Column::Number;
        let bounds: Option<(Option<i64>, Option<i64>)> = event::Entity::find()
            .select_only()
            .column_as(number.min(), "oldest")
            .column_as(number.max(), "newest")
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(bounds.and_then(|(oldest, newest)| oldest.zip(newest)))
    }

    pub(super) async fn newest_event(&self) -> Result<i64, DbErr> {
        let bounds = self.event_bounds().await?;
        Ok(bounds.map_or(0, |(_, newest)| newest))
    }

    /// Whether a Mysis said something with its newest direct message in sight; `None` if it got none.
    async fn has_answered(&self, mysis: MysisId) -> Result<Option<bool>, DbErr> {
        let messages = of(mysis).filter(message::Column::Kind.eq(RowKind::Prompt.as_str()));
        let newest = newest_but(&self.readers, messages, 0).await?;
        if newest == 0 {
            return Ok(None);
        }
        Ok(Some(self.answer_to(mysis, Seq(newest)).await?.is_some()))
    }

    /// The first words of a Mysis that were said with a message in sight.
    async fn answer_to(&self, mysis: MysisId, message: Seq) -> Result<Option<Seq>, DbErr> {
        let found: Option<i64> = of(mysis)
            .select_only()
            .column(message::Column::Seq)
            .filter(message::Column::Seq.gt(message.0))
            .filter(message::Column::Kind.eq(RowKind::Reply.as_str()))
            .filter(message::Column::Horizon.gte(message.0))
            .filter(message::Column::Content.ne(""))
            .order_by_asc(message::Column::Seq)
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

//! Search: finds rows that literally contain a text.
//!
//! Rows that are not indexed yet are read. Of the others, those that the index names are read. In
//! both cases a row counts only if its text contains the needle.

use std::sync::Arc;

use actors::domain::ids::{MissionId, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{Row, RowBody};
use actors::ports::{SearchHits, SearchIn, SearchQuery};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, Statement,
};

use super::LedgerInner;
use super::dialect::Dialect;
use super::entity::{message, mission};
use super::recall::sendable_kinds;
use super::trigrams;

/// The rows of the first query. Later queries have more, up to the maximum.
const FIRST_PIECE_ROWS: u64 = 32;
const MAX_PIECE_ROWS: u64 = 64;
/// A search ends at about this many bytes of found texts, because its rows are in memory at once.
const MAX_FOUND_BYTES: usize = 4 << 20;
/// A needle of one or two characters begins many trigrams. Beyond this number, reading all rows is
/// faster.
const MAX_TERMS: u64 = 400;

impl LedgerInner {
    pub(super) async fn search(&self, search: &SearchQuery) -> Result<SearchHits, DbErr> {
        match search.within {
            SearchIn::Missions => self.search_missions(search).await,
            SearchIn::Messages | SearchIn::Reasoning => self.search_messages(search).await,
        }
    }

    async fn search_messages(&self, search: &SearchQuery) -> Result<SearchHits, DbErr> {
        let mut sieve = HitCollector::new(search, self.dialect);
        // The position is read first. Rows that are indexed meanwhile are then still read here.
        let upto = self.indexed_upto().await?;
        self.scan_rows(&mut sieve, (upto, i64::MAX), None).await?;
        if !sieve.is_full() {
            let question = self.index_question(&sieve.needle, search.mysis).await?;
            let question = question.as_deref();
            self.scan_rows(&mut sieve, (0, upto), question).await?;
        }
        let mut models = message::Entity::find()
            .filter(message::Column::Id.is_in(sieve.hits.iter().copied()))
            .order_by_asc(message::Column::Id)
            .all(&self.readers)
            .await?;
        models.retain(|model| sieve.hits.contains(&model.id));
        let owners: Vec<MysisId> = models.iter().map(|model| MysisId(model.mysis_id)).collect();
        let rows = self.readers.complete(models).await?;
        Ok(SearchHits {
            rows: owners.into_iter().zip(rows).collect(),
            ignoring_case: sieve.near_hits(),
            removed_before: self.reach(search.mysis).await?.before,
            may_have_more: sieve.is_full(),
        })
    }

    /// The text with which the index is queried; `None` if reading all rows is faster.
    async fn index_question(
        &self,
        needle: &str,
        mysis: Option<MysisId>,
    ) -> Result<Option<String>, DbErr> {
        if self.dialect == Dialect::Postgres {
            return Ok(Some(trigrams::pattern(needle)));
        }
        if let Some(question) = trigrams::question(needle, mysis) {
            return Ok(Some(question));
        }
        let after = format!("{needle}{}", char::MAX);
        let found = self
            .readers
            .query_all_raw(Statement::from_sql_and_values(
                DbBackend::Sqlite,
                "SELECT term FROM message_term WHERE term >= ? AND term < ? LIMIT ?",
                [needle.into(), after.into(), (MAX_TERMS + 1).into()],
            ))
            .await?;
        if found.len() as u64 > MAX_TERMS {
            return Ok(None);
        }
        let terms = found
            .iter()
            .map(|row| row.try_get_by_index(0))
            .collect::<Result<Vec<String>, DbErr>>()?;
        if terms.is_empty() {
            // No term contains this character, so the query finds nothing.
            return Ok(Some(trigrams::any_of(&["\u{e0ff}".repeat(3)], None)));
        }
        Ok(Some(trigrams::any_of(&terms, mysis)))
    }

    /// Reads the rows after one up to another, newest first: those that the index names, or all.
    async fn scan_rows(
        &self,
        sieve: &mut HitCollector<'_>,
        (after, upto): (i64, i64),
        question: Option<&str>,
    ) -> Result<(), DbErr> {
        let (mut before, mut piece) = (upto.saturating_add(1), FIRST_PIECE_ROWS);
        while !sieve.is_full() {
            let mut rows = sieve.select_candidates();
            let mut oldest = None;
            if let Some(question) = question {
                let mysis = sieve.search.mysis;
                let named = self.query_indexed(question, mysis, before, piece).await?;
                oldest = named.last().copied();
                rows = rows.filter(message::Column::Id.is_in(named));
            } else {
                rows = rows
                    .filter(message::Column::Id.gt(after))
                    .filter(message::Column::Id.lt(before))
                    .limit(piece);
            }
            let rows = rows
                .order_by_desc(message::Column::Id)
                .into_tuple::<(i64, Option<String>)>()
                .all(&self.readers)
                .await?;
            let Some(oldest) = oldest.or(rows.last().map(|(id, _)| *id)) else {
                return Ok(());
            };
            before = oldest;
            sieve.collect_rows(&rows);
            piece = (piece * 2).min(MAX_PIECE_ROWS);
        }
        Ok(())
    }

    async fn query_indexed(
        &self,
        question: &str,
        mysis: Option<MysisId>,
        before: i64,
        piece: u64,
    ) -> Result<Vec<i64>, DbErr> {
        let asked = self.dialect.select_indexed(question, mysis, before, piece);
        let rows = self.readers.query_all_raw(asked).await?;
        rows.iter().map(|row| row.try_get_by_index(0)).collect()
    }

    /// Searches the missions. They are few, so all are read.
    async fn search_missions(&self, search: &SearchQuery) -> Result<SearchHits, DbErr> {
        let mut sieve = HitCollector::new(search, self.dialect);
        let mut rows = Vec::new();
        let mut before = i64::MAX;
        while !sieve.is_full() {
            let missions = mission::Entity::find()
                .filter(mission::Column::Number.lt(before))
                .filter(mission::Column::At.lte(search.until.map_or(i64::MAX, |at| at.0)))
                .order_by_desc(mission::Column::Number)
                .limit(MAX_PIECE_ROWS)
                .all(&self.readers)
                .await?;
            let Some(oldest) = missions.last() else {
                break;
            };
            before = oldest.number;
            for mission in missions {
                if sieve.collect_row(mission.number, &mission.content) {
                    rows.push((MysisId(0), Arc::new(mission_row(mission))));
                }
            }
        }
        rows.reverse();
        Ok(SearchHits {
            rows,
            ignoring_case: sieve.near_hits(),
            removed_before: None,
            may_have_more: sieve.is_full(),
        })
    }
}

struct HitCollector<'a> {
    search: &'a SearchQuery,
    text: String,
    needle: String,
    /// The ids of the hits, newest first.
    hits: Vec<i64>,
    bytes: usize,
    /// The number of rows that differ from the text only in case.
    near: usize,
}

impl<'a> HitCollector<'a> {
    fn new(search: &'a SearchQuery, dialect: Dialect) -> HitCollector<'a> {
        let mut text = search.text.clone();
        dialect.make_storable(&mut text);
        HitCollector {
            search,
            needle: trigrams::small(&text),
            text,
            hits: Vec::new(),
            bytes: 0,
            near: 0,
        }
    }

    /// A query for the rows that can be hits, with the columns that are searched.
    fn select_candidates(&self) -> Select<message::Entity> {
        let mut rows = message::Entity::find();
        if let Some(mysis) = self.search.mysis {
            rows = rows.filter(message::Column::MysisId.eq(mysis.0));
        }
        if let Some(until) = self.search.until {
            rows = rows.filter(message::Column::At.lte(until.0));
        }
        if self.search.sendable_only {
            rows = rows.filter(message::Column::Kind.is_in(sendable_kinds()));
        }
        let words = match self.search.within {
            SearchIn::Reasoning => message::Column::Reasoning,
            SearchIn::Messages | SearchIn::Missions => message::Column::Content,
        };
        rows.select_only().column(message::Column::Id).column(words)
    }

    fn is_full(&self) -> bool {
        self.hits.len() >= self.search.limit || self.bytes >= MAX_FOUND_BYTES
    }

    fn collect_rows(&mut self, rows: &[(i64, Option<String>)]) {
        for (id, words) in rows {
            if let Some(words) = words {
                self.collect_row(*id, words);
            }
        }
    }

    fn collect_row(&mut self, id: i64, words: &str) -> bool {
        let is_near = self.needs_small() && trigrams::small(words).contains(&self.needle);
        let is_hit = if self.search.case_sensitive {
            words.contains(&self.text)
        } else {
            is_near
        };
        self.near += usize::from(is_near);
        let counts = is_hit && !self.is_full();
        if counts {
            self.hits.push(id);
            self.bytes += words.len();
        }
        counts
    }

    /// Whether lower-case texts are needed. Rows that differ only in case are counted until there
    /// is an exact hit.
    fn needs_small(&self) -> bool {
        !self.search.case_sensitive || self.hits.is_empty()
    }

    fn near_hits(&self) -> usize {
        if self.search.case_sensitive && self.hits.is_empty() {
            return self.near;
        }
        0
    }
}

fn mission_row(mission: mission::Model) -> Row {
    Row {
        seq: Seq(mission.number),
        at: Timestamp(mission.at),
        turn: TurnNumber(0),
        body: RowBody::Mission {
            id: MissionId(mission.id),
            text: mission.content.into(),
        },
    }
}

//! Conversations in memory, read as an archive is.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::message::{Row, RowBody};
use actors::domain::reading::{
    PageFrom, PageQuery, ResultPiece, ResultQuery, SearchHits, SearchIn, SearchQuery,
};
use actors::domain::record::{GameAccount, SavedSession, StoredHistory};
use actors::ports::{Archive, ArchiveFault, SwarmRecord};
use futures::FutureExt;
use futures::future::BoxFuture;

/// The conversations, shared with their readers.
#[derive(Clone, Default)]
pub struct Stored {
    rows: Arc<Mutex<BTreeMap<MysisId, Vec<Arc<Row>>>>>,
}

impl Stored {
    pub fn with<T>(&self, read: impl FnOnce(&mut BTreeMap<MysisId, Vec<Arc<Row>>>) -> T) -> T {
        read(&mut self.rows.lock())
    }

    pub fn last(&self, mysis: MysisId) -> Seq {
        self.with(|rows| {
            rows.get(&mysis)
                .and_then(|rows| rows.last())
                .map(|row| row.seq)
        })
        .unwrap_or_default()
    }
}

type Read<T> = BoxFuture<'static, Result<T, ArchiveFault>>;

impl Archive for Stored {
    fn saved_session(
        &self,
        _mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<SavedSession>, ArchiveFault>> {
        async { Ok(None) }.boxed()
    }

    fn swarm(&self) -> Read<SwarmRecord> {
        async { Ok(SwarmRecord::default()) }.boxed()
    }

    fn load_history(&self, _mysis: MysisId) -> Read<StoredHistory> {
        async { Ok(StoredHistory::default()) }.boxed()
    }

    fn page(&self, page: PageQuery) -> Read<Vec<Arc<Row>>> {
        let rows = self.with(|rows| rows.get(&page.mysis).cloned().unwrap_or_default());
        let fits = |row: &Arc<Row>| {
            page.kinds.is_empty() || row.kind().is_some_and(|kind| page.kinds.contains(&kind))
        };
        let rows: Vec<Arc<Row>> = rows.into_iter().filter(fits).collect();
        let newest = |rows: Vec<Arc<Row>>| rows[rows.len().saturating_sub(page.limit)..].to_vec();
        let page = match page.from {
            PageFrom::Newest => newest(rows),
            PageFrom::Before(seq) => newest(rows.into_iter().filter(|row| row.seq < seq).collect()),
            PageFrom::After(seq) => {
                let after = rows.into_iter().filter(|row| row.seq > seq);
                after.take(page.limit).collect()
            }
        };
        async { Ok(page) }.boxed()
    }

    fn search(&self, search: SearchQuery) -> Read<SearchHits> {
        let holds = |text: &str| {
            if search.case_sensitive {
                text.contains(&search.text)
            } else {
                text.to_lowercase().contains(&search.text.to_lowercase())
            }
        };
        let found = self.with(|rows| {
            let mut found: Vec<(MysisId, Arc<Row>)> = Vec::new();
            for (id, rows) in rows
                .iter()
                .filter(|(id, _)| search.mysis.is_none_or(|own| own == **id))
            {
                let held = rows.iter().filter(|row| match search.within {
                    SearchIn::Messages => holds(row.text()),
                    SearchIn::Reasoning => row
                        .utterance()
                        .and_then(|words| words.reasoning.as_ref())
                        .is_some_and(|text| holds(text)),
                    SearchIn::Missions => {
                        matches!(row.body, RowBody::Mission { .. }) && holds(row.text())
                    }
                });
                let held = held.filter(|row| search.until.is_none_or(|until| row.at <= until));
                found.extend(held.map(|row| (*id, row.clone())));
            }
            let surplus = found.len().saturating_sub(search.limit);
            found.split_off(surplus)
        });
        let may_have_more = found.len() >= search.limit;
        async move {
            Ok(SearchHits {
                rows: found,
                ignoring_case: 0,
                removed_before: None,
                may_have_more,
            })
        }
        .boxed()
    }

    fn result_of(&self, _asked: ResultQuery) -> Read<Option<ResultPiece>> {
        async { Ok(None) }.boxed()
    }

    fn account(&self, _mysis: MysisId) -> Read<Option<GameAccount>> {
        async { Ok(None) }.boxed()
    }
}

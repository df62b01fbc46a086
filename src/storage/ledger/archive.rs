//! The archive: reads what is stored, without delaying the writer.

mod completing;
mod system_map;

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::books::{CostEntry, Day, SavedCalls};
use actors::domain::event_record::EventRecord;
use actors::domain::fleet_process::FleetProcess;
use actors::domain::held::HeldText;
use actors::domain::ids::{MissionId, MysisId, Timestamp};
use actors::domain::message::Row;
use actors::domain::record::{
    AccountRecord, GameAccount, Mission, MysisRecord, SavedSession, StoredHistory,
};
use actors::domain::samples::{SampleQuery, SampleSeries};
use actors::domain::system_map::{SystemMap, SystemMapQuery};
use actors::ports::{
    Archive, ArchiveFault, EventQuery, MysisNames, PageFrom, PageQuery, ResultPiece, ResultQuery,
    SearchHits, SearchQuery, SwarmRecord,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect,
    Select, Statement,
};

use super::accounts::account_of;
use super::entity::{account, message, mission, mysis};
use super::fault::archive_fault;
use super::members::{names_of, read_records};
use super::{LedgerInner, SqlLedger, held};

/// The condition of the partial index over rare kinds. A query must contain exactly this text:
/// otherwise SQLite does not use the index and reads the whole conversation.
pub(super) const RARE_KINDS_CONDITION: &str = "kind IN ('prompt', 'mission', 'peer', 'note')";

type ArchiveFuture<T> = BoxFuture<'static, Result<T, ArchiveFault>>;

impl SqlLedger {
    /// Whether the database answers.
    pub async fn check_reachable(&self) -> Result<(), ArchiveFault> {
        let asked = Statement::from_string(self.inner.dialect.backend(), "SELECT 1");
        let answer = self.inner.readers.query_one_raw(asked).await;
        answer.map(drop).map_err(archive_fault)
    }

    /// These Myses as they are stored now.
    pub async fn records(
        &self,
        myses: BTreeSet<MysisId>,
    ) -> Result<Vec<MysisRecord>, ArchiveFault> {
        let read = move |inner: Arc<LedgerInner>| {
            async move { Ok(inner.records_of(&myses).await?.0) }.boxed()
        };
        self.read(read).await
    }
}

impl Archive for SqlLedger {
    fn swarm(&self) -> ArchiveFuture<SwarmRecord> {
        self.read(|inner| async move { inner.swarm().await }.boxed())
    }

    fn names(&self) -> ArchiveFuture<MysisNames> {
        self.read(|inner| async move { names_of(&inner.readers).await }.boxed())
    }

    fn load_history(&self, mysis: MysisId) -> ArchiveFuture<StoredHistory> {
        self.read(move |inner| async move { inner.recall(mysis).await }.boxed())
    }

    fn page(&self, page: PageQuery) -> ArchiveFuture<Vec<Arc<Row>>> {
        self.read(move |inner| async move { inner.page(&page).await }.boxed())
    }

    fn search(&self, search: SearchQuery) -> ArchiveFuture<SearchHits> {
        self.read(move |inner| async move { inner.search(&search).await }.boxed())
    }

    fn result_of(&self, asked: ResultQuery) -> ArchiveFuture<Option<ResultPiece>> {
        self.read(move |inner| async move { inner.result_of(&asked).await }.boxed())
    }

    fn saved_session(&self, mysis: MysisId) -> ArchiveFuture<Option<SavedSession>> {
        self.read(move |inner| async move { inner.session(mysis).await }.boxed())
    }

    fn account(&self, mysis: MysisId) -> ArchiveFuture<Option<GameAccount>> {
        self.read(move |inner| async move { inner.account(mysis).await }.boxed())
    }

    fn books(&self, since: Day) -> ArchiveFuture<Vec<CostEntry>> {
        self.read(move |inner| async move { inner.books(since).await }.boxed())
    }

    fn saved_calls(&self, since: Day) -> ArchiveFuture<Vec<SavedCalls>> {
        self.read(move |inner| async move { inner.saved_calls(since).await }.boxed())
    }

    fn held_texts(&self) -> ArchiveFuture<Vec<HeldText>> {
        self.read(|inner| async move { held::read_texts(&inner.readers).await }.boxed())
    }

    fn samples(&self, query: SampleQuery) -> ArchiveFuture<Vec<SampleSeries>> {
        self.read(move |inner| async move { inner.samples(&query).await }.boxed())
    }

    fn system_map(&self, query: SystemMapQuery) -> ArchiveFuture<SystemMap> {
        self.read(move |inner| async move { inner.system_map(query).await }.boxed())
    }

    fn events(&self, query: EventQuery) -> ArchiveFuture<Vec<EventRecord>> {
        self.read(move |inner| async move { inner.events(query).await }.boxed())
    }

    fn processes(&self) -> ArchiveFuture<Vec<FleetProcess>> {
        self.read(|inner| async move { inner.processes().await }.boxed())
    }

    fn accounts(&self) -> ArchiveFuture<Vec<AccountRecord>> {
        self.read(|inner| async move { inner.accounts().await }.boxed())
    }
}

impl SqlLedger {
    fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(Arc<LedgerInner>) -> BoxFuture<'static, Result<T, DbErr>> + Send + 'static,
    ) -> ArchiveFuture<T> {
        let inner = self.inner.clone();
        async move { query(inner).await.map_err(archive_fault) }.boxed()
    }
}

impl LedgerInner {
    async fn swarm(&self) -> Result<SwarmRecord, DbErr> {
        let (mut myses, passwords) = self.all_myses().await?;
        let others = self.held_by_others().await?;
        let others: BTreeSet<MysisId> = others.into_iter().map(|(id, _)| id).collect();
        myses.retain(|mysis| !others.contains(&mysis.id));
        Ok(SwarmRecord {
            myses,
            mission: self.mission().await?,
            passwords,
            books: self.newest_books().await?,
        })
    }

    /// Myses as stored, and the passwords of their game accounts.
    pub(super) async fn records_of(
        &self,
        myses: &BTreeSet<MysisId>,
    ) -> Result<(Vec<MysisRecord>, Vec<Arc<str>>), DbErr> {
        if myses.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let ids = || myses.iter().map(|mysis| mysis.0);
        let accounts = account::Column::AssignedTo.is_in(ids());
        let accounts = account::Entity::find().filter(accounts);
        let myses = mysis::Entity::find().filter(mysis::Column::Id.is_in(ids()));
        let myses = myses.order_by_asc(mysis::Column::Name);
        read_records(&self.readers, myses, accounts).await
    }

    /// The mission in force: the newest one, unless it was cleared.
    pub(super) async fn mission(&self) -> Result<Option<Mission>, DbErr> {
        let newest = mission::Entity::find()
            .order_by_desc(mission::Column::Number)
            .one(&self.readers)
            .await?;
        let in_force = newest.filter(|mission| mission.cleared_at.is_none());
        Ok(in_force.map(mission_from_model))
    }

    async fn account(&self, mysis: MysisId) -> Result<Option<GameAccount>, DbErr> {
        let found = account_of(&self.readers, mysis).await?;
        Ok(found.map(Into::into))
    }

    async fn accounts(&self) -> Result<Vec<AccountRecord>, DbErr> {
        let accounts = account::Entity::find()
            .order_by_asc(account::Column::CreatedAt)
            .order_by_asc(account::Column::Username)
            .all(&self.readers)
            .await?;
        Ok(accounts
            .into_iter()
            .map(|account| AccountRecord {
                owner: account.assigned_to.map(MysisId),
                created_at: Timestamp(account.created_at),
                last_used_at: account.last_used_at.map(Timestamp),
                account: account.into(),
            })
            .collect())
    }

    async fn page(&self, page: &PageQuery) -> Result<Vec<Arc<Row>>, DbErr> {
        let mut query = of(page.mysis).limit(page.limit as u64);
        if !page.kinds.is_empty() {
            let kinds = page.kinds.iter().map(|kind| kind.as_str());
            query = query.filter(message::Column::Kind.is_in(kinds));
        }
        let (query, order) = match page.from {
            PageFrom::Newest => (query, Order::Desc),
            PageFrom::Before(seq) => (query.filter(message::Column::Seq.lt(seq.0)), Order::Desc),
            PageFrom::After(seq) => (query.filter(message::Column::Seq.gt(seq.0)), Order::Asc),
        };
        let is_backwards = order == Order::Desc;
        let mut models = query
            .order_by(message::Column::Seq, order)
            .all(&self.readers)
            .await?;
        if is_backwards {
            models.reverse();
        }
        self.readers.complete(models).await
    }
}

pub(super) fn of(mysis: MysisId) -> Select<message::Entity> {
    message::Entity::find().filter(message::Column::MysisId.eq(mysis.0))
}

pub(super) fn mission_from_model(model: mission::Model) -> Mission {
    Mission {
        id: MissionId(model.id),
        text: model.content.into(),
        at: Timestamp(model.at),
    }
}

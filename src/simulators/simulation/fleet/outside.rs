//! What stands at the other end of a process's line: the store, the models and the game, each behind
//! the port that the actors use.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::books::{CostEntry, Day, SavedCalls};
use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::message::Row;
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::domain::record::{GameAccount, SavedSession, StoredHistory};
use actors::domain::tool::Toolset;
use actors::domain::write::Batch;
use actors::ports::{
    AnswerMeter, Archive, ArchiveFault, Clock, Ledger, LedgerFault, Link, LinkCall, LinkFault,
    LinkReply, Models, PageQuery, ResultPiece, ResultQuery, SearchHits, SearchQuery, SwarmRecord,
    Upstream,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::task::AbortOnDropHandle;

use super::super::ProgramParts;
use super::super::model::input_tokens;
use super::client::FleetClient;
use super::database::FleetCommits;
use super::line::answer_of;
use super::monitor::FleetMonitor;

const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub(super) struct RemoteStore(pub(super) FleetClient);

impl Ledger for RemoteStore {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let client = self.0.clone();
        async move {
            let rules = Arc::new(FleetCommits {
                database: client.database.clone(),
                session: client.session.clone(),
            });
            let memory = client.database.memory.clone();
            let sent = batches.clone();
            let answers = client.line.query(WRITE_TIMEOUT, async move {
                memory.commit_under(sent, rules).await
            });
            let answers = match answers.await {
                Ok(answers) => answers,
                Err(why) => vec![Err(LedgerFault::Unavailable(why)); batches.len()],
            };
            for (batch, answer) in batches.iter().zip(&answers) {
                if answer.is_ok() {
                    client.session.note(batch);
                }
            }
            answers
        }
        .boxed()
    }

    fn shut_out(&self, mysis: MysisId, before: Incarnation) {
        self.0.session.fence([(mysis, before)]);
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>> {
        let client = self.0.clone();
        async move {
            let claimed = client.database.memory.claim_account(mysis, at);
            let claimed = client.line.query(WRITE_TIMEOUT, claimed).await;
            claimed.unwrap_or_else(|why| Err(LedgerFault::Unavailable(why)))
        }
        .boxed()
    }
}

impl RemoteStore {
    fn read<T: Send + 'static>(
        &self,
        read: BoxFuture<'static, Result<T, ArchiveFault>>,
    ) -> BoxFuture<'static, Result<T, ArchiveFault>> {
        let client = self.0.clone();
        async move {
            let answer = client.line.query(READ_TIMEOUT, read).await;
            answer.unwrap_or_else(|why| Err(ArchiveFault(why)))
        }
        .boxed()
    }
}

impl Archive for RemoteStore {
    fn swarm(&self) -> BoxFuture<'static, Result<SwarmRecord, ArchiveFault>> {
        self.read(self.0.database.memory.swarm())
    }

    fn load_history(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<StoredHistory, ArchiveFault>> {
        self.read(self.0.database.memory.load_history(mysis))
    }

    fn page(&self, page: PageQuery) -> BoxFuture<'static, Result<Vec<Arc<Row>>, ArchiveFault>> {
        self.read(self.0.database.memory.page(page))
    }

    fn search(&self, search: SearchQuery) -> BoxFuture<'static, Result<SearchHits, ArchiveFault>> {
        self.read(self.0.database.memory.search(search))
    }

    fn result_of(
        &self,
        asked: ResultQuery,
    ) -> BoxFuture<'static, Result<Option<ResultPiece>, ArchiveFault>> {
        self.read(self.0.database.memory.result_of(asked))
    }

    fn saved_session(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<SavedSession>, ArchiveFault>> {
        self.read(self.0.database.memory.saved_session(mysis))
    }

    fn account(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, ArchiveFault>> {
        self.read(self.0.database.memory.account(mysis))
    }

    fn books(&self, since: Day) -> BoxFuture<'static, Result<Vec<CostEntry>, ArchiveFault>> {
        self.read(self.0.database.memory.books(since))
    }

    fn saved_calls(&self, since: Day) -> BoxFuture<'static, Result<Vec<SavedCalls>, ArchiveFault>> {
        self.read(self.0.database.memory.saved_calls(since))
    }
}

pub(super) struct RemoteModels {
    pub(super) client: FleetClient,
    pub(super) models: Arc<dyn Models>,
    pub(super) monitor: Arc<FleetMonitor>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) parts: ProgramParts,
}

impl Models for RemoteModels {
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let (client, monitor) = (self.client.clone(), self.monitor.clone());
        let (provider, turn) = (request.provider.clone(), meter.turn());
        let tokens = input_tokens(self.parts, &request);
        let clock = self.clock.clone();
        let asked = self.models.ask(request, meter);
        async move {
            let (database, owner) = (client.database.clone(), client.session.owner.clone());
            monitor.on_leaves(&client.session.home, "asked the model");
            let day = Day::of(clock.now());
            let served = client.line.begin(async move {
                if let Some(turn) = turn {
                    let holder = database.owner_of(turn.mysis);
                    monitor.on_acts(holder, turn.mysis, &owner, "asked the model");
                }
                let has_part = |process: &Arc<str>| database.has_part(&provider, process);
                let in_flight = monitor.on_request((&provider, &owner), (tokens, day), has_part);
                let answer = asked.await;
                if answer.is_err() {
                    in_flight.fail();
                }
                answer
            });
            // Whoever hangs up is served no longer.
            answer_of(AbortOnDropHandle::new(served)).await
        }
        .boxed()
    }

    fn request_body(&self, request: &ModelRequest) -> Option<String> {
        self.models.request_body(request)
    }
}

pub(super) struct RemoteGame {
    pub(super) client: FleetClient,
    pub(super) game: Arc<dyn Upstream>,
    pub(super) monitor: Arc<FleetMonitor>,
}

impl Upstream for RemoteGame {
    fn link(&self, mysis: MysisId) -> Option<Arc<dyn Link>> {
        Some(Arc::new(RemoteLink {
            client: self.client.clone(),
            link: self.game.link(mysis)?,
            monitor: self.monitor.clone(),
            mysis,
        }))
    }
}

struct RemoteLink {
    client: FleetClient,
    link: Arc<dyn Link>,
    monitor: Arc<FleetMonitor>,
    mysis: MysisId,
}

impl RemoteLink {
    /// Calls the game. What has left arrives, whatever becomes of the caller.
    fn reach<T: Send + 'static>(
        &self,
        what: &'static str,
        call: BoxFuture<'static, T>,
    ) -> BoxFuture<'static, T> {
        let (client, monitor, mysis) = (self.client.clone(), self.monitor.clone(), self.mysis);
        async move {
            let (database, owner) = (client.database.clone(), client.session.owner.clone());
            monitor.on_leaves(&client.session.home, what);
            let reached = client.line.ask(async move {
                monitor.on_acts(database.owner_of(mysis), mysis, &owner, what);
                call.await
            });
            reached.await
        }
        .boxed()
    }
}

impl Link for RemoteLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        self.reach("opened a session", self.link.open())
    }

    fn resume(&self, token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        // The program asks nobody for that.
        let (client, resumed) = (self.client.clone(), self.link.resume(token));
        async move { client.line.ask(resumed).await }.boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        self.reach("listed tools", self.link.tools())
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>> {
        let timeout = call.timeout;
        if matches!(&*call.tool, "login" | "register") {
            self.monitor.count_login();
        }
        let answer = self.reach("called the game", self.link.call(call));
        async move {
            let lost = || LinkFault::AnswerLost("no answer in time".to_string());
            let answer = tokio::time::timeout(timeout, answer).await;
            answer.unwrap_or_else(|_| Err(lost()))
        }
        .boxed()
    }
}

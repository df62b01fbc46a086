//! Adapters that fail where a test wants it: a trap is set, and springs once.

use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use actors::domain::books::{CostEntry, Day, SavedCalls};
use actors::domain::ids::{Incarnation, Moment, MysisId, Timestamp};
use actors::domain::message::Row;
use actors::domain::model::{
    ChatMessage, ModelAnswer, ModelFault, ModelRequest, RequestedCall, TokenUsage,
};
use actors::domain::record::{GameAccount, Mission, SavedSession, StoredHistory};
use actors::domain::sharing::{LimitClaim, LimitPart};
use actors::domain::tool::{ToolSpec, Toolset};
use actors::domain::write::{Batch, Write};
use actors::ports::{
    AnswerMeter, Archive, ArchiveFault, Clock, Fleet, FleetReport, FleetStep, FreezeKeeper, Ledger,
    LedgerFault, LimitNews, LimitReport, Link, LinkAnswer, LinkCall, LinkFault, LinkReply, Models,
    PageQuery, ResultPiece, ResultQuery, SearchHits, SearchQuery, ServerTask, SharedLimits,
    SwarmRecord, TaskNews, Upstream,
};
use actors::session::own_tools;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::Instant;
use zoea_simulation::MemoryLedger;
use zoea_tui::Display;
use zoea_tui::dashboard::action::TerminalAction;
use zoea_tui::dashboard::{Dashboard, DashboardOptions};

use crate::shapes::Shape;

/// The message of intended panics, which `hush_simulated_panics` recognises.
const PANIC: &str = "a simulated panic";

/// What a server says that cannot take a call yet.
pub(crate) const LOADING: &str = "HTTP 503: Loading model";

const START: Timestamp = Timestamp(1_773_252_000_000);

/// A failure that happens at the next opportunity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trap {
    /// The next actor that reads the clock panics.
    Clock,
    /// The ledger panics when the Store calls it.
    Commit,
    /// The ledger answers for another group than the given one.
    CommitForOthers,
    /// The ledger panics while a Store starts.
    StoreStart,
    /// The screen panics when it gets a frame.
    Picture,
    /// The next listener that receives an event panics.
    Listener,
    /// The code that calls the game panics.
    Call,
    /// The game refuses a call.
    CallRefused,
    /// The game's server cannot take a call yet.
    CallTooEarly,
    /// The game refuses access to a call.
    CallWithoutAccess,
    /// The code that calls the model panics.
    Ask,
    /// The model refuses permanently.
    AskRefused,
    /// The spending cannot be read.
    Spending,
    /// The code that reads a history panics.
    History,
    /// The game limits a login.
    LoginLimited,
}

/// The traps that are set.
#[derive(Debug, Default)]
pub(crate) struct Traps(Mutex<Vec<Trap>>);

impl Traps {
    pub(crate) fn set(&self, trap: Trap) {
        self.0.lock().push(trap);
    }

    /// Whether this trap was set. The call removes it.
    pub(crate) fn springs(&self, trap: Trap) -> bool {
        let mut set = self.0.lock();
        let place = set.iter().position(|known| *known == trap);
        place.map(|place| set.remove(place)).is_some()
    }

    pub(crate) fn panics(&self, trap: Trap) {
        assert!(!self.springs(trap), "{PANIC}");
    }

    /// How many of this trap are still set.
    pub(crate) fn count(&self, trap: Trap) -> usize {
        let set = self.0.lock();
        set.iter().filter(|known| **known == trap).count()
    }

    pub(crate) fn are_all_sprung(&self) -> bool {
        self.0.lock().is_empty()
    }
}

/// Clocks that follow tokio's time.
pub(crate) struct TrappedClock {
    pub(crate) traps: Arc<Traps>,
    pub(crate) begun: Instant,
}

impl Clock for TrappedClock {
    fn now(&self) -> Timestamp {
        self.traps.panics(Trap::Clock);
        START.plus(self.begun.elapsed())
    }

    fn moment(&self) -> Moment {
        Moment::default().plus(self.begun.elapsed())
    }
}

/// Keeps in memory since when the swarm is frozen, as it was stored each time.
#[derive(Clone, Default)]
pub(crate) struct FreezeMemory(pub(crate) Arc<Mutex<Vec<Option<Timestamp>>>>);

impl FreezeKeeper for FreezeMemory {
    fn keep(&self, since: Option<Timestamp>) -> BoxFuture<'static, Result<(), String>> {
        self.0.lock().push(since);
        futures::future::ready(Ok(())).boxed()
    }
}

/// A fleet whose steps a test decides.
#[derive(Default)]
pub(crate) struct ScriptedFleet {
    /// What the next step finds; later steps find nothing.
    pub(crate) next: Mutex<FleetStep>,
    /// The mission in force in the database.
    pub(crate) mission: Mutex<Option<Mission>>,
    /// Whether the database cannot be reached.
    pub(crate) is_away: AtomicBool,
    /// Whether that begins with the next step.
    pub(crate) goes_away: AtomicBool,
    /// Whether the limits cannot be renewed.
    pub(crate) are_limits_away: AtomicBool,
    /// What was let go and what arrived, in this order.
    pub(crate) reports: Mutex<Vec<FleetReport>>,
}

impl Fleet for ScriptedFleet {
    fn drain(&self, process: Arc<str>, _: bool) -> BoxFuture<'static, Result<bool, ArchiveFault>> {
        futures::future::ready(Ok(&*process == "box-2")).boxed()
    }

    fn step(&self, report: FleetReport) -> BoxFuture<'static, Result<FleetStep, ArchiveFault>> {
        let step = match self.is_away.load(Ordering::SeqCst) {
            true => Err(ArchiveFault("the database is away".to_string())),
            false => {
                self.reports.lock().push(report);
                let began = Instant::now();
                let is_away = self.goes_away.swap(false, Ordering::SeqCst);
                self.is_away.store(is_away, Ordering::SeqCst);
                let next = std::mem::take(&mut *self.next.lock());
                Ok(FleetStep {
                    mission: self.mission.lock().clone(),
                    began: next.began.or(Some(began)),
                    safe_until: Some(began + Duration::from_secs(25)),
                    ..next
                })
            }
        };
        futures::future::ready(step).boxed()
    }
}

/// Limits that nobody else uses.
impl SharedLimits for ScriptedFleet {
    fn renew(&self, report: LimitReport) -> BoxFuture<'static, Result<LimitNews, ArchiveFault>> {
        let whole = |claim: LimitClaim| LimitPart {
            lane: claim.lane,
            kind: claim.kind,
            part: claim.limit,
            is_first: false,
        };
        let parts = match self.are_limits_away.load(Ordering::SeqCst) {
            true => Err(ArchiveFault("the database is away".to_string())),
            false => Ok(LimitNews {
                parts: report.claims.into_iter().map(whole).collect(),
                ..LimitNews::default()
            }),
        };
        futures::future::ready(parts).boxed()
    }

    fn safe_time(&self) -> Duration {
        Duration::from_secs(8)
    }
}

/// A ledger in memory.
pub(crate) struct TrappedLedger {
    pub(crate) traps: Arc<Traps>,
    pub(crate) memory: Arc<MemoryLedger>,
    /// Whether stored rows can be read now. Until they can, readers wait.
    pub(crate) is_readable: watch::Sender<bool>,
    /// Whether reading a history fails now.
    pub(crate) fails_to_read: AtomicBool,
    /// Whether the marks that calls are sent cannot be stored now, so that all writes wait.
    pub(crate) holds_marks: watch::Sender<bool>,
    /// The number of accounts that may have been given out by now. Further claims wait.
    pub(crate) claims: watch::Sender<usize>,
    pub(crate) claimed: AtomicUsize,
    /// The lives that were shut out, in order.
    pub(crate) shut_out: Mutex<Vec<(MysisId, Incarnation)>>,
}

impl Ledger for TrappedLedger {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        self.traps.panics(Trap::Commit);
        if self.traps.springs(Trap::CommitForOthers) {
            return futures::future::ready(Vec::new()).boxed();
        }
        let mut writes = batches.iter().flat_map(|batch| &batch.writes);
        let has_marks = writes.any(|write| matches!(write, Write::CallSent { .. }));
        let (commit, mut held) = (self.memory.commit(batches), self.holds_marks.subscribe());
        async move {
            held.wait_for(|held| !(has_marks && *held)).await.unwrap();
            commit.await
        }
        .boxed()
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>> {
        let place = self.claimed.fetch_add(1, Ordering::SeqCst);
        let (claim, mut claims) = (
            self.memory.claim_account(mysis, at),
            self.claims.subscribe(),
        );
        async move {
            claims.wait_for(|claims| *claims > place).await.unwrap();
            claim.await
        }
        .boxed()
    }

    fn shut_out(&self, mysis: MysisId, before: Incarnation) {
        self.shut_out.lock().push((mysis, before));
    }

    fn maintenance_interval(&self) -> Option<Duration> {
        self.traps.panics(Trap::StoreStart);
        None
    }
}

type Read<T> = BoxFuture<'static, Result<T, ArchiveFault>>;

impl Archive for TrappedLedger {
    fn swarm(&self) -> Read<SwarmRecord> {
        self.memory.swarm()
    }

    fn load_history(&self, mysis: MysisId) -> Read<StoredHistory> {
        self.traps.panics(Trap::History);
        if self.fails_to_read.load(Ordering::SeqCst) {
            let fault = ArchiveFault("disk I/O error".to_string());
            return futures::future::ready(Err(fault)).boxed();
        }
        let (past, mut is_readable) = (
            self.memory.load_history(mysis),
            self.is_readable.subscribe(),
        );
        async move {
            is_readable
                .wait_for(|is_readable| *is_readable)
                .await
                .unwrap();
            past.await
        }
        .boxed()
    }

    fn page(&self, page: PageQuery) -> Read<Vec<Arc<Row>>> {
        self.memory.page(page)
    }

    fn search(&self, search: SearchQuery) -> Read<SearchHits> {
        self.memory.search(search)
    }

    fn result_of(&self, asked: ResultQuery) -> Read<Option<ResultPiece>> {
        self.memory.result_of(asked)
    }

    fn saved_session(&self, mysis: MysisId) -> Read<Option<SavedSession>> {
        self.memory.saved_session(mysis)
    }

    fn account(&self, mysis: MysisId) -> Read<Option<GameAccount>> {
        self.memory.account(mysis)
    }

    fn saved_calls(&self, since: Day) -> Read<Vec<SavedCalls>> {
        self.memory.saved_calls(since)
    }

    fn books(&self, since: Day) -> Read<Vec<CostEntry>> {
        if self.traps.springs(Trap::Spending) {
            let fault = ArchiveFault("the books cannot be read".to_string());
            return futures::future::ready(Err(fault)).boxed();
        }
        self.memory.books(since)
    }
}

/// Models that call the game after every message of the operator, and then answer that all is well.
/// Each Mysis has a model of its own, by its own name.
pub(crate) struct TrappedModels {
    pub(crate) traps: Arc<Traps>,
    /// The Myses whose model does not answer now.
    pub(crate) held: watch::Sender<Vec<&'static str>>,
    /// Whether no model of the provider `local` can be reached now.
    pub(crate) is_away: watch::Sender<bool>,
    /// How long an answer takes.
    pub(crate) takes: watch::Sender<Duration>,
    /// The tool that the models call; empty: they write words alone.
    pub(crate) tool: watch::Sender<&'static str>,
    /// The number of requests to each model, and the operator's messages that it saw.
    pub(crate) asked: Arc<Mutex<BTreeMap<String, Asked>>>,
    /// The server that answers in their place, if there is one.
    pub(crate) shape: Mutex<Option<Arc<Shape>>>,
}

#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) times: usize,
    pub(crate) words: Vec<Arc<str>>,
}

impl Models for TrappedModels {
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let (traps, mut held) = (self.traps.clone(), self.held.subscribe());
        let whose = request.model.to_string();
        let (is_away, tool) = (*self.is_away.borrow(), *self.tool.borrow());
        let is_away = is_away && &*request.provider == "local";
        let takes = *self.takes.borrow();
        let mut asked = self.asked.lock();
        let seen = asked.entry(whose.clone()).or_default();
        seen.times += 1;
        for message in request.messages.iter() {
            if let ChatMessage::User(text) = message {
                seen.words.push(text.clone());
            }
        }
        drop(asked);
        if let Some(shape) = self.shape.lock().clone() {
            let good = answer(&request, tool);
            return shape.answer(request, meter, good).boxed();
        }
        async move {
            tokio::time::sleep(takes).await;
            held.wait_for(|held| !held.iter().any(|name| *name == whose))
                .await
                .unwrap();
            traps.panics(Trap::Ask);
            if is_away {
                let text = "connection refused".to_string();
                return Err(ModelFault::Unreachable { text });
            }
            if traps.springs(Trap::AskRefused) {
                let text = "401 invalid key".to_string();
                return Err(ModelFault::Permanent { text });
            }
            Ok(answer(&request, tool))
        }
        .boxed()
    }
}

/// The token usage of each answer.
const USAGE: Option<TokenUsage> = Some(TokenUsage {
    input: 1000,
    output: 10,
    cached: 0,
});

fn answer(request: &ModelRequest, tool: &str) -> ModelAnswer {
    if tool.is_empty() || matches!(request.messages.last(), Some(ChatMessage::Tool { .. })) {
        return ModelAnswer {
            text: "All is well.".to_string(),
            usage: USAGE,
            ..ModelAnswer::default()
        };
    }
    ModelAnswer {
        calls: vec![RequestedCall {
            id: "call_1".to_string(),
            name: tool.to_string(),
            arguments: "{}".to_string(),
        }],
        usage: USAGE,
        ..ModelAnswer::default()
    }
}

/// What a server says that has room for one client.
pub(crate) const IN_USE: &str = "its last words: the browser is in use";

/// A game with one tool.
#[derive(Clone)]
pub(crate) struct TrappedGame {
    pub(crate) traps: Arc<Traps>,
    /// Whether players have to register and to log in.
    pub(crate) has_accounts: bool,
    /// Whether answers are held back now.
    pub(crate) is_held: Arc<watch::Sender<bool>>,
    /// Whose sessions it does not open.
    pub(crate) turned_away: Arc<watch::Sender<Option<MysisId>>>,
    /// Whose link this is.
    pub(crate) who: Option<MysisId>,
    /// How long a trip takes.
    pub(crate) trip: Duration,
    /// The calls that the game carried out, by the program's names for them.
    pub(crate) executed: Arc<Mutex<Vec<String>>>,
    /// If there is a script, calls are answered with tasks.
    pub(crate) tasks: Arc<Mutex<Option<TaskScript>>>,
}

/// What the game says of its tasks.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskScript {
    /// The answers to questions, in order. After them every task is done.
    pub(crate) news: VecDeque<Result<TaskNews, LinkFault>>,
    /// Whether tasks are never done.
    pub(crate) is_endless: bool,
    /// The ids that were asked for.
    pub(crate) asked: Vec<Arc<str>>,
    /// The ids that were to be cancelled.
    pub(crate) cancelled: Vec<Arc<str>>,
}

impl TaskScript {
    pub(crate) fn new(news: impl IntoIterator<Item = Result<TaskNews, LinkFault>>) -> TaskScript {
        TaskScript {
            news: news.into_iter().collect(),
            ..TaskScript::default()
        }
    }

    /// Tasks that are never done.
    pub(crate) fn endless() -> TaskScript {
        TaskScript {
            is_endless: true,
            ..TaskScript::default()
        }
    }
}

impl TrappedGame {
    /// Reads or changes the script, if there is one.
    pub(crate) fn script<T>(&self, act: impl FnOnce(&mut TaskScript) -> T) -> Option<T> {
        self.tasks.lock().as_mut().map(act)
    }
}

fn mined() -> LinkAnswer {
    LinkAnswer {
        structured: None,
        text: r#"{"mined":3}"#.to_string(),
        is_error: false,
    }
}

impl Upstream for TrappedGame {
    fn link(&self, mysis: MysisId) -> Option<Arc<dyn Link>> {
        Some(Arc::new(TrappedGame {
            who: Some(mysis),
            ..self.clone()
        }))
    }
}

impl Link for TrappedGame {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let turned_away = *self.turned_away.borrow();
        let is_open = turned_away.is_none() || turned_away != self.who;
        let opened = is_open.then_some(None);
        let opened = opened.ok_or_else(|| LinkFault::Unreachable(IN_USE.to_string()));
        async move { opened }.boxed()
    }

    fn resume(&self, _resume_token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        async {
            Err(LinkFault::SessionLost(
                "no resume token of ours".to_string(),
            ))
        }
        .boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let names = match self.has_accounts {
            true => &["mine", "register", "login"][..],
            false => &["mine", "travel"],
        };
        let offered = names.iter().map(|name| ToolSpec {
            name: (*name).into(),
            description: "Does it.".into(),
            schema: r#"{"type":"object"}"#.into(),
            read_only_hint: Some(false),
        });
        let all = own_tools()
            .tools()
            .iter()
            .cloned()
            .chain(offered)
            .collect::<Vec<_>>();
        async move { Ok(Arc::new(Toolset::new(all))) }.boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>> {
        let game = self.clone();
        let mut is_held = game.is_held.subscribe();
        async move {
            if game.traps.springs(Trap::CallRefused) {
                return Err(LinkFault::Refused("no such tool".to_string()));
            }
            if game.traps.springs(Trap::CallTooEarly) {
                return Err(LinkFault::Unreachable(LOADING.to_string()));
            }
            if game.traps.springs(Trap::CallWithoutAccess) {
                return Err(LinkFault::NoAccess("HTTP 403".to_string()));
            }
            if call.tool.as_ref() == "login" && game.traps.springs(Trap::LoginLimited) {
                return Ok(LinkReply::Answer(LinkAnswer {
                    structured: None,
                    text: "Error: rate_limited: Too many logins.".to_string(),
                    is_error: true,
                }));
            }
            game.executed.lock().push(call.call_id.clone());
            if game.tasks.lock().is_some() {
                assert!(call.takes_task, "it was asked for");
                return Ok(LinkReply::Task(ServerTask {
                    id: call.call_id.into(),
                    poll_after: Some(Duration::from_secs(5)),
                }));
            }
            if call.tool.as_ref() == "travel" {
                tokio::time::sleep(game.trip).await;
            }
            is_held.wait_for(|is_held| !is_held).await.unwrap();
            game.traps.panics(Trap::Call);
            Ok(LinkReply::Answer(mined()))
        }
        .boxed()
    }

    fn ask_task(&self, id: Arc<str>) -> BoxFuture<'static, Result<TaskNews, LinkFault>> {
        let game = self.clone();
        async move {
            let news = game.script(|script| {
                script.asked.push(id);
                match script.news.pop_front() {
                    Some(news) => news,
                    None if script.is_endless => Ok(TaskNews::Working(None)),
                    None => Ok(TaskNews::Done(mined())),
                }
            });
            news.unwrap_or_else(|| Ok(TaskNews::Unknown("no tasks here".to_string())))
        }
        .boxed()
    }

    fn cancel_task(&self, id: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let game = self.clone();
        async move {
            game.script(|script| script.cancelled.push(id));
            Ok(())
        }
        .boxed()
    }
}

pub(crate) struct TrappedScreen {
    pub(crate) traps: Arc<Traps>,
    last: Mutex<Arc<Dashboard>>,
}

impl TrappedScreen {
    pub(crate) fn new(traps: Arc<Traps>) -> Arc<TrappedScreen> {
        let first = Dashboard::new(DashboardOptions {
            size: (120, 40),
            ..DashboardOptions::default()
        });
        Arc::new(TrappedScreen {
            traps,
            last: Mutex::new(Arc::new(first)),
        })
    }
}

impl Display for TrappedScreen {
    fn show(&self, dashboard: Arc<Dashboard>) {
        self.traps.panics(Trap::Picture);
        *self.last.lock() = dashboard;
    }

    fn last_shown(&self) -> Arc<Dashboard> {
        self.last.lock().clone()
    }

    fn perform_action(&self, _act: TerminalAction) {}
}

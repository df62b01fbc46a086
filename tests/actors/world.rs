//! A swarm for deaths: two Myses on simulated time, one with a call under way in the game, the
//! other waiting for its model.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use actors::commander::CommanderHandle;
use actors::commander::{Adapters, Commander, CommanderArgs, CommanderMsg};
use actors::domain::budget::BudgetStatus;
use actors::domain::event::{EventKind, MysisStatus, SwarmCondition, SwarmEvent};
use actors::domain::event_record::OrderSource;
use actors::domain::ids::MysisId;
use actors::domain::message::{CallStatus, Row, RowKind};
use actors::domain::order::{MysisOrder, Order, OrderResult};
use actors::domain::outages::ServerOutages;
use actors::domain::record::{GameAccount, PoolAccount};
use actors::domain::rules::{
    ProgressRules, ProviderRules, RelaunchPolicy, SupervisionRules, SwarmRules, ToolRules,
};
use actors::domain::samples::Sample;
use actors::domain::state::LifeState;
use actors::freeze::FreezeSwitch;
use actors::gate::GateMsg;
use actors::listener::Listener;
use actors::mysis::MysisMsg;
use actors::ports::{Archive, Fleet, NoCopies, PageFrom, PageQuery, SharedLimits};
use actors::store::StoreMsg;
use actors::ui::{self, TerminalLink, UiMsg, UiRuntime};
use ractor::{Actor, ActorCell, ActorId, ActorRef, ActorStatus};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zoea_scenes::commanding::commander_args;
use zoea_simulation::{MemoryLedger, hush_simulated_panics};
use zoea_tui::DashboardTerminal;

use crate::outside::{
    FreezeMemory, ScriptedFleet, TrappedClock, TrappedGame, TrappedLedger, TrappedModels,
    TrappedScreen, Traps,
};

/// Longer than anything in these tests takes, in simulated time.
const LONG: Duration = Duration::from_secs(600);

/// The kinds of actors that a Commander supervises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Child {
    Store,
    Gate,
    Ui,
    Mysis,
}

pub(crate) struct World {
    pub(crate) traps: Arc<Traps>,
    pub(crate) memory: Arc<MemoryLedger>,
    pub(crate) ledger: Arc<TrappedLedger>,
    pub(crate) models: Arc<TrappedModels>,
    pub(crate) game: TrappedGame,
    pub(crate) commander: ActorRef<CommanderMsg>,
    pub(crate) handle: CommanderHandle,
    /// The listener that tests kill.
    pub(crate) listener: Listener,
    pub(crate) listened: Arc<AtomicUsize>,
    _recorder: Listener,
    events: Arc<Mutex<Vec<Arc<SwarmEvent>>>>,
    pub(crate) acknowledged: Vec<String>,
    pub(crate) freezes: FreezeMemory,
    /// The fleet, if the swarm is of one.
    pub(crate) fleet: Arc<ScriptedFleet>,
    is_of_a_fleet: bool,
}

/// The parts that survive a process.
pub(crate) struct Rest {
    memory: Arc<MemoryLedger>,
    game: TrappedGame,
    acknowledged: Vec<String>,
    freezes: FreezeMemory,
    fleet: Arc<ScriptedFleet>,
    is_of_a_fleet: bool,
}

impl World {
    /// Two Myses that have not begun.
    pub(crate) async fn new(relaunch: RelaunchPolicy) -> World {
        World::of(relaunch, false, false).await
    }

    /// The same as one process of a fleet.
    pub(crate) async fn of_a_fleet() -> World {
        World::of(RelaunchPolicy::Transient, false, true).await
    }

    /// The same, with a game in which players have to register.
    pub(crate) async fn with_accounts() -> World {
        World::of(RelaunchPolicy::Transient, true, false).await
    }

    /// A game with accounts, in which the model of alpha registers and then logs in again and again.
    pub(crate) async fn logging_in() -> World {
        let world = World::with_accounts().await;
        let account = GameAccount {
            username: "Quill".into(),
            password: "hunter2-hunter2".into(),
        };
        let pooled = PoolAccount {
            account,
            owner: None,
        };
        let pooled = world.order(Order::PoolAccounts(vec![pooled])).await;
        assert!(pooled.is_ok(), "{pooled:?}");
        world.ledger.claims.send_replace(1);
        world.models.tool.send_replace("register");
        world.start("alpha").await;
        world.until("a login", |world| world.calls() > 0).await;
        world.models.tool.send_replace("login");
        world.until("more of them", |world| world.calls() > 2).await;
        world
    }

    async fn of(relaunch: RelaunchPolicy, has_accounts: bool, is_of_a_fleet: bool) -> World {
        let rest = Rest {
            memory: Arc::new(MemoryLedger::without_faults()),
            game: TrappedGame {
                traps: Arc::default(),
                has_accounts,
                is_held: Arc::new(watch::Sender::new(false)),
                turned_away: Arc::new(watch::Sender::new(None)),
                who: None,
                trip: Duration::from_secs(500),
                executed: Arc::default(),
                tasks: Arc::default(),
            },
            acknowledged: Vec::new(),
            freezes: FreezeMemory::default(),
            fleet: Arc::default(),
            is_of_a_fleet,
        };
        let world = World::after(rest, relaunch).await;
        for name in ["alpha", "bravo"] {
            let created = world.order(Order::Create {
                name: name.to_string(),
                provider: None,
                model: Some(name.to_string()),
                role: None,
                start: false,
            });
            created.await.unwrap();
        }
        world
    }

    /// The parts that the next process finds.
    pub(crate) fn into_rest(self) -> Rest {
        Rest {
            memory: self.memory,
            game: self.game,
            acknowledged: self.acknowledged,
            freezes: self.freezes,
            fleet: self.fleet,
            is_of_a_fleet: self.is_of_a_fleet,
        }
    }

    /// A process that finds the parts of an earlier one. Myses that ran run again.
    pub(crate) async fn after(rest: Rest, relaunch: RelaunchPolicy) -> World {
        hush_simulated_panics();
        let traps = rest.game.traps.clone();
        let ledger = Arc::new(TrappedLedger {
            traps: traps.clone(),
            memory: rest.memory.clone(),
            is_readable: watch::Sender::new(true),
            fails_to_read: AtomicBool::default(),
            holds_marks: watch::Sender::new(false),
            claims: watch::Sender::new(0),
            claimed: AtomicUsize::default(),
            shut_out: Mutex::default(),
        });
        let models = Arc::new(TrappedModels {
            traps: traps.clone(),
            held: watch::Sender::new(Vec::new()),
            is_away: watch::Sender::new(false),
            takes: watch::Sender::new(Duration::from_secs(1)),
            tool: watch::Sender::new("mine"),
            asked: Arc::default(),
            shape: Mutex::default(),
        });
        let events: Arc<Mutex<Vec<Arc<SwarmEvent>>>> = Arc::default();
        let all = events.clone();
        let recorder = Listener::start(Box::new(move |event| all.lock().push(event.clone())));
        let recorder = recorder.await.unwrap();
        let listened = Arc::new(AtomicUsize::new(0));
        let (count, trap) = (listened.clone(), traps.clone());
        let listener = Listener::start(Box::new(move |_| {
            trap.panics(crate::outside::Trap::Listener);
            count.fetch_add(1, Ordering::SeqCst);
        }));
        let listener = listener.await.unwrap();
        let frozen_since = rest.freezes.0.lock().last().copied().flatten();
        let outside = Adapters {
            ledger: ledger.clone(),
            archive: ledger.clone(),
            models: models.clone(),
            upstream: Arc::new(rest.game.clone()),
            clock: Arc::new(TrappedClock {
                traps: traps.clone(),
                begun: Instant::now(),
            }),
            freeze: FreezeSwitch::new(frozen_since, Arc::new(rest.freezes.clone())),
            fleet: rest
                .is_of_a_fleet
                .then(|| rest.fleet.clone() as Arc<dyn Fleet>),
            deleted: Arc::new(NoCopies),
            shared_limits: rest
                .is_of_a_fleet
                .then(|| rest.fleet.clone() as Arc<dyn SharedLimits>),
            ui_runtime: UiRuntime::shared(),
        };
        let args = CommanderArgs {
            resume: true,
            watchers: vec![recorder.watcher(), listener.watcher()],
            link: Some(TerminalLink {
                terminal: DashboardTerminal::new(TrappedScreen::new(traps.clone())),
                address: Arc::new(ui::new_address().0),
                quit: CancellationToken::new(),
                successor: Arc::default(),
                archivist: None,
                inspector: None,
            }),
            ..commander_args(rest.memory.swarm_now(), Arc::new(rules(relaunch)), outside)
        };
        let (commander, _) = Actor::spawn(None, Commander, args).await.unwrap();
        World {
            traps,
            memory: rest.memory,
            ledger,
            models,
            game: rest.game,
            handle: CommanderHandle::new(commander.clone(), OrderSource::Control),
            commander,
            listener,
            listened,
            _recorder: recorder,
            events,
            acknowledged: rest.acknowledged,
            freezes: rest.freezes,
            fleet: rest.fleet,
            is_of_a_fleet: rest.is_of_a_fleet,
        }
    }

    /// Starts both Myses, holds back the game's answer to alpha and the model's answer to bravo,
    /// and sends an order to each.
    pub(crate) async fn get_busy(&mut self) {
        self.game.is_held.send_replace(true);
        self.models.held.send_replace(vec!["bravo"]);
        for name in ["alpha", "bravo"] {
            self.start(name).await;
        }
        self.until("a call under way", |world| world.calls() == 1)
            .await;
        self.until("a question under way", |world| {
            world.times_asked("bravo") == 1
        })
        .await;
        self.send("alpha", "order 1").await.unwrap();
        self.send("bravo", "order 2").await.unwrap();
        // Everything under way has arrived. Nothing reads a clock from here on.
        tokio::time::sleep(Duration::from_secs(5)).await;
    }

    /// Lets everything be answered from here on.
    pub(crate) fn release(&self) {
        self.game.is_held.send_replace(false);
        self.models.held.send_replace(Vec::new());
    }

    pub(crate) async fn order(&self, order: Order) -> OrderResult {
        self.handle.order(order).await
    }

    pub(crate) async fn start(&self, name: &str) {
        let name = name.to_string();
        self.order(MysisOrder::Start.for_mysis(name)).await.unwrap();
    }

    /// Sends an order, and remembers it if it is acknowledged.
    pub(crate) async fn send(&mut self, name: &str, text: &str) -> OrderResult {
        let order = MysisOrder::Prompt(text.into()).for_mysis(name);
        let answer = self.order(order).await;
        if answer.is_ok() {
            self.acknowledged.push(text.to_string());
        }
        answer
    }

    /// Waits in simulated time until a condition holds.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&World) -> bool) {
        let begun = Instant::now();
        while !is_so(self) {
            assert!(
                begun.elapsed() < LONG,
                "there was never {what}: {:#?}",
                self.sent_since(0)
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// How many calls reached the game.
    pub(crate) fn calls(&self) -> usize {
        self.game.executed.lock().len()
    }

    /// How often each model was asked, and how many calls reached the game.
    pub(crate) fn left(&self) -> (usize, usize, usize) {
        let asked = |name| self.times_asked(name);
        (asked("alpha"), asked("bravo"), self.calls())
    }

    pub(crate) fn times_asked(&self, name: &str) -> usize {
        let asked = self.models.asked.lock();
        asked.get(name).map_or(0, |asked| asked.times)
    }

    /// Whether a model has seen this text.
    pub(crate) fn is_shown(&self, text: &str) -> bool {
        let asked = self.models.asked.lock();
        let mut words = asked.values().flat_map(|asked| &asked.words);
        words.any(|seen| seen.contains(text))
    }

    pub(crate) async fn status(&self, name: &str) -> Arc<MysisStatus> {
        let statuses = self.handle.statuses().await;
        statuses
            .iter()
            .find(|of| &*of.name == name)
            .unwrap()
            .clone()
    }

    pub(crate) async fn spending(&self) -> Arc<BudgetStatus> {
        self.handle.budget_status().await
    }

    pub(crate) async fn outages(&self) -> Arc<ServerOutages> {
        self.handle.outages().await
    }

    pub(crate) async fn until_it_is(&self, name: &str, state: LifeState) {
        let begun = Instant::now();
        while self.status(name).await.state != state {
            assert!(
                begun.elapsed() < LONG,
                "{name} was never {state:?}: {:#?}",
                self.sent_since(0)
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) fn events_since(&self, mark: usize) -> Vec<Arc<SwarmEvent>> {
        self.events.lock()[mark..].to_vec()
    }

    /// The number of events so far.
    pub(crate) fn mark(&self) -> usize {
        self.events.lock().len()
    }

    /// The notices since a mark by their codes, and the states.
    pub(crate) fn sent_since(&self, mark: usize) -> Vec<String> {
        let events = self.events.lock();
        let notices = events[mark..].iter().filter_map(|event| {
            let name = event.mysis.as_ref().map(|who| who.name.to_string());
            let name = name.unwrap_or_default();
            match &event.what {
                EventKind::Notice { code, .. } => Some((*code).to_string()),
                EventKind::StateChanged { from, to, .. } => {
                    Some(format!("{name} {} -> {}", from.as_str(), to.as_str()))
                }
                EventKind::Stored(row) => {
                    let code = row.host().map(|meta| &*meta.code);
                    let code = code.filter(|code| !["nudge", "continuation"].contains(code));
                    code.map(|code| format!("{name} {code}"))
                }
                EventKind::Condition(SwarmCondition::Freeze(since)) => {
                    Some(format!("is frozen: {}", since.is_some()))
                }
                EventKind::Roster(_)
                | EventKind::Turn(_)
                | EventKind::Mission(_)
                | EventKind::StatusChanged(_)
                | EventKind::Condition(_)
                | EventKind::Learned(_)
                | EventKind::Shutdown => None,
            }
        });
        notices.collect()
    }

    /// The children of a kind, oldest first.
    pub(crate) fn children(&self, kind: Child) -> Vec<ActorCell> {
        let is = |of: Option<bool>| of == Some(true);
        let mut children = self.commander.get_children();
        children.retain(|child| match kind {
            Child::Store => is(child.is_message_type_of::<StoreMsg>()),
            Child::Gate => is(child.is_message_type_of::<GateMsg>()),
            Child::Ui => is(child.is_message_type_of::<UiMsg>()),
            Child::Mysis => is(child.is_message_type_of::<MysisMsg>()),
        });
        children.sort_by_key(|child| child.get_id().pid());
        children
    }

    /// Alpha's actor: the older one of the two, as long as neither died.
    pub(crate) fn alpha(&self) -> ActorCell {
        self.children(Child::Mysis)[0].clone()
    }

    pub(crate) fn living(&self) -> BTreeMap<Child, BTreeSet<ActorId>> {
        [Child::Store, Child::Gate, Child::Ui, Child::Mysis]
            .into_iter()
            .map(|kind| {
                let ids = self.children(kind).into_iter().map(|child| child.get_id());
                (kind, ids.collect())
            })
            .collect()
    }

    /// The incarnation of each Mysis, by name.
    pub(crate) fn incarnations(&self) -> BTreeMap<String, i64> {
        let myses = self.memory.swarm_now().myses.into_iter();
        myses
            .map(|mysis| (mysis.profile.name.to_string(), mysis.incarnation.0))
            .collect()
    }

    pub(crate) fn id(&self, name: &str) -> MysisId {
        let mut myses = self.memory.swarm_now().myses.into_iter();
        myses.find(|mysis| &*mysis.profile.name == name).unwrap().id
    }

    /// How long each call of a Mysis took.
    pub(crate) async fn durations(&self, name: &str) -> Vec<Duration> {
        let rows = self.result_rows(name).await;
        let results = rows.iter().filter_map(|row| row.result());
        results
            .map(|(_, _, meta)| Duration::from_millis(meta.ms.expect("measured")))
            .collect()
    }

    /// The status of each call of a Mysis, by the program's name for the call.
    pub(crate) async fn results(&self, name: &str) -> Vec<(String, CallStatus)> {
        let mysis = self.id(name);
        let rows = self.result_rows(name).await;
        let results = rows.iter().filter_map(|row| row.result());
        results
            .map(|(call, _, meta)| (format!("{mysis}.{call}"), meta.status))
            .collect()
    }

    /// How the first call of a Mysis ended.
    pub(crate) async fn first_result(&self, name: &str) -> CallStatus {
        let begun = Instant::now();
        loop {
            if let Some((_, status)) = self.results(name).await.first() {
                return *status;
            }
            assert!(begun.elapsed() < Duration::from_secs(3600), "there is none");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The samples of a Mysis' two newest hours with samples, oldest first.
    pub(crate) async fn samples(&self, name: &str) -> Vec<Sample> {
        let history = self.memory.load_history(self.id(name)).await.unwrap();
        let hours = history.samples.hours.iter().rev();
        hours.flat_map(|hour| hour.samples().unwrap()).collect()
    }

    async fn result_rows(&self, name: &str) -> Vec<Arc<Row>> {
        let page = self.memory.page(PageQuery {
            mysis: self.id(name),
            from: PageFrom::Newest,
            limit: 1000,
            kinds: vec![RowKind::Result],
        });
        page.await.unwrap()
    }

    /// Checks that nothing is lost and nothing is done twice.
    pub(crate) async fn check_that_nothing_is_lost(&self) {
        let stored = self.memory.prompt_counts();
        for (text, times) in &stored {
            assert_eq!(*times, 1, "{text} stands {times} times");
        }
        for text in &self.acknowledged {
            assert!(
                stored.contains_key(text.as_str()),
                "{text} was acknowledged and is lost"
            );
            assert!(self.is_shown(text), "{text} was never shown to a model");
        }
        let executed = self.game.executed.lock().clone();
        let once: BTreeSet<&String> = executed.iter().collect();
        assert_eq!(
            once.len(),
            executed.len(),
            "a call was carried out again: {executed:?}"
        );
        for name in ["alpha", "bravo"] {
            for (call, status) in self.results(name).await {
                let was_executed = once.contains(&call);
                match status {
                    CallStatus::Done => assert!(was_executed, "{call} is done, but never was"),
                    CallStatus::NotExecuted => assert!(!was_executed, "{call} was executed"),
                    CallStatus::Failed | CallStatus::Unknown => {}
                    CallStatus::Recorded | CallStatus::Sent => panic!("{call} is {status:?}"),
                }
            }
        }
    }
}

/// Waits until an actor is dead.
pub(crate) async fn dead(actor: &ActorCell) {
    // An actor that is dead already is fine.
    let _ = actor.wait(None).await;
    assert_eq!(actor.get_status(), ActorStatus::Stopped);
}

pub(crate) fn rules(relaunch: RelaunchPolicy) -> SwarmRules {
    SwarmRules {
        supervision: SupervisionRules {
            relaunch,
            ..SupervisionRules::default()
        },
        tools: ToolRules {
            logins_per_minute: None,
            ..ToolRules::default()
        },
        progress: ProgressRules {
            is_on: false,
            ..ProgressRules::default()
        },
        // The Myses go on for as long as a test takes.
        nudges: vec!["Go on.".into(); 10_000],
        providers: BTreeMap::from([("local".into(), ProviderRules::default())]),
        ..SwarmRules::default()
    }
}

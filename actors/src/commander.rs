//! The Commander: supervises every Mysis, gives them the operator's orders and restarts them.
//!
//! Owns: the roster, the mission, the rules, and all other actors as their supervisor. Receives:
//! the operator's orders, events of Myses, the Store and the gate, and the ends of its children.
//! Sends: orders to Myses, and events to the watchers, the Ui first. On failure: the program ends,
//! so it only decides and never waits.

mod broadcast;
mod children;
mod closing;
mod handle;
mod members;
mod messages;
mod orders;
mod recording;
mod returning;
mod terminal;
mod watching;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, DerivedActorRef, SupervisionEvent};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::domain::books::Day;
use crate::domain::budget::BudgetStatus;
use crate::domain::event::{EventKind, SwarmEvent};
use crate::domain::ids::{MissionId, MysisId, Timestamp};
use crate::domain::life::Mode;
use crate::domain::message::Severity;
use crate::domain::order::OrderRefusal;
use crate::domain::outages::ServerOutages;
use crate::domain::record::Mission;
use crate::domain::rules::SwarmRules;
use crate::gate::{GateHandle, GateMsg};
use crate::mysis::MysisDeps;
use crate::ports::{
    Archive, Clock, Configuration, Ledger, LedgerFault, Models, SwarmRecord, Upstream,
};
use crate::secrets::Secrets;
use crate::session::SessionDeps;
use crate::store::{StoreHandle, StoreMsg};
use crate::ui::{TerminalLink, UiMsg};

pub use handle::CommanderHandle;
pub use messages::{CommanderMsg, WrongCommanderMsg};

use broadcast::Broadcast;
use children::{gate_rules, spawn_gate, spawn_store};
use closing::Closing;
use members::SwarmMember;
use recording::EventRecorder;
use terminal::TerminalUi;

/// An actor that receives the swarm's events.
pub type Watcher = DerivedActorRef<Arc<SwarmEvent>>;

pub struct Commander;

/// The arguments of the Commander.
pub struct CommanderArgs {
    /// The swarm as stored.
    pub swarm: SwarmRecord,
    /// Whether the Myses that ran when the program ended are started again.
    pub resume: bool,
    /// Whether idle Myses are started.
    pub start_idle: bool,
    /// Whether Myses run, or only queue orders for the next run.
    pub mode: Mode,
    /// The rules.
    pub rules: Arc<SwarmRules>,
    /// The known secrets. Those of the stored swarm are added.
    pub secrets: Secrets,
    /// The adapters to the outside.
    pub outside: Adapters,
    /// The watchers from the start.
    pub watchers: Vec<Watcher>,
    /// The program's own terminal, if there is one.
    pub link: Option<TerminalLink>,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// The adapters behind the actors' ports.
#[derive(Clone)]
pub struct Adapters {
    /// Writes.
    pub ledger: Arc<dyn Ledger>,
    /// Reads.
    pub archive: Arc<dyn Archive>,
    /// The model servers.
    pub models: Arc<dyn Models>,
    /// The game server.
    pub upstream: Arc<dyn Upstream>,
    /// The clocks.
    pub clock: Arc<dyn Clock>,
}

/// The state of the Commander.
pub struct CommanderState {
    outside: Adapters,
    rules: Arc<SwarmRules>,
    /// `None` if the configuration cannot be read again.
    configuration: Option<Arc<dyn Configuration>>,
    secrets: Secrets,
    deps: Arc<MysisDeps>,
    store: watch::Sender<ActorRef<StoreMsg>>,
    gate: watch::Sender<ActorRef<GateMsg>>,
    members: BTreeMap<MysisId, SwarmMember>,
    by_actor: BTreeMap<ActorId, MysisId>,
    mode: Mode,
    mission: Option<Mission>,
    spending: Arc<BudgetStatus>,
    weather: Arc<ServerOutages>,
    /// The Store's report about its failure, until it recovers.
    store_trouble: Option<SwarmEvent>,
    watchers: Vec<Watcher>,
    broadcasts: BTreeMap<MissionId, Broadcast>,
    /// Names of Myses that are being created, so that none is given twice.
    expected: Vec<String>,
    jobs: JoinSet<()>,
    closing: Option<Closing>,
    terminals: Vec<TerminalUi>,
    rng: fastrand::Rng,
    recorder: EventRecorder,
}

impl Actor for Commander {
    type Msg = CommanderMsg;
    type State = CommanderState;
    type Arguments = CommanderArgs;

    async fn pre_start(
        &self,
        myself: ActorRef<CommanderMsg>,
        args: CommanderArgs,
    ) -> Result<CommanderState, ActorProcessingErr> {
        let mut state = CommanderState::new(&myself, &args).await?;
        let link = args.link.clone();
        state.restore_swarm(&myself, args).await?;
        if let Some(link) = link {
            state.open_terminal(&myself, link).await?;
        }
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<CommanderMsg>,
        message: CommanderMsg,
        state: &mut CommanderState,
    ) -> Result<(), ActorProcessingErr> {
        while state.jobs.try_join_next().is_some() {}
        match message {
            CommanderMsg::Order(request) => state.carry_out_order(&myself, request),
            CommanderMsg::Ordered(order, source) => state.record_order(&order, source),
            CommanderMsg::Report(report) => state.on_report(&myself, report),
            CommanderMsg::News(news) => state.on_child_event(news),
            CommanderMsg::Watch(watcher) => state.add_watcher(watcher),
            CommanderMsg::Attach(link) => state.attach_terminal(&myself, link).await,
            CommanderMsg::Statuses(reply) => drop(reply.send(state.statuses())),
            CommanderMsg::BudgetStatus(reply) => drop(reply.send(state.spending.clone())),
            CommanderMsg::Outages(reply) => drop(reply.send(state.weather.clone())),
            CommanderMsg::LoginProgress(reply) => drop(reply.send(state.login_progress())),
            CommanderMsg::Mission(reply) => drop(reply.send(state.mission.clone())),
            CommanderMsg::Trouble(reply) => drop(reply.send(state.trouble_text())),
            CommanderMsg::RulesChanged(rules) => state.change_rules(rules),
            CommanderMsg::Configured(configuration) => state.configuration = Some(configuration),
            CommanderMsg::SecretsKnown(secrets, reply) => {
                state.learn_secrets(secrets);
                // The caller may have stopped waiting.
                let _ = reply.send(());
            }
            CommanderMsg::Created {
                record,
                start,
                stored,
                reply,
            } => {
                state
                    .on_mysis_created(&myself, *record, start, stored, reply)
                    .await?;
            }
            CommanderMsg::Deleted {
                mysis,
                stored,
                reply,
            } => {
                state
                    .on_mysis_deleted(&myself, mysis, stored, reply)
                    .await?
            }
            CommanderMsg::MissionStored {
                mission,
                stored,
                reply,
            } => state.mission_stored(&myself, mission, stored, reply),
            CommanderMsg::MissionCleared {
                mission,
                stored,
                reply,
            } => state.mission_cleared(mission, stored, reply),
            CommanderMsg::Delivered {
                mission,
                name,
                answer,
            } => state.on_mission_delivered(mission, name, answer),
            CommanderMsg::Relaunch(mysis) => state.relaunch_errored(mysis),
            CommanderMsg::Close(reply) => state.begin_closing(&myself, reply),
            CommanderMsg::CloseNow => state.close_now(&myself),
            CommanderMsg::Drained => state.on_store_drained(&myself),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<CommanderMsg>,
        event: SupervisionEvent,
        state: &mut CommanderState,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorFailed(actor, error) => {
                state
                    .child_ended(&myself, actor.get_id(), Some(error.to_string()))
                    .await
            }
            SupervisionEvent::ActorTerminated(actor, _, reason) => {
                let cause = reason.filter(|reason| reason == "killed");
                state.child_ended(&myself, actor.get_id(), cause).await
            }
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => Ok(()),
        }
    }
}

impl CommanderState {
    async fn new(
        myself: &ActorRef<CommanderMsg>,
        args: &CommanderArgs,
    ) -> Result<CommanderState, ActorProcessingErr> {
        let outside = args.outside.clone();
        let store = spawn_store(myself, &outside).await?;
        let books = args.swarm.books.clone();
        // The books are those of the newest day, which a wrong clock may have put into the future.
        let today = Day::of(outside.clock.now());
        let is_ahead = books.iter().any(|entry| entry.day > today);
        let known = (books, Arc::default());
        let gate = spawn_gate(myself, &outside, &args.rules, known).await?;
        let (store, store_handle) = watch::channel(store);
        let (gate, gate_handle) = watch::channel(gate);
        let deps = MysisDeps {
            means: SessionDeps {
                store: StoreHandle(store_handle),
                archive: outside.archive.clone(),
                gate: GateHandle(gate_handle),
                clock: outside.clock.clone(),
                secrets: args.secrets.clone(),
            },
            models: outside.models.clone(),
            upstream: outside.upstream.clone(),
        };
        // The recorder has its own seed, so that event ids do not change other random decisions.
        let seed = args.seed.rotate_left(32);
        let recorder = EventRecorder::start(deps.means.store.clone(), outside.clock.clone(), seed);
        args.secrets.learn(args.swarm.passwords.iter().cloned());
        let mut state = CommanderState {
            outside,
            rules: args.rules.clone(),
            configuration: None,
            secrets: args.secrets.clone(),
            deps: Arc::new(deps),
            store,
            gate,
            members: BTreeMap::new(),
            by_actor: BTreeMap::new(),
            mode: args.mode,
            mission: args.swarm.mission.clone(),
            spending: Arc::default(),
            weather: Arc::default(),
            store_trouble: None,
            watchers: args.watchers.clone(),
            broadcasts: BTreeMap::new(),
            expected: Vec::new(),
            jobs: JoinSet::new(),
            closing: None,
            terminals: Vec::new(),
            rng: fastrand::Rng::with_seed(args.seed),
            recorder,
        };
        if is_ahead {
            let gate = state.gate.borrow().clone();
            state.read_books(gate);
        }
        Ok(state)
    }

    fn now(&self) -> Timestamp {
        self.outside.clock.now()
    }

    fn store_handle(&self) -> StoreHandle {
        self.deps.means.store.clone()
    }

    /// Sends an event to all watchers and removes those that are gone. A Ui gets a successor. The
    /// end of any other watcher is reported, because the operator would take its silence for quiet.
    fn tell_all(&mut self, event: SwarmEvent) {
        self.record_event(&event);
        let event = Arc::new(event);
        let mut is_lost = false;
        self.watchers.retain(|watcher| {
            let is_there = watcher.send_message(event.clone()).is_ok();
            is_lost |= !is_there && watcher.is_message_type_of::<UiMsg>() != Some(true);
            is_there
        });
        if is_lost {
            self.tell_notice(Severity::Warn, "listener_lost", LISTENER_LOST);
        }
    }

    fn tell_event(&mut self, what: EventKind) {
        let at = self.now();
        self.tell_all(SwarmEvent {
            at,
            mysis: None,
            what,
        });
    }

    fn tell_notice(&mut self, severity: Severity, code: &'static str, text: &str) {
        let text = self.secrets.clean(text).as_ref().into();
        self.tell_event(EventKind::Notice {
            severity,
            code,
            text,
        });
    }

    fn change_rules(&mut self, rules: Arc<SwarmRules>) {
        let for_gate = gate_rules(&rules);
        self.rules = rules;
        self.show_rules();
        // If the gate is gone, its successor starts with the new rules.
        let _ = self.gate.borrow().cast(GateMsg::RulesChanged(for_gate));
        self.spread_rules();
    }

    /// Adds secrets, so that they are redacted everywhere. Earlier ones stay secret.
    fn learn_secrets(&mut self, secrets: impl IntoIterator<Item = Arc<str>>) {
        if self.secrets.learn(secrets) {
            self.show_rules();
            self.spread_rules();
        }
    }
}

/// What the operator is told when a watcher other than a Ui died.
const LISTENER_LOST: &str = "one who listens to the swarm died: metrics, traces, alerts or lines \
                             may miss what happens from here on; start the program again to have \
                             them back";

/// How long Myses have to finish before they are stopped.
const WIND_DOWN_TIMEOUT: Duration = Duration::from_millis(1500);

/// The refusal of an order because of the ledger.
fn store_refusal(fault: &LedgerFault) -> OrderRefusal {
    OrderRefusal::Store(fault.to_string())
}

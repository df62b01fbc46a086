//! The Commander: supervises every Mysis, gives them the operator's orders and restarts them.
//!
//! Owns: the roster, the mission, the rules, and all other actors as their supervisor. Receives:
//! the operator's orders, events of Myses, the Store and the gate, and the ends of its children.
//! Sends: orders to Myses, and events to the watchers, the Ui first. On failure: the program ends,
//! so it only decides and never waits.

mod children;
mod closing;
mod deleting;
mod fleet;
mod freezing;
mod handle;
mod held;
mod members;
mod messages;
mod mission;
mod neighbours;
mod orders;
mod outside;
mod passing;
mod recording;
mod returning;
mod rules;
mod silence;
mod supervising;
mod terminal;
mod watching;

use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::task::JoinSet;

use crate::calls::CallWatch;
use crate::domain::books::Day;
use crate::domain::ids::Timestamp;
use crate::domain::life::Mode;
use crate::domain::rules::SwarmRules;
use crate::freeze::FreezeSwitch;
use crate::mysis::{FENCED, MysisDeps};
use crate::ports::{
    Archive, Clock, Fleet, KeptCopies, Ledger, Models, SharedLimits, SwarmRecord, Upstream,
};
use crate::secrets::Secrets;
use crate::session::{AttemptSlots, PendingLinks, QuestionNumbers, SessionDeps};
use crate::shared::{HeldBack, SharedLists};
use crate::store::StoreHandle;
use crate::telling::TellParent;
use crate::ui::{TerminalLink, UiRuntime};

pub use handle::CommanderHandle;
pub use messages::{CommanderMsg, PendingOrder, SwarmQuery, Watcher};

use children::ServiceActors;
use closing::Closing;
use fleet::FleetMembership;
use freezing::FreezeOrders;
use members::SwarmMembers;
use mission::SwarmMission;
use neighbours::Neighbours;
use outside::OutsideWatch;
use passing::PassedOrders;
use recording::EventRecorder;
use rules::RulesInForce;
use silence::SilenceWatch;
use terminal::OpenTerminals;
use watching::LatestNews;

pub struct Commander;

pub struct CommanderArgs {
    pub swarm: SwarmRecord,
    /// Whether the Myses that ran when the program ended are started again.
    pub resume: bool,
    pub start_idle: bool,
    /// Whether Myses run, or only queue orders for the next run.
    pub mode: Mode,
    pub rules: Arc<SwarmRules>,
    /// The known secrets. Those of the stored swarm are added.
    pub secrets: Secrets,
    pub outside: Adapters,
    pub watchers: Vec<Watcher>,
    pub link: Option<TerminalLink>,
    pub seed: u64,
}

#[derive(Clone)]
pub struct Adapters {
    pub ledger: Arc<dyn Ledger>,
    pub archive: Arc<dyn Archive>,
    pub models: Arc<dyn Models>,
    pub upstream: Arc<dyn Upstream>,
    pub clock: Arc<dyn Clock>,
    pub freeze: FreezeSwitch,
    /// The other processes on the same database; `None` where there can be none.
    pub fleet: Option<Arc<dyn Fleet>>,
    /// Limits that hold for all processes on the same database; `None` where there can be no others.
    pub shared_limits: Option<Arc<dyn SharedLimits>>,
    pub deleted: KeptCopies,
    pub ui_runtime: UiRuntime,
}

pub struct CommanderState {
    myself: ActorRef<CommanderMsg>,
    /// What all Myses work with. The Commander uses its clock and its archive too.
    deps: Arc<MysisDeps>,
    mode: Mode,
    rules: RulesInForce,
    services: ServiceActors,
    members: SwarmMembers,
    mission: SwarmMission,
    news: LatestNews,
    outside: OutsideWatch,
    silence: SilenceWatch,
    freezing: FreezeOrders,
    fleet: Option<FleetMembership>,
    neighbours: Neighbours,
    passed: PassedOrders,
    watchers: Vec<Watcher>,
    terminals: OpenTerminals,
    recorder: EventRecorder,
    deleted: KeptCopies,
    /// Writes and reads under way. They are aborted with the Commander.
    jobs: JoinSet<()>,
    closing: Option<Closing>,
    rng: fastrand::Rng,
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
        let mut state = CommanderState::new(myself, &args).await?;
        let link = args.link.clone();
        state.restore_swarm(args).await?;
        if let Some(link) = link {
            state.open_terminal(link).await?;
        }
        Ok(state)
    }

    async fn handle(
        &self,
        _myself: ActorRef<CommanderMsg>,
        message: CommanderMsg,
        state: &mut CommanderState,
    ) -> Result<(), ActorProcessingErr> {
        while state.jobs.try_join_next().is_some() {}
        match message {
            CommanderMsg::Order(request) => state.carry_out_order(request),
            CommanderMsg::Ordered(order, source) => state.record_order(&order, source),
            CommanderMsg::Report(report) => state.on_report(report),
            CommanderMsg::News(news) => state.on_child_event(news),
            CommanderMsg::Standing(kind, text) => state.on_standing(kind, text.as_deref()),
            CommanderMsg::Fleet(step) => state.on_fleet_step(*step).await?,
            CommanderMsg::Recorded(record) => state.terminals.show_record(record),
            CommanderMsg::Watch(watcher) => state.add_watcher(watcher),
            CommanderMsg::Attach(link) => state.attach_terminal(link).await,
            CommanderMsg::Query(SwarmQuery(look)) => look(state),
            CommanderMsg::RulesChanged(rules) => state.take_rules(rules),
            CommanderMsg::Configured(source) => state.rules.source = Some(source),
            CommanderMsg::SecretsKnown(secrets, reply) => {
                state.learn_secrets(secrets);
                // The caller may have stopped waiting.
                let _ = reply.send(());
            }
            CommanderMsg::OrderStored {
                order,
                stored,
                reply,
            } => state.on_order_stored(order, stored, reply).await?,
            CommanderMsg::BroughtBack(brought, reply) => {
                state.on_brought_back(brought, reply).await?
            }
            CommanderMsg::Delivered {
                mission,
                name,
                answer,
            } => state.on_mission_delivered(mission, name, &answer),
            CommanderMsg::PassedAnswered(id, answer) => state.on_passed_answered(id, &answer),
            CommanderMsg::PassedDropped(id) => state.on_passed_dropped(id),
            CommanderMsg::Relaunch(mysis) => state.relaunch_errored(mysis),
            CommanderMsg::Close(reply) => state.begin_closing(reply),
            CommanderMsg::CloseNow => state.close_now(),
            CommanderMsg::FreezeKept { since, kept, reply } => {
                state.on_freeze_kept(since, kept, reply)
            }
            CommanderMsg::FirstMinutesOver => state.update_silence(),
            CommanderMsg::SilenceDue => state.look_for_silence(),
            CommanderMsg::LookOutside => state.look_outside(),
            CommanderMsg::Drained => state.on_store_drained(),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _myself: ActorRef<CommanderMsg>,
        event: SupervisionEvent,
        state: &mut CommanderState,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorFailed(actor, error) => {
                state
                    .child_ended(actor.get_id(), Some(error.to_string()))
                    .await
            }
            SupervisionEvent::ActorTerminated(actor, _, reason) => {
                if reason.as_deref() == Some(FENCED) {
                    state.on_fenced(actor.get_id());
                }
                let cause = reason.filter(|reason| reason == "killed");
                state.child_ended(actor.get_id(), cause).await
            }
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => Ok(()),
        }
    }
}

impl CommanderState {
    async fn new(
        myself: ActorRef<CommanderMsg>,
        args: &CommanderArgs,
    ) -> Result<CommanderState, ActorProcessingErr> {
        let outside = &args.outside;
        let books = args.swarm.books.clone();
        // The books are those of the newest day, which a wrong clock may have put into the future.
        let today = Day::of(outside.clock.now());
        let is_ahead = books.iter().any(|entry| entry.day > today);
        let held = HeldBack::default();
        let services =
            ServiceActors::start(&myself, outside, &args.rules, books, held.clone()).await?;
        let deps = mysis_deps(&services, args, held);
        held::read_held_texts(&deps.session).await;
        // The recorder has its own seed, so that event ids do not change other random decisions.
        let seed = args.seed.rotate_left(32);
        let recorder = EventRecorder::start(
            services.store_handle(),
            outside.clock.clone(),
            myself.clone(),
            seed,
        );
        args.secrets.learn(args.swarm.passwords.iter().cloned());
        let rules = RulesInForce {
            current: args.rules.clone(),
            secrets: args.secrets.clone(),
            source: None,
        };
        let watch = OutsideWatch::new(deps.session.calls.clone());
        let mut state = CommanderState {
            myself,
            deps: Arc::new(deps),
            mode: args.mode,
            rules,
            services,
            members: SwarmMembers::default(),
            mission: SwarmMission::new(args.swarm.mission.clone()),
            news: LatestNews::default(),
            outside: watch,
            silence: SilenceWatch::default(),
            freezing: FreezeOrders::default(),
            fleet: None,
            neighbours: Neighbours::default(),
            passed: PassedOrders::default(),
            watchers: args.watchers.clone(),
            terminals: OpenTerminals::new(outside.ui_runtime.clone()),
            recorder,
            deleted: outside.deleted.clone(),
            jobs: JoinSet::new(),
            closing: None,
            rng: fastrand::Rng::with_seed(args.seed),
        };
        if is_ahead {
            state.read_books();
        }
        state.begin_in_fleet(outside.fleet.clone()).await?;
        state.look_outside();
        state.read_outages();
        Ok(state)
    }

    fn clock(&self) -> &Arc<dyn Clock> {
        &self.deps.session.clock
    }

    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    fn freeze_switch(&self) -> &FreezeSwitch {
        &self.deps.session.freeze
    }

    fn store_handle(&self) -> StoreHandle {
        self.deps.session.store.clone()
    }
}

fn mysis_deps(services: &ServiceActors, args: &CommanderArgs, held: HeldBack) -> MysisDeps {
    let outside = &args.outside;
    MysisDeps {
        session: SessionDeps {
            store: services.store_handle(),
            archive: outside.archive.clone(),
            gate: services.gate_handle(),
            freeze: outside.freeze.clone(),
            calls: CallWatch::new(outside.clock.clone()),
            attempts: AttemptSlots::default(),
            clock: outside.clock.clone(),
            secrets: args.secrets.clone(),
            held,
            links: PendingLinks::default(),
            questions: QuestionNumbers::default(),
        },
        models: outside.models.clone(),
        upstream: outside.upstream.clone(),
        lists: SharedLists::default(),
    }
}

/// The way of a child to the Commander. If that is gone, the whole program ends.
fn tell_commander<T: 'static>(
    myself: &ActorRef<CommanderMsg>,
    message: fn(T) -> CommanderMsg,
) -> TellParent<T> {
    let commander = myself.clone();
    Arc::new(move |told| drop(commander.cast(message(told))))
}

/// How long Myses have to finish before they are stopped.
const WIND_DOWN_TIMEOUT: Duration = Duration::from_millis(1500);

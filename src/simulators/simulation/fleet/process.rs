//! One process of a fleet: the real actors on a time of their own, at the end of a line.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use actors::commander::{Adapters, Commander, CommanderArgs, CommanderHandle, CommanderMsg};
use actors::domain::event::{EventKind, RosterChange, SwarmEvent};
use actors::domain::event_record::OrderSource;
use actors::domain::ids::{Moment, Timestamp};
use actors::domain::life::Mode;
use actors::domain::rules::SwarmRules;
use actors::freeze::FreezeSwitch;
use actors::listener::Listener;
use actors::ports::{Clock, NoCopies};
use actors::secrets::Secrets;
use actors::ui::UiRuntime;
use ractor::rpc::CallResult;
use ractor::{Actor, ActorRef};
use tokio::time::Instant;

use super::super::verdict::{Promise, RevivalTracker};
use super::super::{CLOSE_TIMEOUT, START_TIME};
use super::client::FleetClient;
use super::frozen::FreezeFile;
use super::line::Line;
use super::operator;
use super::outside::{RemoteGame, RemoteModels, RemoteStore};
use super::own_time::OwnTime;
use super::session::LeaseSession;
use super::world::FleetWorld;

/// How long a process waits before it tries again to open a database that it cannot reach.
const OPEN_RETRY: Duration = Duration::from_secs(1);

/// The longest time without the database. An orderly end waits for it.
const LONGEST_CUT: Duration = Duration::from_secs(90);

/// What does not change when a process is started again.
pub(super) struct ProcessPlan {
    pub(super) home: String,
    /// How fast its monotonic clock runs, of the server's.
    pub(super) rate: f64,
    pub(super) rules: Arc<SwarmRules>,
    pub(super) freeze: Arc<FreezeFile>,
    /// Whether the operator and the killer of actors are at work.
    pub(super) is_troubled: bool,
}

pub(super) struct Process {
    time: OwnTime,
    pub(super) line: Arc<Line>,
    pub(super) owner: Arc<str>,
    born: Duration,
    rate: f64,
    clock: Arc<ProcessClock>,
    inner: Arc<Inside>,
    client: FleetClient,
    /// Until when it stands still.
    pub(super) paused_until: Option<Duration>,
}

#[derive(Default)]
struct Inside {
    commander: Mutex<Option<ActorRef<CommanderMsg>>>,
    has_ended: AtomicBool,
}

impl Inside {
    fn commander(&self) -> Option<ActorRef<CommanderMsg>> {
        let commander = self.commander.lock();
        commander.clone()
    }

    fn set_commander(&self, commander: ActorRef<CommanderMsg>) {
        let mut place = self.commander.lock();
        *place = Some(commander);
    }
}

/// The clocks of a process. The wall clock differs from the server's and is set at times.
struct ProcessClock {
    begun: Instant,
    wall: Timestamp,
    offset_ms: AtomicI64,
}

impl Clock for ProcessClock {
    fn now(&self) -> Timestamp {
        let shown = self.wall.plus(self.begun.elapsed());
        Timestamp(shown.0 + self.offset_ms.load(Ordering::Relaxed))
    }

    fn moment(&self) -> Moment {
        Moment::default().plus(self.begun.elapsed())
    }
}

impl Process {
    pub(super) fn start(
        world: &Arc<FleetWorld>,
        plan: &ProcessPlan,
        owner: &str,
    ) -> anyhow::Result<Process> {
        let time = OwnTime::new()?;
        let born = world.now();
        let line = Arc::new(Line::new(world.handle(), world.chaos.clone()));
        let session = time.within(|| LeaseSession::new(&plan.home, owner));
        let clock = Arc::new(ProcessClock {
            begun: time.within(Instant::now),
            wall: START_TIME.plus(born),
            offset_ms: AtomicI64::new(0),
        });
        let client = FleetClient {
            line: line.clone(),
            database: world.database.clone(),
            session: Arc::new(session),
            sabotage: world.sabotage,
        };
        let inner = Arc::new(Inside::default());
        let life = live(
            world.clone(),
            client.clone(),
            clock.clone(),
            (plan.rules.clone(), plan.is_troubled),
            plan.freeze.clone(),
            inner.clone(),
        );
        let ended = inner.clone();
        time.handle().spawn(async move {
            life.await;
            ended.has_ended.store(true, Ordering::Relaxed);
        });
        world.watch.on_process_start();
        Ok(Process {
            owner: client.session.owner.clone(),
            rate: plan.rate,
            time,
            line,
            born,
            clock,
            inner,
            client,
            paused_until: None,
        })
    }

    fn own_time_at(&self, now: Duration) -> Duration {
        now.saturating_sub(self.born).mul_f64(self.rate)
    }

    /// Lets it run until this time of the world.
    pub(super) fn run_until(&self, now: Duration) {
        self.time.run_until(self.own_time_at(now));
    }

    /// Goes on after a pause: it finds that time has jumped.
    pub(super) fn wake(&mut self, now: Duration) {
        self.paused_until = None;
        self.time.jump_to(self.own_time_at(now));
    }

    pub(super) fn has_ended(&self) -> bool {
        self.inner.has_ended.load(Ordering::Relaxed)
    }

    /// Whether it could run Myses now.
    pub(super) fn is_able(&self) -> bool {
        let is_up = self.inner.commander().is_some() && !self.has_ended();
        is_up && self.paused_until.is_none() && !self.line.way().is_cut()
    }

    pub(super) fn set_clock(&self, offset_ms: i64) {
        self.clock.offset_ms.store(offset_ms, Ordering::Relaxed);
    }

    pub(super) fn change_rules(&self, rules: &Arc<SwarmRules>) {
        if let Some(commander) = self.inner.commander() {
            // One that is gone starts with the new ones.
            let _ = commander.cast(CommanderMsg::RulesChanged(rules.clone()));
        }
    }

    /// A handle to give orders; `None` before it has started.
    pub(super) fn swarm(&self) -> Option<CommanderHandle> {
        let commander = self.inner.commander()?;
        Some(CommanderHandle::new(commander, OrderSource::Control))
    }

    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.time.handle().spawn(work);
    }

    pub(super) fn begin_closing(&self, world: &Arc<FleetWorld>) {
        let (inner, client, world) = (self.inner.clone(), self.client.clone(), world.clone());
        self.spawn(async move {
            if let Some(commander) = inner.commander() {
                let closed = commander
                    .call(CommanderMsg::Close, Some(CLOSE_TIMEOUT + LONGEST_CUT))
                    .await;
                if !matches!(closed, Ok(CallResult::Success(())))
                    && !inner.has_ended.load(Ordering::Relaxed)
                    && !world.monitor.has_killed_commander(&client.session.owner)
                {
                    let how = match closed {
                        Ok(CallResult::Timeout) => "it took too long",
                        _ => "its Commander was gone",
                    };
                    let text = format!("a process did not end in good order: {how}");
                    world.watch.on_actors_missing(text);
                }
                client.leave().await;
            }
            inner.has_ended.store(true, Ordering::Relaxed);
        });
    }
}

/// Opens the database and runs the actors until the Commander ends.
async fn live(
    world: Arc<FleetWorld>,
    client: FleetClient,
    clock: Arc<ProcessClock>,
    (rules, is_troubled): (Arc<SwarmRules>, bool),
    freeze: Arc<FreezeFile>,
    inner: Arc<Inside>,
) {
    let swarm = loop {
        match client.open().await {
            Ok(swarm) => break swarm,
            Err(_) => tokio::time::sleep(OPEN_RETRY).await,
        }
    };
    let Some(recorder) = start_recorder(&world).await else {
        return;
    };
    let outside = adapters(&world, &client, clock, freeze);
    let args = CommanderArgs {
        swarm,
        resume: true,
        start_idle: false,
        mode: Mode::Live,
        rules,
        secrets: Secrets::default(),
        outside,
        watchers: vec![recorder.watcher()],
        link: None,
        seed: world.chaos.next_seed(),
    };
    let Ok((commander, ended)) = Actor::spawn(None, Commander, args).await else {
        return;
    };
    inner.set_commander(commander.clone());
    let swarm = CommanderHandle::new(commander.clone(), OrderSource::Control);
    let _troubles = is_troubled
        .then(|| operator::trouble(&world, client.session.owner.clone(), commander, swarm));
    // Its end is the end of the process, whatever the cause.
    let _ = ended.await;
}

fn adapters(
    world: &FleetWorld,
    client: &FleetClient,
    clock: Arc<ProcessClock>,
    freeze: Arc<FreezeFile>,
) -> Adapters {
    let store = Arc::new(RemoteStore(client.clone()));
    let game = RemoteGame {
        client: client.clone(),
        game: Arc::new(world.game.clone()),
        monitor: world.monitor.clone(),
    };
    Adapters {
        ledger: store.clone(),
        archive: store,
        models: Arc::new(RemoteModels {
            client: client.clone(),
            models: world.models.clone(),
            monitor: world.monitor.clone(),
            clock: clock.clone(),
            parts: world.adapters,
        }),
        upstream: (world.adapters.spare_requests)(Arc::new(game)),
        clock,
        freeze: FreezeSwitch::new(freeze.since(), freeze),
        fleet: Some(Arc::new(client.clone())),
        deleted: Arc::new(NoCopies),
        shared_limits: Some(Arc::new(client.clone())),
        ui_runtime: UiRuntime::shared(),
    }
}

async fn start_recorder(world: &Arc<FleetWorld>) -> Option<Listener> {
    let mut lives = RevivalTracker::default();
    let (watch, log) = (world.watch.clone(), world.events.clone());
    let observe = move |event: &Arc<SwarmEvent>| {
        watch.on_event_of_fleet(event);
        if let (Some(who), EventKind::Roster(RosterChange::MovedAway | RosterChange::Deleted)) =
            (&event.mysis, &event.what)
        {
            lives.forget(who.id);
        }
        watch.add_violations(Promise::Revival, lives.on_event(event));
    };
    Listener::start(log.event_handler(Box::new(observe)))
        .await
        .ok()
}

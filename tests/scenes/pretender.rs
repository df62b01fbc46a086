//! A made-up Commander: a swarm that acts by a seed, under a real terminal.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::swarm::{self, Swarm};
use actors::domain::ids::{Moment, Timestamp};
use actors::domain::message::Severity;
use actors::domain::screen::SwarmSnapshot;
use actors::domain::state::LifeState;
use actors::ports::{Clock, View};
use actors::reply::OrderRequest;
use actors::ui::{self, TerminalLink, UiActor, UiArgs, UiMsg};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use zoea_tui::{DashboardTerminal, TerminalGuard, TerminalOptions};

struct Now;

impl Clock for Now {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let ms = since.map_or(0, |since| since.as_millis());
        Timestamp(i64::try_from(ms).unwrap_or(i64::MAX))
    }

    fn moment(&self) -> Moment {
        Moment(self.now().0)
    }
}

/// An actor that takes orders as the Commander does.
struct Pretender;

struct Pretending {
    swarm: Swarm,
    ui: ActorRef<UiMsg>,
    rate: u64,
}

#[derive(Debug)]
enum PretenderMsg {
    Order(OrderRequest),
    Live,
}

impl Actor for Pretender {
    type Msg = PretenderMsg;
    type State = Pretending;
    type Arguments = (Swarm, TerminalLink, u64);

    async fn pre_start(
        &self,
        myself: ActorRef<PretenderMsg>,
        (swarm, link, rate): (Swarm, TerminalLink, u64),
    ) -> Result<Pretending, ActorProcessingErr> {
        let statuses = swarm.statuses.values().cloned().map(Arc::new);
        let commander = myself.clone();
        let args = UiArgs {
            link,
            archive: Arc::new(swarm.stored.clone()),
            clock: Arc::new(Now),
            commander: Arc::new(move |request| drop(commander.cast(PretenderMsg::Order(request)))),
            snapshot: SwarmSnapshot {
                statuses: statuses.collect(),
                mission: swarm.mission.clone(),
                rules: swarm::rules(),
                redactor: Arc::default(),
            },
            view: View::Last,
            readers: Handle::current(),
        };
        let (ui, _) = Actor::spawn_linked(None, UiActor, args, myself.get_cell()).await?;
        myself.send_interval(Duration::from_millis(20), || PretenderMsg::Live);
        Ok(Pretending { swarm, ui, rate })
    }

    async fn handle(
        &self,
        _myself: ActorRef<PretenderMsg>,
        message: PretenderMsg,
        state: &mut Pretending,
    ) -> Result<(), ActorProcessingErr> {
        let now = Now.now();
        let mut notices = Vec::new();
        match message {
            PretenderMsg::Order(OrderRequest { order, reply, .. }) => {
                let (answer, events) = state.swarm.order(order, now);
                notices = events;
                reply.answer(answer);
            }
            PretenderMsg::Live => {
                let due = state.rate / 50 + u64::from(fastrand::u64(..50) < state.rate % 50);
                for _ in 0..due {
                    notices.extend(state.swarm.live(now));
                }
            }
        }
        for event in notices {
            state.ui.cast(UiMsg::Event(Arc::new(event)))?;
        }
        Ok(())
    }
}

/// A swarm in which some run, one is stopped, and one is errored.
fn mixed(count: usize) -> Swarm {
    let mut swarm = Swarm::new(count, 20, 7);
    let now = Now.now();
    let names: Vec<String> = swarm
        .statuses
        .values()
        .map(|s| s.name.to_string())
        .collect();
    for (place, name) in names.iter().enumerate() {
        let state = match place % 8 {
            6 => LifeState::Idle,
            7 => LifeState::Stopped,
            _ => LifeState::Running,
        };
        drop(swarm.change(name, state, now));
    }
    if let Some(id) = swarm.ids().get(3).copied() {
        let why = "model server: 401 Unauthorized: invalid api key for provider openrouter";
        drop(swarm.fail(id, why, now));
    }
    if let Some(id) = swarm.ids().first().copied() {
        let why = "retry 1 of 3 in 5s: model server: 503 Service Unavailable";
        drop(swarm.host(id, now, Severity::Warn, why));
    }
    if count > 0 {
        let mission = "Mine iron in Sol, sell it at Sol Central, and report prices to each other.";
        drop(swarm.broadcast(mission, now));
    }
    swarm
}

/// Runs `count` Myses with `rate` steps a second until the operator quits.
pub async fn fly(count: usize, rate: u64) -> anyhow::Result<()> {
    let (address, handle) = ui::new_address();
    let (display, terminal) = TerminalGuard::start(handle, TerminalOptions::default())?;
    let link = TerminalLink {
        terminal: DashboardTerminal::new(display),
        address: Arc::new(address),
        quit: CancellationToken::new(),
        successor: Arc::default(),
        archivist: None,
        inspector: None,
    };
    let quit = link.quit.clone();
    let (pretender, running) = Actor::spawn(None, Pretender, (mixed(count), link, rate)).await?;
    quit.cancelled().await;
    pretender.stop(None);
    running.await?;
    terminal.stop();
    Ok(())
}

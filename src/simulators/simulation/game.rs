//! The game: the galaxy's frontend on simulated time, with a network that has faults.

mod accounts;
mod link;
mod outages;
mod traffic;

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::MysisId;
use actors::domain::tool::{ToolSpec, Toolset};
use actors::ports::{LinkAnswer, LinkCall, LinkFault};
use actors::session::own_tools;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use zoea_galaxy::frontend::{CallReply, ConnectionId, Frontend, GameCall, SessionRules};
use zoea_galaxy::limits::GalaxyLimits;
use zoea_galaxy::world::{AnswerId, GameAnswer, JournalRecord, World, WorldRules};

use super::chaos::{Chaos, InjectedFault};
use super::poison::PlantedTexts;
use super::verdict::InvariantMonitor;
use outages::AnnouncedRestart;
use traffic::TrafficCounters;

pub use traffic::GameTraffic;

/// The real game's tick.
const TICK_INTERVAL: Duration = Duration::from_secs(10);
/// The tool that is missing from the second of the game's two lists of tools.
const CHANGING_TOOL: &str = "captains_log_add";

#[derive(Clone)]
pub struct SimulatedGame(Arc<GameShared>);

struct GameShared {
    state: Mutex<GameServerState>,
    begun: Instant,
    tools: Arc<Toolset>,
    other_tools: Arc<Toolset>,
    chaos: Arc<Chaos>,
    watch: Arc<InvariantMonitor>,
    /// Myses whose actions fail, with the kind of failure.
    game_faults: Mutex<BTreeMap<MysisId, GameFault>>,
    planted: Mutex<PlantedTexts>,
    traffic: TrafficCounters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameFault {
    /// The game always answers that the ship is under way.
    InTransit,
    /// The game's answers are always lost.
    AnswersLost,
}

struct GameServerState {
    frontend: Frontend,
    waiting: BTreeMap<AnswerId, oneshot::Sender<GameAnswer>>,
    connections: ConnectionId,
    /// The newest connection that a restart ended.
    forgotten: ConnectionId,
    restart: Option<AnnouncedRestart>,
    has_other_tools: bool,
}

impl SimulatedGame {
    pub fn new(seed: u64, chaos: Arc<Chaos>, watch: Arc<InvariantMonitor>) -> SimulatedGame {
        let rules = WorldRules::new(seed);
        let world = World::new(rules.clone());
        let frontend = Frontend::new(world, &rules, GalaxyLimits::NONE, SessionRules::default());
        let specs =
            zoea_galaxy::tool_table().map(|(name, description, schema, read_only)| ToolSpec {
                name: name.into(),
                description: description.into(),
                schema: schema.into(),
                read_only_hint: Some(read_only),
            });
        let specs: Vec<ToolSpec> = specs.collect();
        let others = specs.iter().filter(|tool| &*tool.name != CHANGING_TOOL);
        let ours = own_tools();
        let with_ours = |specs: Vec<ToolSpec>| {
            Arc::new(Toolset::new(ours.tools().iter().cloned().chain(specs)))
        };
        SimulatedGame(Arc::new(GameShared {
            state: Mutex::new(GameServerState {
                frontend,
                waiting: BTreeMap::new(),
                connections: 0,
                forgotten: 0,
                restart: None,
                has_other_tools: false,
            }),
            begun: Instant::now(),
            other_tools: with_ours(others.cloned().collect()),
            tools: with_ours(specs),
            chaos,
            watch,
            game_faults: Mutex::default(),
            planted: Mutex::default(),
            traffic: TrafficCounters::default(),
        }))
    }

    pub fn inject_fault(&self, mysis: MysisId, fault: GameFault) {
        let mut game_faults = self.0.game_faults.lock();
        game_faults.insert(mysis, fault);
    }

    /// Lets the actions of all Myses succeed again.
    pub fn clear_all_faults(&self) {
        self.retain_faults(|_| false);
        *self.0.planted.lock() = PlantedTexts::default();
    }

    /// Lets another player say something with this mark, which Myses hear at their next looks.
    pub fn say_words(&self, mark: &str) {
        self.0.planted.lock().say(mark);
    }

    pub fn put_into_result(&self, mysis: MysisId, mark: String) {
        self.0.planted.lock().put_into_result(mysis, mark);
    }

    /// Lets the actions of this Mysis succeed again.
    pub fn clear_fault(&self, mysis: MysisId) {
        self.retain_faults(|faulty| faulty != mysis);
    }

    fn retain_faults(&self, stays: impl Fn(MysisId) -> bool) {
        let mut game_faults = self.0.game_faults.lock();
        game_faults.retain(|mysis, _| stays(*mysis));
    }

    /// The answer to an action of a Mysis with a fault; none for other calls.
    fn faulty_answer(
        &self,
        mysis: MysisId,
        call: &LinkCall,
    ) -> Option<Result<LinkAnswer, LinkFault>> {
        let game_faults = self.0.game_faults.lock();
        let fault = *game_faults.get(&mysis)?;
        let is_action = zoea_galaxy::world::command_kind(&call.tool)
            == Some(zoea_galaxy::world::CommandKind::Act);
        is_action.then(|| match fault {
            GameFault::InTransit => Ok(LinkAnswer {
                structured: None,
                text: "Error: in_transit: You are in transit.".to_string(),
                is_error: true,
            }),
            GameFault::AnswersLost => Err(LinkFault::AnswerLost("connection reset".to_string())),
        })
    }

    /// Lets game time pass as long as the handle is kept.
    pub fn start_ticking(&self) -> AbortOnDropHandle<()> {
        let game = self.clone();
        AbortOnDropHandle::new(tokio::spawn(async move {
            let mut ticks = tokio::time::interval(TICK_INTERVAL);
            loop {
                ticks.tick().await;
                game.tick();
            }
        }))
    }

    fn tick(&self) {
        let mut state = self.0.state.lock();
        let ticked = state.frontend.tick();
        self.report_executed(&ticked.records);
        self.0.traffic.count_mutations(&ticked.records);
        for (answer_id, answer) in ticked.answers {
            if let Some(waiting) = state.waiting.remove(&answer_id) {
                // The send fails when the caller has disconnected.
                let _ = waiting.send(answer);
            }
        }
        let swept = state.frontend.sweep(self.0.begun.elapsed());
        self.report_executed(&swept);
        let chaos = &self.0.chaos;
        if chaos.draw_fault(InjectedFault::GameToolsChange, 0.0005) {
            state.has_other_tools = !state.has_other_tools;
        }
        self.update_restart(&mut state);
    }

    fn report_executed(&self, records: &[JournalRecord]) {
        for record in records.iter().filter(|record| record.failed.is_none()) {
            if let Some(call) = &record.order.call {
                self.0.watch.on_call_executed(call);
            }
        }
    }

    fn reconnect(&self, old: ConnectionId) -> ConnectionId {
        let mut state = self.0.state.lock();
        let left = state.frontend.disconnect(old);
        self.report_executed(&left);
        state.connections += 1;
        state.connections
    }

    fn serve_call(&self, connection: ConnectionId, call: LinkCall) -> AwaitedAnswer {
        let mut state = self.0.state.lock();
        let call = GameCall {
            tool: call.tool.to_string(),
            arguments: call.arguments,
            name: Some(call.call_id),
        };
        let served = state
            .frontend
            .serve_call(connection, call, self.0.begun.elapsed());
        self.report_executed(&served.records);
        match served.reply {
            CallReply::Now(answer) => AwaitedAnswer::Now(answer),
            CallReply::Later(answer_id) => {
                let (send, receive) = oneshot::channel();
                state.waiting.insert(answer_id, send);
                AwaitedAnswer::Later(receive)
            }
        }
    }

    fn lose_login(&self, connection: ConnectionId) {
        let now = self.0.begun.elapsed();
        let left = self.0.state.lock().frontend.lose_login(connection, now);
        self.report_executed(&left);
    }
}

enum AwaitedAnswer {
    Now(GameAnswer),
    Later(oneshot::Receiver<GameAnswer>),
}

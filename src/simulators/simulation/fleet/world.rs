//! The world: what stands outside of all processes, on a time of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actors::ports::Models;
use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::super::chaos::Chaos;
use super::super::events::EventLog;
use super::super::game::SimulatedGame;
use super::super::memory::MemoryLedger;
use super::super::model::PilotModels;
use super::super::verdict::InvariantMonitor;
use super::super::{ProgramParts, SimulationOptions};
use super::database::FleetDatabase;
use super::monitor::{FleetLimits, FleetMonitor};
use super::own_time::OwnTime;
use super::sabotage::Sabotage;

pub(super) struct FleetWorld {
    time: OwnTime,
    now_ms: AtomicU64,
    pub(super) chaos: Arc<Chaos>,
    pub(super) watch: Arc<InvariantMonitor>,
    pub(super) monitor: Arc<FleetMonitor>,
    pub(super) database: Arc<FleetDatabase>,
    pub(super) game: SimulatedGame,
    pub(super) models: Arc<dyn Models>,
    pub(super) events: EventLog,
    pub(super) adapters: ProgramParts,
    pub(super) sabotage: Option<Sabotage>,
    _ticks: AbortOnDropHandle<()>,
}

impl FleetWorld {
    pub(super) fn new(
        options: &SimulationOptions,
        limits: FleetLimits,
        sabotage: Option<Sabotage>,
    ) -> anyhow::Result<FleetWorld> {
        let time = OwnTime::new()?;
        let SimulationOptions { seed, wildness, .. } = *options;
        let there = time.handle().enter();
        let chaos = Arc::new(Chaos::new(seed, wildness, options.with_all_faults).without_poison());
        let progress = options.progress.map(|progress| (Instant::now(), progress));
        let watch = Arc::new(InvariantMonitor::telling(progress));
        let monitor = Arc::new(FleetMonitor::new(watch.clone(), limits));
        let memory = Arc::new(MemoryLedger::new(chaos.clone(), watch.clone()));
        let game = SimulatedGame::new(seed, chaos.clone(), watch.clone());
        let models = PilotModels::new(
            seed,
            options.thinking,
            options.adapters,
            chaos.clone(),
            watch.clone(),
        );
        let ticks = game.start_ticking();
        drop(there);
        Ok(FleetWorld {
            database: Arc::new(FleetDatabase::new(memory, monitor.clone(), sabotage)),
            now_ms: AtomicU64::new(0),
            events: EventLog::new(options.is_loud),
            adapters: options.adapters,
            _ticks: ticks,
            time,
            chaos,
            watch,
            monitor,
            game,
            models: Arc::new(models.counting_tokens()),
            sabotage,
        })
    }

    /// The time since the beginning.
    pub(super) fn now(&self) -> Duration {
        Duration::from_millis(self.now_ms.load(Ordering::Relaxed))
    }

    pub(super) fn handle(&self) -> Handle {
        self.time.handle().clone()
    }

    /// Runs something that asks for the world's time.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        self.time.within(work)
    }

    /// Lets time pass until then.
    pub(super) fn run_until(&self, now: Duration) {
        self.time.run_until(now);
        let millis = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        self.now_ms.store(millis, Ordering::Relaxed);
        self.monitor.set_now(now);
    }
}

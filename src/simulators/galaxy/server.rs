//! The server: one task owns the world, one HTTP endpoint serves clients, and all tasks end
//! together.

mod connections;
mod endpoint;
mod envelope;
mod gate;
mod handler;
mod instructions;
mod link_login;
mod links;
mod owner;
mod response;
mod stateless;
mod tasks;
mod traffic;

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use anyhow::Context as _;
use axum::serve::ListenerExt as _;
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

pub use self::traffic::Traffic;
use self::{
    connections::Connections,
    endpoint::GalaxyEndpoint,
    owner::{OwnerRequest, WorldOwner, WorldParts},
};
use super::{
    fault::{FaultInjector, FaultTally},
    frontend::Frontend,
    journal::{Journal, Tail},
    options::GalaxyOptions,
    world::{World, WorldRules},
};

/// The time that requests in flight may take once the server is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// Requests that may wait for the owner at once. Further requests wait before they are queued.
const MAX_QUEUED_REQUESTS: usize = 4096;

/// A running galaxy. Dropping it ends all its tasks.
#[derive(Debug)]
pub struct Galaxy {
    address: SocketAddr,
    seed: u64,
    requests: mpsc::Sender<OwnerRequest>,
    faults: Arc<FaultInjector>,
    traffic: Arc<Traffic>,
    tasks: JoinSet<anyhow::Result<()>>,
}

/// Serves a galaxy until `shutdown` is cancelled.
///
/// # Errors
/// Data that cannot be read or written, or a listener that fails.
pub async fn serve(
    listener: TcpListener,
    options: GalaxyOptions,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let galaxy = Galaxy::start(listener, options, shutdown).await?;
    galaxy.join().await.map(drop)
}

impl Galaxy {
    /// Starts a galaxy that ends when `shutdown` is cancelled.
    ///
    /// # Errors
    /// Data that cannot be read, or a listener without an address.
    pub async fn start(
        listener: TcpListener,
        options: GalaxyOptions,
        shutdown: CancellationToken,
    ) -> anyhow::Result<Self> {
        let address = listener
            .local_addr()
            .context("read the listener's address")?;
        // Rebuilding reads files and computes for a while, so it runs on a thread of its own.
        let (built, options) =
            tokio::task::spawn_blocking(move || (build_parts(&options), options))
                .await
                .context("rebuild the galaxy")?;
        let parts = built?;
        let seed = parts.frontend.world().seed();
        // When one part fails, the others end too.
        let stop = shutdown.child_token();
        let (requests, inbox) = mpsc::channel(MAX_QUEUED_REQUESTS);
        let connections = Arc::new(Connections::new(options.sessions.idle));
        let faults = Arc::new(FaultInjector::new(
            options.faults.clone(),
            seed,
            options.clock.now(),
        ));
        let traffic = Arc::new(Traffic::default());
        let owner = WorldOwner::new(
            parts,
            Arc::clone(&connections),
            Arc::clone(&traffic),
            &options,
        );
        let endpoint = GalaxyEndpoint::new(
            connections,
            (Arc::clone(&faults), Arc::clone(&traffic)),
            requests.clone(),
            address,
            &options,
            stop.clone(),
        );
        let mut tasks = JoinSet::new();
        tasks.spawn(owner.run(inbox, stop.clone()));
        tasks.spawn(serve_http(listener, endpoint, stop));
        Ok(Self {
            address,
            seed,
            requests,
            faults,
            traffic,
            tasks,
        })
    }

    /// The address for MCP clients.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Lets one tick pass. Returns the tick that is reached, or nothing when the galaxy has
    /// stopped.
    pub async fn tick(&self) -> Option<u64> {
        let (reply, reached) = tokio::sync::oneshot::channel();
        self.requests
            .send(OwnerRequest::Tick { reply })
            .await
            .ok()?;
        reached.await.ok()
    }

    pub fn faults(&self) -> FaultTally {
        self.faults.tally()
    }

    pub fn traffic(&self) -> Arc<Traffic> {
        Arc::clone(&self.traffic)
    }

    /// Waits for the end. Returns how often each fault was injected.
    ///
    /// # Errors
    /// The failure that ended the galaxy, if it was not told to stop.
    pub async fn join(mut self) -> anyhow::Result<FaultTally> {
        // The owner ends once no sender of requests is left.
        drop(self.requests);
        let mut outcome = Ok(());
        while let Some(ended) = self.tasks.join_next().await {
            let ended = ended
                .context("a task of the galaxy broke")
                .and_then(|ended| ended);
            outcome = outcome.and(ended);
        }
        outcome.map(|()| self.faults.tally())
    }
}

fn build_parts(options: &GalaxyOptions) -> anyhow::Result<WorldParts> {
    let rules = |seed| WorldRules {
        prices_fall_after: options.prices_fall_after,
        tick: options.tick,
        registration_code: options.registration_code.clone(),
        ..WorldRules::new(seed)
    };
    let (world, journal) = match &options.data {
        Some(dir) => {
            let (world, journal) = Journal::open(dir, options.seed, rules)?;
            (world, Some(journal))
        }
        None => (World::new(rules(options.seed.unwrap_or(1))), None),
    };
    let open_ledger = |path: &PathBuf| {
        Tail::open(path).with_context(|| format!("open ledger {}", path.display()))
    };
    let ledger = options.ledger.as_ref().map(open_ledger).transpose()?;
    let rules = rules(world.seed());
    Ok(WorldParts {
        frontend: Frontend::new(world, &rules, options.limits, options.sessions),
        journal,
        ledger,
    })
}

async fn serve_http(
    listener: TcpListener,
    endpoint: GalaxyEndpoint,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let listener = listener.tap_io(|stream| {
        // Without delay, small answers do not wait for each other. The option may fail; nothing
        // else depends on it.
        let _ = stream.set_nodelay(true);
    });
    let router = endpoint
        .into_router()
        .into_make_service_with_connect_info::<SocketAddr>();
    let server =
        axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
    let grace = async {
        stop.cancelled().await;
        tokio::time::sleep(SHUTDOWN_GRACE).await;
    };
    // Dropping the server drops the connections that are still open.
    tokio::select! {
        served = server => served.context("serve HTTP"),
        () = grace => Ok(()),
    }
}

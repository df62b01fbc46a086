//! Health: whether this process works, and whether it can do its work, for whoever restarts it and for
//! whoever updates a fleet one process after the other.
//!
//! Each answer is bounded in time, and a reason is a fixed sentence, so that it tells no secret.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actors::domain::event::Activity;
use actors::freeze::FreezeSwitch;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::interface::swarm::Swarm;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// The health of this process. Clones share it.
#[derive(Clone, Default)]
pub struct Health(Arc<watch::Sender<Phase>>);

#[derive(Clone, Default)]
enum Phase {
    #[default]
    Starting,
    Running(Arc<Running>),
    Closing,
}

struct Running {
    swarm: Swarm,
    freeze: FreezeSwitch,
    /// Whether all Myses of the start have read what they continue with.
    is_restored: AtomicBool,
}

impl Health {
    pub fn begin(&self, swarm: Swarm, freeze: FreezeSwitch) {
        self.0.send_replace(Phase::Running(Arc::new(Running {
            swarm,
            freeze,
            is_restored: AtomicBool::new(false),
        })));
    }

    pub fn close(&self) {
        self.0.send_replace(Phase::Closing);
    }

    fn phase(&self) -> Phase {
        self.0.borrow().clone()
    }

    /// Whether the process works: its Commander answers. One that starts or closes does.
    ///
    /// # Errors
    /// The reason why not.
    pub async fn check_life(&self) -> Result<&'static str, String> {
        match self.phase() {
            Phase::Starting => Ok("starts"),
            Phase::Running(running) => running.check_life().await.map(|()| "ok"),
            Phase::Closing => Ok("closes"),
        }
    }

    /// Whether it can do its work: it also reaches its database, its leases are safe, and what it
    /// started with is restored.
    ///
    /// # Errors
    /// The reason why not.
    pub async fn check_readiness(&self) -> Result<&'static str, String> {
        match self.phase() {
            Phase::Starting => Err("the swarm is starting".to_string()),
            Phase::Running(running) => running.check_readiness().await.map(|()| "ok"),
            Phase::Closing => Err("the program closes".to_string()),
        }
    }
}

impl Running {
    async fn check_life(&self) -> Result<(), String> {
        let asked = timeout(ANSWER_TIMEOUT, self.swarm.frozen_since()).await;
        asked.map(drop).map_err(|_| {
            let seconds = ANSWER_TIMEOUT.as_secs();
            format!("the commander does not answer within {seconds} s")
        })
    }

    async fn check_readiness(&self) -> Result<(), String> {
        self.check_life().await?;
        match timeout(ANSWER_TIMEOUT, self.swarm.ledger().check_reachable()).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => {
                tracing::warn!(%fault, "not ready");
                return Err("the database cannot be read".to_string());
            }
            Err(_) => {
                let seconds = ANSWER_TIMEOUT.as_secs();
                return Err(format!("the database does not answer within {seconds} s"));
            }
        }
        if self.freeze.has_lapsed() {
            let text = "this process cannot renew its leases, so it begins no call";
            return Err(text.to_string());
        }
        if self.swarm.store_trouble().await.is_some() {
            return Err("the store does not accept writes".to_string());
        }
        self.check_restored().await
    }

    async fn check_restored(&self) -> Result<(), String> {
        if self.is_restored.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut statuses = self.swarm.statuses().await;
        // What another process has not read yet is no reason to wait for this one.
        statuses.retain(|of| of.elsewhere.is_none());
        let is_read = |activity: &Activity| matches!(activity, Activity::Rebuilding);
        let left = statuses.iter().filter(|of| is_read(&of.activity)).count();
        if left > 0 {
            let of = statuses.len();
            return Err(format!(
                "{left} of {of} Myses are still loading their conversations"
            ));
        }
        self.is_restored.store(true, Ordering::Relaxed);
        Ok(())
    }
}

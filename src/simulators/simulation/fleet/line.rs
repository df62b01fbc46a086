//! The line of one process to the outside. What it asks is carried out by the world, on the world's
//! time, whatever becomes of the process meanwhile. The way to the database can be cut, slow, or lose
//! answers.

use parking_lot::Mutex;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::super::chaos::Chaos;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DatabaseWay {
    #[default]
    Open,
    /// Everything arrives after seconds.
    Slow,
    Lossy,
    /// Connections are refused at once.
    Refused,
    /// Nothing arrives and nobody answers.
    Silent,
}

impl DatabaseWay {
    /// Whether the database cannot be reached.
    pub(super) fn is_cut(self) -> bool {
        matches!(self, DatabaseWay::Refused | DatabaseWay::Silent)
    }
}

pub(super) struct Line {
    world: Handle,
    way: Mutex<DatabaseWay>,
    chaos: Arc<Chaos>,
}

impl Line {
    pub(super) fn new(world: Handle, chaos: Arc<Chaos>) -> Line {
        Line {
            world,
            way: Mutex::default(),
            chaos,
        }
    }

    pub(super) fn set_way(&self, way: DatabaseWay) {
        *self.way.lock() = way;
    }

    pub(super) fn way(&self) -> DatabaseWay {
        *self.way.lock()
    }

    /// Lets the world carry something out. It goes on if nobody waits for it any more.
    pub(super) fn begin<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.world.spawn(work)
    }

    pub(super) async fn ask<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> T {
        answer_of(self.begin(work)).await
    }

    /// Asks the database, which answers within a limit or not at all.
    pub(super) async fn query<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, String> {
        let asked = self.query_once(work);
        let answer = tokio::time::timeout(limit, asked).await;
        answer.unwrap_or_else(|_| Err(format!("no answer within {limit:?}")))
    }

    async fn query_once<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, String> {
        let delay = match self.way() {
            DatabaseWay::Refused => return Err("connection refused".to_string()),
            DatabaseWay::Silent => return std::future::pending().await,
            DatabaseWay::Slow => self
                .chaos
                .duration_between(Duration::from_millis(100), Duration::from_millis(2500)),
            DatabaseWay::Open | DatabaseWay::Lossy => Duration::ZERO,
        };
        let answer = self.ask(async move {
            tokio::time::sleep(delay).await;
            work.await
        });
        let answer = answer.await;
        match self.way() {
            DatabaseWay::Refused => Err("connection reset by peer".to_string()),
            DatabaseWay::Silent => std::future::pending().await,
            DatabaseWay::Lossy if self.chaos.number_below(4) == 0 => {
                Err("connection reset by peer".to_string())
            }
            DatabaseWay::Open | DatabaseWay::Slow | DatabaseWay::Lossy => Ok(answer),
        }
    }
}

/// The answer of the world. A panic there is one of whoever asked.
pub(super) async fn answer_of<T>(
    asked: impl Future<Output = Result<T, tokio::task::JoinError>>,
) -> T {
    match asked.await {
        Ok(answer) => answer,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The world ends.
            Err(_) => std::future::pending().await,
        },
    }
}

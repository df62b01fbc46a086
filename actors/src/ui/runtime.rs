//! Where Ui actors run. A key must not wait for its turn among thousands of tasks of Myses, so the
//! program gives its screens a thread of their own (decision 0214).

use std::io;
use std::sync::Arc;

use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef};
use tokio::runtime::{Builder, Handle};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{UiActor, UiArgs, UiMsg};

#[derive(Clone, Debug)]
pub struct UiRuntime {
    handle: Handle,
    /// Ends the thread when the last clone is dropped.
    _end: Option<Arc<DropGuard>>,
}

impl UiRuntime {
    /// The runtime that the caller runs in.
    ///
    /// # Panics
    /// The caller runs in none.
    pub fn shared() -> UiRuntime {
        UiRuntime {
            handle: Handle::current(),
            _end: None,
        }
    }

    /// A thread of its own, which ends when the last clone is dropped.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn own_thread() -> io::Result<UiRuntime> {
        let runtime = Builder::new_current_thread().enable_time().build()?;
        let handle = runtime.handle().clone();
        let ended = CancellationToken::new();
        let end = ended.clone().drop_guard();
        std::thread::Builder::new()
            .name("ui".to_string())
            .spawn(move || runtime.block_on(ended.cancelled()))?;
        Ok(UiRuntime {
            handle,
            _end: Some(Arc::new(end)),
        })
    }

    /// Starts a Ui there, supervised by this actor.
    ///
    /// # Errors
    /// It does not start.
    pub(crate) async fn spawn_ui(
        &self,
        args: UiArgs,
        supervisor: ActorCell,
    ) -> Result<ActorRef<UiMsg>, ActorProcessingErr> {
        let started = self.handle.spawn(async move {
            let (ui, _) = Actor::spawn_linked(None, UiActor, args, supervisor).await?;
            Ok::<_, ActorProcessingErr>(ui)
        });
        started.await?
    }
}

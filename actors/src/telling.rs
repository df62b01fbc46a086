//! How an actor hears of what its jobs found, and how its parent hears of it.

use std::sync::Arc;

use ractor::{ActorRef, Message};
use tokio_util::task::AbortOnDropHandle;

/// Tells an actor's parent something. A child does not know whose child it is.
pub type TellParent<T> = Arc<dyn Fn(T) + Send + Sync>;

/// Runs a job whose outcome the actor gets as a message. Dropping the handle aborts the job.
pub(crate) fn spawn_job<M: Message>(
    actor: &ActorRef<M>,
    job: impl Future<Output = M> + Send + 'static,
) -> AbortOnDropHandle<()> {
    let actor = actor.clone();
    AbortOnDropHandle::new(tokio::spawn(async move {
        let outcome = job.await;
        // The successor of an actor that is gone begins anew.
        let _ = actor.cast(outcome);
    }))
}

//! Timers: a message that comes to an actor after a while, unless whoever set it drops it.

use std::time::Duration;

use ractor::{ActorRef, Message, MessagingErr};
use tokio_util::task::AbortOnDropHandle;

/// A message that is on its way; it does not come once this is dropped.
pub(crate) type Timer<M> = AbortOnDropHandle<Result<(), MessagingErr<M>>>;

/// Sends a message after a while. An actor that is gone by then needs none.
pub(crate) fn set_timer<M: Message>(
    actor: &ActorRef<M>,
    after: Duration,
    message: impl FnOnce() -> M + Send + 'static,
) -> Timer<M> {
    AbortOnDropHandle::new(actor.send_after(after, message))
}

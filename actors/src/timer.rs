//! Timers: a message that an actor receives after a delay, unless the timer is dropped before.

use std::time::Duration;

use ractor::{ActorRef, Message, MessagingErr};
use tokio_util::task::AbortOnDropHandle;

/// A pending message. Dropping it cancels the message.
pub(crate) type Timer<M> = AbortOnDropHandle<Result<(), MessagingErr<M>>>;

/// Sends a message after a delay. If the actor is gone by then, nothing happens.
pub(crate) fn set_timer<M: Message>(
    actor: &ActorRef<M>,
    after: Duration,
    message: impl FnOnce() -> M + Send + 'static,
) -> Timer<M> {
    AbortOnDropHandle::new(actor.send_after(after, message))
}

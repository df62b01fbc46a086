//! A listener: an actor that passes the swarm's events to a function.
//!
//! Receives: events of the Commander. Sends: nothing. The function must not block. On failure: a
//! panic of the function loses one event. A function that panics repeatedly is no longer called,
//! and the Commander notices and reports that.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use crate::commander::Watcher;
use crate::domain::event::SwarmEvent;

pub type EventHandler = Box<dyn FnMut(&Arc<SwarmEvent>) + Send + Sync>;

/// After this many panics in a row, the function is no longer called.
const MAX_PANICS: u32 = 5;

pub struct Listener(ActorRef<Arc<SwarmEvent>>);

impl Listener {
    /// Passes every event from now on to a function.
    ///
    /// # Errors
    /// The actor cannot be started.
    pub async fn start(handler: EventHandler) -> Result<Listener, ActorProcessingErr> {
        let (actor, _) = Actor::spawn(None, ListenerActor, handler).await?;
        Ok(Listener(actor))
    }

    pub fn watcher(&self) -> Watcher {
        self.0.clone()
    }

    /// Passes on the events received so far, then ends.
    pub async fn stop(self) {
        // A listener that is gone receives nothing anyway.
        let _ = self.0.drain_and_wait(None).await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.stop(None);
    }
}

struct ListenerActor;

struct ListenerState {
    handler: EventHandler,
    panics: u32,
}

impl Actor for ListenerActor {
    type Msg = Arc<SwarmEvent>;
    type State = ListenerState;
    type Arguments = EventHandler;

    async fn pre_start(
        &self,
        _myself: ActorRef<Arc<SwarmEvent>>,
        handler: EventHandler,
    ) -> Result<ListenerState, ActorProcessingErr> {
        Ok(ListenerState { handler, panics: 0 })
    }

    async fn handle(
        &self,
        _myself: ActorRef<Arc<SwarmEvent>>,
        event: Arc<SwarmEvent>,
        state: &mut ListenerState,
    ) -> Result<(), ActorProcessingErr> {
        if catch_unwind(AssertUnwindSafe(|| (state.handler)(&event))).is_ok() {
            state.panics = 0;
            return Ok(());
        }
        state.panics += 1;
        tracing::error!(panics = state.panics, "a listener panicked at an event");
        if state.panics >= MAX_PANICS {
            return Err(format!("it panicked at {MAX_PANICS} events in a row").into());
        }
        Ok(())
    }
}

//! A listener: an actor that hears what happens and hands it to a function; for those who only watch.
//!
//! Hears: the Commander. Tells: nobody. The function must not wait for anything. Fails: a panic of
//! the function costs one event; one that panics at each is given up, and the Commander, whom nobody
//! hears then, says so.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use crate::commander::Watcher;
use crate::domain::event::SwarmEvent;

/// What is done with an event.
pub type EventHandler = Box<dyn FnMut(&Arc<SwarmEvent>) + Send + Sync>;

/// So many panics in a row, and nothing is handed on any more.
const MAX_PANICS: u32 = 5;

/// A listener that is there.
pub struct Listener(ActorRef<ListenerMsg>);

impl Listener {
    /// Hands every event to a function from now on.
    ///
    /// # Errors
    /// The actor cannot be started.
    pub async fn start(ear: EventHandler) -> Result<Listener, ActorProcessingErr> {
        let (actor, _) = Actor::spawn(None, ListenerActor, ear).await?;
        Ok(Listener(actor))
    }

    /// Through which it hears what happens.
    #[must_use]
    pub fn watcher(&self) -> Watcher {
        self.0.get_derived()
    }

    /// Hands on what was heard so far, then nothing more.
    pub async fn stop(self) {
        // One that is gone hears nothing anyway.
        let _ = self.0.drain_and_wait(None).await;
    }
}

/// One that nobody keeps ends, and says nothing more.
impl Drop for Listener {
    fn drop(&mut self) {
        self.0.stop(None);
    }
}

struct ListenerActor;

struct ListenerState {
    ear: EventHandler,
    /// In a row.
    panics: u32,
}

#[derive(Debug)]
struct ListenerMsg(Arc<SwarmEvent>);

impl From<Arc<SwarmEvent>> for ListenerMsg {
    fn from(event: Arc<SwarmEvent>) -> Self {
        ListenerMsg(event)
    }
}

impl From<ListenerMsg> for Arc<SwarmEvent> {
    fn from(heard: ListenerMsg) -> Self {
        heard.0
    }
}

impl Actor for ListenerActor {
    type Msg = ListenerMsg;
    type State = ListenerState;
    type Arguments = EventHandler;

    async fn pre_start(
        &self,
        _myself: ActorRef<ListenerMsg>,
        ear: EventHandler,
    ) -> Result<ListenerState, ActorProcessingErr> {
        Ok(ListenerState { ear, panics: 0 })
    }

    async fn handle(
        &self,
        _myself: ActorRef<ListenerMsg>,
        ListenerMsg(event): ListenerMsg,
        state: &mut ListenerState,
    ) -> Result<(), ActorProcessingErr> {
        if catch_unwind(AssertUnwindSafe(|| (state.ear)(&event))).is_ok() {
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

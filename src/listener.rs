//! A listener: an actor that hears what happens and hands it to a function; for those who only watch.
//!
//! Hears: the Commander. Tells: nobody. The function must not wait for anything. Fails: the swarm
//! goes on unheard.

use std::sync::Arc;

use actors::commander::Watcher;
use actors::domain::event::SwarmEvent;
use ractor::{Actor, ActorProcessingErr, ActorRef};

/// What is done with an event.
pub type Ear = Box<dyn FnMut(&Arc<SwarmEvent>) + Send + Sync>;

/// A listener that is there.
pub struct Listener(ActorRef<Heard>);

impl Listener {
    /// Hands every event to a function from now on.
    ///
    /// # Errors
    /// The actor cannot be started.
    pub async fn start(ear: Ear) -> Result<Listener, ActorProcessingErr> {
        let (actor, _) = Actor::spawn(None, Listening, ear).await?;
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

struct Listening;

#[derive(Debug)]
struct Heard(Arc<SwarmEvent>);

impl From<Arc<SwarmEvent>> for Heard {
    fn from(event: Arc<SwarmEvent>) -> Self {
        Heard(event)
    }
}

impl From<Heard> for Arc<SwarmEvent> {
    fn from(heard: Heard) -> Self {
        heard.0
    }
}

impl Actor for Listening {
    type Msg = Heard;
    type State = Ear;
    type Arguments = Ear;

    async fn pre_start(
        &self,
        _myself: ActorRef<Heard>,
        ear: Ear,
    ) -> Result<Ear, ActorProcessingErr> {
        Ok(ear)
    }

    async fn handle(
        &self,
        _myself: ActorRef<Heard>,
        Heard(event): Heard,
        ear: &mut Ear,
    ) -> Result<(), ActorProcessingErr> {
        ear(&event);
        Ok(())
    }
}

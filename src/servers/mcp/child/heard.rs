//! What is heard of a process: nothing while our answers to it are unread, no more requests than a
//! server needs, and of its notifications those that mean something to us.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::TellEnd;
use crate::pace::{Paced, REQUESTS, TOO_MANY_REQUESTS};

/// The most answers of ours that may be on their way to a process.
const MAX_UNREAD: usize = 16;
/// How long a process may leave them unread.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a process is heard no longer, which also ends it.
#[derive(Clone)]
pub(super) struct Unheard {
    why: Arc<OnceLock<String>>,
    stop: CancellationToken,
    tell: Option<TellEnd>,
}

impl Unheard {
    /// Nothing yet. The token ends the process.
    pub(super) fn new(stop: CancellationToken, tell: Option<TellEnd>) -> Unheard {
        let why = Arc::default();
        Unheard { why, stop, tell }
    }

    pub(super) fn why(&self) -> Option<String> {
        self.why.get().cloned()
    }

    pub(super) fn end(&self, why: &str) {
        let why = format!("{why}; its process was ended");
        if self.why.set(why.clone()).is_ok()
            && let Some(tell) = &self.tell
        {
            tell(&why);
        }
        self.stop.cancel();
    }
}

/// The messages of a process.
pub(super) struct Heard<T> {
    messages: T,
    room: Arc<Semaphore>,
    /// Since when there has been no room.
    full_since: Option<Instant>,
    requests: Paced,
    unheard: Unheard,
}

impl<T> Heard<T> {
    pub(super) fn new(messages: T, unheard: Unheard) -> Heard<T> {
        Heard {
            messages,
            room: Arc::new(Semaphore::new(MAX_UNREAD)),
            full_since: None,
            requests: REQUESTS.begin(Instant::now()),
            unheard,
        }
    }

    /// Waits until the process has read our answers. Returns false if it does not. Cancel-safe.
    async fn has_room(&mut self) -> bool {
        if self.room.available_permits() == 0 {
            let since = *self.full_since.get_or_insert_with(Instant::now);
            if timeout_at(since + UNREAD_TIMEOUT, self.room.acquire())
                .await
                .is_err()
            {
                return false;
            }
        }
        self.full_since = None;
        true
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Heard<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let is_answer = matches!(item, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let room = is_answer.then(|| self.room.clone().try_acquire_owned());
        let sent = self.messages.send(item);
        async move {
            let _until_sent = room;
            sent.await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if !self.has_room().await {
                self.unheard
                    .end("the server does not read the answers to what it asks");
                return None;
            }
            let message = self.messages.receive().await?;
            match &message {
                JsonRpcMessage::Request(_) if !self.requests.admits(Instant::now()) => {
                    self.unheard.end(TOO_MANY_REQUESTS);
                    return None;
                }
                JsonRpcMessage::Notification(told) if !is_of_use(&told.notification) => {}
                JsonRpcMessage::Request(_)
                | JsonRpcMessage::Notification(_)
                | JsonRpcMessage::Response(_)
                | JsonRpcMessage::Error(_) => return Some(message),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.messages.close().await
    }
}

/// Whether anything follows from a notification. Any other would cost a task and a line of the log.
fn is_of_use(notification: &ServerNotification) -> bool {
    matches!(
        notification,
        ServerNotification::CancelledNotification(_)
            | ServerNotification::ToolListChangedNotification(_)
    )
}

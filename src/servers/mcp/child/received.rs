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

use super::OnEnd;
use crate::pace::{Paced, REQUESTS, TOO_MANY_REQUESTS};

/// The most answers of ours that may be on their way to a process.
const MAX_UNREAD: usize = 16;
/// How long a process may leave them unread.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a process is heard no longer, which also ends it.
#[derive(Clone)]
pub(super) struct EndedReading {
    why: Arc<OnceLock<String>>,
    stop: CancellationToken,
    on_end: Option<OnEnd>,
}

impl EndedReading {
    /// Nothing yet. The token ends the process.
    pub(super) fn new(stop: CancellationToken, on_end: Option<OnEnd>) -> EndedReading {
        let why = Arc::default();
        EndedReading { why, stop, on_end }
    }

    pub(super) fn why(&self) -> Option<String> {
        self.why.get().cloned()
    }

    pub(super) fn end(&self, why: &str) {
        let why = format!("{why}; its process was ended");
        if self.why.set(why.clone()).is_ok()
            && let Some(on_end) = &self.on_end
        {
            on_end(&why);
        }
        self.stop.cancel();
    }
}

pub(super) struct LimitedMessages<T> {
    messages: T,
    room: Arc<Semaphore>,
    /// Since when there has been no room.
    full_since: Option<Instant>,
    requests: Paced,
    ended_reading: EndedReading,
}

impl<T> LimitedMessages<T> {
    pub(super) fn new(messages: T, ended_reading: EndedReading) -> LimitedMessages<T> {
        LimitedMessages {
            messages,
            room: Arc::new(Semaphore::new(MAX_UNREAD)),
            full_since: None,
            requests: REQUESTS.begin(Instant::now()),
            ended_reading,
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

impl<T: Transport<RoleClient>> Transport<RoleClient> for LimitedMessages<T> {
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
                self.ended_reading
                    .end("the server does not read the answers to what it asks");
                return None;
            }
            let message = self.messages.receive().await?;
            match &message {
                JsonRpcMessage::Request(_) if !self.requests.admits(Instant::now()) => {
                    self.ended_reading.end(TOO_MANY_REQUESTS);
                    return None;
                }
                JsonRpcMessage::Notification(output) if !is_of_use(&output.notification) => {}
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

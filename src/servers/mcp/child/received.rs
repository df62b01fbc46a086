//! What is heard of a process: nothing while our answers to it are unread, no more requests than a
//! server needs.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{Extensions, GetExtensions, JsonRpcMessage, RequestMetaObject};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::OnEnd;
use super::open_requests::OpenRequests;
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
    asked: Paced,
    requests: OpenRequests,
    ended_reading: EndedReading,
}

impl<T> LimitedMessages<T> {
    pub(super) fn new(
        messages: T,
        ended_reading: EndedReading,
        requests: OpenRequests,
    ) -> LimitedMessages<T> {
        LimitedMessages {
            messages,
            room: Arc::new(Semaphore::new(MAX_UNREAD)),
            full_since: None,
            asked: REQUESTS.begin(Instant::now()),
            requests,
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
        mut item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if matches!(item, JsonRpcMessage::Notification(_)) {
            self.requests.tell();
        }
        if let JsonRpcMessage::Request(sent) = &mut item {
            let request = &mut sent.request;
            without_progress(request.extensions_mut());
            self.requests.send(&sent.id, request);
        }
        let is_answer = matches!(item, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let room = is_answer.then(|| self.room.clone().try_acquire_owned());
        let sent = self.messages.send(item);
        async move {
            let _until_sent = room;
            sent.await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        if !self.has_room().await {
            self.ended_reading
                .end("the server does not read the answers to what it asks");
            return None;
        }
        let message = self.messages.receive().await?;
        let is_asked = matches!(message, JsonRpcMessage::Request(_));
        if is_asked && !self.asked.admits(Instant::now()) {
            self.ended_reading.end(TOO_MANY_REQUESTS);
            return None;
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.messages.close().await
    }
}

/// Takes out what rmcp asks progress with, for which nobody waits.
fn without_progress(extensions: &mut Extensions) {
    let Some(meta) = extensions.get_mut::<RequestMetaObject>() else {
        return;
    };
    meta.0.0.remove("progressToken");
    if meta.0.0.is_empty() {
        extensions.remove::<RequestMetaObject>();
    }
}

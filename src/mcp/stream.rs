//! Reads answers that come as server-sent events, and reconnects after an interruption if the
//! server supports that.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::backoff::Backoff;
use rmcp::model::{ClientJsonRpcMessage, ClientResult, ErrorCode, ErrorData, RequestId};

use zoea_http::sse::{SseEvent, SseLine, SseLines};

use super::message::{MessageMeaning, RawResult, RpcMessage};
use super::wire::too_large;
use super::{Era, McpFailure, ServerSession};

/// The most attempts in a row to reconnect to an interrupted stream. The wait doubles with each.
const MAX_REOPENINGS: u32 = 4;
/// The first wait, if the server names none.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// The longest wait that a server can ask for.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The shortest wait that a server can ask for. While streams bring no messages, it doubles each
/// time up to a limit.
const MIN_PAUSE: Duration = Duration::from_millis(200);
const MAX_SILENT_PAUSE: Duration = Duration::from_secs(5);
/// The most data in all streams that answer one request, as a multiple of the largest answer.
const MAX_STREAMED_ANSWERS: usize = 8;
/// The most bytes of an event in addition to its data.
const EVENT_SLACK_BYTES: usize = 256 << 10;

/// The position in a stream.
#[derive(Default)]
struct StreamPosition {
    /// The id of the last event with one. Reconnecting continues after it.
    last: Option<String>,
    /// The wait that the server asks for before a reconnect.
    pause: Option<Duration>,
    /// The number of failed attempts in a row.
    failures: u32,
    /// The number of streams in a row without a message.
    silent: u32,
    /// The bytes of all messages.
    said_bytes: usize,
}

impl ServerSession {
    /// Reads events until the request is answered.
    pub(super) async fn read_stream(
        &self,
        response: reqwest::Response,
        id: i64,
        max_bytes: usize,
    ) -> Result<RawResult, McpFailure> {
        let mut place = StreamPosition::default();
        let mut events = EventReader::new(response, max_bytes);
        loop {
            let heard = self.read_until_end(&mut events, id, &mut place);
            if let Some(answer) = heard.await? {
                return Ok(answer);
            }
            events = EventReader::new(self.reopen_stream(&mut place).await?, max_bytes);
        }
    }

    /// Reads to the end of a stream. Returns the answer, or `None` if the stream ends before it.
    async fn read_until_end(
        &self,
        events: &mut EventReader,
        id: i64,
        place: &mut StreamPosition,
    ) -> Result<Option<RawResult>, McpFailure> {
        let max_bytes = events.max_bytes;
        place.silent += 1;
        while let Some(event) = events.next().await? {
            place.on_event(&event);
            let data = event.data;
            if data.is_empty() {
                continue;
            }
            place.silent = 0;
            place.said_bytes = place.said_bytes.saturating_add(data.len());
            if place.said_bytes > max_bytes.saturating_mul(MAX_STREAMED_ANSWERS) {
                return Err(too_large(max_bytes));
            }
            let message: RpcMessage<'_> = serde_json::from_str(&data).map_err(|error| {
                McpFailure::Broken(format!("the answer cannot be read: {error}"))
            })?;
            match message.classify(id, 200) {
                MessageMeaning::Answer(answer) => return answer.map(Some),
                MessageMeaning::Asks => self.answer_server_request(&message).await?,
                MessageMeaning::NewTools => self.has_new_tools.store(true, Ordering::Relaxed),
                MessageMeaning::Other => {}
            }
        }
        Ok(None)
    }

    /// Answers a request of the server. Only `ping` is supported, because no other capability was
    /// offered.
    async fn answer_server_request(&self, request: &RpcMessage<'_>) -> Result<(), McpFailure> {
        if self.era == Era::Stateless {
            // No such server may ask so, and there is no way to answer.
            return Ok(());
        }
        let id = request
            .id
            .map(|id| serde_json::from_str::<RequestId>(id.get()));
        let Some(Ok(id)) = id else {
            return Ok(());
        };
        let answer = if request.method.as_deref() == Some("ping") {
            ClientJsonRpcMessage::response(ClientResult::empty(()), id)
        } else {
            let text = "zoea offers tools no sampling, no roots and no questions";
            let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None);
            ClientJsonRpcMessage::error(error, Some(id))
        };
        self.post(&answer).await.map(|_| ())
    }

    /// Reconnects to a stream after its last event.
    async fn reopen_stream(
        &self,
        place: &mut StreamPosition,
    ) -> Result<reqwest::Response, McpFailure> {
        let last = place.last.clone().filter(|_| self.era == Era::Sessions);
        let Some(last) = last else {
            let text = "the connection was cut before the answer";
            return Err(McpFailure::Broken(text.to_string()));
        };
        loop {
            let wait = place.next_wait()?;
            tokio::time::sleep(wait).await;
            match self.get_after(&last).await {
                Ok(response) => return Ok(response),
                Err(error) => tracing::debug!(%error, "a stream could not be taken up again"),
            }
        }
    }
}

/// The events of a body as they arrive.
struct EventReader {
    response: reqwest::Response,
    /// The largest event in bytes.
    max_bytes: usize,
    lines: SseLines,
    /// The current event.
    current: SseEvent,
    /// Complete events that were not read yet.
    ended: VecDeque<SseEvent>,
}

impl EventReader {
    fn new(response: reqwest::Response, max_bytes: usize) -> EventReader {
        EventReader {
            response,
            max_bytes,
            lines: SseLines::default(),
            current: SseEvent::default(),
            ended: VecDeque::new(),
        }
    }

    /// The next event; `None` if the stream ends before one is complete.
    async fn next(&mut self) -> Result<Option<SseEvent>, McpFailure> {
        loop {
            if let Some(event) = self.ended.pop_front() {
                return Ok(Some(event));
            }
            let chunk = match self.response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(None),
                Err(error) => {
                    let error = error.without_url();
                    tracing::debug!(%error, "a stream broke off");
                    return Ok(None);
                }
            };
            let (current, ended) = (&mut self.current, &mut self.ended);
            self.lines.take(&chunk, |line| match line {
                SseLine::Field(name, value) => current.add_field(name, value),
                // A comment or an empty line is no event.
                SseLine::End if *current == SseEvent::default() => {}
                SseLine::End => ended.push_back(std::mem::take(current)),
            });
            let kept = self.lines.kept_bytes() + self.current.data.len();
            if kept > self.max_bytes.saturating_add(EVENT_SLACK_BYTES) {
                return Err(too_large(self.max_bytes));
            }
        }
    }
}

impl StreamPosition {
    fn on_event(&mut self, event: &SseEvent) {
        if let Some(wait) = event.retry {
            self.pause = Some(Duration::from_millis(wait).min(MAX_PAUSE));
        }
        if event.id.is_some() {
            self.last.clone_from(&event.id);
            self.failures = 0;
        }
    }

    fn next_wait(&mut self) -> Result<Duration, McpFailure> {
        if self.failures == MAX_REOPENINGS {
            let text = "the connection was cut before the answer, and could not be taken up again";
            return Err(McpFailure::Broken(text.to_string()));
        }
        let waits = Backoff::new(self.pause.unwrap_or(RECONNECT_PAUSE), MAX_PAUSE);
        let wait = waits.nth_wait(self.failures);
        self.failures += 1;
        Ok(wait.max(self.shortest_wait()))
    }

    /// The shortest wait before a reconnect. It grows with each stream that brought no message.
    fn shortest_wait(&self) -> Duration {
        Backoff::new(MIN_PAUSE, MAX_SILENT_PAUSE).nth_wait(self.silent.saturating_sub(1))
    }
}

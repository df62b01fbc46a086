//! Streams: answers that come as server-sent events, and go on after a break where the server can.

use std::collections::VecDeque;
use std::time::Duration;

use actors::domain::backoff::Backoff;
use rmcp::model::{ClientJsonRpcMessage, ClientResult, ErrorCode, ErrorData, RequestId};

use zoea_http::sse::{SseEvent, SseLine, SseLines};

use super::message::{MessageMeaning, RawResult, RpcMessage};
use super::wire::too_large;
use super::{McpFailure, ServerSession};

/// How often in a row a stream that broke off is asked for again in vain, each time after twice the
/// wait.
const MAX_REOPENINGS: u32 = 4;
/// The first wait, where the server says nothing of it.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// No server makes us wait longer than this for a stream.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// No server makes us ask again sooner than this, and if it says nothing meanwhile, each time twice
/// as late, up to a bound.
const MIN_PAUSE: Duration = Duration::from_millis(200);
const MAX_SILENT_PAUSE: Duration = Duration::from_secs(5);
/// All that a server may say in the streams that answer one request, in answers.
const MAX_STREAMED_ANSWERS: usize = 8;
/// What an event may take beside its data.
const EVENT_SLACK_BYTES: usize = 256 << 10;

/// Where a stream stands.
#[derive(Default)]
struct StreamPosition {
    /// The last event that the server gave an id; it goes on after this one.
    last: Option<String>,
    /// How long the server wants us to wait before we ask again.
    pause: Option<Duration>,
    /// Asked in vain, in a row.
    failures: u32,
    /// Streams in a row in which nothing was said.
    silent: u32,
    /// Bytes of all that was said.
    said_bytes: usize,
}

impl ServerSession {
    /// Listens until the request is answered.
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

    /// The answer, or `None` where the stream ends before it.
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
                MessageMeaning::Other => {}
            }
        }
        Ok(None)
    }

    /// Answers what the server asks: that we are there. Nothing else was offered to it.
    async fn answer_server_request(&self, request: &RpcMessage<'_>) -> Result<(), McpFailure> {
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

    /// The rest of a stream, from where it broke off.
    async fn reopen_stream(
        &self,
        place: &mut StreamPosition,
    ) -> Result<reqwest::Response, McpFailure> {
        let Some(last) = place.last.clone() else {
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

/// The events of a body, as they come.
struct EventReader {
    response: reqwest::Response,
    /// The largest event that is read.
    max_bytes: usize,
    lines: SseLines,
    /// The event under way.
    current: SseEvent,
    /// Events that have ended and were not asked for yet.
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

    /// The next event; `None` where the stream ends before there is one.
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
                // Comments, and empty lines, are no event.
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

    /// A server that sends us away again and again without a word is asked ever more seldom.
    fn shortest_wait(&self) -> Duration {
        Backoff::new(MIN_PAUSE, MAX_SILENT_PAUSE).nth_wait(self.silent.saturating_sub(1))
    }
}

//! Reads answers that come as server-sent events, and reconnects after an interruption if the
//! server supports that.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::backoff::Backoff;
use rmcp::model::{
    ClientJsonRpcMessage, ClientResult, ElicitResult, ErrorCode, ErrorData, RequestId,
};
use tokio::time::{Instant, timeout};

use zoea_http::sse::{SseEvent, SseLine, SseLines};

use super::asking::{self, ELICIT, OpenQuestions, QuestionDesk, TakenQuestion};
use super::body::{OpenBody, too_large};
use super::message::{MatchedMessages, RawResult, RpcMessage, readable};
use super::pace::{Paced, REQUESTS, TOO_MANY_REQUESTS};
use super::{McpFailure, ServerSession, SessionMode};

/// The most attempts in a row to reconnect to an interrupted stream. The wait doubles with each.
const MAX_REOPENINGS: u32 = 4;
/// The first wait, if the server names none.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The shortest wait that a server can ask for. While streams bring no messages, it doubles each
/// time up to a limit.
const MIN_PAUSE: Duration = Duration::from_millis(200);
const MAX_SILENT_PAUSE: Duration = Duration::from_secs(5);
/// The most data in all streams that answer one request, as a multiple of the largest answer.
const MAX_STREAMED_ANSWERS: usize = 8;
/// The most bytes of an event in addition to its data.
const EVENT_SLACK_BYTES: usize = 256 << 10;
/// How long the server may take to receive an answer of ours.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(30);
/// The waits between the tries to bring it the operator's answer.
const DELIVERY_WAITS: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];

struct StreamPosition {
    /// The id of the last event with one. Reconnecting continues after it.
    last: Option<String>,
    /// The wait that the server asks for before a reconnect.
    pause: Option<Duration>,
    failures: u32,
    /// The number of streams in a row without a message.
    silent: u32,
    said_bytes: usize,
    requests: Paced,
}

impl ServerSession {
    /// Reads events until the request is answered.
    pub(super) async fn read_stream(
        &self,
        body: OpenBody,
        id: i64,
        max_bytes: usize,
        desk: &QuestionDesk,
    ) -> Result<RawResult, McpFailure> {
        let mut open = OpenQuestions::default();
        let mut place = StreamPosition::new();
        let mut events = EventReader::new(body, max_bytes);
        loop {
            let received = self.read_until_end(&mut events, id, &mut place, (desk, &mut open));
            if let Some(answer) = received.await? {
                return Ok(answer);
            }
            // A server may wait with its response until it has something to say, so this has no
            // limit of its own.
            let rest = Box::pin(self.reopen_stream(&mut place));
            let rest = open.meanwhile(rest).await??;
            events = EventReader::new(rest, max_bytes);
        }
    }

    /// Reads to the end of a stream. Returns the answer, or `None` if the stream ends before it.
    async fn read_until_end<'a>(
        &'a self,
        events: &mut EventReader,
        id: i64,
        place: &mut StreamPosition,
        (desk, open): (&QuestionDesk, &mut OpenQuestions<'a>),
    ) -> Result<Option<RawResult>, McpFailure> {
        let max_bytes = events.max_bytes;
        place.silent += 1;
        loop {
            let Some(event) = open.meanwhile(events.next()).await?? else {
                return Ok(None);
            };
            place.on_event(&event);
            place.said_bytes = place.said_bytes.saturating_add(event.data.len());
            if place.said_bytes > max_bytes.saturating_mul(MAX_STREAMED_ANSWERS) {
                return Err(too_large(max_bytes));
            }
            let data = readable(&event.data);
            let received = MatchedMessages::find(&data, id, 200);
            if received.is_message {
                place.silent = 0;
            }
            if received.has_new_tools {
                self.has_new_tools.store(true, Ordering::Relaxed);
            }
            if let Some(answer) = received.answer {
                return answer.map(Some);
            }
            for request in &received.requests {
                match request.taken_back() {
                    Some(id) => open.withdraw(&id),
                    None if !place.requests.admits(Instant::now()) => {
                        return Err(McpFailure::Broken(TOO_MANY_REQUESTS.to_string()));
                    }
                    None => Box::pin(self.on_server_request(request, desk, open)).await?,
                }
            }
        }
    }

    /// Answers a request of the server: a `ping` at once, a question when the operator has. No other
    /// capability was offered.
    async fn on_server_request<'a>(
        &'a self,
        request: &RpcMessage<'_>,
        desk: &QuestionDesk,
        open: &mut OpenQuestions<'a>,
    ) -> Result<(), McpFailure> {
        if self.mode == SessionMode::Stateless {
            // No such server may ask so, and there is no way to answer.
            return Ok(());
        }
        let id = request.id.map(serde_json::from_str::<RequestId>);
        let Some(Ok(id)) = id else {
            return Ok(());
        };
        let refuse = |code, text: String| {
            let error = ErrorData::new(code, text, None);
            ClientJsonRpcMessage::error(error, Some(id.clone()))
        };
        let answer = match request.method.as_deref() {
            Some("ping") => ClientJsonRpcMessage::response(ClientResult::empty(()), id),
            Some(ELICIT) => match desk.take(request.params.unwrap_or("null")) {
                TakenQuestion::Put(answer) if open.has_room() => {
                    let of = id.clone();
                    let answered = async move { self.deliver(of, answer.await).await };
                    open.push(id, Box::pin(answered));
                    return Ok(());
                }
                TakenQuestion::Put(_) | TakenQuestion::Declined => {
                    let declined = ClientResult::ElicitResult(asking::declined());
                    ClientJsonRpcMessage::response(declined, id)
                }
                TakenQuestion::Refused(why) => refuse(ErrorCode::INVALID_PARAMS, why),
            },
            Some(_) | None => {
                let text = "zoea offers tools no sampling and no roots";
                refuse(ErrorCode::METHOD_NOT_FOUND, text.to_string())
            }
        };
        // That the server did not get it says nothing about the call.
        if let Err(failure) = open.meanwhile(self.answer_server(&answer)).await? {
            tracing::debug!(%failure, "a request of the server is not answered");
        }
        Ok(())
    }

    async fn answer_server(&self, answer: &ClientJsonRpcMessage) -> Result<(), McpFailure> {
        match timeout(DELIVERY_TIMEOUT, self.post(answer)).await {
            Ok(posted) => posted.map(|_| ()),
            Err(_) => Err(McpFailure::TooLate(DELIVERY_TIMEOUT)),
        }
    }

    /// Brings the operator's answer to the server. A server that has got it once ignores it when it
    /// comes again.
    async fn deliver(&self, id: RequestId, answer: ElicitResult) -> Result<(), McpFailure> {
        let answer = ClientJsonRpcMessage::response(ClientResult::ElicitResult(answer), id);
        let mut waits = DELIVERY_WAITS.into_iter();
        loop {
            let Err(failure) = self.answer_server(&answer).await else {
                return Ok(());
            };
            let Some(wait) = waits.next() else {
                let text = format!("the server did not take the operator's answer: {failure}");
                return Err(McpFailure::Broken(text));
            };
            tracing::debug!(%failure, "the operator's answer is sent again");
            tokio::time::sleep(wait).await;
        }
    }

    /// Reconnects to a stream after its last event.
    async fn reopen_stream(&self, place: &mut StreamPosition) -> Result<OpenBody, McpFailure> {
        let last = place
            .last
            .clone()
            .filter(|_| self.mode == SessionMode::Sessions);
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

struct EventReader {
    /// The body, until its end.
    body: Option<OpenBody>,
    max_bytes: usize,
    lines: SseLines,
    current: SseEvent,
    /// Complete events that were not read yet.
    ended: VecDeque<SseEvent>,
}

impl EventReader {
    fn new(body: OpenBody, max_bytes: usize) -> EventReader {
        EventReader {
            body: Some(body),
            max_bytes,
            lines: SseLines::default(),
            current: SseEvent::default(),
            ended: VecDeque::new(),
        }
    }

    /// The next event; `None` if the stream has ended. The last one may have lost its end: what it
    /// says counts, and reconnecting continues before it.
    async fn next(&mut self) -> Result<Option<SseEvent>, McpFailure> {
        loop {
            if let Some(event) = self.ended.pop_front() {
                return Ok(Some(event));
            }
            let Some(body) = &mut self.body else {
                return Ok(None);
            };
            let chunk = match body.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(self.last_event()),
                Err(failure) => {
                    tracing::debug!(%failure, "a stream broke off");
                    return Ok(self.last_event());
                }
            };
            let (current, ended) = (&mut self.current, &mut self.ended);
            let mut take = |line: SseLine<'_>| take_line(line, current, ended);
            self.lines.take(&chunk, &mut take);
            let kept = self.lines.kept_bytes() + self.current.data.len();
            if kept > self.max_bytes.saturating_add(EVENT_SLACK_BYTES) {
                return Err(too_large(self.max_bytes));
            }
        }
    }

    /// What was said of the event that has no end.
    fn last_event(&mut self) -> Option<SseEvent> {
        self.body = None;
        let (current, ended) = (&mut self.current, &mut self.ended);
        self.lines.finish(|line| take_line(line, current, ended));
        let last = self.ended.pop_front()?;
        Some(SseEvent { id: None, ..last })
    }
}

/// Puts events together, line by line.
pub(super) fn take_line(line: SseLine<'_>, current: &mut SseEvent, ended: &mut VecDeque<SseEvent>) {
    match line {
        SseLine::Field(name, value) => current.add_field(name, value),
        // A comment or an empty line is no event.
        SseLine::End if *current == SseEvent::default() => {}
        SseLine::End => ended.push_back(std::mem::take(current)),
    }
}

impl StreamPosition {
    fn new() -> StreamPosition {
        StreamPosition {
            last: None,
            pause: None,
            failures: 0,
            silent: 0,
            said_bytes: 0,
            requests: REQUESTS.begin(Instant::now()),
        }
    }

    fn on_event(&mut self, event: &SseEvent) {
        if let Some(wait) = event.retry {
            self.pause = Some(Duration::from_millis(wait).min(MAX_PAUSE));
        }
        if let Some(id) = &event.id {
            // An empty one says that there is nothing to go on after.
            self.last = Some(id.clone()).filter(|id| !id.is_empty());
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

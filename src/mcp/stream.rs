//! Streams: answers that come as server-sent events, and go on after a break where the server can.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use rmcp::model::{
    ClientJsonRpcMessage, ClientResult, ErrorCode, ErrorData, JsonRpcRequest, RequestId,
    ServerJsonRpcMessage, ServerRequest, ServerResult,
};
use rmcp::transport::streamable_http_client::StreamableHttpClient;
use sse_stream::{Error as SseError, Sse};

use super::{Endpoint, Failure, Session};

/// How often in a row a stream that broke off is asked for again, each time after twice the wait.
const REOPENED: u32 = 4;
/// The first wait, where the server says nothing of it.
const PAUSE: Duration = Duration::from_secs(1);
/// No server makes us wait longer than this for a stream.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Where a stream stands.
#[derive(Default)]
struct Place {
    /// The last event that the server gave an id; it goes on after this one.
    last: Option<String>,
    /// How long the server wants us to wait before we ask again.
    pause: Option<Duration>,
    /// Asked in vain, in a row.
    failures: u32,
}

impl Session {
    /// Listens until the request is answered.
    pub(super) async fn heard(
        &self,
        mut events: Events,
        id: RequestId,
    ) -> Result<ServerResult, Failure> {
        let mut place = Place::default();
        loop {
            if let Some(answer) = self
                .heard_until_it_ends(&mut events, &id, &mut place)
                .await?
            {
                return Ok(answer);
            }
            events = self.reopened(&mut place).await?;
        }
    }

    /// The answer, or `None` where the stream ends before it.
    async fn heard_until_it_ends(
        &self,
        events: &mut Events,
        id: &RequestId,
        place: &mut Place,
    ) -> Result<Option<ServerResult>, Failure> {
        while let Some(event) = events.next().await {
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    tracing::debug!(%error, "a stream broke off");
                    return Ok(None);
                }
            };
            place.heard(&event);
            let data = event.data.unwrap_or_default();
            if data.trim().is_empty() {
                continue;
            }
            match serde_json::from_str::<ServerJsonRpcMessage>(&data) {
                Ok(ServerJsonRpcMessage::Response(response)) if response.id == *id => {
                    return Ok(Some(response.result));
                }
                Ok(ServerJsonRpcMessage::Error(error))
                    if error.id.is_none() || error.id.as_ref() == Some(id) =>
                {
                    return Err(Failure::Refused(error.error));
                }
                Ok(ServerJsonRpcMessage::Request(request)) => self.oblige(request).await?,
                Ok(
                    ServerJsonRpcMessage::Response(_)
                    | ServerJsonRpcMessage::Error(_)
                    | ServerJsonRpcMessage::Notification(_),
                ) => {}
                Err(error) => {
                    return Err(Failure::Broken(format!(
                        "the answer cannot be read: {error}"
                    )));
                }
            }
        }
        Ok(None)
    }

    /// Answers what the server asks: that we are there. Nothing else was offered to it.
    async fn oblige(&self, request: JsonRpcRequest<ServerRequest>) -> Result<(), Failure> {
        let answer = if let ServerRequest::PingRequest(_) = request.request {
            ClientJsonRpcMessage::response(ClientResult::empty(()), request.id)
        } else {
            let text = "zoea offers tools no sampling, no roots and no questions";
            let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None);
            ClientJsonRpcMessage::error(error, Some(request.id))
        };
        self.post(answer).await.map(|_| ())
    }

    /// The rest of a stream, from where it broke off.
    async fn reopened(&self, place: &mut Place) -> Result<Events, Failure> {
        let Some(last) = place.last.clone() else {
            let text = "the connection was cut before the answer";
            return Err(Failure::Broken(text.to_string()));
        };
        loop {
            let wait = place.next_wait()?;
            tokio::time::sleep(wait).await;
            let Endpoint { url, token, http } = &self.endpoint;
            let token = token.as_ref().map(ToString::to_string);
            let session = self.pass.session.clone();
            let again = http
                .get_stream(
                    url.clone(),
                    session,
                    Some(last.clone()),
                    token,
                    self.headers(),
                )
                .await;
            match again {
                Ok(events) => return Ok(events),
                Err(error) => tracing::debug!(%error, "a stream could not be taken up again"),
            }
        }
    }
}

impl Place {
    fn heard(&mut self, event: &Sse) {
        if let Some(wait) = event.retry {
            self.pause = Some(Duration::from_millis(wait).min(LONGEST_PAUSE));
        }
        if event.id.is_some() {
            self.last.clone_from(&event.id);
            self.failures = 0;
        }
    }

    fn next_wait(&mut self) -> Result<Duration, Failure> {
        if self.failures == REOPENED {
            let text = "the connection was cut before the answer, and could not be taken up again";
            return Err(Failure::Broken(text.to_string()));
        }
        let wait = self.pause.unwrap_or(PAUSE) * 2_u32.pow(self.failures);
        self.failures += 1;
        Ok(wait.min(LONGEST_PAUSE))
    }
}

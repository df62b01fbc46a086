//! The requests of ours that a process has not answered, and what it sends meanwhile. Here its lines
//! are read, as leniently as answers over HTTP: an answer is kept as text for the request that awaits it.
//! rmcp, whose types take a message whole or not at all, gets a line that we have written.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::bounds::bounded_text;
use rmcp::model::{ClientRequest, RequestId};
use serde_json::{Value, json};
use tokio::time::Instant;
use zoea_http::raw_json;
use zoea_text::clean::one_line;
use zoea_text::redact::hide_passwords;

use super::process::LogWindow;
use crate::body::too_large;
use crate::message::{
    CANCELLED, MAX_REQUESTS, MessageMeaning, RawResult, RpcError, RpcMessage, TOOLS_CHANGED,
    for_each_value, is_same_id, readable,
};
use crate::{MAX_ANSWER_BYTES, McpFailure};

/// How a message begins that stands behind other words on its line.
const MESSAGE_START: &str = r#"{"jsonrpc""#;
/// The largest part of a message that rmcp reads, in bytes. A parsed value takes many times the memory of
/// its text.
const MAX_PASSED_BYTES: usize = 128 << 10;
/// As much of a line is looked at to show it, in bytes.
const MAX_LOOK_BYTES: usize = 2048;
/// As much of what is no message is shown, in bytes.
const MAX_SHOWN_BYTES: usize = 300;
/// The code of an error whose own code is none, or no whole number that rmcp takes.
const OTHER_ERROR: i32 = -32000;
const SERVER_ERROR_TEXT: &str = "the server's answer cannot be used";

#[derive(Clone)]
pub(super) struct OpenRequests(Arc<Mutex<Requests>>);

struct Requests {
    /// The server's name in the log.
    name: Arc<str>,
    open: BTreeMap<i64, OpenRequest>,
    /// Those that were given up before they were sent.
    given_up: BTreeSet<i64>,
    /// Notifications that were sent after whatever was answered last. Some servers answer one with an
    /// error, which has no id.
    told: usize,
    log: LogWindow,
}

struct OpenRequest {
    reader: AnswerReader,
    answer: Option<Result<RawResult, McpFailure>>,
    /// What came meanwhile and is no message, or no answer to it.
    odd: String,
}

/// Who reads the answer to a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnswerReader {
    /// We do, as it is.
    Ours,
    /// rmcp does, to open the session.
    Greeting,
    /// rmcp does.
    Library,
}

impl AnswerReader {
    fn of(request: &ClientRequest) -> AnswerReader {
        let is_ours = matches!(
            request,
            ClientRequest::CallToolRequest(_) | ClientRequest::ListToolsRequest(_)
        );
        let is_greeting = matches!(request, ClientRequest::InitializeRequest(_));
        match (is_ours, is_greeting) {
            (true, _) => AnswerReader::Ours,
            (false, true) => AnswerReader::Greeting,
            (false, false) => AnswerReader::Library,
        }
    }
}

/// A request that somebody waits for. Its end forgets the request.
pub(super) struct AwaitedRequest {
    requests: OpenRequests,
    id: i64,
}

/// What of a line goes to rmcp.
#[derive(Default)]
struct PassedLines {
    text: String,
    asked: usize,
    has_new_tools: bool,
    has_message: bool,
}

impl OpenRequests {
    pub(super) fn new(name: &str) -> OpenRequests {
        OpenRequests(Arc::new(Mutex::new(Requests {
            name: name.into(),
            open: BTreeMap::new(),
            given_up: BTreeSet::new(),
            told: 0,
            log: LogWindow::new(Instant::now()),
        })))
    }

    /// Notes a request that is about to be sent.
    pub(super) fn send(&self, id: &RequestId, request: &ClientRequest) {
        let RequestId::Number(id) = id else {
            return;
        };
        let reader = AnswerReader::of(request);
        let mut requests = self.0.lock();
        if requests.given_up.remove(id) {
            return;
        }
        // A server that is asked so has left the question before it unanswered for long enough.
        if reader == AnswerReader::Greeting {
            requests.open.clear();
        }
        let request = OpenRequest {
            reader,
            answer: None,
            odd: String::new(),
        };
        requests.open.insert(*id, request);
    }

    /// Notes a notification that is about to be sent.
    pub(super) fn tell(&self) {
        self.0.lock().told += 1;
    }

    /// Somebody waits for the answer to this request.
    pub(super) fn await_answer(&self, id: &RequestId) -> AwaitedRequest {
        let id = match id {
            RequestId::Number(id) => *id,
            RequestId::String(_) => 0,
        };
        let requests = self.clone();
        AwaitedRequest { requests, id }
    }

    /// Reads a line. Returns the lines for rmcp.
    pub(super) fn read_line(&self, line: &[u8]) -> String {
        let text = String::from_utf8_lossy(line);
        let text = readable(&text);
        if text.is_empty() {
            return String::new();
        }
        let mut passed = PassedLines::default();
        let mut requests = self.0.lock();
        let read = for_each_value(&text, |value| {
            if let Some(message) = RpcMessage::read(value) {
                passed.has_message = true;
                match message.method.is_some() {
                    true => passed.push_asked(&message),
                    false => requests.take_answer(&message, &mut passed),
                }
            }
            true
        });
        // Only answers are taken from behind other words: a log may quote what we have sent.
        if let Some(at) = text[read..].find(MESSAGE_START) {
            for_each_value(&text[read + at..], |value| {
                let message = RpcMessage::read(value).filter(|message| message.method.is_none());
                if let Some(message) = message.filter(|message| message.id.is_some()) {
                    passed.has_message = true;
                    requests.take_answer(&message, &mut passed);
                }
                true
            });
        }
        if !passed.has_message {
            requests.note_odd_line(&text);
        }
        passed.text
    }

    /// Notes a line that was too large to be read. It fails the request that it answers, if that can
    /// only be one. Returns the lines for rmcp.
    pub(super) fn skip_line(&self) -> String {
        let mut passed = PassedLines::default();
        let mut requests = self.0.lock();
        match requests.only_open() {
            Some(id) => requests.settle(id, Err(too_large(MAX_ANSWER_BYTES)), None, &mut passed),
            None => {
                let kib = MAX_ANSWER_BYTES >> 10;
                requests.note_odd_line(&format!("one larger than the {kib} KiB that are read"));
            }
        }
        passed.text
    }
}

impl Requests {
    /// The request that has no answer yet, if there is one such only.
    fn only_open(&self) -> Option<i64> {
        let mut open = self.open.iter().filter(|(_, it)| it.answer.is_none());
        let (id, _) = open.next()?;
        open.next().is_none().then_some(*id)
    }

    fn take_answer(&mut self, message: &RpcMessage<'_>, passed: &mut PassedLines) {
        if message.id.is_none() && message.error.is_some() && self.told > 0 {
            self.told -= 1;
            tracing::debug!(server = %self.name, "the server refuses a notification");
            return;
        }
        let of = match message.id {
            Some(given) => {
                let is_it = |id: &&i64| is_same_id(given, **id);
                let open = self.open.iter().filter(|(_, it)| it.answer.is_none());
                open.map(|(id, _)| id).find(is_it).copied()
            }
            None => self.only_open(),
        };
        let meaning = of.map(|id| (id, message.classify(id, 200)));
        if let Some((id, MessageMeaning::Answer(answer))) = meaning {
            // A server takes its messages in their order.
            self.told = 0;
            return self.settle(id, answer, message.error, passed);
        }
        let given = bounded_text(one_line(message.id.unwrap_or("none")), MAX_SHOWN_BYTES / 4);
        tracing::debug!(server = %self.name, id = %given, "an answer to no open request");
        self.note_odd(&format!("it answered another request: its id is {given}"));
    }

    fn settle(
        &mut self,
        id: i64,
        answer: Result<RawResult, McpFailure>,
        error: Option<&str>,
        passed: &mut PassedLines,
    ) {
        let Some(request) = self.open.get_mut(&id) else {
            return;
        };
        match (request.reader, &answer) {
            (AnswerReader::Ours, _) => {
                request.answer = Some(answer);
                // All that rmcp has to know is that there is one.
                return passed.push_result(id, "{}");
            }
            (AnswerReader::Greeting, Ok(result)) => {
                passed.push_result(id, &greeting(result).to_string());
            }
            (AnswerReader::Library, Ok(result)) if result.bytes() <= MAX_PASSED_BYTES => {
                passed.push_result(id, result.text());
            }
            (AnswerReader::Library, Ok(_)) => {
                passed.push_error(id, (OTHER_ERROR, SERVER_ERROR_TEXT), None);
            }
            (AnswerReader::Greeting | AnswerReader::Library, Err(failure)) => match error {
                Some(error) => passed.push_refusal(id, error),
                None => passed.push_error(id, (OTHER_ERROR, &failure.to_string()), None),
            },
        }
        self.open.remove(&id);
    }

    /// Logs a line that is no message, and keeps it for the failures of the requests that are open.
    fn note_odd_line(&mut self, line: &str) {
        let begin = &line[..line.floor_char_boundary(MAX_LOOK_BYTES)];
        let shown = one_line(&hide_passwords(begin));
        let shown = bounded_text(shown, MAX_SHOWN_BYTES);
        if shown.is_empty() {
            return;
        }
        if let Some(left_out) = self.log.admit(Instant::now()) {
            tracing::warn!(server = %self.name, left_out, "a line of the server is no message: {shown}");
        }
        let prefix = "it sent a line that is no message: ";
        let begun = self
            .open
            .values_mut()
            .filter(|it| it.odd.starts_with(prefix));
        for request in begun.filter(|it| it.odd.len() < MAX_SHOWN_BYTES) {
            // A message over several lines is known by its first ones together.
            request.odd = format!("{} {shown}", request.odd);
        }
        self.note_odd(&format!("{prefix}{shown}"));
    }

    fn note_odd(&mut self, text: &str) {
        let open = self.open.values_mut().filter(|it| it.answer.is_none());
        for request in open.filter(|it| it.odd.is_empty()) {
            request.odd = text.to_string();
        }
    }
}

impl AwaitedRequest {
    /// The answer, once it has come.
    pub(super) fn take(&self) -> Option<Result<RawResult, McpFailure>> {
        let mut requests = self.requests.0.lock();
        requests.open.get_mut(&self.id)?.answer.take()
    }

    /// What came in place of it; `None` for nothing.
    pub(super) fn odd(&self) -> Option<String> {
        let requests = self.requests.0.lock();
        let odd = &requests.open.get(&self.id)?.odd;
        (!odd.is_empty()).then(|| odd.clone())
    }
}

impl Drop for AwaitedRequest {
    fn drop(&mut self) {
        let mut requests = self.requests.0.lock();
        if requests.open.remove(&self.id).is_none() {
            requests.given_up.insert(self.id);
        }
    }
}

impl PassedLines {
    /// Passes on what the server asks or takes back, and once that its tools have changed. Nothing
    /// follows from what else it tells.
    fn push_asked(&mut self, message: &RpcMessage<'_>) {
        let Some(method) = message.method.as_deref() else {
            return;
        };
        match (message.id, method) {
            (None, TOOLS_CHANGED) if !self.has_new_tools => self.has_new_tools = true,
            (None, CANCELLED) | (Some(_), _) if self.asked < MAX_REQUESTS => self.asked += 1,
            (None | Some(_), _) => return,
        }
        let id = match message.id {
            None => String::new(),
            Some(given) if serde_json::from_str::<RequestId>(given).is_ok() => {
                format!(r#","id":{given}"#)
            }
            // Nobody could be answered.
            Some(_) => return,
        };
        // Without them a request is refused.
        let params = message.params.filter(|it| it.len() <= MAX_PASSED_BYTES);
        let params = params.map(|params| format!(r#","params":{params}"#));
        let (method, params) = (Value::from(method), params.unwrap_or_default());
        let line = format!("{{\"jsonrpc\":\"2.0\"{id},\"method\":{method}{params}}}\n");
        self.text.push_str(&line);
    }

    fn push_result(&mut self, id: i64, result: &str) {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
        self.text.push_str(&line);
    }

    /// Passes on the server's error, whatever its form.
    fn push_refusal(&mut self, id: i64, error: &str) {
        let RpcError { code, message } = RpcError::read(error);
        let code = code.and_then(|code| i32::try_from(code).ok());
        let data = raw_json::member(error, "data");
        let data = data.filter(|data| data.len() <= MAX_PASSED_BYTES);
        self.push_error(id, (code.unwrap_or(OTHER_ERROR), &message), data);
    }

    fn push_error(&mut self, id: i64, (code, message): (i32, &str), data: Option<&str>) {
        let message = Value::from(bounded_text(message.to_string(), MAX_LOOK_BYTES));
        let data = data.unwrap_or("null");
        let error = format!(r#"{{"code":{code},"message":{message},"data":{data}}}"#);
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n");
        self.text.push_str(&line);
    }
}

/// The answer to `initialize` with what is used of it. What else rmcp wants in it is filled in, because
/// many servers leave it out or write it in another form.
fn greeting(result: &RawResult) -> Value {
    let [version, server] = raw_json::pick(result.text(), ["protocolVersion", "serverInfo"]);
    let name = server.and_then(|server| raw_json::member(server, "name"));
    let name = name.and_then(raw_json::as_text).unwrap_or_default();
    json!({
        "protocolVersion": version.and_then(raw_json::as_text),
        "capabilities": {},
        "serverInfo": {"name": name, "version": ""},
    })
}

#[cfg(test)]
mod tests {
    use rmcp::model::{
        CallToolRequest, CallToolRequestParams, ClientCapabilities, Implementation,
        InitializeRequest, InitializeRequestParams,
    };

    use super::*;

    fn call() -> ClientRequest {
        let params = CallToolRequestParams::new("dig");
        ClientRequest::CallToolRequest(CallToolRequest::new(params))
    }

    /// The requests with these calls open, and who waits for them.
    fn calls<const N: usize>(ids: [i64; N]) -> (OpenRequests, [AwaitedRequest; N]) {
        let requests = OpenRequests::new("server");
        let awaited = ids.map(|id| {
            let id = RequestId::Number(id);
            requests.send(&id, &call());
            requests.await_answer(&id)
        });
        (requests, awaited)
    }

    fn said(awaited: &AwaitedRequest) -> Option<Result<String, String>> {
        let answer = awaited.take()?;
        let answer = answer.map(|raw| raw.text().to_string());
        Some(answer.map_err(|failure| failure.to_string()))
    }

    #[test]
    fn an_answer_that_names_no_request_is_that_of_the_only_one() {
        let error = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}"#;
        let (requests, [one]) = calls([3]);
        requests.read_line(error);
        assert_eq!(said(&one), Some(Err("no (-1)".to_string())));
        let (requests, [one, other]) = calls([3, 4]);
        requests.read_line(error);
        assert_eq!((said(&one), said(&other)), (None, None));
        requests.skip_line();
        assert_eq!(said(&one), None);
        drop(other);
        requests.skip_line();
        let large = "the answer is larger than the 8192 KiB that are read";
        assert_eq!(said(&one), Some(Err(large.to_string())));
    }

    #[test]
    fn an_error_after_a_notification_is_about_that_and_fails_no_request() {
        let error = br#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}"#;
        let (requests, [one]) = calls([3]);
        requests.tell();
        requests.read_line(error);
        assert_eq!(said(&one), None);
        requests.read_line(error);
        assert_eq!(said(&one), Some(Err("no (-32601)".to_string())));
        let (requests, [one, other]) = calls([3, 4]);
        requests.tell();
        requests.read_line(br#"{"id":3,"result":{}}"#);
        assert!(said(&one).is_some());
        drop(one);
        requests.read_line(error);
        assert_eq!(said(&other), Some(Err("no (-32601)".to_string())));
    }

    #[test]
    fn a_log_that_quotes_what_was_sent_asks_nothing() {
        let (requests, [one]) = calls([3]);
        let sent = br#"DEBUG got {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}"#;
        assert_eq!(requests.read_line(sent), "");
        assert!(one.odd().is_some_and(|odd| odd.contains("DEBUG got")));
        let answer = br#"DEBUG sent {"jsonrpc":"2.0","id":3,"result":{"a":1}}"#;
        let passed = requests.read_line(answer);
        assert_eq!(passed, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n");
        assert_eq!(said(&one), Some(Ok(r#"{"a":1}"#.to_string())));
    }

    #[test]
    fn a_request_that_was_given_up_before_it_was_sent_is_not_open() {
        let requests = OpenRequests::new("server");
        let id = RequestId::Number(3);
        drop(requests.await_answer(&id));
        requests.send(&id, &call());
        assert_eq!(requests.0.lock().only_open(), None);
        assert!(requests.0.lock().given_up.is_empty());
    }

    #[test]
    fn what_is_asked_and_told_goes_on_in_one_form_and_the_rest_does_not() {
        let (requests, [_one]) = calls([3]);
        for (line, passed) in [
            (
                r#"{"id":3.0,"method":"ping"}"#,
                r#"{"jsonrpc":"2.0","id":3.0,"method":"ping"}"#,
            ),
            (
                r#"[{"id":"x","method":"a/b","params":{"c":"\ud83d"}},{"method":"notifications/progress"}]"#,
                r#"{"jsonrpc":"2.0","id":"x","method":"a/b","params":{"c":"\ufffd"}}"#,
            ),
            (
                r#"{"method":"notifications/tools/list_changed"}{"method":"notifications/tools/list_changed"}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
            ),
            (r#"{"id":[],"method":"ping"}"#, ""),
            (r#"{"id":4,"result":{}}"#, ""),
            ("Listening!", ""),
        ] {
            assert_eq!(requests.read_line(line.as_bytes()).trim(), passed, "{line}");
        }
    }

    #[test]
    fn the_answer_to_initialize_is_completed() {
        let requests = OpenRequests::new("server");
        let about = Implementation::new("zoea", "1");
        let params = InitializeRequestParams::new(ClientCapabilities::default(), about);
        let request = ClientRequest::InitializeRequest(InitializeRequest::new(params));
        requests.send(&RequestId::Number(1), &request);
        let line = r#"{"id":"1","result":{"protocolVersion":"2025-06-18","capabilities":[],"serverInfo":{"name":"php"}}}"#;
        let passed: Value = serde_json::from_str(&requests.read_line(line.as_bytes())).unwrap();
        let info = json!({"name": "php", "version": ""});
        let wanted =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info});
        assert_eq!(passed, json!({"jsonrpc": "2.0", "id": 1, "result": wanted}));
        assert_eq!(requests.0.lock().only_open(), None);
    }
}

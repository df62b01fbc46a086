//! A model server that refuses the conversations that hold a certain text, and plays with all others.
//! Each test says how it refuses.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::answering::{listen, read_request, respond, think};

const JSON: &str = "content-type: application/json\r\n";

/// How long it thinks. Its swarms play on for many seconds, while one of them is refused.
const LONG_THINKING: Duration = Duration::from_millis(150);

/// What is refused.
pub const POISON: &str = "POISON";

/// How the server refuses.
#[derive(Clone, Debug)]
pub enum Oddity {
    /// With a status, a body, and perhaps headers.
    Status(u16, String, &'static str),
    /// With good headers, and the connection is cut then.
    Cut,
    /// With an error in a piece of a stream.
    ErrorInPiece,
    /// It answers with 200 and says why it ended.
    Finish(&'static str),
}

impl Oddity {
    /// A status and a message, as most servers send it.
    pub fn status(status: u16, message: &str) -> Oddity {
        let body = json!({"error": {"message": message, "code": "x"}}).to_string();
        Oddity::Status(status, body, "")
    }
}

#[derive(Clone, Debug)]
pub struct Request {
    pub at: Duration,
    /// What follows `nova-` in the name of the Mysis; empty for a request that names none.
    pub who: String,
    pub bytes: usize,
    pub tools: usize,
    pub is_refused: bool,
    /// The whole body.
    pub body: Arc<str>,
}

/// The server.
pub struct OddModel {
    pub url: String,
    state: Arc<State>,
}

/// Says of the body of a request, and of its number, how it is refused.
pub type Judge = Box<dyn Fn(&str, usize) -> Option<Oddity> + Send + Sync>;

struct State {
    judge: Judge,
    /// The address of the server that answers what is not refused.
    behind: Option<String>,
    begun: Instant,
    requests: Mutex<Vec<Request>>,
}

impl OddModel {
    /// One that refuses each request with the poison in it.
    pub fn poisoned(oddity: Oddity) -> OddModel {
        OddModel::judging(Box::new(move |body, _| {
            body.contains(POISON).then(|| oddity.clone())
        }))
    }

    pub fn judging(judge: Judge) -> OddModel {
        OddModel::serving(judge, None)
    }

    /// One in front of the model server at this address.
    pub fn in_front_of(url: &str, judge: Judge) -> OddModel {
        let address = url.split('/').nth(2).expect("an address");
        OddModel::serving(judge, Some(address.to_string()))
    }

    fn serving(judge: Judge, behind: Option<String>) -> OddModel {
        let state = Arc::new(State {
            judge,
            behind,
            begun: Instant::now(),
            requests: Mutex::default(),
        });
        let serving = state.clone();
        let address = listen(move |stream| serving.serve(&stream));
        let url = format!("http://{address}/v1");
        OddModel { url, state }
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        let requests = self.state.requests.lock();
        requests.clone()
    }

    pub fn requests_of(&self, name: &str) -> Vec<Request> {
        let requests = self.requests().into_iter();
        requests.filter(|request| request.who == name).collect()
    }

    /// How many requests of each Mysis were served since then.
    pub fn served_since(&self, since: Duration) -> BTreeMap<String, usize> {
        let mut served = BTreeMap::new();
        for request in self.requests() {
            if request.at >= since && !request.is_refused {
                *served.entry(request.who).or_default() += 1;
            }
        }
        served
    }

    /// The time by the server's clock.
    pub fn now(&self) -> Duration {
        self.state.begun.elapsed()
    }
}

impl State {
    fn serve(&self, mut stream: &TcpStream) -> Option<()> {
        loop {
            let (_, body) = read_request(stream)?;
            let body = String::from_utf8(body).ok()?;
            if body.is_empty() {
                let models = r#"{"object":"list","data":[{"id":"odd"}]}"#;
                respond(stream, 200, JSON, models)?;
                continue;
            }
            let request: Value = serde_json::from_str(&body).ok()?;
            let number = {
                let requests = self.requests.lock();
                requests.len()
            };
            let refused = (self.judge)(&body, number);
            let noted = Request {
                at: self.begun.elapsed(),
                who: name_in(&request),
                bytes: body.len(),
                tools: request["tools"].as_array().map_or(0, Vec::len),
                is_refused: refused.is_some(),
                body: body.as_str().into(),
            };
            self.requests.lock().push(noted);
            let is_streamed = request["stream"] == true;
            match refused {
                None if self.behind.is_some() => {
                    self.pass_on(&body, stream);
                    return None;
                }
                None => {
                    think(LONG_THINKING);
                    answer(stream, is_streamed, &played(&request, number), "tool_calls")?;
                }
                Some(Oddity::Status(status, body, headers)) => {
                    respond(stream, status, &format!("{JSON}{headers}"), body)?;
                }
                Some(Oddity::Finish(reason)) => {
                    answer(stream, is_streamed, &json!({"content": null}), reason)?;
                }
                Some(Oddity::Cut) => {
                    let head = "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"choices\"";
                    stream.write_all(head.as_bytes()).ok()?;
                    stream.shutdown(Shutdown::Both).ok()?;
                    return None;
                }
                Some(Oddity::ErrorInPiece) => {
                    let error = json!({"error": {"message": "refused", "code": 500}});
                    respond_events(stream, &[error])?;
                }
            }
        }
    }
}

impl State {
    /// Lets the server behind this one answer.
    fn pass_on(&self, body: &str, mut client: &TcpStream) -> Option<()> {
        let mut server = TcpStream::connect(self.behind.as_ref()?).ok()?;
        let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                    content-type: application/json\r\ncontent-length: ";
        write!(server, "{head}{}\r\n\r\n{body}", body.len()).ok()?;
        std::io::copy(&mut server, &mut client).ok().map(drop)
    }
}

/// The name in the system prompt, if it begins with `nova-`.
fn name_in(request: &Value) -> String {
    let messages = request["messages"].as_array().into_iter().flatten();
    let mut texts = messages.filter_map(|message| message["content"].as_str());
    let name = texts.find_map(|text| Some(text.split_once("nova-")?.1));
    let letters = name.unwrap_or("").chars();
    letters.take_while(char::is_ascii_lowercase).collect()
}

/// What a healthy model says: it calls the first tool that only looks.
fn played(request: &Value, number: usize) -> Value {
    let tools = request["tools"].as_array().into_iter().flatten();
    let names: Vec<&str> = tools
        .filter_map(|tool| tool["function"]["name"].as_str())
        .collect();
    let wanted = ["get_status", "status", "mine"];
    let tool = wanted.iter().find(|name| names.contains(name)).copied();
    match tool.or_else(|| names.first().copied()) {
        None => json!({"content": "fine"}),
        Some(tool) => json!({"tool_calls": [{
            "index": 0, "id": format!("call{number}"), "type": "function",
            "function": {"name": tool, "arguments": "{}"},
        }]}),
    }
}

fn usage() -> Value {
    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110})
}

fn answer(stream: &TcpStream, is_streamed: bool, message: &Value, finish: &str) -> Option<()> {
    if !is_streamed {
        let whole = json!({"id": "c", "model": "odd", "usage": usage(), "choices": [
            {"index": 0, "message": message, "finish_reason": finish}]});
        return respond(stream, 200, JSON, whole.to_string());
    }
    let piece = |delta: &Value, finish: Value| json!({"id": "c", "model": "odd", "usage": usage(), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let pieces = [
        piece(message, Value::Null),
        piece(&json!({}), finish.into()),
    ];
    respond_events(stream, &pieces)
}

fn respond_events(stream: &TcpStream, pieces: &[Value]) -> Option<()> {
    let events = pieces.iter().map(|piece| format!("data: {piece}\n\n"));
    let body: String = events.chain(["data: [DONE]\n\n".to_string()]).collect();
    respond(stream, 200, "content-type: text/event-stream\r\n", body)
}

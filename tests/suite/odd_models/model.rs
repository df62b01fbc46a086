//! A model server that answers as a test wants, over real HTTP, and keeps its requests.

use parking_lot::Mutex;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use zoea_rig::answering::{listen, read_request};

/// What the server says.
pub(crate) enum Said {
    /// The choices of a stream, and then its end.
    Stream(Vec<Value>),
    /// Lines of a stream, one after the other, each after a pause, until the client leaves.
    Endless(Box<dyn Iterator<Item = String> + Send>, Duration),
}

/// One that leaves its model's words to a test.
pub(crate) struct OddModel {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

type Script = dyn Fn(usize, &Value) -> Said + Send + Sync;

impl OddModel {
    /// Answers the request of this number, from 0 on.
    pub(crate) fn start(
        script: impl Fn(usize, &Value) -> Said + Send + Sync + 'static,
    ) -> OddModel {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = requests.clone();
        let address = listen(move |stream| serve(stream, &kept, &script));
        let url = format!("http://{address}/v1");
        OddModel { url, requests }
    }

    /// The bodies of the requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().clone()
    }
}

fn serve(mut stream: TcpStream, requests: &Mutex<Vec<Value>>, script: &Script) -> Option<()> {
    let (_, body) = read_request(&stream)?;
    let request: Value = serde_json::from_slice(&body).ok()?;
    let number = {
        let mut requests = requests.lock();
        requests.push(request.clone());
        requests.len() - 1
    };
    let head = |status, kind| {
        format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Type: {kind}\r\n\r\n")
    };
    let mut say = |text: &str| stream.write_all(text.as_bytes()).ok();
    match script(number, &request) {
        Said::Stream(choices) => {
            say(&head(200, "text/event-stream"))?;
            for choice in choices {
                say(&format!("data: {}\n\n", json!({"choices": [choice]})))?;
            }
            let usage = json!({"prompt_tokens": 100, "completion_tokens": 10});
            say(&format!(
                "data: {}\n\ndata: [DONE]\n\n",
                json!({"choices": [], "usage": usage})
            ))
        }
        Said::Endless(lines, pause) => {
            say(&head(200, "text/event-stream"))?;
            for line in lines {
                say(&line)?;
                #[expect(
                    clippy::disallowed_methods,
                    reason = "the pace of a server that never ends; what it sends decides"
                )]
                thread::sleep(pause);
            }
            Some(())
        }
    }
}

/// The last piece of a stream.
pub(crate) fn end(reason: &str) -> Value {
    json!({"delta": {}, "finish_reason": reason})
}

/// An answer of words alone.
pub(crate) fn words(text: &str) -> Said {
    Said::Stream(vec![json!({"delta": {"content": text}}), end("stop")])
}

/// A piece of a call.
pub(crate) fn piece(index: u64, id: &str, name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    json!({"index": index, "id": id, "type": "function", "function": function})
}

/// A choice of a stream with these calls.
pub(crate) fn calls(calls: &[Value]) -> Value {
    json!({"delta": {"tool_calls": calls}})
}

//! A receiver: an HTTP server on loopback that keeps its requests.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use serde_json::Value;
use zoea_rig::answering::{read_request, respond};

/// One request: its path, its head in lower case, its body, and the status of the answer.
#[derive(Clone, Debug)]
pub(crate) struct Brought {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) bytes: Vec<u8>,
    /// The body as JSON; null if it is none.
    pub(crate) body: Value,
    pub(crate) status: u16,
}

/// The server; it lives as long as the test's process.
pub(crate) struct Receiver {
    pub(crate) url: String,
    brought: Arc<Mutex<Vec<Brought>>>,
}

impl Receiver {
    /// Answers the first requests with these statuses, all others with 200.
    pub(crate) fn start(first: &[u16]) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let brought = Arc::new(Mutex::new(Vec::new()));
        let kept = brought.clone();
        let mut first: VecDeque<u16> = first.iter().copied().collect();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let status = first.pop_front().unwrap_or(200);
                if let Some(one) = answer(stream, status) {
                    kept.lock().push(one);
                }
            }
        });
        Receiver { url, brought }
    }

    /// The requests so far, including the refused ones.
    pub(crate) fn brought(&self) -> Vec<Brought> {
        self.brought.lock().clone()
    }
}

fn answer(stream: TcpStream, status: u16) -> Option<Brought> {
    // Who brings nothing gets no answer.
    let (head, body) = read_request(&stream).filter(|(_, body)| !body.is_empty())?;
    let head = head.to_lowercase();
    respond(&stream, status, "connection: close\r\n", "")?;
    Some(Brought {
        path: head.split_whitespace().nth(1)?.to_string(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        bytes: body,
        head,
        status,
    })
}

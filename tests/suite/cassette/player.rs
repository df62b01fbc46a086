//! The player of a cassette: a model server over HTTP that answers as a real one did.

use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use zoea_rig::answering::{listen, read_request};

/// A recorded answer, with what `tests/suite/cassettes/README.md` says of it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Recorded {
    part: String,
    speaker: String,
    status: u16,
    content_type: String,
    ended: String,
    chunks: Vec<(u64, String)>,
}

/// What a model said in one answer, read without any code of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) words: String,
    /// Names and arguments of the calls.
    pub(super) calls: Vec<(String, String)>,
}

impl Recorded {
    pub(super) fn is_answer(&self) -> bool {
        self.status == 200 && self.ended == "whole"
    }

    pub(super) fn said(&self) -> Said {
        let body: String = self.chunks.iter().map(|(_, text)| text.as_str()).collect();
        let mut said = Said::default();
        if !self.content_type.starts_with("text/event-stream") {
            let answer: Value = serde_json::from_str(&body).expect("an answer");
            said.add(&answer["choices"][0]["message"]);
            return said;
        }
        let pieces = body.lines().filter_map(|line| line.strip_prefix("data: "));
        for piece in pieces.filter(|piece| *piece != "[DONE]") {
            let piece: Value = serde_json::from_str(piece).expect("a piece of an answer");
            said.add(&piece["choices"][0]["delta"]);
        }
        said
    }
}

impl Said {
    fn add(&mut self, part: &Value) {
        self.words += part["content"].as_str().unwrap_or_default();
        for (place, call) in part["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            let place = call["index"].as_u64().unwrap_or(place as u64);
            let place = usize::try_from(place).expect("a small number");
            if self.calls.len() <= place {
                self.calls.resize_with(place + 1, Default::default);
            }
            let (name, arguments) = &mut self.calls[place];
            *name += call["function"]["name"].as_str().unwrap_or_default();
            *arguments += call["function"]["arguments"].as_str().unwrap_or_default();
        }
    }
}

/// The answers of one part of a cassette by their speaker, in their order.
pub(super) fn read(file: &Path, part: &str) -> BTreeMap<String, VecDeque<Recorded>> {
    let read = Command::new("gzip")
        .args(["-d", "-c"])
        .arg(file)
        .stderr(Stdio::inherit())
        .output()
        .expect("gzip runs");
    assert!(read.status.success(), "{}", file.display());
    let mut by_speaker: BTreeMap<String, VecDeque<Recorded>> = BTreeMap::new();
    let text = String::from_utf8(read.stdout).expect("text");
    for line in text.lines() {
        let one: Recorded = serde_json::from_str(line).expect("a recorded answer");
        if one.part == part {
            by_speaker
                .entry(one.speaker.clone())
                .or_default()
                .push_back(one);
        }
    }
    by_speaker
}

/// The server. Who asks when all answers of a speaker are taken waits until the test ends.
pub(super) struct Player {
    pub(super) url: String,
    deck: Arc<Mutex<Deck>>,
}

struct Deck {
    answers: BTreeMap<String, VecDeque<Recorded>>,
    /// The requests by their speaker.
    asked: BTreeMap<String, Vec<Value>>,
    /// The connections of those who wait.
    waiting: BTreeMap<String, Vec<TcpStream>>,
}

impl Player {
    pub(super) fn start(answers: BTreeMap<String, VecDeque<Recorded>>) -> Player {
        let deck = Arc::new(Mutex::new(Deck {
            answers,
            asked: BTreeMap::new(),
            waiting: BTreeMap::new(),
        }));
        let shared = deck.clone();
        let address = listen(move |stream| serve(stream, &shared));
        let url = format!("http://{address}/v1");
        Player { url, deck }
    }

    /// Whether each speaker has taken all answers and waits for one more.
    pub(super) fn is_over(&self) -> bool {
        let deck = self.deck.lock();
        let mut speakers = deck.answers.iter();
        speakers.all(|(speaker, left)| left.is_empty() && deck.waiting.contains_key(speaker))
    }

    /// The requests of each speaker.
    pub(super) fn asked(&self) -> BTreeMap<String, Vec<Value>> {
        self.deck.lock().asked.clone()
    }
}

fn serve(mut stream: TcpStream, deck: &Mutex<Deck>) -> Option<()> {
    let first = first_line(&stream)?;
    if first.starts_with("GET ") {
        let models = json!({"data": [{"id": MODEL, "meta": {"n_ctx": 8192}}]}).to_string();
        write_answer(&mut stream, 200, "application/json", [&*models]);
        return None;
    }
    let (_, body) = read_request(&stream)?;
    let request: Value = serde_json::from_slice(&body).ok()?;
    let speaker = speaker_of(&request);
    let answer = {
        let mut deck = deck.lock();
        let asked = deck.asked.entry(speaker.clone()).or_default();
        asked.push(request);
        let left = deck.answers.get_mut(&speaker).and_then(VecDeque::pop_front);
        if left.is_none() {
            let kept = stream.try_clone().ok()?;
            deck.waiting.entry(speaker).or_default().push(kept);
        }
        left?
    };
    let chunks = answer.chunks.iter().map(|(_, text)| text.as_str());
    write_answer(&mut stream, answer.status, &answer.content_type, chunks);
    Some(())
}

pub(super) const MODEL: &str = "gemma-3-270m-q4_k_m.gguf";

/// The first line of a request, which stays to be read.
fn first_line(stream: &TcpStream) -> Option<String> {
    let mut begin = [0; 16];
    let read = stream.peek(&mut begin).ok()?;
    Some(String::from_utf8_lossy(&begin[..read]).into_owned())
}

/// Who asks: the name in the runtime's note.
fn speaker_of(request: &Value) -> String {
    let last = request["messages"].as_array().and_then(|all| all.last());
    let last = last.and_then(|last| last["content"].as_str());
    let note = last.and_then(|text| text.rsplit_once("[from the runtime, not an order]\nYou are "));
    let name = note.map_or("", |(_, note)| note);
    name.split(',').next().unwrap_or_default().to_string()
}

/// Writes an answer in the pieces in which it came, without its pauses.
fn write_answer<'a>(
    stream: &mut TcpStream,
    status: u16,
    content_type: &str,
    pieces: impl IntoIterator<Item = &'a str>,
) {
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\
         Connection: close\r\n\r\n"
    );
    let mut bytes = head.into_bytes();
    for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
        bytes.extend(format!("{:x}\r\n{piece}\r\n", piece.len()).into_bytes());
    }
    bytes.extend(b"0\r\n\r\n");
    // Who asked may have left.
    let _ = stream.write_all(&bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.read(&mut [0; 1]);
}

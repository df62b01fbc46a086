//! Tests of streaming: requested, received in parts, interrupted, and given up if a server does not
//! support it. The server is real, and the test writes the body of each answer.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use actors::domain::ids::{MysisId, TurnNumber, TurnRef};
use actors::domain::model::AnswerProgress;
use axum::body::{Body, Bytes};
use axum::http::Response;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::*;

type Parts = mpsc::UnboundedReceiver<io::Result<Bytes>>;
type Answers = Arc<Mutex<VecDeque<(u16, Parts)>>>;

struct Live {
    providers: Arc<Providers>,
    observed: mpsc::UnboundedReceiver<String>,
    answers: Answers,
    server: JoinHandle<io::Result<()>>,
}

/// The body of one answer. Dropping it ends the body.
struct Voice(mpsc::UnboundedSender<io::Result<Bytes>>);

/// A request in progress.
struct Asked {
    face: watch::Receiver<AnswerProgress>,
    answer: JoinHandle<Result<ModelAnswer, ModelFault>>,
}

impl Live {
    async fn new(is_streamed: bool) -> Live {
        let (sender, observed) = mpsc::unbounded_channel();
        let answers = Answers::default();
        let script = (sender, answers.clone());
        type Script = (mpsc::UnboundedSender<String>, Answers);
        let answer = |State((sender, answers)): State<Script>, body: String| async move {
            sender.send(body).expect("the test listens");
            let next = answers.lock().pop_front();
            let (status, mut parts) = next.expect("an answer is left");
            let parts = futures::stream::poll_fn(move |context| parts.poll_recv(context));
            let answer = Response::builder().status(status);
            answer.body(Body::from_stream(parts)).expect("a response")
        };
        let app = axum::Router::new()
            .route("/v1/chat/completions", post(answer))
            .with_state(script);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = ProviderEndpoint {
            url: format!("http://{}/v1", listener.local_addr().unwrap()),
            api_key: None,
            is_streamed,
            extra: Arc::default(),
            headers: Vec::new(),
            reasoning_back: None,
            marks_cache: false,
        };
        let http = zoea_http::build_client().unwrap();
        Live {
            providers: Arc::new(Providers::new(&http, [("local".into(), endpoint)])),
            observed,
            answers,
            server: tokio::spawn(async move { axum::serve(listener, app).await }),
        }
    }

    fn voice(&self, status: u16) -> Voice {
        let (voice, parts) = mpsc::unbounded_channel();
        let mut answers = self.answers.lock();
        answers.push_back((status, parts));
        Voice(voice)
    }

    fn ask(&self) -> Asked {
        self.ask_by(AnswerMeter::default())
    }

    fn ask_of(&self, mysis: i64) -> Asked {
        self.ask_by(AnswerMeter::of_turn(TurnRef {
            mysis: MysisId(mysis),
            turn: TurnNumber(1),
        }))
    }

    fn ask_by(&self, meter: AnswerMeter) -> Asked {
        Asked {
            face: meter.subscribe(),
            answer: tokio::spawn(self.providers.ask(request(tools()), meter)),
        }
    }

    /// Sends a request and answers it at once. Returns whether streaming was requested, and what
    /// was read.
    async fn exchange(&mut self, status: u16, body: &str) -> (bool, Read) {
        self.exchange_by(status, body, Live::ask).await
    }

    async fn exchange_by(
        &mut self,
        status: u16,
        body: &str,
        ask: impl Fn(&Live) -> Asked,
    ) -> (bool, Read) {
        let voice = self.voice(status);
        voice.says(body);
        drop(voice);
        let answer = ask(self).answer.await.unwrap();
        (self.sent().await["stream"] == true, answer)
    }

    async fn sent(&mut self) -> Value {
        let sent = self.observed.recv().await.expect("a request");
        serde_json::from_str(&sent).unwrap()
    }
}

type Read = Result<ModelAnswer, ModelFault>;

impl Drop for Live {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Voice {
    fn says(&self, text: &str) {
        let part = Bytes::from(text.to_string());
        self.0.send(Ok(part)).expect("the request is under way");
    }

    fn delta(&self, delta: Value) {
        self.says(&event(json!({"choices": [{"index": 0, "delta": delta}]})));
    }

    fn breaks(self) {
        let broken = Err(io::ErrorKind::ConnectionReset.into());
        self.0.send(broken).expect("the request is under way");
    }
}

impl Asked {
    /// Waits for this progress.
    async fn has(&mut self, words: u64, thoughts: u64) {
        let wanted = AnswerProgress { words, thoughts };
        let seen = self.face.wait_for(|arrived| *arrived == wanted);
        let seen = tokio::time::timeout(Duration::from_secs(20), seen).await;
        let seen = seen.unwrap_or_else(|_| panic!("never so much: {wanted:?}"));
        seen.expect("the request is under way");
    }
}

fn event(data: Value) -> String {
    format!("data: {data}\n\n")
}

fn is_cut(read: &Read) -> bool {
    matches!(read, Err(ModelFault::Transient { text, .. }) if text.contains("stream was cut"))
}

fn is_adapted(read: &Read) -> bool {
    matches!(read, Err(ModelFault::Adapted { text }) if text.contains("in one piece from now on"))
}

const STOP: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const PRICED: &str =
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\n";
const DONE: &str = "data: [DONE]\n\n";

fn words(usage: &str) -> String {
    let piece = event(json!({"choices": [{"index": 0, "delta": {"content": "yes"}}]}));
    format!("{piece}{STOP}{usage}{DONE}")
}

#[tokio::test]
async fn each_piece_is_heard_when_it_comes_and_the_answer_when_it_is_whole() {
    let mut live = Live::new(true).await;
    let voice = live.voice(200);
    let mut asked = live.ask();
    let sent = live.sent().await;
    assert_eq!(sent["stream"], true);
    assert_eq!(sent["stream_options"], json!({"include_usage": true}));
    voice.says(": the model is loading\n\n");
    voice.delta(json!({"role": "assistant", "content": "", "reasoning_content": "Ore "}));
    asked.has(0, 4).await;
    voice.delta(json!({"reasoning": "first."}));
    asked.has(0, 10).await;
    voice.delta(json!({"content": "Off "}));
    asked.has(4, 10).await;
    let call = json!({"index": 0, "id": "c0", "function": {"name": "mine", "arguments": "{\"a\""}});
    voice.delta(json!({"tool_calls": [call]}));
    asked.has(12, 10).await;
    voice.delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}));
    asked.has(15, 10).await;
    assert!(!asked.answer.is_finished());
    for text in [STOP, PRICED, DONE] {
        voice.says(text);
    }
    drop(voice);
    let answer = asked.answer.await.unwrap();
    let expected = r#""Off " "Ore first." ["c0|mine|{\"a\":1}"] "stop" Some((7, 2, 0))"#;
    assert_eq!(shown(&answer), expected);
}

#[tokio::test]
async fn nobody_who_does_not_want_pieces_asks_for_them_and_they_are_heard_all_the_same() {
    let mut live = Live::new(false).await;
    let voice = live.voice(200);
    let mut asked = live.ask();
    let sent = live.sent().await;
    assert!(sent.get("stream").is_none() && sent.get("stream_options").is_none());
    voice.delta(json!({"content": "<thi"}));
    voice.delta(json!({"content": "nk>ore</thi"}));
    voice.delta(json!({"content": "nk>"}));
    voice.delta(json!({"content": "Off."}));
    asked.has(4, 18).await;
    voice.says(STOP);
    drop(voice);
    let answer = asked.answer.await.unwrap();
    assert_eq!(shown(&answer), r#""Off." "ore" [] "stop" None"#);
}

#[tokio::test]
async fn however_the_parts_are_cut_on_their_way_the_answer_is_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let names = std::fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut tried = 0;
    for name in names.filter(|name| name.ends_with(".sse")) {
        let (status, text) = sample(&name);
        let mut expected = None;
        for size in [text.len().max(1), 1, 2, 7, 64] {
            // What was learnt about the server is dropped each time.
            let mut live = Live::new(true).await;
            let voice = live.voice(status);
            let asked = live.ask();
            live.sent().await;
            for part in text.as_bytes().chunks(size) {
                voice.0.send(Ok(Bytes::copy_from_slice(part))).unwrap();
                tokio::task::yield_now().await;
            }
            drop(voice);
            let read = shown(&asked.answer.await.unwrap());
            let first = expected.get_or_insert_with(|| read.clone());
            assert_eq!(*first, read, "{name} in parts of {size}");
            tried += 1;
        }
    }
    assert!(tried >= 50, "{tried}");
}

#[tokio::test]
async fn a_stream_that_is_cut_is_no_answer_and_the_third_in_a_row_the_last_that_is_asked_for() {
    let mut live = Live::new(true).await;
    let half = event(json!({"choices": [{"index": 0, "delta": {"content": "I will n"}}]}));
    // The stream ends as if it was complete.
    let (_, read) = live.exchange(200, &half).await;
    assert!(is_cut(&read), "{read:?}");
    // The connection breaks in the middle.
    let voice = live.voice(200);
    let mut asked = live.ask();
    voice.says(&half);
    asked.has(8, 0).await;
    voice.breaks();
    let read = asked.answer.await.unwrap();
    assert!(is_cut(&read), "{read:?}");
    assert_eq!(live.sent().await["stream"], true);
    // A complete stream shows that streams get through.
    let (_, read) = live.exchange(200, &words(PRICED)).await;
    assert_eq!(read.unwrap().text, "yes");
    for _ in 0..2 {
        assert!(is_cut(&live.exchange(200, &half).await.1));
    }
    let (is_streamed, read) = live.exchange(200, &half).await;
    assert!(is_streamed && is_adapted(&read), "{read:?}");
    let (is_streamed, read) = live.exchange(200, YES).await;
    assert!(!is_streamed);
    assert_eq!(read.unwrap().text, "yes");
}

#[tokio::test]
async fn streams_that_one_restart_of_the_server_cuts_together_count_once() {
    let mut live = Live::new(true).await;
    let half = event(json!({"choices": [{"index": 0, "delta": {"content": "I will n"}}]}));
    for _ in 0..2 {
        let voices: Vec<Voice> = (0..4).map(|_| live.voice(200)).collect();
        let mut asked: Vec<Asked> = (0..4).map(|mysis| live.ask_of(mysis)).collect();
        for _ in 0..4 {
            assert_eq!(live.sent().await["stream"], true);
        }
        for voice in &voices {
            voice.says(&half);
        }
        for one in &mut asked {
            one.has(8, 0).await;
        }
        drop(voices);
        for one in asked {
            let read = one.answer.await.unwrap();
            assert!(is_cut(&read), "{read:?}");
        }
    }
    // The third one that only one conversation gets is its own.
    let ask = |mysis| move |live: &Live| live.ask_of(mysis);
    let (is_streamed, read) = live.exchange_by(200, &half, ask(1)).await;
    assert!(is_streamed && is_adapted(&read), "{read:?}");
    assert!(!live.exchange_by(200, YES, ask(1)).await.0);
    // Where a second one gets no other streams either, all would.
    let (is_streamed, read) = live.exchange_by(200, &half, ask(2)).await;
    assert!(is_streamed && is_adapted(&read), "{read:?}");
    assert!(!live.exchange_by(200, YES, ask(3)).await.0);
}

#[tokio::test]
async fn what_breaks_after_the_end_and_what_never_closes_take_nothing_away() {
    let live = Live::new(true).await;
    let voice = live.voice(200);
    let mut asked = live.ask();
    voice.says(&words(PRICED).replace(DONE, ""));
    asked.has(3, 0).await;
    voice.breaks();
    let read = asked.answer.await.unwrap();
    assert_eq!(shown(&read), r#""yes" "" [] "stop" Some((7, 2, 0))"#);
    let voice = live.voice(200);
    let asked = live.ask();
    voice.says(&words(PRICED));
    let read = asked.answer.await.unwrap();
    assert_eq!(read.unwrap().text, "yes");
    drop(voice);
}

/// A status and a body on one line.
fn status_and_body(line: &str) -> (u16, &str) {
    let (status, body) = line.split_once(' ').unwrap();
    (status.parse().unwrap(), body)
}

const REFUSED_STREAMS: &str = r#"
400 {"error":{"message":"Unknown parameter: 'stream_options'.","param":"stream_options"}}
400 {"error":{"message":"Unrecognized request argument supplied: stream_options"}}
422 {"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}
422 {"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error"}
400 {"error":{"message":"Your organization must be verified to stream this model.","param":"stream","code":"unsupported_value"}}
500 {"error":{"code":500,"message":"Cannot use tools with stream","type":"server_error"}}
400 {"message":"This model doesn't support streaming. Try again without it: Streaming not supported"}
"#;

const OTHER_ERRORS: &str = r#"
500 {"error":{"message":"error while streaming the response from upstream"}}
400 {"error":{"message":"no such model"}}
429 {"error":{"message":"too many streams"}}
"#;

#[tokio::test]
async fn who_refuses_streams_is_told_apart_by_its_words_and_asked_for_whole_answers() {
    for (status, refusal) in REFUSED_STREAMS.trim().lines().map(status_and_body) {
        let mut live = Live::new(true).await;
        let (is_streamed, read) = live.exchange(status, refusal).await;
        assert!(is_streamed && is_adapted(&read), "{refusal}: {read:?}");
        let (is_streamed, read) = live.exchange(200, YES).await;
        assert!(!is_streamed);
        assert_eq!(read.unwrap().text, "yes");
        let (_, read) = live.exchange(status, refusal).await;
        assert!(!is_adapted(&read), "learnt once: {read:?}");
    }
    for (status, other) in OTHER_ERRORS.trim().lines().map(status_and_body) {
        let mut live = Live::new(true).await;
        let (_, read) = live.exchange(status, other).await;
        assert!(read.is_err() && !is_adapted(&read), "{read:?}");
        assert!(live.exchange(200, &words(PRICED)).await.0);
    }
}

#[tokio::test]
async fn who_answers_whole_or_does_not_say_the_cost_in_pieces_is_asked_for_whole_answers() {
    for first in [YES.to_string(), words("")] {
        let mut live = Live::new(true).await;
        let (is_streamed, read) = live.exchange(200, &first).await;
        assert!(is_streamed);
        assert_eq!(read.unwrap().text, "yes");
        let (is_streamed, read) = live.exchange(200, YES).await;
        assert!(!is_streamed);
        assert_eq!(read.unwrap().text, "yes");
    }
    // An error instead of an answer says nothing about streaming.
    let mut live = Live::new(true).await;
    let (_, read) = live
        .exchange(200, r#"{"error":{"message":"busy","code":503}}"#)
        .await;
    assert!(matches!(read, Err(ModelFault::Transient { .. })));
    assert!(live.exchange(200, &words(PRICED)).await.0);
}

#[tokio::test]
async fn usage_that_is_late_once_leaves_answers_streamed() {
    let mut live = Live::new(true).await;
    let voice = live.voice(200);
    let begun = Instant::now();
    let asked = live.ask();
    // The connection stays open, and what is missing may still come.
    voice.says(&words("").replace(DONE, ""));
    let read = asked.answer.await.unwrap();
    assert_eq!(shown(&read), r#""yes" "" [] "stop" None"#);
    assert!(begun.elapsed() < Duration::from_secs(20), "an end alone");
    drop(voice);
    assert_eq!(live.sent().await["stream"], true);
    assert!(live.exchange(200, &words(PRICED)).await.0, "it was late");
    // Where the body ends without it, with or without the mark of an end, it does not come.
    let (is_streamed, _) = live.exchange(200, &words("").replace(DONE, "")).await;
    assert!(is_streamed);
    assert!(!live.exchange(200, YES).await.0);
}

#[tokio::test]
async fn usage_that_is_late_three_times_in_a_row_ends_streaming() {
    let mut live = Live::new(true).await;
    let voices: Vec<Voice> = (0..3).map(|_| live.voice(200)).collect();
    let asked: Vec<Asked> = (0..3).map(|_| live.ask()).collect();
    for voice in &voices {
        voice.says(&words("").replace(DONE, ""));
    }
    for one in asked {
        let read = one.answer.await.unwrap();
        assert_eq!(shown(&read), r#""yes" "" [] "stop" None"#);
        assert_eq!(live.sent().await["stream"], true);
    }
    drop(voices);
    assert!(!live.exchange(200, YES).await.0);
}

#[tokio::test]
async fn a_stream_that_ended_without_its_usage_was_not_cut() {
    let mut live = Live::new(true).await;
    let half = event(json!({"choices": [{"index": 0, "delta": {"content": "I will n"}}]}));
    for _ in 0..2 {
        let (is_streamed, read) = live.exchange(200, &half).await;
        assert!(is_streamed && is_cut(&read), "{read:?}");
        // What is missing may still have been on its way.
        let voice = live.voice(200);
        let mut asked = live.ask();
        voice.says(&words("").replace(DONE, ""));
        asked.has(3, 0).await;
        voice.breaks();
        assert_eq!(asked.answer.await.unwrap().unwrap().text, "yes");
        assert_eq!(live.sent().await["stream"], true);
    }
    let (_, read) = live.exchange(200, &half).await;
    assert!(is_cut(&read), "{read:?}");
    assert!(live.exchange(200, &words(PRICED)).await.0);
}

/// So do some proxies for Gemini.
#[tokio::test]
async fn an_end_that_each_piece_names_is_none_while_more_comes() {
    let live = Live::new(true).await;
    let voice = live.voice(200);
    let mut asked = live.ask();
    let piece = |delta: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": "stop"});
        event(json!({ "choices": [choice] }))
    };
    voice.says(&piece(json!({"reasoning_content": "Ore."})));
    asked.has(0, 4).await;
    // For longer than usage may take after an end that comes alone.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let call = json!({"index": 0, "id": "c0", "function": {"name": "mine", "arguments": "{}"}});
    voice.says(&piece(json!({"tool_calls": [call]})));
    voice.says(DONE);
    drop(voice);
    let answer = asked.answer.await.unwrap();
    assert_eq!(shown(&answer), r#""" "Ore." ["c0|mine|{}"] "stop" None"#);
}

/// What is said of a call of the model says nothing of how answers come.
#[tokio::test]
async fn a_call_that_is_refused_in_a_stream_leaves_answers_streamed() {
    let mut live = Live::new(true).await;
    let (_, refused) = sample("groq-tool-stream.200.sse");
    let (is_asked, answer) = live.exchange(200, &refused).await;
    assert!(is_asked && answer.is_ok_and(|answer| answer.refusal.is_some()));
    // The same in one piece.
    let whole = r#"{"error":{"message":"Failed to call a function.","code":"tool_use_failed","status_code":400,"failed_generation":""}}"#;
    let (is_asked, answer) = live.exchange(200, whole).await;
    assert!(is_asked && answer.is_ok_and(|answer| answer.refusal.is_some()));
    let (is_asked, _) = live.exchange(200, YES).await;
    assert!(is_asked, "streaming was given up");
}

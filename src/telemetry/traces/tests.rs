//! Tests: what a collector costs a swarm, and which turns are told.

use std::net::TcpListener;
use std::time::Instant;

use actors::domain::event::{EventKind, MysisRef, SwarmEvent, TurnEvent};
use actors::domain::ids::{MysisId, Seq, TurnNumber};
use actors::domain::message::{CallStatus, ResultMeta, Row, RowBody};
use actors::domain::model::{ModelAnswer, ModelRequest};
use actors::domain::state::LifeState;

use crate::telemetry::observation::ModelCallEnd;

use super::*;

const MYSIS: MysisId = MysisId(7);

fn event(at: i64, what: EventKind) -> Arc<SwarmEvent> {
    let mysis = MysisRef {
        id: MYSIS,
        name: "alpha".into(),
    };
    Arc::new(SwarmEvent {
        at: Timestamp(at),
        mysis: Some(mysis),
        what,
    })
}

fn turn(number: i64) -> TurnNumber {
    TurnNumber(number)
}

fn started(at: i64, number: i64) -> Arc<SwarmEvent> {
    let turn = turn(number);
    event(at, EventKind::Turn(TurnEvent::Started { turn }))
}

fn ended(at: i64, number: i64) -> Arc<SwarmEvent> {
    let turn = turn(number);
    event(at, EventKind::Turn(TurnEvent::Ended { turn }))
}

/// The span as it is sent, with this secret known.
fn sent(span: span::TraceSpan, secret: &str) -> otlp::Span {
    span.into_otlp(&Secrets::new([secret.into()]).redactor())
}

#[tokio::test]
async fn a_collector_that_never_answers_costs_spans_and_nothing_else() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let settings = TraceSettings {
        collector: Some(format!("http://{}", silent.local_addr().unwrap())),
        ..TraceSettings::default()
    };
    let http = zoea_http::build_client().unwrap();
    let spans = (Secrets::default(), Operator::default());
    let exporter = SpanExporter::start(&http, &settings, spans).unwrap();
    let mut handler = exporter.event_handler();
    let begun = Instant::now();
    let turns = i64::try_from(MAX_QUEUED_TURNS + BATCH_TURNS).unwrap() + 1000;
    for number in 0..turns {
        handler(&started(number, number));
        handler(&ended(number, number));
    }
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    let recorder = exporter.recorder();
    assert!(recorder.lost_spans() >= 1000, "{}", recorder.lost_spans());
    exporter.stop().await;
    // What was queued or on its way at the end is lost as well.
    assert_eq!(recorder.lost_spans(), u64::try_from(turns).unwrap());
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn an_interrupted_turn_is_told_when_the_results_of_its_calls_are_stored() {
    let mut turns = OpenTurns::new(false);
    let of = TurnRef {
        mysis: MYSIS,
        turn: turn(3),
    };
    let key = CallKey {
        seq: Seq(5),
        position: 0,
    };
    assert!(turns.on_event(&started(100, 3)).is_empty());
    let place = turns.place_of_call(of, key, Timestamp(110));
    let stopped = EventKind::StateChanged {
        from: LifeState::Running,
        to: LifeState::Stopped,
        reason: None,
    };
    assert!(turns.on_event(&event(120, stopped)).is_empty());
    let meta = ResultMeta {
        call_id: "c".into(),
        tool: "mine".into(),
        status: CallStatus::Unknown,
        ms: Some(0),
        tick: None,
        bytes: 0,
        game: actors::domain::game::GameRef::SpaceMolt,
        kept: None,
    };
    let body = RowBody::Result {
        call: key,
        text: "outcome unknown".into(),
        meta,
    };
    let row = Row {
        seq: Seq(6),
        at: Timestamp(130),
        turn: turn(3),
        body,
    };
    let mut for_spans = turns.on_event(&event(131, EventKind::Stored(Arc::new(row))));
    let mut spans = for_spans.pop().expect("the turn is complete");
    assert!(for_spans.is_empty() && spans.len() == 2);
    let tool = sent(spans.pop().unwrap(), "nothing at all");
    assert_eq!(tool.span_id, place.id.to_be_bytes());
    assert_eq!(tool.status.unwrap().code, 2);
    let root = sent(spans.pop().unwrap(), "nothing at all");
    assert_eq!(
        root.end_time_unix_nano, 130_000_000,
        "as long as its last span"
    );
    assert_eq!(tool.parent_span_id, root.span_id);
}

#[test]
fn a_cancelled_call_is_told_with_its_turn_even_if_it_ends_later() {
    let mut turns = OpenTurns::new(true);
    let of = TurnRef {
        mysis: MYSIS,
        turn: turn(1),
    };
    turns.on_event(&started(10, 1));
    turns.on_model_call_begun(of, Timestamp(11));
    assert!(
        turns.on_event(&ended(20, 1)).is_empty(),
        "a call is in progress"
    );
    let messages = [actors::domain::model::ChatMessage::User(
        "say s3cr3t-w0rd".into(),
    )];
    let request = ModelRequest {
        provider: "mine".into(),
        model: "m".into(),
        temperature: None,
        max_tokens: None,
        messages: messages.into(),
        tools: Arc::default(),
    };
    let report = ModelCallReport {
        turn: Some(of),
        request: &request,
        server: None,
        began: Timestamp(11),
        ended: Timestamp(25),
        took: Duration::from_millis(14),
        first_chunk: None,
        end: ModelCallEnd::Aborted,
    };
    let mut for_spans = turns.on_model_call(&report);
    let chat = for_spans.pop().and_then(|mut spans| spans.pop());
    let chat = sent(chat.expect("the turn is complete"), "s3cr3t-w0rd");
    assert_eq!(
        chat.status.as_ref().unwrap().message,
        "the call was cancelled"
    );
    let bytes = prost::Message::encode_to_vec(&chat);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("gen_ai.input.messages") && text.contains("aborted"));
    assert!(!text.contains("s3cr3t"), "{text}");
    // What comes after that belongs to no turn any longer.
    let answer = ModelAnswer::default();
    let end = ModelCallEnd::Answered(&answer);
    assert!(
        turns
            .on_model_call(&ModelCallReport { end, ..report })
            .is_empty()
    );
    assert!(turns.finish_all(Timestamp(40)).is_empty());
}

#[test]
fn of_a_turn_with_a_long_outage_the_part_that_worked_is_told() {
    let mut turns = OpenTurns::new(true);
    let of = TurnRef {
        mysis: MYSIS,
        turn: turn(1),
    };
    turns.on_event(&started(10, 1));
    let messages = [actors::domain::model::ChatMessage::User("go".into())];
    let request = ModelRequest {
        provider: "mine".into(),
        model: "m".into(),
        temperature: None,
        max_tokens: None,
        messages: messages.into(),
        tools: Arc::default(),
    };
    let answer = ModelAnswer::default();
    let failures = i64::try_from(turns::MAX_SPANS).unwrap() + 100;
    for number in 0..=failures {
        let at = Timestamp(20 + number);
        turns.on_model_call_begun(of, at);
        let report = ModelCallReport {
            turn: Some(of),
            request: &request,
            server: None,
            began: at,
            ended: at,
            took: Duration::ZERO,
            first_chunk: None,
            end: match number == failures {
                true => ModelCallEnd::Answered(&answer),
                false => ModelCallEnd::TimedOut,
            },
        };
        assert!(turns.on_model_call(&report).is_empty());
    }
    let spans = turns.on_event(&ended(9000, 1)).pop().expect("it is over");
    assert_eq!(spans.len(), turns::MAX_SPANS);
    assert!(spans[0].has("zoea.spans_left_out"));
    let last = spans.last().expect("the answer");
    assert!(last.has("gen_ai.response.model") && last.has("gen_ai.input.messages"));
    let for_spans = spans
        .iter()
        .filter(|span| span.has("gen_ai.input.messages"));
    assert_eq!(for_spans.count(), 1, "the first failed call made room");
}

#[test]
fn an_errored_turn_has_its_notice_though_that_is_stored_later() {
    let mut turns = OpenTurns::new(false);
    turns.on_event(&started(10, 1));
    let errored = EventKind::StateChanged {
        from: LifeState::Running,
        to: LifeState::Errored,
        reason: Some("HTTP 401".into()),
    };
    let spans = turns.on_event(&event(20, errored)).pop();
    let spans = spans.expect("it is over");
    assert_eq!(spans[0].events, [(Timestamp(20), "errored".to_string())]);
}

fn exporter(url: String) -> (Exporter, Arc<QueueFigures>) {
    let queue = Arc::new(QueueFigures::default());
    let exporter = Exporter {
        sender: OtlpSender {
            http: zoea_http::build_client().unwrap(),
            url,
            headers: http::HeaderMap::default(),
            protocol: zoea_settings::TraceProtocol::default(),
            is_compressed: false,
            waits: &[],
            secrets: Secrets::default(),
        },
        resource: otlp::Resource::default(),
        queue: queue.clone(),
        secrets: Secrets::default(),
        operator: Operator::default(),
        is_down: false,
        complaint: None,
        is_crowded: false,
    };
    (exporter, queue)
}

#[test]
fn a_collector_that_warned_is_told_of_again_when_it_refuses_and_after_it_was_content() {
    let (mut exporter, queue) = exporter("http://127.0.0.1:9".to_string());
    let mut after = |rejected: u64, message: &str| {
        exporter.on_taken(&Taken {
            rejected,
            message: message.to_string(),
        });
        exporter.complaint
    };
    assert_eq!(after(0, "old names"), Some(CollectorComplaint::Warned));
    assert_eq!(after(3, "too many"), Some(CollectorComplaint::Refused));
    assert_eq!(after(0, "old names"), Some(CollectorComplaint::Refused));
    assert_eq!(after(0, ""), None);
    assert_eq!(after(2, ""), Some(CollectorComplaint::Refused));
    assert_eq!(queue.lost_spans.load(Ordering::Relaxed), 5);
}

#[test]
fn spans_for_which_there_is_no_room_are_told_once_until_there_is_room_again() {
    let (mut exporter, queue) = exporter("http://127.0.0.1:9".to_string());
    for (lost, is_crowded) in [(0, false), (7, true), (3, true), (0, false), (1, true)] {
        queue.crowded_out.fetch_add(lost, Ordering::Relaxed);
        exporter.notify_crowding();
        assert_eq!(exporter.is_crowded, is_crowded);
    }
}

//! Tests of questions that a server asks during a call.

use parking_lot::Mutex;

use std::time::Duration;

use actors::domain::question::Decision;
use tokio::time::timeout;

use super::operator::Operator;
use super::*;

/// Calls a tool with this operator and these terms' limit. It must not hang.
async fn call_with(
    session: &ServerSession,
    operator: &Operator,
    limit: Duration,
) -> Result<String, McpFailure> {
    let asker = operator.asker();
    let terms = CallTerms {
        asker: Some(&asker),
        ..CallTerms::new(limit)
    };
    let params = CallToolRequestParams::new("mine");
    let reply = timeout(LONG, session.call_on_terms(params, terms)).await;
    let answer = reply.expect("the call ends")?.answer();
    Ok(answer.expect("no task").text)
}

async fn open_with_questions(server: &Server) -> ServerSession {
    let endpoint = UpstreamEndpoint {
        asks: true,
        ..server.endpoint.clone()
    };
    ServerSession::open(endpoint).await.expect("a session")
}

fn which(message: &str) -> Value {
    json!({"message": message, "requestedSchema": {"type": "object",
        "properties": {"ore": {"type": "string"}}}})
}

fn asks(id: &str, params: &Value) -> String {
    let request =
        json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params});
    format!("data: {request}\n\n")
}

async fn answer_to(server: &Server, id: &str) -> Value {
    let is_it = |seen: &Seen| seen.body["id"] == id && seen.method == "POST";
    timeout(LONG, server.until_seen(is_it))
        .await
        .expect("an answer")
        .body
}

fn is_call(seen: &Seen) -> bool {
    seen.body["method"] == "tools/call"
}

/// A stream that begins so, and the rest of it.
fn growing(body: &str) -> (mpsc::UnboundedSender<String>, Answer) {
    let (sender, more) = mpsc::unbounded_channel();
    let then = Then::More(more);
    (
        sender,
        Answer {
            then,
            ..events(body)
        },
    )
}

fn done(call: &Seen) -> String {
    format!("data: {}\n\n", result(call, &said("ore")))
}

fn taken_back(id: &str) -> String {
    let back = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}});
    format!("data: {back}\n\n")
}

#[tokio::test]
async fn questions_on_a_stream_are_asked_one_by_one_unless_they_are_odd_or_taken_back() {
    let server = Server::start(|seen| {
        if !is_call(seen) {
            return usual(seen);
        }
        let odd =
            json!({"message": "", "requestedSchema": {"properties": {"a": {"type": "object"}}}});
        let address = json!({"mode": "url", "message": "Pay", "url": "https://pay.example/"});
        Answer {
            then: Then::Nothing,
            ..events(&format!(
                "{}{}{}{}{}",
                asks("first", &which("1")),
                asks("second", &which("2")),
                taken_back("second"),
                asks("odd", &odd),
                asks("third", &address),
            ))
        }
    })
    .await;
    let session = open_with_questions(&server).await;
    let capabilities = &server.seen()[0].body["params"]["capabilities"];
    assert_eq!(
        capabilities,
        &json!({"elicitation": {"form": {}, "url": {}}})
    );
    let operator = Operator::accepting();
    let look = async {
        let refused = answer_to(&server, "odd").await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let why = refused["error"]["message"].as_str().expect("a reason");
        assert!(why.contains("the field a"), "{why}");
        operator.ring(1);
        let first = answer_to(&server, "first").await;
        assert_eq!(
            first["result"],
            json!({"action": "accept", "content": {"ore": "iron"}})
        );
        operator.ring(1);
        let third = answer_to(&server, "third").await;
        assert_eq!(third["result"], json!({"action": "accept"}));
    };
    tokio::select! {
        reply = call_with(&session, &operator, LONG) => panic!("{reply:?}"),
        () = look => {}
    }
    assert_eq!(operator.until_asked(2).await, ["1", "Pay"]);
    let host = server.endpoint.host();
    assert!(
        operator
            .asked
            .borrow()
            .iter()
            .all(|asked| asked.server == host)
    );
    assert!(server.seen().iter().all(|seen| seen.body["id"] != "second"));
}

#[tokio::test]
async fn a_question_that_is_taken_back_while_it_is_shown_makes_room_for_the_next() {
    let (sender, stream) = growing(&(asks("first", &which("1")) + &asks("second", &which("2"))));
    let stream = Mutex::new(Some(stream));
    let server = Server::start(move |seen| match is_call(seen) {
        true => stream.lock().take().expect("one call"),
        false => usual(seen),
    })
    .await;
    let session = open_with_questions(&server).await;
    let operator = Operator::accepting();
    let look = async {
        assert_eq!(operator.until_asked(1).await, ["1"]);
        sender.send(taken_back("first")).expect("a stream");
        assert_eq!(operator.until_asked(2).await, ["1", "2"]);
        assert_eq!(*operator.withdrawn.borrow(), 1);
        operator.ring(1);
        answer_to(&server, "second").await;
        let call = server.until_seen(is_call).await;
        sender.send(done(&call)).expect("a stream");
    };
    let (reply, ()) = tokio::join!(call_with(&session, &operator, LONG), look);
    assert_eq!(reply.expect("a result"), "ore");
    assert!(server.seen().iter().all(|seen| seen.body["id"] != "first"));
}

#[tokio::test]
async fn a_question_ends_while_a_server_answers_nothing_at_all() {
    // In one case the stream has broken off, in the other one an answer to a `ping` is not received.
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    for (before, after) in [
        ("retry: 1\nid: 7\ndata:\n\n", String::new()),
        ("", format!("data: {ping}\n\n")),
    ] {
        let body = format!("{before}{}{after}", asks("q", &which("1")));
        let server = Server::start(move |seen| match is_call(seen) {
            true if after.is_empty() => events(&body),
            true => Answer {
                then: Then::Nothing,
                ..events(&body)
            },
            false if seen.method == "GET" || seen.body["id"] == "p" => silence(),
            false => usual(seen),
        })
        .await;
        let session = open_with_questions(&server).await;
        let operator = Operator::deciding(Decision::Cancel);
        let look = async {
            let is_stuck = |seen: &Seen| seen.method == "GET" || seen.body["id"] == "p";
            timeout(LONG, server.until_seen(is_stuck))
                .await
                .expect("a request");
            operator.ring(1);
            let cancelled = answer_to(&server, "q").await;
            assert_eq!(cancelled["result"], json!({"action": "cancel"}));
        };
        let limit = Duration::from_secs(1);
        let (reply, ()) = tokio::join!(call_with(&session, &operator, limit), look);
        assert!(matches!(reply, Err(McpFailure::TooLate(_))), "{reply:?}");
    }
}

#[tokio::test]
async fn an_answer_that_the_server_does_not_take_is_brought_again() {
    // What the server does with each try, and where its result comes all the same.
    for (tries, has_result, ends_well) in [
        (vec![503, 404, 202], 3, true),
        (vec![502; 4], 1, true),
        (vec![503; 4], 5, false),
    ] {
        let (sender, stream) = growing(&asks("q", &which("1")));
        let stream = Mutex::new(Some(stream));
        let statuses = tries.clone();
        let call = Mutex::new(None);
        let tried = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |seen| {
            if is_call(seen) {
                *call.lock() = Some(seen.clone());
                return stream.lock().take().expect("one call");
            }
            if seen.body["id"] != "q" {
                return usual(seen);
            }
            let before = tried.fetch_add(1, Ordering::Relaxed);
            if before + 1 == has_result {
                let call = call.lock();
                sender
                    .send(done(call.as_ref().expect("a call")))
                    .expect("a stream");
            }
            Answer {
                status: statuses[before],
                ..json(&json!({"error": "no"}))
            }
        })
        .await;
        let session = open_with_questions(&server).await;
        let operator = Operator::accepting().at_once();
        let reply = call_with(&session, &operator, LONG).await;
        let answers = server
            .seen()
            .into_iter()
            .filter(|seen| seen.body["id"] == "q");
        let answers: Vec<Value> = answers.map(|seen| seen.body).collect();
        assert!(
            answers.iter().all(|answer| *answer == answers[0]),
            "{answers:?}"
        );
        if ends_well {
            assert_eq!(reply.expect("a result"), "ore");
            assert_eq!(answers.len(), has_result);
        } else {
            let failure = reply.expect_err("no answer");
            assert!(matches!(failure, McpFailure::Broken(_)), "{failure:?}");
            let text = failure.to_string();
            assert!(
                text.contains("the server did not take the operator's answer: HTTP 503"),
                "{text}"
            );
            assert_eq!(answers.len(), tries.len());
        }
    }
}

#[tokio::test]
async fn a_server_that_only_ever_asks_in_place_of_a_result_is_given_up() {
    let (server, operator, reply) = ask_in_place(json!({
        "resultType": "input_required",
        "inputRequests": {"how": {"method": "elicitation/create", "params": which("?")}},
        "requestState": "a state",
    }))
    .await;
    let why = reply.expect_err("no result").to_string();
    assert!(why.contains("asked for input 16 times"), "{why}");
    assert_eq!(operator.asked.borrow().len(), 16);
    let calls = server.seen().into_iter();
    let calls: Vec<Value> = calls
        .map(|seen| seen.body["params"].clone())
        .skip(1)
        .collect();
    assert_eq!(calls.len(), 16);
    assert!(calls[0].get("requestState").is_none());
    for call in &calls[1..] {
        assert_eq!(call["requestState"], "a state");
        let answer = json!({"how": {"action": "accept", "content": {"ore": "iron"}}});
        assert_eq!(call["inputResponses"], answer);
    }
}

#[tokio::test]
async fn a_refusal_on_a_stream_on_which_the_server_asked_is_not_that_of_a_lost_session() {
    let server = Server::start(|seen| {
        if !is_call(seen) {
            return usual(seen);
        }
        let error = json!({"jsonrpc": "2.0", "id": null,
            "error": {"code": -32600, "message": "no session"}});
        events(&format!("{}data: {error}\n\n", asks("q", &which("1"))))
    })
    .await;
    let session = open_with_questions(&server).await;
    let failure = call_with(&session, &Operator::accepting(), LONG).await;
    let failure = failure.expect_err("a refusal");
    assert!(
        matches!(
            failure,
            McpFailure::RefusedAfterAsking {
                code: Some(-32600),
                ..
            }
        ),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_server_asks_the_operator_so_often_in_one_call_and_is_declined_from_then_on() {
    let question = json!({"method": "elicitation/create", "params": which("?")});
    let questions = json!({"a": question, "b": question, "c": question});
    let asked = json!({"resultType": "input_required", "inputRequests": questions});
    let (server, operator, reply) = ask_in_place(asked).await;
    assert!(matches!(reply, Err(McpFailure::Broken(_))), "{reply:?}");
    assert_eq!(operator.asked.borrow().len(), 32);
    let last = server.seen().pop().expect("a call").body;
    let declined = json!({"action": "decline"});
    let all = json!({"a": declined, "b": declined, "c": declined});
    assert_eq!(last["params"]["inputResponses"], all);
}

#[tokio::test]
async fn nobody_is_asked_where_the_server_also_wants_what_it_cannot_get() {
    let questions = json!({
        "a": {"method": "elicitation/create", "params": which("?")},
        "b": {"method": "sampling/createMessage", "params": {}},
    });
    let asked = json!({"resultType": "input_required", "inputRequests": questions});
    let (_server, operator, reply) = ask_in_place(asked).await;
    let why = reply.expect_err("no result").to_string();
    assert!(
        why.contains("sampling/createMessage was not offered"),
        "{why}"
    );
    assert!(operator.asked.borrow().is_empty());
}

/// The usual answers of a server without sessions.
fn stateless(seen: &Seen) -> Answer {
    if seen.body["method"] != "server/discover" {
        return accepted();
    }
    let found = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
        "capabilities": {}});
    json(&result(seen, &found))
}

/// Calls a tool of a server without sessions that answers each call so, with an operator who accepts.
async fn ask_in_place(answer: Value) -> (Server, Operator, Result<String, McpFailure>) {
    let server = Server::start(move |seen| match is_call(seen) {
        true => json(&result(seen, &answer)),
        false => stateless(seen),
    })
    .await;
    let http = zoea_http::build_client().expect("a client");
    let endpoint = UpstreamEndpoint::new(server.endpoint.url.clone(), http);
    let session = ServerSession::open(endpoint).await.expect("a session");
    let operator = Operator::accepting().at_once();
    let reply = call_with(&session, &operator, LONG).await;
    (server, operator, reply)
}

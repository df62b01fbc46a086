//! Tests of servers without sessions, and of finding out which kind a server is.

use actors::ports::{LinkReply, ServerTask};
use rmcp::model::{MetaObject, RequestMetaObject};
use serde_json::Map;

use super::*;

/// An endpoint whose kind is not known.
fn unknown(server: &Server) -> UpstreamEndpoint {
    let http = zoea_http::build_client().expect("a client");
    UpstreamEndpoint::new(server.endpoint.url.clone(), http)
}

/// The usual answers of a server without sessions.
fn modern(seen: &Seen) -> Answer {
    match seen.body["method"].as_str() {
        Some("server/discover") => json(&result(
            seen,
            &json!({
                "resultType": "complete",
                "supportedVersions": ["2025-11-25", "2026-07-28"],
                "capabilities": {"tools": {}},
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "1"}},
                "ttlMs": 0,
                "cacheScope": "private",
            }),
        )),
        Some("tools/list") => json(&result(
            seen,
            &json!({
                "resultType": "complete",
                "ttlMs": 1500,
                "cacheScope": "public",
                "tools": [
                    {"name": "jump", "inputSchema": {"type": "object", "properties": {
                        "system": {"type": "string", "x-mcp-header": "System"}}}},
                    {"name": "bad", "inputSchema": {"type": "object", "x-mcp-header": "Root"}},
                ],
            }),
        )),
        _ => refused(seen, 404, -32601),
    }
}

fn refused(seen: &Seen, status: u16, code: i64) -> Answer {
    let error = json!({"code": code, "message": "no"});
    Answer {
        status,
        ..json(&json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}))
    }
}

#[tokio::test]
async fn each_request_says_everything_in_its_headers_and_in_itself() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/call") => json(&result(seen, &said("there"))),
        _ => modern(seen),
    })
    .await;
    let session = ServerSession::open(unknown(&server)).await.expect("open");
    assert_eq!(session.mode(), SessionMode::Stateless);
    assert_eq!(session.server_name().map(|name| &**name), Some("modern"));
    assert_eq!(session.resume_token(), None);
    let listing = session.tools().await.expect("a list");
    assert_eq!(names(&listing), ["jump"]);
    assert!(
        listing
            .left_out()
            .expect("one")
            .contains("bad (its schema has an x-mcp-header")
    );
    assert_eq!(
        (listing.ttl, listing.is_public),
        (Some(Duration::from_millis(1500)), true)
    );
    let arguments = json!({"system": "Sölheim"});
    let params = CallToolRequestParams::new("jump")
        .with_arguments(arguments.as_object().expect("an object").clone());
    let reply = session.call(params, LONG).await;
    assert_eq!(reply.expect("a result").text, "there");
    assert_eq!(
        server.methods(),
        ["server/discover", "tools/list", "tools/call"]
    );
    for (seen, method) in server.seen().iter().zip(server.methods()) {
        assert_eq!(seen.session, None);
        assert_eq!(seen.version.as_deref(), Some("2026-07-28"));
        assert_eq!(seen.headers["mcp-method"], method);
        let meta = &seen.body["params"]["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "zoea");
        assert_eq!(
            meta["io.modelcontextprotocol/clientCapabilities"],
            json!({})
        );
    }
    let called = server.seen().pop().expect("a call");
    assert_eq!(called.headers["mcp-name"], "jump");
    assert_eq!(
        called.headers["mcp-param-system"],
        "=?base64?U8O2bGhlaW0=?="
    );
}

#[tokio::test]
async fn a_server_with_sessions_is_found_out_by_any_other_refusal_and_remembered() {
    for refusal in [(200, -32600), (400, -32000), (404, -32601), (400, -32022)] {
        let server = Server::start(move |seen| match seen.body["method"].as_str() {
            Some("server/discover") => refused(seen, refusal.0, refusal.1),
            _ => usual(seen),
        })
        .await;
        let endpoint = unknown(&server);
        for _ in 0..2 {
            let session = ServerSession::open(endpoint.clone()).await.expect("open");
            assert_eq!(session.mode(), SessionMode::Sessions, "{refusal:?}");
        }
        let asked = server
            .methods()
            .into_iter()
            .filter(|of| of == "server/discover");
        // An unknown revision is asked about once more.
        let questions = if refusal.1 == -32022 { 2 } else { 1 };
        assert_eq!(asked.count(), questions, "{refusal:?}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_the_revision_at_first_is_asked_once_more() {
    let refused_once = AtomicBool::new(false);
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("server/discover") if !refused_once.swap(true, Ordering::SeqCst) => {
            refused(seen, 400, -32022)
        }
        _ => modern(seen),
    })
    .await;
    let session = ServerSession::open(unknown(&server)).await.expect("open");
    assert_eq!(session.mode(), SessionMode::Stateless);
    assert_eq!(server.methods(), ["server/discover"; 2]);
}

#[tokio::test]
async fn a_server_that_is_busy_or_refuses_access_is_not_taken_for_another_kind() {
    for status in [401, 403, 429, 503] {
        let server = Server::start(move |_| Answer {
            status,
            ..json(&json!({}))
        })
        .await;
        let failure = ServerSession::open(unknown(&server))
            .await
            .err()
            .expect("no session");
        assert!(matches!(failure, McpFailure::Status { status: of, .. } if of == status));
        let asked = match status {
            429 => &["server/discover"][..],
            _ => &["server/discover", "initialize"],
        };
        assert_eq!(server.methods(), asked, "{status}");
    }
}

#[tokio::test]
async fn where_only_the_first_question_is_refused_the_answer_to_initialize_decides() {
    for status in [401, 403, 500, 502, 504] {
        let refusal = move |body: Value| Answer {
            status,
            ..json(&body)
        };
        let gate = move |seen: &Seen| match seen.body["method"].as_str() {
            Some("server/discover") => refusal(json!({"error": "server/discover is not allowed"})),
            _ => usual(seen),
        };
        let server = Server::start(gate).await;
        let session = ServerSession::open(unknown(&server)).await;
        let session = session.unwrap_or_else(|why| panic!("{status}: {why}"));
        assert_eq!(session.mode(), SessionMode::Sessions);
        // A server without sessions is away for the moment, and does not know `initialize`.
        let server = Server::start(move |seen| match seen.body["method"].as_str() {
            Some("server/discover") => refusal(json!({})),
            _ => refused(seen, 404, -32601),
        })
        .await;
        let failure = ServerSession::open(unknown(&server)).await.err();
        let failure = failure.expect("no session").to_string();
        assert!(
            failure.starts_with(&format!("HTTP {status} to `server/discover`")),
            "{failure}"
        );
    }
}

#[tokio::test]
async fn a_server_that_gives_up_sessions_is_found_out_again() {
    let has_sessions = Arc::new(AtomicBool::new(true));
    let still = has_sessions.clone();
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        _ if !still.load(Ordering::SeqCst) => match seen.body["method"].as_str() {
            Some("initialize") => refused(seen, 400, -32022),
            _ => modern(seen),
        },
        Some("server/discover") => refused(seen, 404, -32601),
        _ => usual(seen),
    })
    .await;
    let endpoint = unknown(&server);
    let mode = async || {
        ServerSession::open(endpoint.clone())
            .await
            .expect("open")
            .mode()
    };
    assert_eq!(mode().await, SessionMode::Sessions);
    has_sessions.store(false, Ordering::SeqCst);
    assert_eq!(mode().await, SessionMode::Stateless);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_not_taken_up_and_the_call_stays_unknown() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/call") => {
            events("id: 7\ndata: {\"method\":\"notifications/tools/list_changed\"}\n\n")
        }
        _ => modern(seen),
    })
    .await;
    let session = ServerSession::open(unknown(&server)).await.expect("open");
    let failure = call(&session, LONG).await.expect_err("no answer");
    assert!(matches!(failure, McpFailure::Broken(_)), "{failure}");
    assert_eq!(
        server.methods().last().map(String::as_str),
        Some("tools/call")
    );
    assert!(session.has_new_tools(), "the stream said so");
    session.tools().await.expect("a list");
    assert!(!session.has_new_tools());
}

/// Whether the newest request says that tasks are taken.
fn offers_tasks(server: &Server) -> bool {
    let tasks = "/params/_meta/io.modelcontextprotocol~1clientCapabilities/extensions/io.modelcontextprotocol~1tasks";
    let newest = server.seen().pop().expect("a request");
    newest.body.pointer(tasks) == Some(&json!({}))
}

#[tokio::test]
async fn a_server_with_sessions_is_offered_no_tasks() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/call") => json(&result(seen, &said("ore"))),
        _ => usual(seen),
    })
    .await;
    let session = ServerSession::open(server.endpoint.clone())
        .await
        .expect("open");
    let params = CallToolRequestParams::new("mine");
    let reply = session.call_on_terms(params, taking_tasks()).await;
    assert!(matches!(reply, Ok(LinkReply::Answer(_))), "{reply:?}");
    assert!(!offers_tasks(&server));
}

#[tokio::test]
async fn a_task_is_told_with_its_id_and_asked_for_until_it_ends() {
    let server = Server::start(|seen| {
        let id = seen.body["params"]["taskId"].as_str().unwrap_or_default();
        let task = |status: &str, more: Value| {
            let mut task = json!({"resultType": "complete", "taskId": id, "status": status,
                "createdAt": "2026-11-23T00:00:00Z", "lastUpdatedAt": "2026-11-23T00:00:00Z", "ttlMs": null});
            let more = more.as_object().expect("an object").clone();
            task.as_object_mut().expect("an object").extend(more);
            json(&result(seen, &task))
        };
        match (seen.body["method"].as_str(), id) {
            (Some("tools/call"), _) => json(&result(seen, &json!({
                "resultType": "task", "taskId": "t-1", "status": "working", "ttlMs": 60000,
                "createdAt": "x", "lastUpdatedAt": "x", "pollIntervalMs": 20,
            }))),
            (Some("tasks/get"), "busy") => task("working", json!({"pollIntervalMs": 5})),
            (Some("tasks/get"), "asks") => task("input_required", json!({"inputRequests": {}})),
            (Some("tasks/get"), "done") => task("completed", json!({"result": said("ore")})),
            (Some("tasks/get"), "failed") => {
                task("failed", json!({"error": {"code": -32000, "message": "no fuel"}}))
            }
            (Some("tasks/get"), "over") => task("cancelled", json!({})),
            (Some("tasks/get"), "odd") => task("sleeping", json!({})),
            (Some("tasks/get"), _) => refused(seen, 200, -32602),
            (Some("tasks/cancel"), _) => json(&result(seen, &json!({"resultType": "complete"}))),
            _ => modern(seen),
        }
    })
    .await;
    let session = ServerSession::open(unknown(&server)).await.expect("open");
    let jump = || CallToolRequestParams::new("jump");
    let unasked = session.call(jump(), LONG).await;
    assert!(matches!(unasked, Err(McpFailure::Broken(_))), "{unasked:?}");
    assert!(!offers_tasks(&server));
    let mut params = jump();
    let mut own = MetaObject::default();
    own.insert("ours".to_string(), json!(1));
    params.meta = Some(RequestMetaObject(own));
    let reply = session.call_on_terms(params, taking_tasks()).await;
    assert!(offers_tasks(&server));
    let meta = server.seen().pop().expect("a call").body["params"]["_meta"].clone();
    assert_eq!(
        (&meta["ours"], meta.as_object().map(Map::len)),
        (&json!(1), Some(4))
    );
    let started = ServerTask {
        id: "t-1".into(),
        poll_after: Some(Duration::from_millis(20)),
    };
    assert_eq!(reply.expect("a task"), LinkReply::Task(started));
    let ask = async |id: &str| session.task(id, LONG).await;
    let pause = Some(Duration::from_millis(5));
    assert_eq!(
        ask("busy").await.expect("known"),
        TaskAnswer::Working(pause)
    );
    assert_eq!(ask("asks").await.expect("known"), TaskAnswer::WantsInput);
    assert!(matches!(ask("done").await, Ok(TaskAnswer::Done(result)) if result.text == "ore"));
    let refused = TaskAnswer::Refused(Some(-32000), "no fuel (-32000)".to_string());
    assert_eq!(ask("failed").await.expect("known"), refused);
    assert_eq!(ask("over").await.expect("known"), TaskAnswer::Cancelled);
    assert!(matches!(ask("odd").await, Err(McpFailure::Broken(_))));
    assert!(offers_tasks(&server));
    session.cancel_task("busy", LONG).await.expect("taken");
    assert!(offers_tasks(&server));
    assert!(matches!(
        ask("none").await,
        Err(McpFailure::Refused {
            code: Some(-32602),
            ..
        })
    ));
    assert_eq!(
        server.seen().pop().expect("a question").headers["mcp-name"],
        "none"
    );
}

fn taking_tasks() -> CallTerms<'static> {
    CallTerms {
        takes_task: true,
        ..CallTerms::new(LONG)
    }
}

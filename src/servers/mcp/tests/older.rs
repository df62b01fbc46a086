//! Tests of servers that are not what is asked for, and of one that asks without end.

use super::*;

/// An answer with this status, of a web server.
fn page(status: u16) -> Answer {
    Answer {
        status,
        kind: "text/html",
        body: "<!DOCTYPE html>\n<html><head><TITLE> Not\tFound </TITLE></head></html>".to_string(),
        then: Then::End,
    }
}

async fn refused(server: &Server) -> String {
    let http = zoea_http::build_client().expect("a client");
    let endpoint = UpstreamEndpoint::new(server.endpoint.url.clone(), http);
    let opened = ServerSession::open(endpoint).await;
    opened.err().expect("no session").to_string()
}

#[tokio::test]
async fn a_server_of_2024_is_named_as_what_it_is_with_the_remedy() {
    for status in [400, 404, 405, 422] {
        let server = Server::start(move |seen| match seen.method.as_str() {
            "GET" => Answer {
                then: Then::Nothing,
                ..events(": hello\nevent: endpoint\ndata: /messages?sessionId=1\n\n")
            },
            _ => page(status),
        })
        .await;
        let why = refused(&server).await;
        assert!(why.contains("HTTP+SSE, the transport of 2024"), "{why}");
        assert!(why.contains("mcp-remote"), "{why}");
    }
}

#[tokio::test]
async fn of_a_web_page_the_title_is_told() {
    let server = Server::start(|_| page(404)).await;
    let why = refused(&server).await;
    assert_eq!(
        why,
        "HTTP 404 to `initialize`: a web page, \"Not Found\", not an MCP server"
    );
}

#[tokio::test]
async fn a_session_lives_though_the_server_takes_no_notification_of_it() {
    for status in [400, 404, 500, 401, 403] {
        let server = Server::start(move |seen| match seen.body["method"].as_str() {
            Some("notifications/initialized") => Answer {
                status,
                ..json(&json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32603, "message": "no"}}))
            },
            Some("tools/list") => json(&result(seen, &json!({"tools": [tool("mine")]}))),
            _ => usual(seen),
        })
        .await;
        let opened = ServerSession::open(server.endpoint.clone()).await;
        if matches!(status, 401 | 403) {
            let failure = opened.err().expect("no access");
            assert!(matches!(failure, McpFailure::Status { .. }), "{failure}");
            continue;
        }
        let listing = opened.expect("a session").tools().await.expect("tools");
        assert_eq!(names(&listing), ["mine"], "{status}");
    }
}

#[tokio::test]
async fn a_request_of_one_session_has_no_id_of_another() {
    let server = Server::start(usual).await;
    let (_one, _other) = (server.open().await, server.open().await);
    let seen = server.seen();
    let mut opened = seen
        .iter()
        .filter(|seen| seen.body["method"] == "initialize");
    let ids = [opened.next(), opened.next()].map(|seen| seen.expect("two").body["id"].clone());
    assert_ne!(ids[0], ids[1]);
}

#[tokio::test]
async fn a_stream_on_which_the_server_asks_without_end_is_given_up() {
    let (server, session) = Server::for_calls(|_| {
        let ping =
            |id: u32| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n\n");
        events(&(0..5000).map(ping).collect::<String>())
    })
    .await;
    let failure = call(&session, LONG).await.expect_err("no answer");
    assert_eq!(
        failure.to_string(),
        "the server asked more than 20 times a second"
    );
    assert!(server.seen().len() < 600, "{}", server.seen().len());
}

//! Both kinds of sessions: the MCP session of the header, and the game's own session.

use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _,
    model::ProtocolVersion,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::json;
use zoea_galaxy::{GalaxyOptions, UnknownSession, frontend::SessionRules};

use crate::clients::{OwnClock, Player, Wire, fast, http, start};

#[tokio::test]
async fn rmcp_and_the_server_agree_on_a_protocol_version() {
    let running = start(fast()).await;
    let url = running.galaxy.url();
    for (asked, agreed) in [
        (ProtocolVersion::V_2024_11_05, "2024-11-05"),
        (ProtocolVersion::V_2025_03_26, "2025-03-26"),
        (ProtocolVersion::V_2025_06_18, "2025-06-18"),
        (ProtocolVersion::V_2025_11_25, "2025-03-26"),
    ] {
        let player = Player::connect_with(&url, asked).await;
        let server = player.mcp.peer_info().unwrap();
        assert_eq!(server.protocol_version.as_str(), agreed);
        assert_eq!(
            server.server_info.as_ref().unwrap().name,
            "spacemolt-gameserver"
        );
        player.ok("get_version", json!({})).await;
    }
}

#[tokio::test]
async fn a_client_that_asks_for_the_newest_protocol_first_falls_back() {
    let running = start(fast()).await;
    let config = StreamableHttpClientTransportConfig::with_uri(running.galaxy.url());
    let transport = StreamableHttpClientTransport::with_client(http(), config);
    let mode = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let client = ().serve_with_lifecycle(transport, mode).await.unwrap();
    let server = client.peer_info().unwrap();
    assert_eq!(server.protocol_version.as_str(), "2025-03-26");
    assert_eq!(client.list_all_tools().await.unwrap().len(), 164);
}

#[tokio::test]
async fn a_session_is_made_at_initialize_and_repeated_ever_after() {
    let running = start(fast()).await;
    let mut wire = Wire::new(&running.galaxy.url());
    let answer = wire.initialize("2025-03-26").await.unwrap();
    assert_eq!(answer.status, 200);
    let session = answer.session.clone().unwrap();
    wire.session = answer.session;
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let answer = wire.post(note.to_string()).await.unwrap();
    assert_eq!((answer.status, answer.text.as_str()), (202, ""));
    let answer = wire.request("tools/list", json!({})).await.unwrap();
    assert_eq!(answer.session, Some(session));
    assert_eq!(answer.json()["id"], "q-1");
}

#[tokio::test]
async fn an_unknown_session_is_told_so_with_the_id_of_the_request() {
    for (unknown_session, status) in [(UnknownSession::Ok, 200), (UnknownSession::NotFound, 404)] {
        let running = start(GalaxyOptions {
            unknown_session,
            ..fast()
        })
        .await;
        let mut wire = Wire::new(&running.galaxy.url());
        for session in [None, Some("nonsense".to_owned())] {
            wire.session = session;
            for method in ["tools/list", "tools/call", "server/discover", "ping"] {
                let answer = wire.request(method, json!({})).await.unwrap();
                assert_eq!(answer.status, status);
                let error = json!({ "code": -32600, "message": "Session not initialized" });
                assert_eq!(answer.json()["error"], error);
                assert_eq!(answer.json()["id"], "q-1");
            }
        }
    }
}

#[tokio::test]
async fn only_post_and_delete_are_served() {
    let running = start(fast()).await;
    let wire = Wire::open(&running.galaxy.url()).await;
    assert_eq!(wire.get().await.unwrap().status, 405);
    assert_eq!(wire.delete().await.unwrap().status, 200);
    let answer = wire.request("tools/list", json!({})).await.unwrap();
    assert_eq!(answer.json()["error"]["code"], -32600);
}

#[tokio::test]
async fn what_is_no_message_is_answered_as_json_rpc_has_it() {
    let running = start(fast()).await;
    let wire = Wire::open(&running.galaxy.url()).await;
    let answer = wire.post("{\"id\":".to_owned()).await.unwrap();
    assert_eq!(answer.json()["error"]["code"], -32700);
    let answer = wire.post("[]".to_owned()).await.unwrap();
    assert_eq!(answer.json()["error"]["code"], -32600);
    let answer = wire
        .request("tools/call", json!({ "name": "mine", "arguments": "{}" }))
        .await;
    assert_eq!(
        answer.unwrap().words(),
        "Error: invalid_json: Invalid JSON in request body"
    );
    // Prompts, resources and completions are not declared.
    for method in [
        "tools/fold",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let answer = wire.request(method, json!({})).await.unwrap();
        assert_eq!(answer.json()["error"]["code"], -32601, "{method}");
    }
    let asked = json!({
        "ref": {"type": "ref/prompt", "name": "p"},
        "argument": {"name": "a", "value": "b"},
    });
    let answer = wire.request("completion/complete", asked).await.unwrap();
    assert_eq!(answer.json()["error"]["code"], -32601);
}

#[tokio::test]
async fn idle_sessions_expire_by_the_clock_and_used_ones_do_not() {
    let time = OwnClock::default();
    let running = start(GalaxyOptions {
        clock: time.clock(),
        ..fast()
    })
    .await;
    let wire = Wire::open(&running.galaxy.url()).await;
    let idle = Wire::open(&running.galaxy.url()).await;
    let register = json!({ "username": "Quill", "empire": "solarian", "registration_code": "C" });
    wire.tool("register", register).await.unwrap();
    for _ in 0..3 {
        time.pass(15 * 60);
        let answer = wire.tool("get_status", json!({})).await.unwrap();
        assert!(answer.words().contains("Quill"));
    }
    let answer = idle.request("tools/list", json!({})).await.unwrap();
    assert_eq!(answer.json()["error"]["message"], "Session not initialized");
    time.pass(30 * 60);
    let answer = wire.tool("get_status", json!({})).await.unwrap();
    assert_eq!(answer.json()["error"]["code"], -32600);
    let health = loop {
        // The next sweep comes with a tick.
        let health = wire.page("/health").await;
        if health["online"] == 0 {
            break health;
        }
    };
    assert_eq!(health["players"], 1);
}

#[tokio::test]
async fn the_game_session_expires_apart_from_the_connection() {
    let time = OwnClock::default();
    let running = start(GalaxyOptions {
        clock: time.clock(),
        ..fast()
    })
    .await;
    let wire = Wire::open(&running.galaxy.url()).await;
    let register = json!({ "username": "Quill", "empire": "solarian", "registration_code": "C" });
    wire.tool("register", register).await.unwrap();
    for _ in 0..2 {
        time.pass(16 * 60);
        // Keeps the MCP session alive, but not the login.
        wire.tool("get_version", json!({})).await.unwrap();
    }
    assert_eq!(
        wire.tool("get_status", json!({})).await.unwrap().words(),
        "Error: session_invalid: Session not found or expired. Call login() again to get a new \
         session_id."
    );
}

#[tokio::test]
async fn a_new_login_displaces_the_older_one() {
    let running = start(fast()).await;
    let url = running.galaxy.url();
    let (first, welcome) = Player::register(&url, "Quill", "solarian").await;
    let second = Player::connect(&url).await;
    let credentials = json!({ "username": "Quill", "password": welcome["password"] });
    let back = second.ok("login", credentials).await;
    assert_eq!(back["message"], "Welcome back, Quill!");
    assert!(
        first
            .refused("get_status", json!({}))
            .await
            .starts_with("Error: session_invalid: ")
    );
    let stale = json!({ "session_id": welcome["session_id"] });
    assert!(
        second
            .refused("get_status", stale)
            .await
            .starts_with("Error: session_invalid: ")
    );
    let fresh = json!({ "session_id": back["session_id"] });
    second.ok("get_status", fresh).await;
}

#[tokio::test]
async fn closing_the_client_ends_the_login() {
    let running = start(fast()).await;
    let url = running.galaxy.url();
    let (mut player, _) = Player::register(&url, "Quill", "solarian").await;
    let wire = Wire::new(&url);
    assert_eq!(wire.page("/health").await["online"], 1);
    player.mcp.close().await.unwrap();
    while wire.page("/health").await["online"] != 0 {}
}

#[tokio::test]
async fn the_session_argument_is_demanded_if_so_configured() {
    let sessions = SessionRules {
        needs_argument: true,
        ..SessionRules::default()
    };
    let running = start(GalaxyOptions { sessions, ..fast() }).await;
    let (player, welcome) = Player::register(&running.galaxy.url(), "Quill", "solarian").await;
    let tools = player.mcp.list_all_tools().await.unwrap();
    let mine = tools.iter().find(|tool| tool.name == "mine").unwrap();
    assert_eq!(mine.input_schema["required"], json!(["session_id"]));
    assert!(
        player
            .refused("get_status", json!({}))
            .await
            .starts_with("Error: session_required: ")
    );
    player
        .ok("get_status", json!({ "session_id": welcome["session_id"] }))
        .await;
}

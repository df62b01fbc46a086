//! Answers of servers of tools that others met (`tests/incidents/tool-*.json`), served again by the galaxy: what
//! the real client of MCP servers makes of them.

use parking_lot::Mutex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use actors::secrets::Secrets;
use rmcp::model::CallToolRequestParams;
use zoea_galaxy::GalaxyOptions;
use zoea_grammar::incident::{Incident, IncidentKeeper, IncidentKind, Keeping};
use zoea_mcp::{FailedCalls, ServerSession, UpstreamEndpoint};

use crate::clients::{Running, fast, start};

/// What comes of a call.
#[derive(Clone, Copy, Debug)]
enum Meant {
    /// Its result is read.
    Result(&'static str),
    /// It fails in these words of the server.
    Fault(&'static str),
}
use Meant::{Fault, Result as Read};

const SHAPES: [(&str, Meant); 5] = [
    ("tool-audience", Read("5 ore")),
    ("tool-event-ping", Read("5 ore")),
    ("tool-lost500", Fault("HTTP 500: Internal error")),
    ("tool-session200", Fault("Session not found")),
    ("tool-text-code", Fault("the hold is full")),
];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/incidents")
}

fn incident(name: &str) -> Incident {
    let file = directory().join(format!("{name}.json"));
    Incident::parse(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Keeps incidents in memory.
#[derive(Default)]
struct Kept(Mutex<Vec<Incident>>);

impl IncidentKeeper for Kept {
    fn keep(&self, incident: Incident) -> Keeping {
        self.0.lock().push(incident);
        Box::pin(std::future::ready(()))
    }
}

/// A galaxy that serves this incident, a session with it, and what is kept.
async fn serving(incident: Incident) -> (Running, ServerSession, Arc<Kept>, Secrets) {
    let running = start(GalaxyOptions {
        replays: vec![incident],
        ..fast()
    })
    .await;
    let (kept, secrets) = (Arc::new(Kept::default()), Secrets::default());
    let calls = FailedCalls::new(kept.clone(), secrets.clone());
    let http = zoea_http::build_direct_client().unwrap();
    let mut endpoint = UpstreamEndpoint::new(running.galaxy.url(), http);
    endpoint.failed_calls = Some(calls);
    let session = ServerSession::open(endpoint).await.unwrap();
    (running, session, kept, secrets)
}

async fn mine(session: &ServerSession, words: &str) -> std::result::Result<String, String> {
    let arguments = serde_json::json!({"words": words, "password": "hush-hush"});
    let arguments = arguments.as_object().cloned().unwrap();
    let params = CallToolRequestParams::new("mine").with_arguments(arguments);
    let answer = session.call(params, Duration::from_secs(20)).await;
    answer
        .map(|result| result.text)
        .map_err(|failure| failure.to_string())
}

#[tokio::test]
async fn the_shapes_of_incidents_are_read_as_they_are_meant() {
    for (name, meant) in SHAPES {
        let (_running, session, kept, _) = serving(incident(name)).await;
        let answer = mine(&session, "").await;
        let kept = kept.0.lock().len();
        match meant {
            Read(text) => {
                assert_eq!(answer.as_deref(), Ok(text), "{name}");
                assert_eq!(kept, 0, "{name}: nothing failed");
            }
            Fault(words) => {
                let shown = answer.unwrap_err();
                assert!(shown.contains(words), "{name}: {shown}");
                assert_eq!(kept, 1, "{name}: it can be handed on");
            }
        }
    }
}

#[test]
fn every_file_of_a_tool_is_replayed() {
    let files = fs::read_dir(directory()).unwrap();
    for file in files.map(|file| file.unwrap().path()) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let is_of_tool = incident(&name).kind == IncidentKind::Tool;
        let is_listed = SHAPES.iter().any(|(known, _)| *known == name);
        assert_eq!(is_of_tool, is_listed, "{name}");
        assert_eq!(is_of_tool, name.starts_with("tool-"), "{name}");
    }
}

#[tokio::test]
async fn a_call_that_failed_is_kept_without_secrets_and_fails_again_when_it_is_served() {
    let refusal = Incident {
        body: r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"no: sesame-sesame"}}"#
            .to_string(),
        headers: vec![("content-type".to_string(), "application/json".to_string())],
        status: 400,
        ..incident("tool-text-code")
    };
    let (_running, session, kept, secrets) = serving(refusal).await;
    secrets.learn(["sesame-sesame".into()]);
    let first = mine(&session, "open sesame-sesame").await.unwrap_err();
    assert!(first.contains("no: "), "{first}");
    let text = kept.0.lock().pop().unwrap().to_text();
    for secret in ["sesame-sesame", "hush-hush"] {
        assert!(!text.contains(secret), "{text}");
    }
    let incident = Incident::parse(&text).unwrap();
    assert_eq!((incident.kind, incident.status), (IncidentKind::Tool, 400));
    assert!(incident.request.contains("tools/call"), "{text}");
    // Somebody else gets the same failure of it.
    let (_running, session, ..) = serving(incident.clone()).await;
    let again = mine(&session, "").await.unwrap_err();
    assert!(
        incident.body.contains("no: ") && again.contains("no: "),
        "{again}"
    );
}

#[tokio::test]
async fn a_long_exchange_is_cut_to_what_a_file_may_hold() {
    let long = Incident {
        body: "x".repeat(3 << 20),
        status: 500,
        ..incident("tool-text-code")
    };
    let (_running, session, kept, _) = serving(long).await;
    let words = "y".repeat(1 << 20);
    mine(&session, &words).await.unwrap_err();
    let text = kept.0.lock().pop().unwrap().to_text();
    assert!(
        text.len() <= zoea_grammar::incident::MAX_INCIDENT_BYTES,
        "{}",
        text.len()
    );
    assert!(Incident::parse(&text).is_ok());
}

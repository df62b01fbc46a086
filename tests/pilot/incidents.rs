//! Answers of servers that others met (`tests/incidents/`), served again by the pilot: what the real
//! client of model servers makes of them.

use parking_lot::Mutex;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use actors::domain::model::{ChatMessage, ModelAnswer, ModelFault, ModelRequest};
use actors::domain::tool::{ToolSpec, Toolset};
use actors::ports::{AnswerMeter, Models};
use actors::secrets::Secrets;
use zoea_grammar::incident::{Incident, IncidentKeeper, IncidentKind, Keeping};
use zoea_pilot::PilotOptions;
use zoea_provider::{ProviderEndpoint, Providers};

use crate::served::{Served, with_faults};

/// What comes of an answer.
#[derive(Clone, Copy, Debug)]
enum Meant {
    /// One call, however it was repeated.
    OneCall,
    /// No call: it is no answer, or one without any.
    NoCall,
    /// A failure that is told in these words of the server.
    Fault(&'static str),
}
use Meant::{Fault, NoCall, OneCall};

/// The files of model servers.
const SHAPES: [(&str, Meant); 28] = [
    ("azure400", Fault("content management policy")),
    ("cache-sum", OneCall),
    ("cumulative", OneCall),
    ("echo", Fault("1 validation error")),
    ("error-empty", OneCall),
    ("error-text", OneCall),
    ("filter200", NoCall),
    ("inspect400", Fault("inappropriate content")),
    ("limit-anthropic-month", Fault("2030-01-01")),
    ("limit-glm5h", Fault("Usage limit reached")),
    ("limit-litellm", Fault("Budget has been exceeded")),
    ("limit-ollama-week", Fault("weekly usage limit")),
    ("limit-openai-inactive", Fault("not active")),
    ("limit-openrouter-key", Fault("Key limit exceeded")),
    ("long-anthropic", Fault("context limit")),
    ("long-cerebras", NoCall),
    ("long-kimi", Fault("token limit")),
    ("long-ollama-cloud", Fault("prompt too long")),
    ("long-vllm-new", Fault("32000 tokens")),
    ("long-xai", Fault("maximum prompt length")),
    ("malformed", NoCall),
    ("parse500", NoCall),
    ("poison500", Fault("sensitive words")),
    ("risk400", Fault("Content Exists Risk")),
    ("twice-same-id", OneCall),
    ("unloaded", Fault("No models loaded")),
    ("whole-twice", OneCall),
    ("xai403", Fault("Content violates usage guidelines")),
];

fn directory() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/incidents")
}

fn incident(name: &str) -> Incident {
    let file = directory().join(format!("{name}.json"));
    let text = fs::read_to_string(file).expect(name);
    Incident::parse(&text).expect(name)
}

fn asking(text: &str) -> ModelRequest {
    let tool = ToolSpec {
        name: "mine".into(),
        description: "Mines.".into(),
        schema: r#"{"type":"object","properties":{}}"#.into(),
        read_only_hint: None,
    };
    ModelRequest {
        provider: "local".into(),
        model: "m".into(),
        messages: vec![
            ChatMessage::System("You play.".into()),
            ChatMessage::User(text.into()),
        ]
        .into(),
        tools: Arc::new(Toolset::new([tool])),
        temperature: None,
        max_tokens: None,
    }
}

async fn client_of(incident: Incident) -> (Served, Providers) {
    let served = Served::start(PilotOptions {
        replays: vec![incident],
        ..with_faults(&[])
    })
    .await;
    let endpoint = ProviderEndpoint {
        url: format!("{}/v1", served.root),
        is_streamed: true,
        ..ProviderEndpoint::default()
    };
    let http = zoea_http::build_client().unwrap();
    let providers = Providers::new(&http, [("local".into(), endpoint)]);
    (served, providers)
}

/// Asks until the form of the request is no reason for a failure any more.
async fn ask(providers: &Providers, text: &str) -> Result<ModelAnswer, ModelFault> {
    for _ in 0..8 {
        match providers.ask(asking(text), AnswerMeter::default()).await {
            Err(ModelFault::Adapted { .. }) => {}
            answer => return answer,
        }
    }
    panic!("it never ends");
}

#[tokio::test]
async fn the_shapes_of_incidents_are_read_as_they_are_meant() {
    for (name, meant) in SHAPES {
        let incident = incident(name);
        let is_for_some = !incident.only_with.is_empty();
        let (served, providers) = client_of(incident).await;
        let answer = ask(&providers, "Rex says POISON.").await;
        // An answer that is refused as a whole holds a call that is not made.
        let made = answer.as_ref().ok().filter(|it| it.refusal.is_none());
        let calls = made.map_or(0, |answer| answer.calls.len());
        match meant {
            OneCall => assert_eq!(calls, 1, "{name}: {answer:?}"),
            NoCall => assert_eq!(calls, 0, "{name}: {answer:?}"),
            Fault(words) => {
                let fault = answer.expect_err(name);
                assert!(fault.text().contains(words), "{name}: {fault:?}");
            }
        }
        if is_for_some {
            let answer = ask(&providers, "Rex says hello.").await;
            assert!(answer.is_ok(), "{name}: {answer:?}");
        }
        served.end().await;
    }
}

#[test]
fn every_file_is_an_incident_and_is_replayed() {
    let files = fs::read_dir(directory()).expect("the directory");
    let names = files.map(|file| file.expect("a file").path());
    let names = names.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned());
    for name in names {
        let is_of_model = incident(&name).kind == IncidentKind::Model;
        let is_listed = SHAPES.iter().any(|(known, _)| *known == name);
        assert_eq!(is_of_model, is_listed, "{name}");
    }
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

#[tokio::test]
async fn a_failure_that_was_kept_is_served_again_and_holds_no_secret() {
    let refusal = Incident {
        body: r#"{"error":{"message":"no: sesame-sesame"}}"#.to_string(),
        ..incident("risk400")
    };
    let (served, providers) = client_of(refusal).await;
    let kept = Arc::new(Kept::default());
    let secrets = Secrets::default();
    secrets.learn(["sesame-sesame".into()]);
    let providers = providers.with_secrets(secrets).with_incidents(kept.clone());
    let first = ask(&providers, "POISON sesame-sesame")
        .await
        .expect_err("refused");
    let incident = kept.0.lock().last().cloned().expect("it is kept");
    let text = incident.to_text();
    assert!(!text.contains("sesame-sesame"), "{text}");
    assert!(text.contains("POISON"), "{text}");
    served.end().await;
    // Somebody else gets the same failure of it.
    let incident = Incident::parse(&text).expect("it reads");
    let (served, providers) = client_of(incident).await;
    let again = ask(&providers, "hello").await.expect_err("refused");
    assert_eq!(again.text(), first.text());
    served.end().await;
}

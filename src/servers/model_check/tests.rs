//! Proofs of different servers over HTTP: their verdicts, and what was learnt.

mod headers;
mod twice;

use parking_lot::Mutex;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use zoea_pilot::{Habits, Persona, PilotFault, PilotOptions, Strictness};

use super::*;

const KEY: &str = "sk-secret-of-the-proof";

/// A pilot that makes no nonsense, except for these faults.
fn pilot(faults: &[&str]) -> PilotOptions {
    PilotOptions {
        habits: Habits {
            seed: 1,
            nonsense: 0.0,
            ..Habits::default()
        },
        faults: faults
            .iter()
            .map(|fault| fault.parse::<PilotFault>().expect("a fault"))
            .collect(),
        ..PilotOptions::default()
    }
}

/// A server on its own port. Dropping it ends the server.
struct Served {
    url: String,
    _ended: DropGuard,
}

impl Served {
    async fn pilot(options: PilotOptions) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let ended = CancellationToken::new();
        tokio::spawn(zoea_pilot::serve(listener, options, ended.clone()));
        Served {
            url,
            _ended: ended.drop_guard(),
        }
    }

    async fn app(app: axum::Router) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let ended = CancellationToken::new();
        let closing = ended.clone().cancelled_owned();
        let serving = axum::serve(listener, app).with_graceful_shutdown(closing);
        tokio::spawn(serving.into_future());
        Served {
            url,
            _ended: ended.drop_guard(),
        }
    }
}

fn target(url: &str) -> CheckTarget {
    CheckTarget {
        provider: "local".into(),
        endpoint: ProviderEndpoint {
            url: url.to_string(),
            api_key: Some(KEY.to_string()),
            is_streamed: true,
            extra: Arc::default(),
            headers: Vec::new(),
            reasoning_back: None,
            marks_cache: false,
        },
        model: "pilot".into(),
        temperature: Some(0.7),
        timeout: Duration::from_secs(20),
        context_tokens: None,
        price: None,
        reads_text_calls: true,
    }
}

async fn prove_quietly(target: &CheckTarget) -> ModelCheck {
    let http = zoea_http::build_client().unwrap();
    let check_result = prove(&http, target, &|_| {}).await;
    let spent = &check_result.report.spent;
    assert!(
        spent.tokens_in + spent.tokens_out <= MAX_PROOF_TOKENS,
        "{spent:?}"
    );
    let text = zoea_contract::to_value(&check_result.report).to_string();
    assert!(!text.contains(KEY), "{text}");
    check_result
}

async fn prove_pilot(options: PilotOptions) -> ModelCheck {
    let served = Served::pilot(options).await;
    prove_quietly(&target(&served.url)).await
}

fn why(check_result: &ModelCheck) -> &str {
    match &check_result.report.verdict {
        CheckVerdict::CannotPlay { why, .. } => why,
        CheckVerdict::Plays => panic!("it plays: {:?}", check_result.report),
    }
}

#[track_caller]
fn assert_plays(check_result: &ModelCheck) {
    let report = &check_result.report;
    assert_eq!(report.verdict, CheckVerdict::Plays, "{report:?}");
}

/// That it cannot play, for a reason that begins so.
#[track_caller]
fn assert_why(check_result: &ModelCheck, expected: &str) {
    let why = why(check_result);
    assert!(why.starts_with(expected), "{why}");
}

fn remedy(check_result: &ModelCheck) -> &str {
    match &check_result.report.verdict {
        CheckVerdict::CannotPlay { remedy, .. } => remedy,
        CheckVerdict::Plays => panic!("it plays: {:?}", check_result.report),
    }
}

fn detail<'a>(check_result: &'a ModelCheck, name: &str) -> (Option<bool>, &'a str) {
    let mut checks = check_result.report.checks.iter();
    let check = checks.find(|check| check.name == name);
    let check = check.unwrap_or_else(|| panic!("no {name}: {:?}", check_result.report));
    (check.ok, &check.detail)
}

#[tokio::test]
async fn a_server_that_does_all_of_it_plays() {
    let check_result = prove_pilot(pilot(&[])).await;
    let report = &check_result.report;
    assert_eq!(report.verdict, CheckVerdict::Plays, "{report:?}");
    for name in ["call", "result", "two_calls", "roles", "context"] {
        assert_eq!(
            detail(&check_result, name).0,
            Some(true),
            "{name}: {report:?}"
        );
    }
    assert_eq!(
        detail(&check_result, "streaming").1,
        "the server streams its answers"
    );
    assert_eq!(report.learnt, Vec::<String>::new());
    assert!(check_result.lessons.style.is_streamed && check_result.lessons.style.has_temperature);
    assert!(
        report.context.proven.is_some_and(|tokens| tokens > 6000),
        "{report:?}"
    );
    assert!(report.usage.is_some_and(|usage| usage.is_reported));
    assert_eq!(report.spent.cost_micros, None);
    assert_eq!(
        (report.spent.requests, check_result.lessons.context_tokens),
        (7, None)
    );
}

#[tokio::test]
async fn what_a_priced_proof_cost_is_told() {
    let served = Served::pilot(pilot(&[])).await;
    let priced = CheckTarget {
        price: Some(TokenPrice {
            input: 1.0,
            output: 4.0,
            cached: None,
        }),
        ..target(&served.url)
    };
    assert!(priced.announcement().contains("at most $0.0800"));
    let check_result = prove_quietly(&priced).await;
    let spent = &check_result.report.spent;
    let expected = spent.tokens_in + 4 * spent.tokens_out;
    assert_eq!(spent.cost_micros, Some(expected));
}

/// Nothing is said in the model's name unless its server demands it, which the proof finds out.
#[tokio::test]
async fn a_server_that_demands_words_after_results_plays_and_that_is_learnt() {
    let check_result = prove_pilot(PilotOptions {
        strictness: Strictness::Strictest,
        ..pilot(&[])
    })
    .await;
    assert_plays(&check_result);
    assert!(check_result.lessons.style.profile.wants_bridges);
}

#[tokio::test]
async fn a_server_without_a_system_role_plays_and_that_is_learnt() {
    let check_result = prove_pilot(pilot(&["no-system"])).await;
    assert_plays(&check_result);
    assert!(check_result.lessons.style.profile.has_no_system_role);
    let learnt = &check_result.report.learnt;
    assert!(
        learnt[0].starts_with("the system prompt opens the first user message"),
        "{learnt:?}"
    );
}

#[tokio::test]
async fn a_server_that_tells_no_usage_plays_and_is_asked_for_whole_answers() {
    let check_result = prove_pilot(pilot(&["no-usage"])).await;
    assert_plays(&check_result);
    assert!(
        check_result
            .report
            .usage
            .is_some_and(|usage| !usage.is_reported)
    );
    assert!(!check_result.lessons.style.is_streamed);
    assert!(check_result.report.spent.tokens_in > 0);
}

#[tokio::test]
async fn calls_that_are_written_as_text_are_told_with_what_was_written() {
    let check_result = prove_pilot(pilot(&["prose-calls"])).await;
    assert_why(&check_result, "it writes its calls as text");
    assert!(why(&check_result).contains("read_beacon"));
    assert!(remedy(&check_result).contains("--jinja"));
    assert_eq!(check_result.report.spent.requests, 2);
}

#[tokio::test]
async fn a_model_that_leaves_its_calls_in_its_text_plays_unless_they_must_not_be_read() {
    let check_result = prove_pilot(pilot(&["text-calls"])).await;
    assert_plays(&check_result);
    let check = |check_result: &ModelCheck, name: &str| {
        let mut checks = check_result.report.checks.iter();
        checks
            .find(|check| check.name == name)
            .map(|check| check.detail.clone())
    };
    let text = check(&check_result, "text_calls").expect("it is reported");
    assert!(text.contains("--jinja"), "{text}");
    let served = Served::pilot(pilot(&["text-calls"])).await;
    let strict = CheckTarget {
        reads_text_calls: false,
        ..target(&served.url)
    };
    let check_result = prove_quietly(&strict).await;
    assert_why(&check_result, "it writes its calls as text");
    assert_eq!(check(&check_result, "text_calls"), None);
}

#[tokio::test]
async fn a_model_that_only_speaks_or_says_nothing_cannot_play() {
    for (persona, expected) in [
        (
            Persona::Silent,
            "it writes text and calls no tool: \"I have thought",
        ),
        (
            Persona::Mute,
            "it answers an order to call a tool with nothing",
        ),
        (Persona::Notifier, "it writes text and calls no tool"),
    ] {
        let mut options = pilot(&[]);
        options.habits.persona = persona;
        let check_result = prove_pilot(options).await;
        assert_why(&check_result, expected);
    }
}

#[tokio::test]
async fn calls_that_are_wrong_each_time_cannot_play() {
    for (fault, expected) in [
        (
            "bad-json-args",
            "its calls are wrong: \"its arguments are not a JSON object",
        ),
        ("unknown-tool", "its calls are wrong: \"it calls "),
    ] {
        let check_result = prove_pilot(pilot(&[fault])).await;
        assert_why(&check_result, expected);
    }
}

#[tokio::test]
async fn a_prompt_that_is_cut_in_silence_is_found_out() {
    for fault in ["cut-prompt:4096", "cut-prompt:2048"] {
        let check_result = prove_pilot(pilot(&[fault])).await;
        assert_why(&check_result, "it cuts long prompts without an error");
        assert!(remedy(&check_result).contains("OLLAMA_CONTEXT_LENGTH"));
        let limit = fault.split(':').next_back().unwrap().parse().ok();
        assert_eq!(check_result.lessons.context_tokens, limit);
    }
}

#[tokio::test]
async fn a_prompt_that_is_cut_is_found_out_where_usage_is_not_told() {
    let check_result = prove_pilot(pilot(&["cut-prompt:4096", "no-usage"])).await;
    let why = why(&check_result);
    assert!(why.contains("its beginning is not read"), "{why}");
}

#[tokio::test]
async fn a_context_that_is_configured_is_not_gone_beyond() {
    let served = Served::pilot(pilot(&["cut-prompt:4096"])).await;
    let configured = CheckTarget {
        context_tokens: Some(4096),
        ..target(&served.url)
    };
    let check_result = prove_quietly(&configured).await;
    assert_plays(&check_result);
}

#[tokio::test]
async fn a_context_that_refuses_plays_if_a_turn_fits() {
    let check_result = prove_pilot(pilot(&["context-length:6000"])).await;
    assert_plays(&check_result);
    assert_eq!(check_result.report.context.limit, Some(6000));
    assert!(
        check_result
            .report
            .context
            .proven
            .is_some_and(|tokens| tokens > 3000)
    );
    assert_eq!(check_result.lessons.context_tokens, Some(6000));
    let check_result = prove_pilot(pilot(&["context-length:2500"])).await;
    assert_why(
        &check_result,
        "its context of about 2500 tokens is too small",
    );
}

#[tokio::test]
async fn what_takes_no_tools_or_no_results_cannot_play() {
    let check_result = prove_pilot(pilot(&["no-tools"])).await;
    assert_why(&check_result, "pilot does not accept tools:");
    let check_result = prove_pilot(pilot(&["no-tool-role"])).await;
    assert_why(&check_result, "it refuses what the swarm sends (a result)");
    assert!(remedy(&check_result).contains("template"));
}

#[tokio::test]
async fn a_wrong_key_is_told_and_not_shown() {
    let options = PilotOptions {
        api_key: Some("another-secret-key".to_string()),
        ..pilot(&[])
    };
    let check_result = prove_pilot(options).await;
    assert!(
        why(&check_result).contains("refuses the key"),
        "{}",
        why(&check_result)
    );
    assert!(
        remedy(&check_result).contains("`api_key_env`") && remedy(&check_result).contains("local")
    );
    assert_eq!(check_result.report.spent.tokens_in, 0);
    assert_eq!(check_result.report.usage, None);
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up() {
    let served = Served::pilot(pilot(&["hang"])).await;
    let hasty = CheckTarget {
        timeout: Duration::from_secs(1),
        ..target(&served.url)
    };
    let check_result = prove_quietly(&hasty).await;
    assert_why(&check_result, "no complete answer came within 1 s");
    assert!(remedy(&check_result).contains("still loading"));
}

#[tokio::test]
async fn answers_that_break_off_are_told() {
    let check_result = prove_pilot(pilot(&["drop"])).await;
    assert_why(&check_result, "its answers do not arrive");
    assert!(
        !check_result.lessons.style.is_streamed,
        "whole answers were tried, too"
    );
}

#[tokio::test]
async fn what_is_no_model_server_is_told() {
    let check_result = prove_pilot(pilot(&["garbage"])).await;
    assert!(
        why(&check_result).contains("is not a model server"),
        "{}",
        why(&check_result)
    );
    let web = axum::Router::new().fallback(|| async { (StatusCode::NOT_FOUND, "<html>no</html>") });
    let served = Served::app(web).await;
    let check_result = prove_quietly(&target(&served.url)).await;
    assert_why(&check_result, "there is no chat endpoint at");
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", nobody.local_addr().unwrap());
    drop(nobody);
    let check_result = prove_quietly(&target(&url)).await;
    assert_eq!(why(&check_result), format!("no server answers at {url}"));
}

/// A server in front of a pilot that refuses like other servers.
#[derive(Clone)]
struct Picky {
    pilot: String,
    http: reqwest::Client,
    /// The rules of its refusals.
    rules: Arc<Vec<Rule>>,
    sent: Arc<Mutex<Vec<Value>>>,
}

/// A sample of a refusal, and the requests that get it.
type Rule = (&'static str, fn(&Value) -> bool);

impl Picky {
    async fn serve(rules: Vec<Rule>) -> (Served, Served, Picky) {
        let behind = Served::pilot(pilot(&[])).await;
        let picky = Picky {
            pilot: behind.url.clone(),
            http: zoea_http::build_client().unwrap(),
            rules: Arc::new(rules),
            sent: Arc::default(),
        };
        let models = json!({"data": [
            {"id": "qwen3:8b"},
            {"id": "pilot", "context_length": 32768,
             "pricing": {"prompt": "0.000001", "completion": "0.000002"}},
        ]});
        let app = axum::Router::new()
            .route("/v1/models", get(|| async move { axum::Json(models) }))
            .route("/v1/chat/completions", post(Picky::answer))
            .with_state(picky.clone());
        (Served::app(app).await, behind, picky)
    }

    async fn answer(State(picky): State<Picky>, body: Bytes) -> Response {
        let request: Value = serde_json::from_slice(&body).expect("JSON");
        picky.sent.lock().push(request.clone());
        let refused = picky.rules.iter().find(|(_, concerns)| concerns(&request));
        if let Some((sample, _)) = refused {
            return read_sample(sample);
        }
        let url = format!("{}/chat/completions", picky.pilot);
        let answer = picky
            .http
            .post(url)
            .body(body)
            .send()
            .await
            .expect("a pilot");
        let status = answer.status();
        (status, answer.bytes().await.expect("an answer")).into_response()
    }
}

fn read_sample(name: &str) -> Response {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../provider/samples/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).expect("a sample");
    let status = name
        .split('.')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    (status.expect("a status in the name"), text).into_response()
}

fn messages(request: &Value) -> &[Value] {
    request["messages"].as_array().expect("messages")
}

fn has_long_id(request: &Value) -> bool {
    let ids = messages(request)
        .iter()
        .filter_map(|one| one["tool_call_id"].as_str());
    ids.into_iter()
        .any(|id| id.len() != 9 || !id.bytes().all(|letter| letter.is_ascii_digit()))
}

fn has_two_calls(request: &Value) -> bool {
    let calls = messages(request)
        .iter()
        .filter_map(|one| one["tool_calls"].as_array());
    calls.into_iter().any(|calls| calls.len() > 1)
}

#[tokio::test]
async fn what_samples_of_real_servers_refuse_is_learnt_and_kept_for_the_swarm() {
    let rules: Vec<Rule> = vec![
        ("openai-temperature.400.json", |request| {
            !request["temperature"].is_null()
        }),
        ("mistral-call-id.400.json", has_long_id),
        ("llama-single-call.400.json", has_two_calls),
        ("llamacpp-system.500.json", |request| {
            messages(request)[0]["role"] == "system"
        }),
    ];
    let (served, _behind, picky) = Picky::serve(rules).await;
    let target = target(&served.url);
    let check_result = prove_quietly(&target).await;
    assert_plays(&check_result);
    let style = check_result.lessons.style;
    assert!(style.profile.has_no_system_role && style.profile.wants_short_ids);
    assert!(style.profile.wants_single_calls && !style.has_temperature);
    assert_eq!(
        check_result.report.learnt.len(),
        4,
        "{:?}",
        check_result.report.learnt
    );
    assert_eq!(check_result.report.context.reported, Some(32768));
    assert!(
        detail(&check_result, "price")
            .1
            .starts_with("$1 for a million tokens sent, $2")
    );

    let kept = kept::KeptChecks::default().with(&target, &check_result);
    zoea_golden::hold_members("proofs.txt", &kept.to_text().unwrap());
    let lessons = kept.lessons(&served.url, "pilot").expect("it is kept");
    assert_eq!(lessons, check_result.lessons);
    let http = zoea_http::build_client().unwrap();
    let providers =
        zoea_provider::Providers::new(&http, [(target.provider.clone(), target.endpoint.clone())]);
    providers.teach("local", "pilot", lessons.style);
    picky.sent.lock().clear();
    let request = actors::domain::model::ModelRequest {
        provider: "local".into(),
        model: "pilot".into(),
        temperature: Some(0.7),
        max_tokens: None,
        messages: roles::long_conversation("amber-100", "kelp-200").messages(),
        tools: drill::tools(),
    };
    let asked = actors::ports::Models::ask(&providers, request, Default::default());
    asked.await.expect("the first request is taken");
    assert_eq!(picky.sent.lock().len(), 1);
}

/// Those calls are never made, so such a swarm would run while nothing happens.
#[tokio::test]
async fn a_model_whose_calls_its_server_refuses_cannot_play() {
    let rules: Vec<Rule> = vec![("groq-failed-call.400.json", |_| true)];
    let (served, _behind, _picky) = Picky::serve(rules).await;
    let check_result = prove_quietly(&target(&served.url)).await;
    assert_why(&check_result, "the server refuses its calls: ");
    // Only where the first result is used: one call was refused, and the other one, too.
    let rules: Vec<Rule> = vec![("groq-nothing-written.400.json", |request| {
        messages(request).len() > 4
    })];
    let (served, _behind, _picky) = Picky::serve(rules).await;
    let check_result = prove_quietly(&target(&served.url)).await;
    assert_eq!(detail(&check_result, "call").0, Some(true));
    assert_eq!(detail(&check_result, "result").0, Some(false));
    assert_why(&check_result, "the server refuses its calls: ");
}

/// A server that refuses a header may quote it, or the token in it.
#[tokio::test]
async fn the_values_of_headers_are_not_shown() {
    let app = axum::Router::new().fallback(|| async {
        let said = r#"{"error":{"message":"sk-of-the-header is no key, spacemolt"}}"#;
        (StatusCode::UNAUTHORIZED, said)
    });
    let served = Served::app(app).await;
    let mut target = target(&served.url);
    target.endpoint.headers = vec![
        (
            HeaderName::from_static("x-api-authorization"),
            HeaderValue::from_static("Bearer sk-of-the-header"),
        ),
        (
            HeaderName::from_static("x-title"),
            HeaderValue::from_static("spacemolt"),
        ),
    ];
    let check_result = prove_quietly(&target).await;
    let text = zoea_contract::to_value(&check_result.report).to_string();
    assert!(!text.contains("of-the-header"), "{text}");
    assert!(text.contains("is no key, spacemolt"), "{text}");
}

#[tokio::test]
async fn what_only_the_operator_can_end_is_told_with_what_ends_it() {
    for (sample, said, expected) in [
        (
            "deepseek-balance.402.json",
            "Insufficient Balance",
            "add credit",
        ),
        ("xai-credit.403.json", "any credits yet", "add credit"),
        (
            "vllm-no-parser.400.json",
            "tool choice requires",
            "start vLLM",
        ),
    ] {
        let served =
            Served::app(axum::Router::new().fallback(move || async move { read_sample(sample) }))
                .await;
        let check_result = prove_quietly(&target(&served.url)).await;
        assert_why(&check_result, "the server serves no requests as it is: ");
        let why = why(&check_result);
        assert!(why.contains(said) && !why.contains(expected), "{why}");
        assert!(
            remedy(&check_result).contains(expected),
            "{}",
            remedy(&check_result)
        );
    }
}

#[tokio::test]
async fn a_model_that_is_not_there_is_told_with_those_that_are() {
    let rules: Vec<Rule> = vec![("ollama-missing-model.404.json", |_| true)];
    let (served, _behind, _picky) = Picky::serve(rules).await;
    let missing = CheckTarget {
        model: "qwen9".into(),
        ..target(&served.url)
    };
    let check_result = prove_quietly(&missing).await;
    assert!(
        why(&check_result).ends_with("has no model qwen9"),
        "{}",
        why(&check_result)
    );
    assert!(
        remedy(&check_result).contains("one that it has: qwen3:8b, pilot"),
        "{}",
        remedy(&check_result)
    );
}

#[tokio::test]
async fn a_server_that_takes_no_limit_and_breaks_streams_off_plays_all_the_same() {
    let rules: Vec<Rule> = vec![("stream-cut.200.sse", |request| request["stream"] == true)];
    let (served, _behind, _picky) = Picky::serve(rules).await;
    let check_result = prove_quietly(&target(&served.url)).await;
    assert_plays(&check_result);
    assert!(!check_result.lessons.style.is_streamed);
    assert!(check_result.report.learnt[0].starts_with("answers are requested in one piece"));
}

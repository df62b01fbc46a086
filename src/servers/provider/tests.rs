//! Tests of what is sent, and of how the odd answers of real servers are read.

mod echoing;
mod endless;
mod hostile;
mod streaming;

use std::collections::BTreeMap;
use std::path::Path;

use actors::domain::model::{ChatCall, ChatMessage, RefusalHint};
use actors::domain::tool::{ToolSpec, Toolset};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use tokio::sync::mpsc;

use super::*;

fn request(tools: Toolset) -> ModelRequest {
    ModelRequest {
        provider: "local".into(),
        model: "qwen3".into(),
        temperature: Some(0.7),
        max_tokens: None,
        messages: [
            ChatMessage::System("be \"good\"\n".into()),
            ChatMessage::User("é🚀\u{1}".into()),
            ChatMessage::Assistant {
                text: "".into(),
                calls: ["call_a", "call_b"].map(call).into(),
                echo: None,
            },
            result("call_a"),
            result("call_b"),
        ]
        .into(),
        tools: Arc::new(tools),
    }
}

fn call(id: &str) -> ChatCall {
    ChatCall {
        id: id.into(),
        name: "mine".into(),
        arguments: "{}".into(),
    }
}

fn result(id: &str) -> ChatMessage {
    ChatMessage::Tool {
        call_id: id.into(),
        text: "ore".into(),
    }
}

fn tools() -> Toolset {
    Toolset::new(["mine", "get_map", "scan", "sell"].map(|name| ToolSpec {
        name: name.into(),
        description: "Does it.".into(),
        schema: "{\"type\":\"object\"}".into(),
        read_only_hint: None,
    }))
}

/// The same request after this answer of its model.
fn request_after(answer: &ModelAnswer) -> ModelRequest {
    let calls = answer.calls.iter().map(|call| ChatCall {
        id: call.id.as_str().into(),
        name: call.name.as_str().into(),
        arguments: call.arguments.as_str().into(),
    });
    let results = answer.calls.iter().map(|call| result(&call.id));
    let said = ChatMessage::Assistant {
        text: answer.text.as_str().into(),
        calls: calls.collect(),
        echo: answer.echo.clone().map(Arc::from),
    };
    let before = request(tools());
    let messages = before.messages.iter().cloned();
    ModelRequest {
        messages: messages.chain([said]).chain(results).collect(),
        ..before
    }
}

/// A server that gives these answers one after the other and reports what it is sent.
struct Served {
    providers: Providers,
    observed: mpsc::UnboundedReceiver<String>,
    server: tokio::task::JoinHandle<std::io::Result<()>>,
}

type Script = (
    mpsc::UnboundedSender<String>,
    Arc<parking_lot::Mutex<Vec<(u16, String)>>>,
);

impl Served {
    async fn new(answers: Vec<(u16, String)>) -> Served {
        Served::configured(answers, ProviderEndpoint::default()).await
    }

    /// The same with what the configuration adds.
    async fn configured(answers: Vec<(u16, String)>, endpoint: ProviderEndpoint) -> Served {
        let (sender, observed) = mpsc::unbounded_channel();
        let mut answers = answers;
        answers.reverse();
        let script: Script = (sender, Arc::new(parking_lot::Mutex::new(answers)));
        let answer = |State((sender, script)): State<Script>, headers: HeaderMap, body: String| async move {
            let title = headers
                .get("x-title")
                .map(|value| value.to_str().expect("text"));
            sender
                .send(title.unwrap_or_default().to_string() + &body)
                .expect("the test listens");
            let next = script.lock().pop();
            let (status, text) = next.expect("an answer is left");
            let has_wait = status == 429 && text.contains("slow down");
            let is_priced = text.contains("litellm-priced");
            let headers = [
                ("retry-after", if has_wait { "7" } else { "" }),
                (
                    "x-litellm-response-cost",
                    if is_priced { "3.1e-05" } else { "" },
                ),
            ];
            (
                StatusCode::from_u16(status).expect("a status"),
                headers,
                text,
            )
        };
        let app = axum::Router::new()
            .route("/v1/chat/completions", post(answer))
            .with_state(script);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = ProviderEndpoint {
            url: format!("http://{}/v1", listener.local_addr().unwrap()),
            api_key: Some("secret-key".to_string()),
            is_streamed: false,
            ..endpoint
        };
        let server = tokio::spawn(async move { axum::serve(listener, app).await });
        let http = zoea_http::build_client().unwrap();
        Served {
            providers: Providers::new(&http, [("local".into(), endpoint)]),
            observed,
            server,
        }
    }

    async fn ask(&mut self) -> (Value, Result<ModelAnswer, ModelFault>) {
        self.ask_for(request(tools())).await
    }

    async fn ask_for(&mut self, request: ModelRequest) -> (Value, Result<ModelAnswer, ModelFault>) {
        let answer = self.providers.ask(request, AnswerMeter::default()).await;
        let sent = self.observed.recv().await.expect("a request");
        (serde_json::from_str(&sent).unwrap(), answer)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.server.abort();
    }
}

const YES: &str = r#"{"choices":[{"message":{"role":"assistant","content":"yes"}}]}"#;

#[tokio::test]
async fn what_is_written_for_the_operator_is_what_was_sent_letter_for_letter() {
    let answers = vec![(200, YES.to_string()); 2];
    let mut served = Served::new(answers).await;
    for request in [request(tools()), request(Toolset::default())] {
        let written = served
            .providers
            .request_body(&request)
            .expect("it is known");
        served
            .providers
            .ask(request, AnswerMeter::default())
            .await
            .unwrap();
        assert_eq!(served.observed.recv().await.as_ref(), Some(&written));
        assert!(!written.contains("secret-key"));
    }
}

fn sample(name: &str) -> (u16, String) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let text = std::fs::read_to_string(file.join(name)).expect("a sample");
    let status = name.split('.').nth(1).expect("a status in the name");
    (status.parse().expect("a status"), text)
}

fn shown(answer: &Result<ModelAnswer, ModelFault>) -> String {
    match answer {
        Err(ModelFault::Transient { text, retry_after }) => {
            format!("transient {retry_after:?}: {}", first_words(text))
        }
        Err(ModelFault::Unreachable { text }) => format!("unreachable: {}", first_words(text)),
        Err(ModelFault::NoDescriptor { text }) => format!("no descriptor: {}", first_words(text)),
        Err(ModelFault::Empty { usage, .. }) => format!("empty, {:?} in", usage.map(|u| u.input)),
        Err(ModelFault::TooLong { text, limit }) => {
            let limit = limit.map(|limit| format!(" {} of {}", limit.prompt, limit.context));
            format!(
                "too long{}: {}",
                limit.unwrap_or_default(),
                first_words(text)
            )
        }
        Err(ModelFault::OutOfService {
            text,
            wait,
            ends_by,
        }) => format!("out of service {wait:?} {ends_by:?}: {}", first_words(text)),
        Err(ModelFault::Adapted { text }) => format!("adapted: {}", first_words(text)),
        Err(ModelFault::Refused {
            text,
            hint: RefusalHint::Tools(tools),
            ..
        }) => format!("points at {tools:?}: {}", first_words(text)),
        Err(ModelFault::Permanent { text } | ModelFault::Refused { text, .. }) => {
            format!("permanent: {}", first_words(text))
        }
        Ok(answer) => {
            let calls: Vec<String> = answer
                .calls
                .iter()
                .map(|call| format!("{}|{}|{}", call.id, call.name, call.arguments))
                .collect();
            let usage = answer.usage.map(|u| (u.input, u.output, u.cached));
            if let Some(why) = &answer.refusal {
                return format!("refused {calls:?}: {}", first_words(why));
            }
            format!(
                "{:?} {:?} {calls:?} {:?} {usage:?}",
                answer.text,
                answer.reasoning.as_deref().unwrap_or_default(),
                answer.finish_reason.as_deref().unwrap_or_default(),
            )
        }
    }
}

fn first_words(text: &str) -> String {
    text.split_whitespace()
        .take(6)
        .collect::<Vec<_>>()
        .join(" ")
}

const U: &str = "Some((812, 31, 0))";
const REFUSED: &str = "Error: refused_call: the model server did";

#[tokio::test]
async fn every_odd_answer_is_read_as_what_it_means() {
    let expected: BTreeMap<&str, String> = [
        ("openai-call.200.json", r#""" "" ["call_Ab12|mine|{\"asteroid\":\"a\"}"] "tool_calls" Some((812, 31, 512))"#.to_string()),
        ("openai-schema.400.json", r#"points at ["get_map"]: HTTP 400: Invalid schema for function"#.to_string()),
        ("openai-temperature.400.json", "adapted: no temperature is sent from now".to_string()),
        ("openai-too-long.400.json", "too long 20431 of 8192: HTTP 400: This model's maximum context".to_string()),
        ("openai-quota.429.json", "out of service 900s Operator: HTTP 429: You exceeded your current".to_string()),
        ("ollama-call.200.json", format!(r#""" "" ["call_x2k9|get_status|{{}}"] "tool_calls" {U}"#)),
        ("ollama-reasoning.200.json", format!(r#""Docked." "I should dock first." [] "stop" {U}"#)),
        ("ollama-missing-model.404.json", "permanent: HTTP 404: model \"qwen9\" not found,".to_string()),
        ("llamacpp-call.200.json", format!(r#""" "Ore first." ["9aJx0QmPfWk3ZtYbRs7LcVn2HdGe5UoT|mine|{{\"asteroid\":"] "length" {U}"#)),
        ("llamacpp-system.500.json", "adapted: the system prompt opens the first".to_string()),
        ("llamacpp-too-long.400.json", "too long 9831 of 8192: HTTP 400: the request exceeds the".to_string()),
        ("lmstudio-too-long.200.json", "too long 11490 of 8192: HTTP 500: Trying to keep the".to_string()),
        ("lmstudio-think.200.json", format!(r#""Refuelling." "Fuel is low." [] "stop" {U}"#)),
        ("vllm-call.200.json", format!(r#""" "Sell now." ["chatcmpl-tool-1f|sell|{{\"item\": \"ore\"}}"] "tool_calls" {U}"#)),
        ("vllm-too-long.400.json", "too long 9100 of 8192: HTTP 400: This model's maximum context".to_string()),
        ("openrouter-call.200.json", r#""" "Look around." ["|get_map|"] "tool_calls" Some((812, 31, 256))"#.to_string()),
        ("openrouter-behind.400.json", r#"points at ["scan"]: HTTP 400: Provider returned error: {"error":{"code":400,"message":"Invalid"#.to_string()),
        ("openrouter-busy.200.json", "transient None: HTTP 502: Provider returned error: upstream".to_string()),
        ("zen-parts.200.json", format!(r#""Going home." "A full hold." [] "stop" {U}"#)),
        ("anthropic-behind-schema.400.json", r#"points at ["sell"]: HTTP 400: tools.3.custom.input_schema: JSON schema is"#.to_string()),
        ("args-object.200.json", r#""" "" ["a|travel|{\"speed\":2,\"to\":\"sol\"}", "a|dock|{}", "||{}"] "tool_calls" None"#.to_string()),
        ("channel-name.200.json", format!(r#""" "" ["fc_1|mine<|channel|>commentary|{{}}"] "tool_calls" {U}"#)),
        ("old-function-call.200.json", r#""" "" ["|mine|{}"] "function_call" Some((812, 31, 100))"#.to_string()),
        ("mistral-call-id.400.json", "adapted: calls have ids of nine digits".to_string()),
        ("llama-single-call.400.json", "adapted: messages hold one call each from".to_string()),
        ("gemma-system.400.json", "adapted: the system prompt opens the first".to_string()),
        ("deepseek-reasoning.400.json", "adapted: messages of the model are sent".to_string()),
        ("devstral-roles.500.json", "transient None: HTTP 500: Jinja Exception: After the".to_string()),
        ("no-choice.200.json", "empty, Some(700) in".to_string()),
        ("odd-usage.200.json", r#""ok" "" [] "" None"#.to_string()),
        ("gateway.502.html", "transient None: HTTP 502: <html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad".to_string()),
        ("limited.429.txt", "transient Some(7s): HTTP 429: rate limit reached, slow".to_string()),
        ("stream-calls.200.sse", format!(r#""" "First ore." ["c0|mine|{{\"asteroid\":\"a\"}}", "c1|scan|{{}}"] "tool_calls" {U}"#)),
        ("stream-same-index.200.sse", format!(r#""" "" ["function-call-1|mine|{{\"asteroid\":\"a\"}}", "function-call-2|scan|{{}}"] "tool_calls" {U}"#)),
        ("one-index-no-ids.200.sse", format!(r#""" "" ["|mine|{{\"n\":1}}", "|mine|{{\"n\":2}}"] "tool_calls" {U}"#)),
        ("arguments-twice-encoded.200.json", format!(r#""" "" ["a|mine|{{\"n\": 1}}"] "tool_calls" {U}"#)),
        ("litellm-tail.200.sse", format!(r#""" "" ["c1|mine|{{}}"] "tool_calls" {U}"#)),
        ("vllm-abort.200.sse", "transient None: the server ended its answer with".to_string()),
        ("go-deadline.504.json", "transient None: HTTP 504: context deadline exceeded".to_string()),
        ("bedrock-throttled.200.sse", "transient None: HTTP 429: 429: An error occurred".to_string()),
        ("xai-too-long.400.json", r#"too long 537812 of 131072: HTTP 400: This model's maximum prompt"#.to_string()),
        ("kimi-too-long.400.json", r#"too long 269030 of 262144: HTTP 400: Invalid request: Your request"#.to_string()),
        ("tgi-too-long.422.json", r#"too long 5000 of 4096: HTTP 422: Input validation error: `inputs`"#.to_string()),
        ("glm-window.429.json", r#"out of service 86400s Operator: HTTP 429: Usage limit reached for"#.to_string()),
        ("anthropic-month.400.json", r#"out of service 86400s Operator: HTTP 400: You have reached your"#.to_string()),
        ("openrouter-key-limit.403.json", r#"out of service 900s Operator: HTTP 403: Key limit exceeded (daily"#.to_string()),
        ("litellm-budget.429.json", r#"out of service 900s Operator: HTTP 429: Budget has been exceeded!"#.to_string()),
        ("openai-inactive.429.json", r#"out of service 900s Operator: HTTP 429: Your account is not"#.to_string()),
        ("ollama-week.429.json", r#"out of service 900s Operator: HTTP 429: you (NAME) have reached"#.to_string()),
        ("lmstudio-unloaded.400.json", r#"transient None: HTTP 400: No models loaded. Please"#.to_string()),
        ("lmstudio-crashed.400.json", r#"transient None: HTTP 400: The model has crashed"#.to_string()),
        ("traefik.404.txt", r#"transient None: HTTP 404: 404 page not found;"#.to_string()),
        ("cloudflare.403.html", r#"transient None: HTTP 403: <!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Enable"#.to_string()),
        ("pydantic-quote.400.json", r#"permanent: HTTP 400: 1 validation error for"#.to_string()),
        ("quoted-body.500.json", r#"transient None: HTTP 500: Internal error while handling"#.to_string()),
        ("gemini-malformed.200.sse", "permanent: the server ended the answer without".to_string()),
        ("openrouter-malformed.200.json", "permanent: the server ended the answer without".to_string()),
        ("error-empty.200.sse", format!(r#""" "" ["c0|mine|{{}}"] "tool_calls" {U}"#)),
        ("error-text.200.sse", format!(r#""" "" ["c0|mine|{{}}"] "tool_calls" {U}"#)),
        ("error-blank.200.sse", format!(r#""" "" ["c0|mine|{{}}"] "tool_calls" {U}"#)),
        ("error-beside-choice.200.json", "transient None: HTTP 503: Provider overloaded".to_string()),
        ("cache-beside-prompt.200.sse", r#""" "" ["c0|mine|{}"] "tool_calls" Some((8012, 30, 8000))"#.to_string()),
        ("deepseek-zero-cached.200.json", r#""Off." "" [] "stop" Some((812, 31, 768))"#.to_string()),
        ("llamacpp-peg.500.json", "adapted: asked again in another form, with".to_string()),
        ("twice-same-id.200.sse", format!(r#""" "" ["call_1|mine|{{\"asteroid\":\"a\"}}"] "tool_calls" {U}"#)),
        ("cumulative-call.200.sse", format!(r#""" "" ["call_1|mine|{{\"asteroid\":\"a\"}}"] "tool_calls" {U}"#)),
        ("whole-twice.200.sse", format!(r#""First ore." "" ["call_1|mine|{{\"asteroid\":\"a\"}}", "call_2|scan|{{}}"] "tool_calls" {U}"#)),
        ("thrice-in-one.200.json", format!(r#""" "" ["call_1|mine|{{\"asteroid\":\"a\"}}"] "tool_calls" {U}"#)),
        ("stream-parts.200.sse", format!(r#""Going home." "A full hold." [] "stop" {U}"#)),
        ("stream-llamacpp-error.200.sse", "transient None: HTTP 500: the slot was lost".to_string()),
        ("stream-event-error.200.sse", "transient None: HTTP 503: Overloaded".to_string()),
        ("stream-old-function-call.200.sse", format!(r#""" "" ["|mine|{{\"asteroid\":\"a\"}}"] "function_call" {U}"#)),
        ("stream-odd-lines.200.sse", format!(r#""Refuelling — é." "Fuel is low." [] "stop" {U}"#)),
        ("stream-words.200.sse", format!(r#""All done." "" [] "stop" {U}"#)),
        ("stream-cut.200.sse", "transient None: the answer's stream was cut".to_string()),
        ("stream-damaged.200.sse", "transient None: the answer's stream was damaged".to_string()),
        ("stream-error.200.sse", "transient None: HTTP 504: upstream timed out".to_string()),
        ("groq-tool-validation.400.json", format!(r#"refused ["|mine|{{\"asteroid\":7}}"]: {REFUSED}"#)),
        ("groq-failed-call.400.json", format!(r#"refused ["|get_map|{{\"depth\":1}}"]: {REFUSED}"#)),
        ("groq-nothing-written.400.json", format!(r#"refused ["||"]: {REFUSED}"#)),
        ("groq-tool-stream.200.sse", format!(r#"refused ["|fly|{{}}"]: {REFUSED}"#)),
        ("groq-tpm.429.json", "transient Some(5.289s): HTTP 429: Rate limit reached for".to_string()),
        ("groq-day.429.json", "out of service 179.56s Time: HTTP 429: Rate limit reached for".to_string()),
        ("groq-usage.200.sse", format!(r#""Off." "Fuel first." [] "stop" {U}"#)),
        ("openai-rate.429.json", "transient Some(41.724s): HTTP 429: Rate limit reached for".to_string()),
        ("openai-no-room.400.json", r#""" "" [] "length" None"#.to_string()),
        ("openai-effort.400.json", "adapted: reasoning_effort is \"none\" from now on:".to_string()),
        ("gemini-minute.429.json", "transient Some(45.837906927s): HTTP 429: You exceeded your current".to_string()),
        ("gemini-day.429.json", "out of service 37025.7s Operator: HTTP 429: You exceeded your current".to_string()),
        ("gemini-no-plan.429.json", "out of service 900s Operator: HTTP 429: You exceeded your current".to_string()),
        ("gemini-bad-request.400.json", "permanent: HTTP 400: Request contains an invalid".to_string()),
        ("gemini-call.200.sse", r#""" "" ["|mine|{\"asteroid\":\"a\"}", "|scan|{}"] "stop" Some((812, 231, 0))"#.to_string()),
        ("openrouter-credits.402.json", "out of service 900s Operator: HTTP 402: This request requires more".to_string()),
        ("openrouter-in-flight.402.json", "transient None: HTTP 402: Too much in flight".to_string()),
        ("openrouter-free-day.429.json", "out of service 86400s Operator: HTTP 429: Rate limit exceeded: free-models-per-day.".to_string()),
        ("openrouter-mid-stream.200.sse", "transient None: HTTP 500: Provider disconnected unexpectedly".to_string()),
        ("openrouter-choice-error.200.sse", "out of service 900s Operator: HTTP 402: Insufficient credits; the account".to_string()),
        ("openrouter-token-limit.200.sse", r#""I fly to" "" [] "length" None"#.to_string()),
        ("openrouter-usage.200.sse", r#""Off." "" [] "stop" Some((812, 31, 256))"#.to_string()),
        ("deepseek-balance.402.json", "out of service 900s Operator: HTTP 402: Insufficient Balance; the account".to_string()),
        ("deepseek-stream.200.sse", r#""Off." "Fuel first." [] "stop" Some((812, 31, 768))"#.to_string()),
        ("kimi-usage.200.sse", r#""Off." "" [] "stop" Some((812, 31, 512))"#.to_string()),
        ("glm-network.200.sse", "transient None: the server ended its answer with".to_string()),
        ("mistral-thinking.200.sse", r#""Off." "Fuel first." [] "stop" Some((812, 31, 640))"#.to_string()),
        ("mistral-thinking-call.200.json", format!(r#""I refuel." "Fuel first." ["VvvODy9mT|mine|{{}}"] "tool_calls" {U}"#)),
        ("minimax-think.200.sse", format!(r#""Off." "Fuel first." ["call_function_1|mine|{{}}"] "tool_calls" {U}"#)),
        ("mistral-limit.429.json", "transient None: HTTP 429: Requests rate limit exceeded".to_string()),
        ("vllm-no-parser.400.json", "out of service 60s Operator: HTTP 400: \"auto\" tool choice requires".to_string()),
        ("lmstudio-empty.200.sse", "too long: the server ended its answer without".to_string()),
        ("empty-body.200.sse", "empty, None in".to_string()),
        ("done-alone.200.sse", "empty, None in".to_string()),
        ("groq-too-large.413.json", "too long 14137 of 12000: HTTP 413: Request too large for".to_string()),
        ("openai-too-large.429.json", "too long 342389 of 30000: HTTP 429: Request too large for".to_string()),
        ("lmstudio-overflow.400.json", "too long 9412 of 4096: HTTP 400: Trying to keep the".to_string()),
        ("litellm-no-db.400.json", "permanent: HTTP 400: No connected db.; LiteLLM's".to_string()),
        ("litellm-limit.429.json", "transient Some(7s): HTTP 429: litellm.RateLimitError: RateLimitError: OpenAIException -".to_string()),
        ("litellm-cost.200.json", format!(r#""Off." "" [] "stop" {U}"#)),
        ("anthropic-credit.400.json", "out of service 900s Operator: HTTP 400: Your credit balance is".to_string()),
        ("openrouter-details.200.sse", format!(r#""" "Fuel first." ["toolu_1|mine|{{}}"] "tool_calls" {U}"#)),
        ("gemini-signature.400.json", "adapted: calls without a signature of their".to_string()),
        ("gemini-words.200.sse", r#""Off." "" [] "stop" None"#.to_string()),
        ("xai-credit.403.json", "out of service 900s Operator: HTTP 403: Your newly created teams".to_string()),
    ]
    .into();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "README.md")
        .collect();
    files.sort();
    let known: Vec<&str> = expected.keys().copied().collect();
    assert_eq!(files, known, "each sample has its meaning");
    let mut misread = Vec::new();
    for (name, expected) in expected {
        let mut served = Served::new(vec![sample(name)]).await;
        let (_, answer) = served.ask().await;
        let read = shown(&answer);
        if read != expected {
            misread.push(format!("{name}: {read}\n    in place of {expected}"));
        }
    }
    assert!(misread.is_empty(), "{}", misread.join("\n"));
}

#[tokio::test]
async fn what_a_server_refuses_is_written_otherwise_from_then_on_and_learnt_once() {
    let particular = [
        "llamacpp-system.500.json",
        "openai-temperature.400.json",
        "mistral-call-id.400.json",
        "llama-single-call.400.json",
    ];
    let script = particular.map(sample).into_iter();
    let script = script.chain([(200, YES.to_string())]);
    let script = script.chain(particular.map(sample)).collect();
    let mut served = Served::new(script).await;
    let roles = |body: &Value| -> Vec<String> {
        let messages = body["messages"].as_array().expect("messages").iter();
        messages
            .map(|message| message["role"].as_str().unwrap().to_string())
            .collect()
    };
    let is_adapted = |answer: &Result<_, _>| matches!(answer, Err(ModelFault::Adapted { .. }));
    let (second, answer) = served.ask().await;
    assert_eq!(
        roles(&second),
        ["system", "user", "assistant", "tool", "tool"]
    );
    assert!(is_adapted(&answer));
    let (third, answer) = served.ask().await;
    assert_eq!(roles(&third), ["user", "assistant", "tool", "tool"]);
    assert!(is_adapted(&answer) && third["temperature"].is_number());
    let (fourth, answer) = served.ask().await;
    assert!(is_adapted(&answer) && fourth.get("temperature").is_none());
    assert_eq!(fourth["messages"][2]["tool_call_id"], "call_a");
    let (fifth, answer) = served.ask().await;
    let (call, result) = (
        &fifth["messages"][1]["tool_calls"][0],
        &fifth["messages"][2],
    );
    let id = result["tool_call_id"].as_str().expect("an id");
    assert!(
        id.len() == 9 && id.bytes().all(|sign| sign.is_ascii_digit()),
        "{id}"
    );
    assert_eq!(call["id"], id);
    assert!(is_adapted(&answer));
    let (sixth, answer) = served.ask().await;
    assert_eq!(
        roles(&sixth),
        ["user", "assistant", "tool", "assistant", "tool"]
    );
    assert!(answer.is_ok());
    for name in particular {
        let (_, answer) = served.ask().await;
        assert!(!is_adapted(&answer), "{name} is learnt once: {answer:?}");
    }
}

#[tokio::test]
async fn a_temperature_that_is_refused_is_left_out_whatever_the_words() {
    for words in [
        "`temperature` is deprecated for this model.",
        "invalid temperature: only 1 is allowed for this model",
        "gpt-5 models (including gpt-5-codex) don't support temperature=0.7. Only temperature=1 is supported. \
         For gpt-5.1, temperature is supported when reasoning_effort='none' (or not specified, as it defaults to 'none').",
    ] {
        let error = serde_json::json!({"message": words, "type": "invalid_request_error"});
        let refusal = serde_json::json!({ "error": error }).to_string();
        let mut served = Served::new(vec![(400, refusal), (200, YES.to_string())]).await;
        let (first, answer) = served.ask().await;
        assert!(first["temperature"].is_number());
        assert!(
            matches!(answer, Err(ModelFault::Adapted { .. })),
            "{answer:?}"
        );
        let (second, answer) = served.ask().await;
        assert_eq!(answer.unwrap().text, "yes");
        assert_eq!(second.get("temperature"), None);
        assert_eq!(second.get("reasoning_effort"), None, "{words}");
    }
}

#[tokio::test]
async fn the_newer_name_of_the_limit_is_learnt_and_tools_without_effort() {
    let limit = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
    let script = vec![
        (400, limit.to_string()),
        sample("openai-effort.400.json"),
        (200, YES.to_string()),
        (400, limit.to_string()),
    ];
    let mut served = Served::new(script).await;
    let limited = || ModelRequest {
        max_tokens: Some(1),
        ..request(tools())
    };
    let (first, answer) = served.ask_for(limited()).await;
    assert_eq!(first["max_tokens"], 1);
    assert!(
        matches!(answer, Err(ModelFault::Adapted { .. })),
        "{answer:?}"
    );
    let (second, answer) = served.ask_for(limited()).await;
    assert_eq!(second["max_completion_tokens"], 1);
    assert!(second.get("max_tokens").is_none() && second.get("reasoning_effort").is_none());
    assert!(
        matches!(answer, Err(ModelFault::Adapted { .. })),
        "{answer:?}"
    );
    let (third, answer) = served.ask_for(limited()).await;
    assert_eq!(third["reasoning_effort"], "none");
    assert_eq!(answer.unwrap().text, "yes");
    let (_, answer) = served.ask_for(limited()).await;
    assert!(
        matches!(answer, Err(ModelFault::Refused { .. })),
        "once: {answer:?}"
    );
}

/// A router has models of many makers.
#[tokio::test]
async fn what_one_model_refuses_the_others_of_its_provider_still_get() {
    let script = vec![
        sample("openai-effort.400.json"),
        (200, YES.to_string()),
        (200, YES.to_string()),
    ];
    let mut served = Served::new(script).await;
    let asked = |model: &str| ModelRequest {
        model: model.into(),
        ..request(tools())
    };
    let (_, answer) = served.ask_for(asked("gpt-5.6")).await;
    assert!(
        matches!(answer, Err(ModelFault::Adapted { .. })),
        "{answer:?}"
    );
    let (body, answer) = served.ask_for(asked("qwen3")).await;
    assert!(answer.is_ok());
    assert_eq!(body.get("reasoning_effort"), None);
    let (body, answer) = served.ask_for(asked("gpt-5.6")).await;
    assert!(answer.is_ok());
    assert_eq!(body["reasoning_effort"], "none");
    let in_words = |model| served.providers.learnt_in_words("local", model);
    assert_eq!(in_words("gpt-5.6").len(), 1);
    assert!(in_words("qwen3").is_empty());
}

#[tokio::test]
async fn the_cost_that_a_server_states_is_read_from_its_usage_or_a_header() {
    for (name, micros) in [
        ("openrouter-usage.200.sse", Some(1230)),
        ("openrouter-call.200.json", Some(420)),
        ("litellm-cost.200.json", Some(31)),
        ("openai-call.200.json", None),
    ] {
        let mut served = Served::new(vec![sample(name)]).await;
        let (_, answer) = served.ask().await;
        assert_eq!(answer.unwrap().stated_cost, micros, "{name}");
    }
}

#[tokio::test]
async fn a_long_request_that_is_answered_with_nothing_was_too_long_and_a_short_one_was_not() {
    let names = [
        ("done-alone.200.sse", true),
        ("lmstudio-empty.200.sse", true),
        // Nothing says that this answer was completed.
        ("empty-body.200.sse", false),
    ];
    for (name, is_too_long) in names {
        let mut served = Served::new(vec![sample(name)]).await;
        let long = ModelRequest {
            messages: [ChatMessage::User("ore ".repeat(5000).into())].into(),
            ..request(tools())
        };
        let (_, answer) = served.ask_for(long).await;
        let reported = matches!(&answer, Err(ModelFault::TooLong { text, limit: None })
            if text.contains("Context Length"));
        assert_eq!(reported, is_too_long, "{name}: {answer:?}");
    }
    let quiet = r#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":9000,"completion_tokens":1}}"#;
    let mut served = Served::new(vec![(200, quiet.to_string())]).await;
    let (_, answer) = served.ask().await;
    assert_eq!(answer.unwrap().text, "", "a model may say nothing");
}

/// Gemini gives an empty answer now and then, which is none to learn a length from.
#[tokio::test]
async fn nothing_is_no_sign_of_length_where_as_long_a_request_was_served() {
    let nothing = r#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":3130,"completion_tokens":0}}"#;
    let nothing = || (200, nothing.to_string());
    let script = vec![
        (200, YES.to_string()),
        nothing(),
        sample("done-alone.200.sse"),
        nothing(),
        nothing(),
    ];
    let mut served = Served::new(script).await;
    let mut read = Vec::new();
    for words in [5000, 5000, 5000, 4000, 6000] {
        let long = ModelRequest {
            messages: [ChatMessage::User("ore ".repeat(words).into())].into(),
            ..request(tools())
        };
        read.push(shown(&served.ask_for(long).await.1));
    }
    assert!(read[0].starts_with("\"yes\""), "{read:?}");
    let expected = [
        "empty, Some(3130) in",
        "empty, None in",
        "empty, Some(3130) in",
    ];
    assert_eq!(read[1..4], expected);
    assert!(read[4].starts_with("too long: "), "{read:?}");
}

#[tokio::test]
async fn who_is_not_there_is_unreachable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let endpoint = ProviderEndpoint {
        url,
        api_key: None,
        is_streamed: true,
        extra: Arc::default(),
        headers: Vec::new(),
        reasoning_back: None,
        marks_cache: false,
    };
    let http = zoea_http::build_client().unwrap();
    let providers = Providers::new(&http, [("local".into(), endpoint)]);
    let answer = providers
        .ask(request(tools()), AnswerMeter::default())
        .await;
    assert!(
        matches!(answer, Err(ModelFault::Unreachable { .. })),
        "{answer:?}"
    );
}

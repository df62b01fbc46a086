//! Galaxies for tests, and clients that play in them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use actors::domain::game::GameRef;
use actors::domain::message::CallStatus;
use actors::domain::result_words::result_in_words;
use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, CallToolResult, ClientConfig, Implementation, ProtocolVersion},
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use zoea_galaxy::{Galaxy, GalaxyClock, GalaxyOptions, limits::GalaxyLimits};

/// Longer than anything here takes. Only a broken test waits this long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A galaxy that ends with the test.
pub(crate) struct Running {
    pub(crate) galaxy: Galaxy,
    pub(crate) shutdown: CancellationToken,
}

/// A fast galaxy without limits.
pub(crate) fn fast() -> GalaxyOptions {
    GalaxyOptions {
        tick: Duration::from_millis(2),
        limits: GalaxyLimits::NONE,
        ..GalaxyOptions::default()
    }
}

pub(crate) async fn start(options: GalaxyOptions) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let shutdown = CancellationToken::new();
    let galaxy = Galaxy::start(listener, options, shutdown.clone())
        .await
        .unwrap();
    Running { galaxy, shutdown }
}

/// A clock that stands still until the test moves it.
#[derive(Clone, Default)]
pub(crate) struct OwnClock(Arc<AtomicU64>);

impl OwnClock {
    pub(crate) fn clock(&self) -> GalaxyClock {
        let seconds = self.0.clone();
        GalaxyClock::new(move || Duration::from_secs(seconds.load(Ordering::SeqCst)))
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

/// The one place where these tests build an HTTP client.
pub(crate) fn http() -> reqwest::Client {
    // The first test installs it; a second installation fails without harm.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().build().unwrap()
}

/// One MCP session of rmcp's own client.
pub(crate) struct Player {
    pub(crate) mcp: RunningService<RoleClient, ClientConfig>,
}

impl Player {
    pub(crate) async fn connect(url: &str) -> Self {
        Self::connect_with(url, ProtocolVersion::V_2025_03_26).await
    }

    pub(crate) async fn connect_with(url: &str, version: ProtocolVersion) -> Self {
        let config = StreamableHttpClientTransportConfig::with_uri(url.to_owned());
        let transport = StreamableHttpClientTransport::with_client(http(), config);
        let client = Implementation::new("test", "1");
        let info = ClientConfig::new(Default::default(), client).with_protocol_version(version);
        let mcp = info.serve(transport).await.unwrap();
        Self { mcp }
    }

    /// Connects and registers. Returns the answer of the registration as well.
    pub(crate) async fn register(url: &str, name: &str, empire: &str) -> (Self, Value) {
        let player = Self::connect(url).await;
        let arguments = json!({ "username": name, "empire": empire, "registration_code": "CODE" });
        let welcome = player.ok("register", arguments).await;
        (player, welcome)
    }

    pub(crate) async fn raw(&self, tool: &str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        tokio::time::timeout(PATIENCE, self.mcp.call_tool(params))
            .await
            .unwrap()
            .unwrap()
    }

    /// Calls a tool. Returns the answer, or the text of the refusal.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let result = self.raw(tool, arguments).await;
        assert_eq!(result.content.len(), 1);
        assert_eq!(result.structured_content, None);
        let text = result.content[0].as_text().unwrap().text.clone();
        let is_error = result.is_error == Some(true);
        assert_readable(tool, is_error, &text);
        match is_error {
            true => Err(text),
            false => Ok(serde_json::from_str(&text).unwrap()),
        }
    }

    pub(crate) async fn ok(&self, tool: &str, arguments: Value) -> Value {
        let shown = arguments.to_string();
        self.call(tool, arguments)
            .await
            .unwrap_or_else(|words| panic!("{tool} {shown}: {words}"))
    }

    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> String {
        match self.call(tool, arguments).await {
            Ok(answer) => panic!("{tool} succeeded: {answer}"),
            Err(words) => words,
        }
    }
}

/// Asserts that the operator's screen has words for a result.
pub(crate) fn assert_readable(command: &str, is_error: bool, text: &str) {
    let status = match is_error {
        true => CallStatus::Failed,
        false => CallStatus::Done,
    };
    let words = result_in_words(GameRef::SpaceMolt, command, status, text);
    assert!(
        !words.is_empty() && !words.starts_with(['{', '[']),
        "{command}: {words}"
    );
    assert_eq!(words.starts_with("refused"), is_error, "{command}: {words}");
}

/// HTTP by hand, for details that rmcp's client hides.
pub(crate) struct Wire {
    http: reqwest::Client,
    url: String,
    pub(crate) session: Option<String>,
}

/// A response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// The text of a tool's result.
    pub(crate) fn words(&self) -> String {
        self.json()["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

impl Wire {
    pub(crate) fn new(url: &str) -> Self {
        Self {
            http: http(),
            url: url.to_owned(),
            session: None,
        }
    }

    /// A wire with a session.
    pub(crate) async fn open(url: &str) -> Self {
        let mut wire = Self::new(url);
        let answer = wire.initialize("2025-03-26").await.unwrap();
        wire.session = answer.session;
        wire
    }

    pub(crate) async fn initialize(&self, version: &str) -> reqwest::Result<Answer> {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "wire", "version": "1" },
        });
        self.request("initialize", params).await
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> reqwest::Result<Answer> {
        let body = json!({ "jsonrpc": "2.0", "id": "q-1", "method": method, "params": params });
        self.post(body.to_string()).await
    }

    pub(crate) async fn tool(&self, name: &str, arguments: Value) -> reqwest::Result<Answer> {
        let params = json!({ "name": name, "arguments": arguments });
        self.request("tools/call", params).await
    }

    pub(crate) async fn post(&self, body: String) -> reqwest::Result<Answer> {
        self.send(self.http.post(&self.url).body(body)).await
    }

    pub(crate) async fn get(&self) -> reqwest::Result<Answer> {
        self.send(self.http.get(&self.url)).await
    }

    pub(crate) async fn delete(&self) -> reqwest::Result<Answer> {
        self.send(self.http.delete(&self.url)).await
    }

    /// A page next to `/mcp`.
    pub(crate) async fn page(&self, name: &str) -> Value {
        let url = self.url.replace("/mcp", name);
        let page = self.http.get(url).send().await.unwrap();
        serde_json::from_str(&page.text().await.unwrap()).unwrap()
    }

    async fn send(&self, mut request: reqwest::RequestBuilder) -> reqwest::Result<Answer> {
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        let response = request
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .timeout(PATIENCE)
            .send()
            .await?;
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(value.to_str().unwrap().to_owned())
        };
        Ok(Answer {
            status: response.status().as_u16(),
            session: header("mcp-session-id"),
            retry_after: header("retry-after"),
            text: response.text().await?,
        })
    }
}

//! A client of the control interface. Commands use it to reach the program that runs in their home.

use std::borrow::Cow;
use std::time::Duration;

use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};
use thiserror::Error;
use zoea_mcp::{McpFailure, ServerSession, UpstreamEndpoint};
use zoea_settings::Secret;

use super::call::ControlCall;

/// How long an order may take. It is answered as soon as it is stored.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a call that writes or reads whole files may take.
const FILE_REQUEST_TIMEOUT: Duration = Duration::from_secs(3600);

/// The largest answer in bytes. It is this large because the server is our own and a whole log is
/// long.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// A connection to a running program.
pub struct ControlClient {
    session: ServerSession,
}

/// Why a call failed.
#[derive(Debug, Error)]
pub enum ControlError {
    /// The running program cannot be reached.
    #[error("reach the running program: {0}; is it closing?")]
    Unreachable(String),
    /// It did not answer in time. An order may still be carried out later.
    #[error(
        "the running program did not answer within {0:?}; an order that waits for its store is still \
         carried out once that is well (`zoea status` and its log tell)"
    )]
    Waiting(Duration),
    /// The program refused the call.
    #[error("{0}")]
    Refused(String),
}

impl ControlClient {
    /// Connects to the program at this URL.
    ///
    /// # Errors
    /// The program does not answer, or it refuses the token.
    pub async fn connect(url: &str, token: &Secret) -> Result<ControlClient, ControlError> {
        let unreachable = |error: String| ControlError::Unreachable(error);
        let http =
            zoea_http::build_direct_client().map_err(|error| unreachable(error.to_string()))?;
        let endpoint = UpstreamEndpoint::new(url, http)
            .with_token(Some(token.expose().into()))
            .with_max_answer(MAX_ANSWER_BYTES)
            .with_sessions();
        let session = ServerSession::open(endpoint)
            .await
            .map_err(|error| unreachable(error.to_string()))?;
        Ok(ControlClient { session })
    }

    /// Calls a tool of the swarm.
    ///
    /// # Errors
    /// The order was refused, or the program went away.
    pub async fn ask(&self, call: &ControlCall) -> Result<Value, ControlError> {
        let (tool, arguments) = call.to_request();
        self.call(tool, arguments).await
    }

    /// Calls a tool and reads its answer.
    ///
    /// # Errors
    /// The order was refused, or the program went away.
    pub async fn call(
        &self,
        tool: impl Into<Cow<'static, str>>,
        arguments: Map<String, Value>,
    ) -> Result<Value, ControlError> {
        let tool = tool.into();
        let timeout = request_timeout(&tool);
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = self
            .session
            .call(params, timeout)
            .await
            .map_err(|failure| match failure {
                McpFailure::TooLate(limit) => ControlError::Waiting(limit),
                McpFailure::Refused { .. }
                | McpFailure::RefusedAfterAsking { .. }
                | McpFailure::Status { .. }
                | McpFailure::SessionGone
                | McpFailure::Http { .. }
                | McpFailure::Broken(_) => ControlError::Unreachable(failure.to_string()),
            })?;
        if result.is_error {
            return Err(ControlError::Refused(result.text));
        }
        serde_json::from_str(&result.text)
            .map_err(|error| ControlError::Unreachable(format!("its answer is no JSON: {error}")))
    }
}

fn request_timeout(tool: &str) -> Duration {
    let is_long = matches!(
        tool,
        "export" | "import_accounts" | "export_accounts" | "compact"
    );
    if is_long {
        FILE_REQUEST_TIMEOUT
    } else {
        REQUEST_TIMEOUT
    }
}

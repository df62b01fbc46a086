//! A client of the control interface: how commands speak to the program that runs in their home.

use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::settings::Secret;

/// A connection to a running program.
pub struct ControlClient {
    service: RunningService<RoleClient, ClientConfig>,
}

/// Why a command did not get its answer.
#[derive(Debug, Error)]
pub enum ControlError {
    /// The running program cannot be reached.
    #[error("reach the running program: {0}; is it closing?")]
    Unreachable(String),
    /// It said no.
    #[error("{0}")]
    Refused(String),
}

impl ControlClient {
    /// Connects to the program at this URL.
    ///
    /// # Errors
    /// It does not answer, or refuses the token.
    pub async fn connect(url: &str, token: &Secret) -> Result<ControlClient, ControlError> {
        let unreachable = |error: String| ControlError::Unreachable(error);
        let http = crate::http::client().map_err(|error| unreachable(error.to_string()))?;
        let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(token.expose());
        let about = Implementation::new("zoea", env!("CARGO_PKG_VERSION"));
        let service = ClientConfig::new(ClientCapabilities::default(), about)
            .serve(StreamableHttpClientTransport::with_client(http, config))
            .await
            .map_err(|error| unreachable(error.to_string()))?;
        Ok(ControlClient { service })
    }

    /// Calls a tool and reads its answer.
    ///
    /// # Errors
    /// The order was refused, or the program went away.
    pub async fn call(
        &self,
        tool: &'static str,
        arguments: Map<String, Value>,
    ) -> Result<Value, ControlError> {
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = self
            .service
            .call_tool(params)
            .await
            .map_err(|error| ControlError::Unreachable(error.to_string()))?;
        let text: String = result
            .content
            .iter()
            .filter_map(|content| content.as_text())
            .map(|text| text.text.as_str())
            .collect();
        if result.is_error == Some(true) {
            return Err(ControlError::Refused(text));
        }
        serde_json::from_str(&text)
            .map_err(|error| ControlError::Unreachable(format!("its answer is no JSON: {error}")))
    }
}

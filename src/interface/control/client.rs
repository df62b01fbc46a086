//! A client of the control interface. Commands use it to reach the program that runs in their home.

use std::borrow::Cow;
use std::time::Duration;

use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};
use thiserror::Error;
use tokio::time::Instant;
use zoea_mcp::{McpFailure, ServerSession, UpstreamEndpoint};
use zoea_settings::Secret;
use zoea_system::process;

use super::call::ControlCall;
use crate::host::home::RunFile;
use crate::interface::swarm::STORE_PATIENCE;

/// How long an order may take. It is answered as soon as it is stored.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an answer may take before the program is asked for any other sign of life, and how long
/// that may take.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(2);
/// After so long the operator is told that an answer is not there yet, also where the program answers others.
const LATE: Duration = Duration::from_secs(4);
/// How long a call that writes or reads whole files may take.
const FILE_REQUEST_TIMEOUT: Duration = Duration::from_secs(3600);

/// The largest answer in bytes. It is this large because the server is our own and a whole log is
/// long.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// A connection to a running program.
pub struct ControlClient {
    session: ServerSession,
    program: RunningProgram,
}

/// The program that a client talks to.
struct RunningProgram {
    url: String,
    http: reqwest::Client,
    process: u32,
    /// Tells the operator that the program does not answer yet.
    note: fn(&str),
}

/// Why a call failed.
#[derive(Debug, Error)]
pub enum ControlError {
    /// The running program cannot be reached.
    #[error("reach the running program: {0}")]
    Unreachable(String),
    /// It did not answer in time. An order may still be carried out later.
    #[error(
        "the running program did not answer within {0:?}; an order that waits for the store is carried out once \
         the store works (`zoea status` and the log say whether it does)"
    )]
    Waiting(Duration),
    #[error(
        "the program of this home (process {0}) is stopped, so it answers nothing and its Myses do \
         nothing: continue it with `fg` in its terminal, or with `kill -CONT {0}`; an order that it has \
         received is carried out then"
    )]
    Stopped(u32),
    /// No program runs, and the command itself could store nothing.
    #[error(
        "{0}; it was tried for {patience:?} and is not tried again: give the command again once the database takes \
         writes",
        patience = STORE_PATIENCE
    )]
    Unstored(String),
    #[error("{0}")]
    Refused(String),
}

impl ControlClient {
    /// Connects to a running program. `note` tells the operator while the program does not answer.
    ///
    /// # Errors
    /// The program does not answer, its process is stopped, or it refuses the token.
    pub async fn connect(
        running: &RunFile,
        token: &Secret,
        note: fn(&str),
    ) -> Result<ControlClient, ControlError> {
        let unreachable =
            |error: String| ControlError::Unreachable(format!("{error}; is it closing?"));
        let http =
            zoea_http::build_direct_client().map_err(|error| unreachable(error.to_string()))?;
        let endpoint = UpstreamEndpoint::new(running.control.as_str(), http.clone());
        let mut endpoint = endpoint.with_sessions();
        endpoint.token = Some(token.expose().into());
        endpoint.max_answer_bytes = MAX_ANSWER_BYTES;
        let program = RunningProgram {
            url: running.control.clone(),
            http,
            process: running.pid,
            note,
        };
        let opening = tokio::time::timeout(REQUEST_TIMEOUT, ServerSession::open(endpoint));
        let opened = program.watch(opening, false).await?;
        let session = opened.map_err(|_| ControlError::Waiting(REQUEST_TIMEOUT))?;
        let session = session.map_err(|error| unreachable(error.to_string()))?;
        Ok(ControlClient { session, program })
    }

    /// Calls a tool of the swarm.
    pub async fn ask(&self, call: &ControlCall) -> Result<Value, ControlError> {
        let (tool, arguments) = call.to_request();
        self.call(tool, arguments).await
    }

    /// Calls a tool and reads its answer.
    pub async fn call(
        &self,
        tool: impl Into<Cow<'static, str>>,
        arguments: Map<String, Value>,
    ) -> Result<Value, ControlError> {
        let tool = tool.into();
        let (timeout, is_long) = request_timeout(&tool);
        let params = CallToolRequestParams::new(tool.clone()).with_arguments(arguments);
        let called = self.session.call(params, timeout);
        let called = self.program.watch(called, is_long);
        let result = called.await?.map_err(|failure| match failure {
            McpFailure::TooLate(limit) => ControlError::Waiting(limit),
            McpFailure::Refused { .. }
            | McpFailure::RefusedAfterAsking { .. }
            | McpFailure::Status { .. }
            | McpFailure::SessionGone
            | McpFailure::Http { .. }
            | McpFailure::Broken(_) => unanswered(&tool, &failure.to_string()),
        })?;
        if result.is_error {
            return Err(ControlError::Refused(result.text));
        }
        serde_json::from_str(&result.text)
            .map_err(|error| unanswered(&tool, &format!("its answer is not JSON: {error}")))
    }
}

impl RunningProgram {
    /// Awaits an answer. While none comes, finds out whether the program answers anything at all; one that
    /// takes long counts as under way once it did.
    async fn watch<T>(
        &self,
        answer: impl Future<Output = T>,
        is_long: bool,
    ) -> Result<T, ControlError> {
        let mut answer = std::pin::pin!(answer);
        let begun = Instant::now();
        let (mut was_noted, mut is_under_way) = (false, false);
        loop {
            // Cancel-safe: the answer is awaited further in the next round.
            tokio::select! {
                answer = &mut answer => return Ok(answer),
                () = tokio::time::sleep(SILENCE_TIMEOUT) => {}
            }
            if process::is_stopped(self.process) {
                return Err(ControlError::Stopped(self.process));
            }
            if is_under_way {
                continue;
            }
            // Any response is a sign of life, a refusal without the token as well.
            let asked = self.http.get(&self.url).send();
            // Cancel-safe: the question is not needed any more once the answer is there.
            let is_silent = tokio::select! {
                answer = &mut answer => return Ok(answer),
                asked = tokio::time::timeout(SILENCE_TIMEOUT, asked) => asked.is_err(),
            };
            is_under_way = is_long && !is_silent;
            let is_late = is_silent || (!is_long && begun.elapsed() >= LATE);
            if is_late && !was_noted && !process::is_stopped(self.process) {
                was_noted = true;
                let what = match is_silent {
                    true => "runs but does not answer",
                    false => "answers, but has not done this yet",
                };
                (self.note)(&format!(
                    "the program of this home (process {}) {what}; still waiting. Its log, zoea.log in its \
                     home, may say why",
                    self.process
                ));
            }
        }
    }
}

/// A request was sent and got no answer, so the outcome of its order is unknown.
fn unanswered(tool: &str, why: &str) -> ControlError {
    let then = match ControlCall::only_reads(tool) {
        true => "",
        false => " The order may have been carried out: look before you repeat it",
    };
    ControlError::Unreachable(format!("{why}; is it closing?{then}"))
}

/// How long an answer may take, and whether it is known to take long.
fn request_timeout(tool: &str) -> (Duration, bool) {
    match tool {
        "export" | "import_accounts" | "export_accounts" | "compact" => {
            (FILE_REQUEST_TIMEOUT, true)
        }
        // Those that wait answer within the time of any other call.
        "wait" | "read_events" => (REQUEST_TIMEOUT, true),
        _ => (REQUEST_TIMEOUT, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_without_an_answer_may_have_been_carried_out_and_a_question_changed_nothing() {
        let said = |tool: &str| unanswered(tool, "the connection is closed").to_string();
        let may_be_done = "may have been carried out: look before you repeat it";
        for order in ["broadcast", "remind", "create_mysis"] {
            assert!(said(order).ends_with(may_be_done), "{order}");
        }
        for question in ["status", "list_myses"] {
            assert!(said(question).ends_with("is it closing?"), "{question}");
        }
    }
}

//! The galaxy over standard input and output: passes each line on to the server of this process, and
//! its answer back.

use std::os::fd::AsFd;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::JoinSet;

use crate::interface::cli::out;

const SESSION_HEADER: &str = "mcp-session-id";
/// The longest wait for an answer. Travelling takes minutes.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3600);

/// The way to the server. The session is known from the first answer on.
#[derive(Clone)]
struct Passage {
    http: reqwest::Client,
    url: String,
    session: Option<String>,
}

/// Serves until standard input ends.
pub(super) async fn serve(url: String) -> anyhow::Result<()> {
    let mut passage = Passage {
        http: zoea_http::build_direct_client().context("build an HTTP client")?,
        url,
        session: None,
    };
    let input = std::io::stdin().as_fd().try_clone_to_owned();
    let input = File::from_std(input.context("open standard input")?.into());
    let mut lines = BufReader::new(input).lines();
    let mut requests = JoinSet::new();
    loop {
        // Cancel-safe: both go on where they were.
        tokio::select! {
            line = lines.next_line() => {
                let Some(line) = line.context("read standard input")? else {
                    return Ok(());
                };
                let message: Value = serde_json::from_str(&line).unwrap_or_default();
                if passage.session.is_none() || message.get("id").is_none() {
                    // What comes next may need the session, or what this one says.
                    let session = print_answer(passage.post(line).await?)?;
                    passage.session = passage.session.or(session);
                } else {
                    let passage = passage.clone();
                    requests.spawn(async move { passage.post(line).await });
                }
            }
            Some(answer) = requests.join_next() => {
                print_answer(answer??)?;
            }
        }
    }
}

fn print_answer(
    (answer, session): (Option<Value>, Option<String>),
) -> anyhow::Result<Option<String>> {
    if let Some(answer) = answer {
        out::json(&answer)?;
    }
    Ok(session)
}

impl Passage {
    /// Posts a message. Returns its answer, if it has one, and the session that the server names.
    async fn post(&self, line: String) -> anyhow::Result<(Option<Value>, Option<String>)> {
        let mut request = self.http.post(&self.url).timeout(ANSWER_TIMEOUT).body(line);
        request = request.header("content-type", "application/json");
        request = request.header("accept", "application/json, text/event-stream");
        if let Some(session) = &self.session {
            request = request.header(SESSION_HEADER, session);
        }
        let response = request.send().await.context("pass a message on")?;
        let session = response.headers().get(SESSION_HEADER);
        let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
        let body = response.bytes().await.context("read an answer")?;
        Ok((serde_json::from_slice(&body).ok(), session))
    }
}

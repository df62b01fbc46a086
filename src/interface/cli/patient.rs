//! A client that outlives the program: it waits until one runs in the home, and asks again where it ended
//! before it answered. So only calls that change nothing go through it.

use std::time::Duration;

use actors::domain::order::OrderRefusal;
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::host::home::{Home, RunFile};
use crate::interface::cli::out;
use crate::interface::control::call::ControlCall;
use crate::interface::control::client::{ControlClient, ControlError};

/// The pause before the program is looked for again.
const PAUSE: Duration = Duration::from_millis(250);
/// How long the last answer of a program may take, which says whom it waited for in vain.
const LAST_ANSWER: Duration = Duration::from_secs(2);

pub(super) struct PatientClient {
    home: Home,
    client: Option<ControlClient>,
    /// What the operator was told last about a program that does not answer.
    noted: Option<String>,
}

impl PatientClient {
    pub(super) fn new(home: Home) -> PatientClient {
        PatientClient {
            home,
            client: None,
            noted: None,
        }
    }

    /// The answer to a call of the program that runs, or of the next one that does; `None` where none came
    /// in time.
    pub(super) async fn ask(
        &mut self,
        call: &ControlCall,
        end: Option<Instant>,
    ) -> anyhow::Result<Option<Value>> {
        let last = end.map(|end| end.checked_add(LAST_ANSWER).unwrap_or(end));
        loop {
            let asked = self.ask_once(call);
            let answer = match last {
                Some(last) => match timeout_at(last, asked).await {
                    Ok(answer) => answer,
                    Err(_) => return Ok(None),
                },
                None => asked.await,
            };
            match answer {
                Ok(value) => {
                    self.noted = None;
                    return Ok(Some(value));
                }
                Err(ControlError::Refused(why)) if why != OrderRefusal::Closing.to_string() => {
                    anyhow::bail!(why)
                }
                Err(error) => {
                    self.client = None;
                    if matches!(error, ControlError::Stopped(_)) {
                        self.note(error.to_string());
                    }
                }
            }
            let now = Instant::now();
            let next = now + PAUSE;
            match end {
                Some(end) if end <= now => return Ok(None),
                Some(end) => sleep_until(next.min(end)).await,
                None => sleep_until(next).await,
            }
        }
    }

    async fn ask_once(&mut self, call: &ControlCall) -> Result<Value, ControlError> {
        let client = match self.client.take() {
            Some(client) => client,
            None => self.connect().await?,
        };
        self.client.insert(client).ask(call).await
    }

    async fn connect(&mut self) -> Result<ControlClient, ControlError> {
        let token = self.home.control_token().ok().flatten();
        let Some((running, token)) = RunFile::read(&self.home).zip(token) else {
            self.note("no swarm is running here; waiting until one is".to_string());
            return Err(ControlError::Unreachable("it does not run".to_string()));
        };
        ControlClient::connect(&running, &token, out::note).await
    }

    /// Tells the operator, once.
    fn note(&mut self, text: String) {
        if self.noted.as_ref() != Some(&text) {
            out::note(&text);
            self.noted = Some(text);
        }
    }
}

//! Hooks: an alert is sent as a POST of JSON, and to a command with the JSON on its input.

use std::process::Stdio;
use std::time::Duration;

use actors::domain::message::Severity;
use actors::secrets::Secrets;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::sync::mpsc;
use zoea_http::JsonSender;
use zoea_settings::AlertSettings;
use zoea_text::clean;

use super::causes::Alert;
use crate::telemetry::operator::Operator;

/// The pauses before the further attempts of the webhook.
const RETRY_WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
];

pub(super) struct Hooks {
    webhook: Option<JsonSender>,
    command: Vec<String>,
    environment: Vec<(String, String)>,
    timeout: Duration,
    secrets: Secrets,
    operator: Operator,
    /// Whether the operator was told that a hook does not work: the webhook, the command.
    is_failing: [bool; 2],
}

impl Hooks {
    pub(super) fn new(
        settings: &AlertSettings,
        http: &reqwest::Client,
        secrets: Secrets,
        operator: Operator,
    ) -> Hooks {
        let webhook = settings.webhook.as_ref().map(|url| JsonSender {
            http: http.clone(),
            url: url.expose().to_string(),
            token: settings.token.as_ref().map(|token| token.expose().into()),
            timeout: settings.timeout,
            waits: &RETRY_WAITS,
        });
        Hooks {
            webhook,
            command: settings.command.clone().unwrap_or_default(),
            environment: settings.inherited.clone(),
            timeout: settings.timeout,
            secrets,
            operator,
            is_failing: [false; 2],
        }
    }

    /// Sends alerts one after the other until no sender is left. Both hooks work at the same time.
    pub(super) async fn send_all(mut self, mut alerts: mpsc::Receiver<Alert>) {
        while let Some(alert) = alerts.recv().await {
            let body = self.secrets.redactor().clean_json(alert.to_json());
            let (posted, ran) = tokio::join!(self.call_webhook(&body), self.run_command(&body));
            self.report_outcome(0, "the webhook of [alerts]", posted);
            self.report_outcome(1, "the command of [alerts]", ran);
        }
    }

    async fn call_webhook(&self, body: &Value) -> Result<(), String> {
        match &self.webhook {
            Some(webhook) => webhook.send(body).await,
            None => Ok(()),
        }
    }

    /// Runs the command, which sees no key of ours. One that takes too long is killed.
    async fn run_command(&self, body: &Value) -> Result<(), String> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Ok(());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{program} cannot be run: {error}"))?;
        let input = child.stdin.take();
        let text = format!("{}\n", clean::clean_json(&body.to_string()));
        let running = async {
            if let Some(mut input) = input {
                // A command may ignore its input.
                let _ = input.write_all(text.as_bytes()).await;
            }
            child.wait().await
        };
        let ended = tokio::time::timeout(self.timeout, running).await;
        match ended {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(format!("{program} ended with {status}")),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => {
                // Dropping the child would kill it too, but without waiting for its end.
                let killed = child.kill().await;
                let killed = killed.map_or_else(|error| error.to_string(), |()| "killed".into());
                Err(format!("{program} ran for {:?}: {killed}", self.timeout))
            }
        }
    }

    /// Tells the operator of a hook that does not work, once until it works again.
    fn report_outcome(&mut self, hook: usize, name: &str, done: Result<(), String>) {
        let was_failing = std::mem::replace(&mut self.is_failing[hook], done.is_err());
        match done {
            Err(why) if !was_failing => {
                let text = format!("{name} does not work: {why}");
                let text = self.secrets.clean(&text);
                self.operator.notify(Severity::Warn, "alert_failed", &text);
            }
            Ok(()) if was_failing => {
                let text = format!("{name} works again");
                self.operator.notify(Severity::Info, "alert_healed", &text);
            }
            Ok(()) | Err(_) => {}
        }
    }
}

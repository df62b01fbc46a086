//! Hooks: an alert is sent as a POST of JSON, and to a command with the JSON on its input.

use std::process::Stdio;
use std::time::Duration;

use actors::domain::message::Severity;
use actors::secrets::Secrets;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
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

/// A receiver of alerts.
pub(super) struct Hook {
    way: HookWay,
    secrets: Secrets,
    operator: Operator,
    /// Whether the operator was told that it does not work.
    is_failing: bool,
}

enum HookWay {
    Webhook(JsonSender),
    Command(HookCommand),
}

struct HookCommand {
    words: Vec<String>,
    environment: Vec<(String, String)>,
    timeout: Duration,
}

impl Hook {
    pub(super) fn configured(
        settings: &AlertSettings,
        http: &reqwest::Client,
        secrets: &Secrets,
        operator: &Operator,
    ) -> Vec<Hook> {
        let webhook = settings.webhook.as_ref().map(|url| JsonSender {
            http: http.clone(),
            url: url.expose().to_string(),
            token: settings.token.as_ref().map(|token| token.expose().into()),
            timeout: settings.timeout,
            waits: &RETRY_WAITS,
        });
        let words = settings.command.clone().unwrap_or_default();
        let command = (!words.is_empty()).then(|| HookCommand {
            words,
            environment: settings.inherited.clone(),
            timeout: settings.timeout,
        });
        let ways = webhook.map(HookWay::Webhook).into_iter();
        let ways = ways.chain(command.map(HookWay::Command));
        ways.map(|way| Hook {
            way,
            secrets: secrets.clone(),
            operator: operator.clone(),
            is_failing: false,
        })
        .collect()
    }

    /// Sends alerts one after the other until no sender is left, and hands back those that did not arrive.
    pub(super) async fn send_all(
        mut self,
        mut alerts: mpsc::Receiver<Alert>,
        undelivered: mpsc::Sender<Alert>,
    ) {
        while let Some(alert) = alerts.recv().await {
            let known = self.secrets.redactor();
            let body = known.clean_json(alert.to_json());
            let done = match &self.way {
                HookWay::Webhook(webhook) => webhook.send(&body, &known).await,
                HookWay::Command(command) => command.run(&body).await,
            };
            let has_failed = done.is_err();
            self.report_outcome(done);
            if has_failed {
                // Who collects alerts ends with this task.
                let _ = undelivered.send(alert).await;
            }
        }
    }

    /// Tells the operator of a hook that does not work, once until it works again.
    fn report_outcome(&mut self, done: Result<(), String>) {
        let name = match &self.way {
            HookWay::Webhook(_) => "the webhook of [alerts]",
            HookWay::Command(_) => "the command of [alerts]",
        };
        let was_failing = std::mem::replace(&mut self.is_failing, done.is_err());
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

impl HookCommand {
    /// Runs the command, which sees no key of ours. One that takes too long is killed, with all that it started.
    async fn run(&self, body: &Value) -> Result<(), String> {
        let Some((program, arguments)) = self.words.split_first() else {
            return Ok(());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What it starts ends with it where it is killed.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{program} cannot be run: {error}"))?;
        let mut group = RunningGroup::of(&child);
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
        if matches!(ended, Ok(Ok(_))) {
            group.is_over();
        }
        match ended {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(format!("{program} ended with {status}")),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => {
                group.kill();
                // Dropping the child would kill it too, but without waiting for its end.
                let killed = child.kill().await;
                let killed = killed.map_or_else(|error| error.to_string(), |()| "killed".into());
                Err(format!("{program} ran for {:?}: {killed}", self.timeout))
            }
        }
    }
}

/// The processes of a command that runs. They are killed if this is dropped before the command has ended by itself;
/// what one that has ended left behind may go on, such as the player of a sound.
struct RunningGroup(Option<Pid>);

impl RunningGroup {
    fn of(child: &Child) -> RunningGroup {
        RunningGroup(child.id().and_then(|id| Pid::from_raw(id.cast_signed())))
    }

    fn is_over(&mut self) {
        self.0 = None;
    }

    fn kill(&mut self) {
        if let Some(group) = self.0.take() {
            // An empty group is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for RunningGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

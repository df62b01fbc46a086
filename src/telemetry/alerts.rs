//! Alerts: a webhook and a command are told of Myses that need the operator, once for each cause.
//!
//! The dispatcher receives every event. Each hook has its own causes and its own bounded queue, so that what one of
//! them missed is told to it alone. The operator is told once of a hook that does not work, until it works again. No
//! part of the swarm waits for alerts.

mod causes;
mod hooks;

use std::time::Duration;

use actors::domain::ids::Timestamp;
use actors::domain::needs::NeedBook;
use actors::ports::Clock;
use actors::secrets::Secrets;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use zoea_settings::AlertSettings;
use zoea_system::clock::MachineClock;

use crate::telemetry::operator::Operator;
use actors::listener::EventHandler;

use causes::{Alert, AlertSignal, Causes};
use hooks::Hook;

const MAX_WAITING_SIGNALS: usize = 4096;
const MAX_WAITING_ALERTS: usize = 64;

/// What is told to each hook.
pub struct AlertDispatcher(Vec<HookTasks>);

/// The task that sorts signals by cause, and the task that sends alerts to a hook.
struct HookTasks {
    news: mpsc::Sender<AlertSignal>,
    tasks: [JoinHandle<()>; 2],
}

impl AlertDispatcher {
    pub fn start(
        settings: &AlertSettings,
        http: &reqwest::Client,
        secrets: &Secrets,
        operator: &Operator,
    ) -> AlertDispatcher {
        let hooks = Hook::configured(settings, http, secrets, operator).into_iter();
        let hooks = hooks.map(|hook| {
            let (news, signals) = mpsc::channel(MAX_WAITING_SIGNALS);
            let (alerts, waiting) = mpsc::channel(MAX_WAITING_ALERTS);
            let (undelivered, failed) = mpsc::channel(MAX_WAITING_ALERTS);
            let causes = Causes::new(settings.cool_down, MachineClock.now(), Instant::now());
            let tasks = [
                tokio::spawn(collect_alerts(causes, signals, (alerts, failed))),
                tokio::spawn(hook.send_all(waiting, undelivered)),
            ];
            HookTasks { news, tasks }
        });
        AlertDispatcher(hooks.collect())
    }

    #[must_use]
    pub fn event_handler(&self) -> EventHandler {
        let hooks: Vec<_> = self.0.iter().map(|hook| hook.news.clone()).collect();
        Box::new(move |event| {
            let Some(signal) = causes::signal_of(event) else {
                return;
            };
            for news in &hooks {
                if news.try_send(signal.clone()).is_err() {
                    tracing::warn!("an alert was lost: too many events at once");
                }
            }
        })
    }

    /// Stops all tasks. An alert that is being sent is dropped.
    pub async fn stop(self) {
        for task in self.0.into_iter().flat_map(|hook| hook.tasks) {
            task.abort();
            // Aborted or finished, the task is gone.
            let _ = task.await;
        }
    }
}

/// Sorts signals by cause until no sender is left, and passes alerts on when they are due. Those that the hook did
/// not get come back.
async fn collect_alerts(
    mut causes: Causes,
    mut signals: mpsc::Receiver<AlertSignal>,
    (alerts, mut failed): (mpsc::Sender<Alert>, mpsc::Receiver<Alert>),
) {
    let mut book = NeedBook::default();
    loop {
        let wall = MachineClock.now();
        let away = book.next_due(wall).map(|at| {
            let left = u64::try_from(at.0.saturating_sub(wall.0)).unwrap_or_default();
            Instant::now() + Duration::from_millis(left)
        });
        let due = causes.next_due().into_iter().chain(away).min();
        let quiet = async {
            match due {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        // Cancel-safe: a message that is not received stays in the channel, and the sleep is
        // started again.
        tokio::select! {
            news = signals.recv() => match news {
                Some(AlertSignal::Wrong(at, code, text)) => {
                    causes.add_failure((at, code, text), Instant::now());
                }
                Some(AlertSignal::Over(codes)) => causes.end_failures(&codes),
                Some(AlertSignal::Left(mysis, at)) => {
                    book.forget(mysis);
                    take_needs(&mut causes, &book, at);
                }
                Some(AlertSignal::Happened(event)) => {
                    if book.on_event(&event) {
                        take_needs(&mut causes, &book, event.at);
                    }
                }
                None => return,
            },
            Some(alert) = failed.recv() => take_back(&mut causes, &book, alert),
            () = quiet => take_needs(&mut causes, &book, MachineClock.now()),
        }
        for alert in causes.take_due(Instant::now()) {
            if let Err(left) = alerts.try_send(alert) {
                tracing::warn!(
                    "an alert has to wait: the webhook or the command of [alerts] is too slow"
                );
                take_back(&mut causes, &book, left.into_inner());
            }
        }
    }
}

/// What an alert would have told is news again, if it still holds.
fn take_back(causes: &mut Causes, book: &NeedBook, alert: Alert) {
    causes.take_back(alert);
    take_needs(causes, book, MachineClock.now());
}

fn take_needs(causes: &mut Causes, book: &NeedBook, at: Timestamp) {
    causes.take_needs(book.single_needs(at), at, Instant::now());
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use actors::domain::event::{EventKind, MysisStatus, SwarmEvent};
    use actors::domain::ids::MysisId;
    use actors::domain::record::{MysisProfile, MysisRecord};
    use actors::domain::rules::SwarmRules;
    use actors::domain::state::LifeState;
    use axum::Json;
    use axum::http::StatusCode;
    use serde_json::Value;
    use zoea_settings::Secret;

    use super::*;

    fn errored(id: i64) -> Arc<SwarmEvent> {
        let at = MachineClock.now();
        let profile = MysisProfile::of(&format!("m{id}"), "local");
        let record = MysisRecord::new(MysisId(id), profile, at);
        let status = MysisStatus {
            state: LifeState::Errored,
            ..MysisStatus::from_record(&record, &SwarmRules::default(), at)
        };
        Arc::new(SwarmEvent {
            at,
            mysis: None,
            what: EventKind::StatusChanged(Arc::new(status)),
        })
    }

    /// A webhook whose test says what it answers. It is not tried again after 403.
    async fn webhook() -> (Secret, mpsc::Receiver<(Value, mpsc::Sender<u16>)>) {
        let (asked, asks) = mpsc::channel(1);
        let app = axum::Router::new().fallback(move |Json(body): Json<Value>| async move {
            let (answer, mut answers) = mpsc::channel(1);
            let _ = asked.send((body, answer)).await;
            let status = answers.recv().await.unwrap_or(500);
            StatusCode::from_u16(status).expect("a status")
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (Secret::new(url), asks)
    }

    fn names(alert: &Value) -> BTreeSet<&str> {
        let names = alert["myses"].as_array().expect("names").iter();
        names.filter_map(Value::as_str).collect()
    }

    #[tokio::test]
    async fn what_a_hook_missed_is_told_to_it_when_it_works_and_to_no_other() {
        let (url, mut asks) = webhook().await;
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("told");
        let append = format!("cat >> '{}'", file.display());
        let settings = AlertSettings {
            webhook: Some(url),
            command: Some(["sh".into(), "-c".into(), append].into()),
            cool_down: Duration::from_millis(20),
            ..AlertSettings::default()
        };
        let http = zoea_http::build_direct_client().unwrap();
        let (secrets, operator) = (Secrets::default(), Operator::default());
        let dispatcher = AlertDispatcher::start(&settings, &http, &secrets, &operator);
        let mut handler = dispatcher.event_handler();
        handler(&errored(1));
        let (first, answer) = asks.recv().await.unwrap();
        assert_eq!(names(&first), ["m1"].into());
        // While the webhook refuses it, another one joins.
        handler(&errored(2));
        answer.send(403).await.unwrap();
        let mut told = BTreeSet::new();
        while told.len() < 2 {
            let (alert, answer) = asks.recv().await.unwrap();
            told.extend(names(&alert).into_iter().map(str::to_string));
            answer.send(200).await.unwrap();
        }
        // The command got each once, also in the time that the webhook took.
        let told = loop {
            let told = std::fs::read_to_string(&file).unwrap_or_default();
            if told.contains("m2") && told.ends_with('\n') {
                break told;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let told: Vec<Value> = told
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let told: Vec<&str> = told.iter().flat_map(names).collect();
        assert_eq!(told, ["m1", "m2"]);
        dispatcher.stop().await;
    }
}

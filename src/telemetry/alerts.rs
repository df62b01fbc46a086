//! Alerts: a webhook and a command are told of Myses that need the operator, once for each cause.
//!
//! The dispatcher receives every event. Alerts wait in a bounded queue. The operator is told once of a
//! hook that does not work, until it works again. No part of the swarm waits for alerts.

mod causes;
mod hooks;

use std::time::Duration;

use actors::domain::ids::Timestamp;
use actors::domain::needs::{ListedNeed, NeedBook};
use actors::ports::Clock;
use actors::secrets::Secrets;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use zoea_settings::AlertSettings;
use zoea_system::clock::MachineClock;

use crate::telemetry::operator::Operator;
use actors::listener::EventHandler;

use causes::{AlertSignal, Causes};
use hooks::Hooks;

const MAX_WAITING_SIGNALS: usize = 4096;
const MAX_WAITING_ALERTS: usize = 64;

/// The task that sorts signals by cause, and the task that sends alerts.
pub struct AlertDispatcher {
    news: mpsc::Sender<AlertSignal>,
    tasks: [JoinHandle<()>; 2],
}

impl AlertDispatcher {
    pub fn start(
        settings: &AlertSettings,
        http: &reqwest::Client,
        secrets: Secrets,
        operator: Operator,
    ) -> AlertDispatcher {
        let (news, signals) = mpsc::channel(MAX_WAITING_SIGNALS);
        let (alerts, waiting) = mpsc::channel(MAX_WAITING_ALERTS);
        let causes = Causes::new(settings.cool_down);
        let hooks = Hooks::new(settings, http, secrets, operator);
        let tasks = [
            tokio::spawn(collect_alerts(causes, signals, alerts)),
            tokio::spawn(hooks.send_all(waiting)),
        ];
        AlertDispatcher { news, tasks }
    }

    #[must_use]
    pub fn event_handler(&self) -> EventHandler {
        let news = self.news.clone();
        Box::new(move |event| {
            if let Some(signal) = causes::signal_of(event)
                && news.try_send(signal).is_err()
            {
                tracing::warn!("an alert was lost: too many events at once");
            }
        })
    }

    /// Stops both tasks. An alert that is being sent is dropped.
    pub async fn stop(self) {
        for task in self.tasks {
            task.abort();
            // Aborted or finished, the task is gone.
            let _ = task.await;
        }
    }
}

/// Sorts signals by cause until no sender is left, and passes alerts on when they are due.
async fn collect_alerts(
    mut causes: Causes,
    mut signals: mpsc::Receiver<AlertSignal>,
    alerts: mpsc::Sender<causes::Alert>,
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
            () = quiet => take_needs(&mut causes, &book, MachineClock.now()),
        }
        for alert in causes.take_due(Instant::now()) {
            if alerts.try_send(alert).is_err() {
                tracing::warn!(
                    "an alert was lost: the webhook or the command of [alerts] is too slow"
                );
            }
        }
    }
}

fn take_needs(causes: &mut Causes, book: &NeedBook, at: Timestamp) {
    let list = book.list(at);
    let needs = list.iter().flat_map(ListedNeed::needs);
    causes.take_needs(needs, at, Instant::now());
}

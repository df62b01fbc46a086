//! Alerts: who needs the operator is told to a webhook and to a command, once for each cause.
//!
//! Hears what every watcher hears. What is to be told waits in a queue with a bound; a hook that
//! does not work is told to the operator once, until it works again. Nothing of the swarm waits.

mod causes;
mod hooks;

use actors::secrets::Secrets;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::operator::Operator;
use crate::settings::AlertSettings;
use actors::listener::EventHandler;

use causes::{AlertSignal, Causes};
use hooks::Hooks;

/// What was heard and waits to be weighed.
const MAX_WAITING_SIGNALS: usize = 4096;
/// Alerts that wait to be brought.
const MAX_WAITING_ALERTS: usize = 64;

/// What weighs and brings alerts.
pub struct AlertDispatcher {
    news: mpsc::Sender<AlertSignal>,
    tasks: [JoinHandle<()>; 2],
}

impl AlertDispatcher {
    /// Begins to weigh what is heard.
    #[must_use]
    pub fn start(
        settings: &AlertSettings,
        http: &reqwest::Client,
        secrets: Secrets,
        operator: Operator,
    ) -> AlertDispatcher {
        let (news, heard) = mpsc::channel(MAX_WAITING_SIGNALS);
        let (alerts, waiting) = mpsc::channel(MAX_WAITING_ALERTS);
        let causes = Causes::new(settings.cool_down);
        let hooks = Hooks::new(settings, http, secrets, operator);
        let tasks = [
            tokio::spawn(collect_alerts(causes, heard, alerts)),
            tokio::spawn(hooks.send_all(waiting)),
        ];
        AlertDispatcher { news, tasks }
    }

    /// What hears, for a listener.
    #[must_use]
    pub fn event_handler(&self) -> EventHandler {
        let news = self.news.clone();
        Box::new(move |event| {
            if let Some(heard) = causes::signal_of(event)
                && news.try_send(heard).is_err()
            {
                tracing::warn!("an alert was lost: too much happens at once");
            }
        })
    }

    /// Ends; what is being brought is left.
    pub async fn stop(self) {
        for task in self.tasks {
            task.abort();
            // Aborted or ended, it is gone.
            let _ = task.await;
        }
    }
}

/// Weighs news until nobody has any, and passes on what is to be told when its time has come.
async fn collect_alerts(
    mut causes: Causes,
    mut heard: mpsc::Receiver<AlertSignal>,
    alerts: mpsc::Sender<causes::Alert>,
) {
    loop {
        let due = causes.next_due();
        let quiet = async {
            match due {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        // Cancel-safe: a message that is not taken stays, and a sleep is begun anew.
        tokio::select! {
            news = heard.recv() => match news {
                Some(news) => causes.add_signal(news, Instant::now()),
                None => return,
            },
            () = quiet => {}
        }
        for alert in causes.take_due(Instant::now()) {
            if alerts.try_send(alert).is_err() {
                tracing::warn!("an alert was lost: the hooks are too slow");
            }
        }
    }
}

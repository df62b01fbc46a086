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
use crate::settings::Alerts;
use actors::listener::EventHandler;

use causes::{Causes, News};
use hooks::Hooks;

/// What was heard and waits to be weighed.
const QUEUE: usize = 4096;
/// Alerts that wait to be brought.
const WAITING: usize = 64;

/// What weighs and brings alerts.
pub struct Alarm {
    news: mpsc::Sender<News>,
    tasks: [JoinHandle<()>; 2],
}

impl Alarm {
    /// Begins to weigh what is heard.
    #[must_use]
    pub fn start(
        settings: &Alerts,
        http: &reqwest::Client,
        secrets: Secrets,
        operator: Operator,
    ) -> Alarm {
        let (news, heard) = mpsc::channel(QUEUE);
        let (alerts, waiting) = mpsc::channel(WAITING);
        let causes = Causes::new(settings.cool_down);
        let hooks = Hooks::new(settings, http, secrets, operator);
        let tasks = [
            tokio::spawn(weigh(causes, heard, alerts)),
            tokio::spawn(hooks.bring_all(waiting)),
        ];
        Alarm { news, tasks }
    }

    /// What hears, for a listener.
    #[must_use]
    pub fn ear(&self) -> EventHandler {
        let news = self.news.clone();
        Box::new(move |event| {
            if let Some(heard) = causes::news(event)
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
async fn weigh(
    mut causes: Causes,
    mut heard: mpsc::Receiver<News>,
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
                Some(news) => causes.take_in(news, Instant::now()),
                None => return,
            },
            () = quiet => {}
        }
        for alert in causes.due(Instant::now()) {
            if alerts.try_send(alert).is_err() {
                tracing::warn!("an alert was lost: the hooks are too slow");
            }
        }
    }
}

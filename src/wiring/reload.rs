//! Reload: another configuration for a swarm that flies (SIGHUP, `:reload`, the control interface).
//!
//! A configuration with a mistake changes nothing. What holds at once, holds for everybody: new
//! secrets are known before a key of them is used, and endpoints before a rule names them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use actors::commander::CommanderMsg;
use actors::domain::event_record::OrderSource;
use actors::domain::message::Severity;
use actors::domain::order::{Order, Reloaded};
use actors::ports::Configuration;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use crate::settings::{LoadedSettings, Settings, SettingsError};

use super::{RunningSwarm, provider_endpoints, rules};

/// Who waits for a reload.
pub type ReloadReply = oneshot::Sender<Result<Reloaded, Vec<String>>>;

/// How the operator of a terminal asks for a reload: by the Commander, and then here.
#[derive(Debug)]
pub(super) struct ReloadTrigger(pub(super) mpsc::Sender<ReloadReply>);

impl Configuration for ReloadTrigger {
    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, Vec<String>>> {
        let (asker, answer) = oneshot::channel();
        let rung = self.0.try_send(asker);
        async move {
            let why = |text: &str| Err(vec![text.to_string()]);
            if rung.is_err() {
                return why("it is being read again already");
            }
            match answer.await {
                Ok(answer) => answer,
                Err(_) => why("the program is closing"),
            }
        }
        .boxed()
    }
}

impl RunningSwarm {
    /// Takes up what was read anew because of a signal, and tells what came of it.
    pub async fn reload(&mut self, read: Result<LoadedSettings, SettingsError>) {
        let Err(mistakes) = self.apply_settings(read).await else {
            // A Commander that is gone has said why.
            let ordered = CommanderMsg::Ordered(Order::Reload, OrderSource::Signal);
            let _ = self.commander.cast(ordered);
            return;
        };
        for mistake in mistakes {
            let text = format!("the configuration stays as it was: {mistake}");
            self.operator.tell(Severity::Error, "reload_failed", &text);
        }
    }

    /// Takes up what was read anew because somebody asked for it, who alone is told where it fails.
    pub async fn reload_for(
        &mut self,
        asker: ReloadReply,
        read: Option<Result<LoadedSettings, SettingsError>>,
    ) {
        let reloaded = match read {
            Some(read) => self.apply_settings(read).await,
            None => Err(vec![
                "offline play has no configuration to reload".to_string(),
            ]),
        };
        if let Err(mistakes) = &reloaded {
            tracing::warn!(?mistakes, "the configuration stays as it was");
        }
        // Who gave up waiting needs no answer.
        let _ = asker.send(reloaded);
    }

    /// Takes up what was read anew; everything is looked at before anything is changed.
    async fn apply_settings(
        &mut self,
        read: Result<LoadedSettings, SettingsError>,
    ) -> Result<Reloaded, Vec<String>> {
        let loaded = read.map_err(|error| {
            let mistakes = error.mistakes.iter();
            mistakes.map(ToString::to_string).collect::<Vec<String>>()
        })?;
        let swarm_rules = rules::swarm_rules(&loaded.settings, &self.home);
        let swarm_rules = Arc::new(swarm_rules.map_err(|error| vec![format!("{error:#}")])?);
        let new = loaded.settings;
        for warning in &loaded.warnings {
            self.operator.tell(Severity::Warn, "configuration", warning);
        }
        self.tell_what_waits_for_a_restart(&new);
        let reloaded = Reloaded {
            at_once: self.settings.changes_at_once(&new),
            after_a_restart: self
                .settings
                .changes_after_a_restart(&new)
                .into_iter()
                .map(str::to_string)
                .collect(),
        };
        let secrets = rules::configured_secrets(&new);
        let known = |reply| CommanderMsg::SecretsKnown(secrets, reply);
        if self.ask_commander(known).await.is_none() {
            return Err(vec!["the program is closing".to_string()]);
        }
        self.providers.replace(provider_endpoints(&new));
        self.has_price.store(new.has_price(), Ordering::Relaxed);
        // A Commander that is gone has said why.
        let _ = self.commander.cast(CommanderMsg::RulesChanged(swarm_rules));
        self.operator
            .tell(Severity::Info, "reloaded", &reloaded.to_string());
        self.settings = self.settings.without_a_restart(new);
        self.warn_about_ignored_settings(&self.settings);
        self.tell_who_has_no_provider().await;
        let others = self
            .ledger
            .names_held_by_others()
            .await
            .map_err(anyhow::Error::from);
        let created = match others {
            Ok(others) => self.create_declared(&self.settings, &others, false).await,
            Err(error) => Err(error),
        };
        if let Err(error) = created {
            self.operator
                .tell(Severity::Warn, "configuration", &format!("{error:#}"));
        }
        Ok(reloaded)
    }

    async fn ask_commander(
        &self,
        ask: impl FnOnce(ractor::RpcReplyPort<()>) -> CommanderMsg,
    ) -> Option<()> {
        match self.commander.call(ask, None).await {
            Ok(ractor::rpc::CallResult::Success(())) => Some(()),
            Ok(ractor::rpc::CallResult::Timeout | ractor::rpc::CallResult::SenderError)
            | Err(_) => None,
        }
    }

    fn tell_what_waits_for_a_restart(&self, new: &Settings) {
        for key in self.settings.changes_after_a_restart(new) {
            let text =
                format!("{key} has changed; that takes effect when the program is restarted");
            self.operator.tell(Severity::Warn, "needs_restart", &text);
        }
    }

    /// Whoever is on a provider that is gone cannot ask anybody any more.
    async fn tell_who_has_no_provider(&self) {
        let mut without: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for standing in self.swarm.statuses().await {
            if !self.settings.providers.contains_key(&*standing.provider) {
                let of_provider = without.entry(standing.provider.to_string()).or_default();
                of_provider.push(standing.name.to_string());
            }
        }
        for (provider, names) in without {
            let text = format!(
                "providers.{provider} is gone, and these are still on it: {}; `zoea mysis configure \
                 NAME --provider P` gives them another",
                names.join(", ")
            );
            self.operator.tell(Severity::Error, "no_provider", &text);
        }
    }
}

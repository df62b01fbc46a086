//! Reload: gives a running swarm another configuration (SIGHUP, `:reload`, the control interface).
//!
//! A configuration with a mistake changes nothing. Otherwise all parts change together: new secrets
//! are known before a key of them is used, and endpoints before a rule names them.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::commander::CommanderMsg;
use actors::domain::budget::BudgetRules;
use actors::domain::event_record::OrderSource;
use actors::domain::message::Severity;
use actors::domain::order::{Order, Reloaded};
use actors::domain::standing::StandingKind;
use actors::ports::Configuration;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use zoea_http::proxies::Proxies;
use zoea_settings::{LoadedSettings, Settings, SettingsError};

use super::learnt::ConfiguredLessons;
use super::outside::refuse_unusable_proxies;
use super::raise::RaiseFile;
use super::{
    RunningSwarm, describe_default_cap, describe_missing_secrets, provider_endpoints, roles, rules,
};

/// The way to answer the caller of a reload.
pub type ReloadReply = oneshot::Sender<Result<Reloaded, Vec<String>>>;

/// The Commander's way to ask for a reload, for the operator of a terminal.
#[derive(Debug)]
pub(super) struct ReloadTrigger {
    pub(super) reload: mpsc::Sender<ReloadReply>,
    pub(super) raise: RaiseFile,
}

impl Configuration for ReloadTrigger {
    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, Vec<String>>> {
        let (reply, answer) = oneshot::channel();
        let sent = self.reload.try_send(reply);
        async move {
            let refused = |text: &str| Err(vec![text.to_string()]);
            if sent.is_err() {
                return refused("it is being read already");
            }
            match answer.await {
                Ok(answer) => answer,
                Err(_) => refused("the program is closing"),
            }
        }
        .boxed()
    }

    fn keep_raise(&self, budget: BudgetRules) -> BoxFuture<'static, Result<(), String>> {
        self.raise.keep(budget)
    }
}

impl RunningSwarm {
    /// Applies a configuration that was read because of a signal, and reports the result.
    pub async fn reload(&mut self, read: Result<LoadedSettings, SettingsError>) {
        let Err(mistakes) = self.apply_settings(read).await else {
            // The send fails only if the Commander is gone, and it has reported why.
            let ordered = CommanderMsg::Ordered(Order::Reload, OrderSource::Signal);
            let _ = self.commander.cast(ordered);
            return;
        };
        for mistake in mistakes {
            let text =
                format!("the configuration is unchanged, correct it and reload again: {mistake}");
            self.operator
                .notify(Severity::Error, "reload_failed", &text);
        }
    }

    /// Applies a configuration that was read for a caller. Only the caller is told of a failure.
    pub async fn reload_for(
        &mut self,
        reply: ReloadReply,
        read: Option<Result<LoadedSettings, SettingsError>>,
    ) {
        let reloaded = match read {
            Some(read) => self.apply_settings(read).await,
            None => Err(vec![
                "offline play has no configuration to reload".to_string(),
            ]),
        };
        if let Err(mistakes) = &reloaded {
            tracing::warn!(?mistakes, "the configuration is unchanged");
        }
        // A caller that gave up needs no answer.
        let _ = reply.send(reloaded);
    }

    /// Warns about settings without effect: an operator must not rely on a budget that limits
    /// nothing. Reports the default cap in force.
    pub(super) fn warn_about_ignored_settings(&self, settings: &Settings) {
        for text in settings.ignored_settings() {
            self.operator.notify(Severity::Warn, "not_heeded", &text);
        }
        if let Some(text) = settings.metrics.exposure() {
            self.operator
                .notify(Severity::Warn, "metrics_remote", &text);
        }
        if let Some(text) = describe_default_cap(settings) {
            self.operator.notify(Severity::Info, "default_cap", &text);
        }
        let missing = describe_missing_secrets(settings);
        self.operator
            .notify_standing(StandingKind::SecretMissing, missing.as_deref());
    }

    /// Applies a configuration. Everything is checked before anything is changed.
    async fn apply_settings(
        &mut self,
        read: Result<LoadedSettings, SettingsError>,
    ) -> Result<Reloaded, Vec<String>> {
        let loaded = read.map_err(|error| {
            let mistakes = error.mistakes.iter();
            mistakes.map(ToString::to_string).collect::<Vec<String>>()
        })?;
        let swarm_rules = rules::swarm_rules(&loaded.settings, &self.home);
        let swarm_rules = swarm_rules.map_err(|error| vec![format!("{error:#}")])?;
        for warning in loaded.other_warnings() {
            self.operator
                .notify(Severity::Warn, "configuration", warning);
        }
        let new = loaded.settings;
        refuse_unusable_proxies(&new, &Proxies::of_process()).map_err(|text| vec![text])?;
        let lessons = ConfiguredLessons::read(&self.home, &new);
        let swarm_rules = Arc::new(lessons.complete(swarm_rules));
        self.report_unread_checks(&lessons);
        self.report_changes_after_restart(&new);
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
        lessons.teach(&self.providers);
        self.prices.replace(swarm_rules.clone());
        // The send fails only if the Commander is gone, and it has reported why.
        let _ = self.commander.cast(CommanderMsg::RulesChanged(swarm_rules));
        self.operator
            .notify(Severity::Info, "reloaded", &reloaded.to_string());
        self.settings = self.settings.without_a_restart(new);
        self.check.replace(&self.settings);
        self.warn_about_ignored_settings(&self.settings);
        self.report_missing_providers().await;
        self.report_role_troubles().await;
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
                .notify(Severity::Warn, "configuration", &format!("{error:#}"));
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

    fn report_changes_after_restart(&self, new: &Settings) {
        for key in self.settings.changes_after_a_restart(new) {
            let text =
                format!("{key} has changed; that takes effect when the program is restarted");
            self.operator.notify(Severity::Warn, "needs_restart", &text);
        }
    }

    /// Reports roles that somebody has and the configuration does not know, and routines of roles that
    /// cannot be read.
    pub(super) async fn report_role_troubles(&self) {
        let statuses = self.swarm.statuses().await;
        let roles = roles::role_book(&self.settings, &self.home);
        let profiles = statuses.iter().map(|status| &*status.own_profile);
        for text in roles.troubles(profiles) {
            self.operator.notify(Severity::Warn, "role", &text);
        }
    }

    /// Reports the Myses whose provider is no longer configured, as they cannot ask any model.
    async fn report_missing_providers(&self) {
        let mut without: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for status in self.swarm.statuses().await {
            if !self
                .settings
                .providers
                .contains_key(&*status.profile.provider)
            {
                let of_provider = without
                    .entry(status.profile.provider.to_string())
                    .or_default();
                of_provider.push(status.name.to_string());
            }
        }
        for (provider, names) in without {
            let text = format!(
                "the configuration has no provider `{provider}` any more, and these Myses use it: {}; \
                 `zoea mysis configure NAME --provider P` gives each another",
                names.join(", ")
            );
            self.operator.notify(Severity::Error, "no_provider", &text);
        }
    }
}

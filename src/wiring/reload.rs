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
use actors::domain::order::{Order, OrderRefusal, Reloaded};
use actors::domain::rules::SwarmRules;
use actors::domain::standing::StandingKind;
use actors::ports::Configuration;
use anyhow::Context;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use tokio::sync::{mpsc, oneshot};
use zoea_http::proxies::Proxies;
use zoea_settings::{LoadedSettings, Settings, SettingsError};
use zoea_text::names::listed;

use super::learnt::ConfiguredLessons;
use super::outside::refuse_unusable_proxies;
use super::raise::RaiseFile;
use super::{
    RunningSwarm, describe_default_cap, describe_missing_secrets, provider_endpoints, roles, rules,
};

const CREATED_TOGETHER: usize = 512;

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
        let after_a_restart = self.settings.changes_after_a_restart(&new);
        for key in &after_a_restart {
            let text =
                format!("{key} has changed; that takes effect when the program is restarted");
            self.operator.notify(Severity::Warn, "needs_restart", &text);
        }
        let mut at_once = self.settings.changes_at_once(&new);
        at_once.extend(changed_files(&self.rules, &swarm_rules));
        let reloaded = Reloaded {
            at_once,
            after_a_restart: after_a_restart.into_iter().map(str::to_string).collect(),
        };
        let secrets = rules::configured_secrets(&new);
        let known = |reply| CommanderMsg::SecretsKnown(secrets, reply);
        let known = self.commander.call(known, None).await;
        if !matches!(known, Ok(ractor::rpc::CallResult::Success(()))) {
            return Err(vec!["the program is closing".to_string()]);
        }
        self.providers.replace(provider_endpoints(&new));
        lessons.teach(&self.providers);
        self.prices.replace(swarm_rules.clone());
        self.rules = swarm_rules.clone();
        // The send fails only if the Commander is gone, and it has reported why.
        let _ = self.commander.cast(CommanderMsg::RulesChanged(swarm_rules));
        self.operator
            .notify(Severity::Info, "reloaded", &reloaded.to_string());
        self.settings = self.settings.without_a_restart(new);
        self.check.replace(&self.settings);
        self.warn_about_ignored_settings(&self.settings);
        self.report_missing_providers().await;
        self.report_role_troubles().await;
        if let Err(error) = self.create_declared(false).await {
            self.operator
                .notify(Severity::Warn, "configuration", &format!("{error:#}"));
        }
        Ok(reloaded)
    }

    /// Creates the Myses that the configuration lists and that do not exist. `starts` says whether
    /// they are started at once.
    pub(super) async fn create_declared(&self, starts: bool) -> anyhow::Result<()> {
        let others = self.ledger.names_held_by_others().await;
        let others = others.context("read the swarm")?;
        let swarm = self.swarm.with_source(OrderSource::Configuration);
        let declared = self.settings.myses.iter();
        let orders = declared
            .filter(|declared| !others.contains(&declared.name))
            .map(|declared| {
                let order = swarm.order(Order::Create {
                    name: declared.name.clone(),
                    provider: declared.provider.clone(),
                    model: None,
                    role: None,
                    start: starts,
                });
                async move { (&declared.name, order.await) }
            });
        // The store commits what comes together at once.
        let mut created = futures::stream::iter(orders).buffered(CREATED_TOGETHER);
        let (mut full, mut without_room) = (None, Vec::new());
        while let Some((name, created)) = created.next().await {
            match created {
                Ok(_) | Err(OrderRefusal::NameTaken(_)) => {}
                Err(refusal @ OrderRefusal::SwarmFull(_)) => {
                    without_room.push(name);
                    full = Some(refusal);
                }
                Err(refusal) => anyhow::bail!("create {name}: {refusal}"),
            }
        }
        // Not of a command: each would tell it again.
        if let Some(full) = full.filter(|_| self.is_live) {
            let text = format!("create {}: {full}", listed(&without_room));
            self.operator.notify(Severity::Warn, "configuration", &text);
        }
        Ok(())
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

/// The files of the home that say something else than before: the system prompt, and routines that roles offer.
fn changed_files(before: &SwarmRules, now: &SwarmRules) -> Vec<String> {
    let is_other_prompt = before.system_prompt != now.system_prompt;
    let prompt = is_other_prompt.then(|| "system-prompt.md".to_string());
    let (known, read) = (routine_texts(before), routine_texts(now));
    let changed = read.into_iter().filter_map(|(name, text)| {
        let is_changed = known.get(name).is_some_and(|known| *known != text);
        is_changed.then(|| format!("routines/{name}.json"))
    });
    prompt.into_iter().chain(changed).collect()
}

fn routine_texts(rules: &SwarmRules) -> BTreeMap<&str, &Result<Arc<str>, Arc<str>>> {
    let roles = rules.roles.roles.values();
    let routines = roles.flat_map(|role| &role.routines);
    routines
        .map(|routine| (&*routine.name, &routine.text))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use actors::domain::life::Mode;
    use actors::secrets::Secrets;

    use super::super::{LaunchOptions, Observers};
    use super::*;
    use crate::host::home::Home;

    /// What a reload of these settings says that it changed.
    async fn reload(flight: &mut RunningSwarm, settings: &Settings) -> Vec<String> {
        let (reply, answer) = oneshot::channel();
        let read = LoadedSettings {
            settings: settings.clone(),
            file: None,
            warnings: Vec::new(),
        };
        flight.reload_for(reply, Some(Ok(read))).await;
        answer.await.unwrap().unwrap().at_once
    }

    #[tokio::test]
    async fn a_reload_names_the_files_of_the_home_that_say_something_else() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path().join("home")).unwrap();
        let text = "[mcp]\nupstream = \"\"\n[roles.miner]\nroutines = [\"watch\"]\n";
        let settings = Settings::from_text(Path::new("zoea.toml"), text).unwrap();
        let routine = home.routines().join("watch.json");
        std::fs::create_dir(home.routines()).unwrap();
        std::fs::write(&routine, "{}").unwrap();
        let options = LaunchOptions {
            resume: false,
            start_idle: false,
            mode: Mode::Live,
            secrets: Secrets::default(),
        };
        let lock = home.lock().unwrap();
        let flight = RunningSwarm::start(lock, &settings, options, Observers::default()).await;
        let mut flight = flight.unwrap();
        assert_eq!(reload(&mut flight, &settings).await, [] as [&str; 0]);
        std::fs::write(home.system_prompt(), "Play well.").unwrap();
        assert_eq!(reload(&mut flight, &settings).await, ["system-prompt.md"]);
        std::fs::write(&routine, "{\"steps\":[]}").unwrap();
        let changed = reload(&mut flight, &settings).await;
        assert_eq!(changed, ["routines/watch.json"]);
        assert_eq!(reload(&mut flight, &settings).await, [] as [&str; 0]);
        flight.shutdown().await;
    }
}

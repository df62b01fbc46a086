//! Reload: another configuration for a swarm that flies (SIGHUP).
//!
//! A configuration with a mistake changes nothing. What holds at once, holds for everybody: new
//! secrets are known before a key of them is used, and endpoints before a rule names them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use actors::commander::CommanderMsg;
use actors::domain::message::Severity;

use crate::settings::{Loaded, Settings, SettingsError};

use super::{Flight, endpoints, rules};

impl Flight {
    /// Takes up what was read anew, and tells what came of it.
    pub async fn reload(&mut self, read: Result<Loaded, SettingsError>) {
        let loaded = match read {
            Ok(loaded) => loaded,
            Err(error) => return self.tell_mistakes(&error),
        };
        let swarm_rules = match rules::swarm_rules(&loaded.settings, &self.home) {
            Ok(rules) => Arc::new(rules),
            Err(error) => {
                let text = format!("the configuration stays as it was: {error:#}");
                return self.notice(Severity::Error, "reload_failed", &text);
            }
        };
        let new = loaded.settings;
        for warning in &loaded.warnings {
            self.notice(Severity::Warn, "configuration", warning);
        }
        self.tell_what_waits_for_a_restart(&new);
        let changed = self.settings.changes_at_once(&new);
        let secrets = rules::secrets(&new);
        let known = |reply| CommanderMsg::SecretsKnown(secrets, reply);
        if self.commander_answers(known).await.is_none() {
            return;
        }
        self.providers.replace(endpoints(&new));
        self.has_price.store(new.has_price(), Ordering::Relaxed);
        // A Commander that is gone has said why.
        let _ = self.commander.cast(CommanderMsg::RulesChanged(swarm_rules));
        let text = match changed.is_empty() {
            true => "the configuration was read again; nothing that holds at once has changed"
                .to_string(),
            false => format!("the configuration was read again: {}", changed.join(", ")),
        };
        self.notice(Severity::Info, "reloaded", &text);
        self.settings = self.settings.without_a_restart(new);
        self.tell_what_is_not_heeded(&self.settings);
        self.tell_who_has_no_provider().await;
        let others = self.ledger.others().await.map_err(anyhow::Error::from);
        let created = match others {
            Ok(others) => self.create_declared(&self.settings, &others).await,
            Err(error) => Err(error),
        };
        if let Err(error) = created {
            self.notice(Severity::Warn, "configuration", &format!("{error:#}"));
        }
    }

    async fn commander_answers(
        &self,
        ask: impl FnOnce(ractor::RpcReplyPort<()>) -> CommanderMsg,
    ) -> Option<()> {
        match self.commander.call(ask, None).await {
            Ok(ractor::rpc::CallResult::Success(())) => Some(()),
            Ok(ractor::rpc::CallResult::Timeout | ractor::rpc::CallResult::SenderError)
            | Err(_) => None,
        }
    }

    fn tell_mistakes(&self, error: &SettingsError) {
        for mistake in &error.mistakes {
            let text = format!("the configuration stays as it was: {mistake}");
            self.notice(Severity::Error, "reload_failed", &text);
        }
    }

    fn tell_what_waits_for_a_restart(&self, new: &Settings) {
        for key in self.settings.changes_after_a_restart(new) {
            let text =
                format!("{key} has changed; that takes effect when the program is restarted");
            self.notice(Severity::Warn, "needs_restart", &text);
        }
    }

    /// Whoever is on a provider that is gone cannot ask anybody any more.
    async fn tell_who_has_no_provider(&self) {
        let mut without: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for standing in self.swarm.standings().await {
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
            self.notice(Severity::Error, "no_provider", &text);
        }
    }
}

//! Wiring: assembles the swarm and its adapters, and takes them apart again in good order.
//!
//! The only module that knows all others. It decides nothing about the swarm.

mod access;
mod archivist;
mod assembly;
mod books;
mod daily;
mod freeze;
mod game_server;
mod incidents;
mod learnt;
mod offline;
mod outside;
mod prompt;
mod raise;
mod reload;
mod roles;
mod room;
mod rules;
mod setup_check;
#[cfg(feature = "simulators")]
pub mod simulated;
mod simulators;
mod url_secrets;
mod watchers;

use std::sync::Arc;
use std::time::Duration;

use actors::commander::{Commander, CommanderMsg, Watcher};
use actors::domain::event_record::OrderSource;
use actors::domain::life::Mode;
use actors::domain::message::Severity;
use actors::domain::rules::SwarmRules;
use actors::freeze::FreezeSwitch;
use actors::ports::{Archive, FleetStep};
use actors::secrets::Secrets;
use actors::ui::TerminalLink;
use anyhow::Context;
use ractor::{Actor, ActorRef};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use zoea_provider::Providers;
use zoea_settings::Settings;
use zoea_settings::prices::PriceBook;

use crate::host::home::{Home, HomeLock, RunFile, RunGuard};
use crate::interface::attach::terminals::AttachedTerminals;
use crate::interface::control::{ControlServer, ProgramInfo};
use crate::interface::swarm::Swarm;
use crate::telemetry::operator::Operator;
use zoea_ledger::SqlLedger;
use zoea_system::descriptors;
use zoea_toolbox::McpUpstream;

use archivist::HomeArchivist;
use assembly::SwarmParts;
use raise::RaiseFile;
use reload::ReloadTrigger;
use setup_check::SetupCheck;
use watchers::Watchers;

pub use access::{HomeAccess, acquire_home, lock_home};
pub use books::{begin_anew, check_database_is_there, open_ledger, server_address};
pub use game_server::{GameServer, give_first_mission};
pub use learnt::{check_target, teach_providers};
pub use offline::{OfflineOptions, OfflineServers, add_resting_offline_model, first_name};
pub use outside::{proxied_servers, refuse_unusable_proxies, unencrypted_secrets};
pub use prompt::{PromptTemplate, prompt_template};
pub use reload::ReloadReply;
pub use room::check_room;
pub use rules::{
    configured_secrets, describe_default_cap, describe_missing_secrets, provider_endpoints,
    upstream_access,
};
pub use simulators::game_tools;

/// The time that closing may take before the program ends anyway.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(1900);

/// How long a start waits for what the other processes of its fleet run.
const FLEET_TIME: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub struct LaunchOptions {
    /// Whether Myses that ran when the program ended are started again.
    pub resume: bool,
    pub start_idle: bool,
    /// Whether Myses run, or only take orders for the next start.
    pub mode: Mode,
    /// The secrets of this home; the start adds to them.
    pub secrets: Secrets,
}

#[derive(Default)]
pub struct Observers {
    pub watchers: Vec<Watcher>,
    pub link: Option<TerminalLink>,
}

pub struct RunningSwarm {
    swarm: Swarm,
    commander: ActorRef<CommanderMsg>,
    ended: JoinHandle<()>,
    ledger: SqlLedger,
    lock: HomeLock,
    home: Home,
    watchers: Watchers,
    operator: Operator,
    secrets: Secrets,
    freeze: FreezeSwitch,
    settings: Settings,
    providers: Arc<Providers>,
    prices: PriceBook,
    game: McpUpstream,
    check: SetupCheck,
    /// The rules in force, but for what `zoea budget` allowed.
    rules: Arc<SwarmRules>,
    is_live: bool,
    reload_requests: mpsc::Receiver<ReloadReply>,
}

#[derive(Debug)]
pub enum SwarmSignal {
    /// The Commander has ended. It does so by itself only after a failure.
    Ended,
    /// A caller asks to read the configuration again.
    ReloadAsked(ReloadReply),
}

impl RunningSwarm {
    /// Starts the swarm of a home. The running swarm keeps the home's lock.
    ///
    /// # Errors
    /// The home's database cannot be used, or a client cannot be built.
    pub async fn start(
        lock: HomeLock,
        settings: &Settings,
        options: LaunchOptions,
        observers: Observers,
    ) -> anyhow::Result<RunningSwarm> {
        let home = lock.home().clone();
        let ledger = assembly::open_ledger_of(&lock, settings, options.mode).await?;
        let stored = ledger.swarm().await.context("read the swarm")?;
        let parts = SwarmParts::assemble(&lock, settings, ledger, &options).await?;
        let args = parts.commander_args(stored, &home, &options, observers);
        let (commander, ended) = Actor::spawn(None, Commander, args)
            .await
            .map_err(|error| anyhow::anyhow!("start the commander: {error}"))?;
        let (reload_sender, reload_requests) = mpsc::channel(1);
        parts.operator.set_commander(&commander);
        let is_live = options.mode == Mode::Live;
        if is_live {
            // The send fails only if the Commander is gone, and it has reported why.
            let trigger = Arc::new(ReloadTrigger {
                reload: reload_sender,
                raise: RaiseFile::of(&home),
            });
            let _ = commander.cast(CommanderMsg::Configured(trigger));
        }
        let source = OrderSource::CommandLine;
        let mut running = RunningSwarm {
            swarm: Swarm::new(commander.clone(), parts.ledger.clone(), source),
            commander,
            ended,
            ledger: parts.ledger,
            lock,
            home,
            watchers: parts.watchers,
            operator: parts.operator,
            secrets: options.secrets,
            freeze: parts.freeze,
            settings: settings.clone(),
            providers: parts.providers,
            prices: parts.prices,
            game: parts.game,
            check: parts.check,
            rules: parts.rules,
            is_live,
            reload_requests,
        };
        if let Err(error) = running.announce(options.start_idle).await {
            // Myses may run already.
            running.shutdown().await;
            return Err(error);
        }
        if is_live {
            running.report_unread_checks(&parts.lessons);
            if running.settings.store.database_url.is_none() {
                let (database, operator) = (running.home.database(), running.operator.clone());
                let watching = room::watch_room(database, operator);
                running.watchers.keep(watching);
            }
        }
        Ok(running)
    }

    /// Creates what the configuration declares, and says what the operator should know of the start.
    async fn announce(&self, start_idle: bool) -> anyhow::Result<()> {
        let creating = self.create_declared(start_idle && self.is_live);
        if !self.is_live {
            let note = |trouble: &str| tracing::warn!("{trouble}");
            let created = self.swarm.answer_while_stored(creating, note).await;
            created
                .map_err(|trouble| anyhow::anyhow!("create the configured Myses: {trouble}"))??;
            self.look_at_neighbours().await?;
        } else {
            creating.await?;
            self.warn_about_ignored_settings(&self.settings);
            self.report_role_troubles().await;
            self.get_to_know_fleet().await;
        }
        Ok(())
    }

    /// Waits until the whole fleet is known: before that, whoever asks for a Mysis elsewhere would hear that
    /// there is none. A database that does not answer holds no start up for ever.
    async fn get_to_know_fleet(&self) {
        let known = tokio::time::timeout(FLEET_TIME, self.swarm.fleet_known()).await;
        if known.is_err() {
            tracing::warn!("the Myses of other processes are not known yet");
        }
    }

    pub fn swarm(&self) -> &Swarm {
        &self.swarm
    }

    pub fn program_info(&self, started_at: String) -> ProgramInfo {
        let check = self.check.clone();
        ProgramInfo {
            started_at,
            prices: self.prices.clone(),
            secrets: self.secrets.clone(),
            proxied: Arc::new(move || check.proxied()),
        }
    }

    #[cfg(test)]
    pub(crate) fn kill_commander(&self) {
        self.commander.kill();
    }

    /// Warns if the limit of open files is too low for the number of Myses.
    pub async fn warn_about_descriptors(&self, is_offline: bool) {
        let myses = self.swarm.statuses().await.len();
        let limit = descriptors::raise_limit(descriptors::needed_descriptors(myses, is_offline));
        tracing::info!(limit, myses, "the limit on open files and connections");
        if let Some(text) = descriptors::describe_shortage(limit, myses, is_offline) {
            self.operator
                .notify(Severity::Warn, "few_descriptors", &text);
        }
    }

    /// Gets to know the Myses that other processes of the database run, once: a command lives for a moment.
    async fn look_at_neighbours(&self) -> anyhow::Result<()> {
        let step = FleetStep {
            neighbours: self.ledger.neighbours().await.context("read the fleet")?,
            ..FleetStep::default()
        };
        // The send fails only if the Commander is gone, and it has reported why.
        let _ = self.commander.cast(CommanderMsg::Fleet(Box::new(step)));
        Ok(())
    }

    pub fn notify_operator(&self, severity: Severity, code: &'static str, text: &str) {
        self.operator.notify(severity, code, text);
    }

    /// Opens the control interface on a listener and publishes its address.
    ///
    /// # Errors
    /// The home is not writable.
    pub async fn open_control(
        &self,
        listener: TcpListener,
    ) -> anyhow::Result<(ControlServer, RunGuard)> {
        let started_at = chrono::Utc::now();
        let about =
            self.program_info(started_at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
        let token = self.lock.control_token()?;
        let archivist = HomeArchivist::new(&self.ledger, &self.home, &about.prices, &self.secrets);
        let swarm = self.swarm.with_source(OrderSource::Control);
        let means = (Arc::new(archivist) as _, Arc::new(self.check.clone()) as _);
        let terminals = AttachedTerminals::new(swarm.clone(), means, self.home.clone());
        let server = ControlServer::start(listener, (swarm, Arc::new(terminals)), &token, about)?;
        if let Some(before) = RunFile::left_behind(&self.lock) {
            let since = before.started_at.format("%Y-%m-%d %H:%M:%S UTC");
            let text = format!(
                "the program that ran here before (process {}, since {since}) ended without closing: it was killed, \
                 it crashed, or the machine failed; what was acknowledged is kept",
                before.pid
            );
            self.notify_operator(Severity::Warn, "not_closed", &text);
        }
        let published = self.lock.publish(&RunFile {
            pid: std::process::id(),
            control: server.url(),
            metrics: self.watchers.metrics(),
            started_at,
        });
        let guard = match published {
            Ok(guard) => guard,
            Err(error) => {
                server.stop().await;
                return Err(error.into());
            }
        };
        let health = self.watchers.health();
        health.begin(self.swarm.clone(), self.freeze.clone());
        Ok((server, guard))
    }

    pub async fn next_signal(&mut self) -> SwarmSignal {
        // Cancel-safe: both are remembered by their owners. When no caller is left, only the end
        // can come.
        tokio::select! {
            _ = &mut self.ended => SwarmSignal::Ended,
            Some(reply) = self.reload_requests.recv() => SwarmSignal::ReloadAsked(reply),
        }
    }

    /// Shuts the swarm down in good order: orders are refused, all Myses wind down at once, and the
    /// Store writes what it has. Work that takes too long is left behind. Nothing that was
    /// acknowledged is lost by that.
    pub async fn shutdown(self) {
        self.watchers.health().close();
        let closed = self
            .commander
            .call(CommanderMsg::Close, Some(CLOSE_TIMEOUT))
            .await;
        if closed.is_err() {
            tracing::warn!("the swarm was gone before it was closed");
        }
        self.commander.kill();
        self.game.end().await;
        self.watchers.stop().await;
        self.ledger.close().await;
    }
}

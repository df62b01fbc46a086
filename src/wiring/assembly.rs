//! The parts of a swarm: opened, put together, and handed to a Commander.

use std::sync::Arc;

use actors::commander::{Adapters, CommanderArgs};
use actors::domain::life::Mode;
use actors::domain::message::Severity;
use actors::domain::rules::SwarmRules;
use actors::freeze::FreezeSwitch;
use actors::ports::{Fleet, NoCopies, SharedLimits, SwarmRecord, Upstream};
use actors::secrets::Secrets;
use actors::ui::{TerminalLink, UiRuntime};
use anyhow::Context;
use zoea_http::proxies::Proxies;
use zoea_ledger::{DeletedCopies, ProcessFacts, ProcessKind, SqlLedger};
use zoea_provider::Providers;
use zoea_settings::Settings;
use zoea_settings::prices::PriceBook;
use zoea_system::clock::MachineClock;

use super::archivist::HomeArchivist;
use super::daily::{DailyReporter, start_reports};
use super::freeze::freeze_switch;
use super::incidents::HomeIncidents;
use super::learnt::ConfiguredLessons;
use super::outside::refuse_unusable_proxies;
use super::raise::with_kept_raise;
use super::setup_check::SetupCheck;
use super::watchers::Watchers;
use super::{LaunchOptions, Observers, books, provider_endpoints, rules};
use crate::host::home::{Home, HomeLock};
use crate::interface::report::WallClock;
use crate::telemetry::operator::Operator;
use zoea_mcp::FailedCalls;
use zoea_toolbox::request_saver::CachingUpstream;
use zoea_toolbox::{McpUpstream, NotifyOperator};

/// The parts of a swarm whose Commander does not run yet.
pub(super) struct SwarmParts {
    pub(super) ledger: SqlLedger,
    pub(super) operator: Operator,
    pub(super) providers: Arc<Providers>,
    pub(super) watchers: Watchers,
    pub(super) lessons: ConfiguredLessons,
    pub(super) prices: PriceBook,
    pub(super) game: McpUpstream,
    pub(super) check: SetupCheck,
    pub(super) rules: Arc<SwarmRules>,
    pub(super) freeze: FreezeSwitch,
    adapters: Adapters,
}

/// Opens the database of a home, as long as this mode needs it.
pub(super) async fn open_ledger_of(
    lock: &HomeLock,
    settings: &Settings,
    mode: Mode,
) -> anyhow::Result<SqlLedger> {
    let process_kind = match mode {
        Mode::Live | Mode::Draining => ProcessKind::Resident,
        Mode::QueueOnly => ProcessKind::Command,
    };
    let ledger = books::open_ledger(lock, settings, process_kind).await?;
    if mode == Mode::Live {
        ledger.set_retention(books::retention_limits(settings), Arc::new(MachineClock));
    }
    Ok(ledger)
}

impl SwarmParts {
    pub(super) async fn assemble(
        lock: &HomeLock,
        settings: &Settings,
        ledger: SqlLedger,
        options: &LaunchOptions,
    ) -> anyhow::Result<SwarmParts> {
        if options.mode == Mode::Live {
            refuse_unusable_proxies(settings, &Proxies::of_process())
                .map_err(anyhow::Error::msg)?;
        }
        let http = zoea_http::build_client().context("build an HTTP client")?;
        let secrets = &options.secrets;
        let providers =
            Providers::new(&http, provider_endpoints(settings)).with_secrets(secrets.clone());
        let incidents = HomeIncidents::of(lock.home());
        let providers = providers.with_incidents(incidents.clone());
        let lessons = ConfiguredLessons::read(lock.home(), settings);
        lessons.teach(&providers);
        let providers = Arc::new(providers);
        let operator = Operator::default();
        let access = rules::upstream_access(settings);
        let game = McpUpstream::new(access, &http, Some(operator_notifier(&operator)))
            .with_failed_calls(FailedCalls::new(incidents, secrets.clone()));
        let uis = ui_runtime(options.mode)?;
        let copies = DeletedCopies::new(ledger.clone(), lock.home().deleted(), secrets.clone());
        let mut adapters = Adapters {
            deleted: Arc::new(copies.clone()),
            ..build_adapters(&ledger, providers.clone(), game.clone(), lock.home(), uis)
        };
        secrets.learn(rules::configured_secrets(settings));
        // An operator may paste the token as well as a key.
        secrets.learn([lock.control_token()?.expose().into()]);
        let mut rules = lessons.complete(rules::swarm_rules(settings, lock.home())?);
        let is_live = options.mode == Mode::Live;
        rules.budget = with_kept_raise(rules.budget, lock.home(), is_live);
        let rules = Arc::new(rules);
        let prices = PriceBook::new(rules.clone());
        let mut watchers = Watchers::default();
        if is_live {
            watchers = Watchers::start(settings, &http, secrets, &mut adapters, &operator).await?;
            watchers.keep(tokio::spawn(copies.sweep()));
            if let Some(format) = settings.reports.daily {
                let reporter = daily_reporter(&ledger, lock.home(), &operator, &prices);
                watchers.keep(start_reports(format, reporter));
            }
        }
        Ok(SwarmParts {
            ledger,
            operator,
            providers,
            watchers,
            lessons,
            prices,
            game,
            check: SetupCheck::new(settings, lock.home(), &http, secrets),
            rules,
            freeze: adapters.freeze.clone(),
            adapters,
        })
    }

    pub(super) fn commander_args(
        &self,
        stored: SwarmRecord,
        home: &Home,
        options: &LaunchOptions,
        observers: Observers,
    ) -> CommanderArgs {
        let secrets = &options.secrets;
        let link = observers.link;
        let watchers = observers.watchers.into_iter();
        CommanderArgs {
            swarm: stored,
            resume: options.resume,
            start_idle: options.start_idle,
            mode: options.mode,
            rules: self.rules.clone(),
            secrets: secrets.clone(),
            outside: self.adapters.clone(),
            watchers: watchers.chain(self.watchers.watchers()).collect(),
            link: link.map(|link| self.complete_link(link, home, secrets)),
            seed: fastrand::u64(..),
        }
    }

    /// Gives the terminal the means to export conversations to files, and to tell what is used.
    fn complete_link(&self, link: TerminalLink, home: &Home, secrets: &Secrets) -> TerminalLink {
        let archivist = HomeArchivist::new(&self.ledger, home, &self.prices, secrets);
        TerminalLink {
            archivist: Some(Arc::new(archivist)),
            inspector: Some(Arc::new(self.check.clone())),
            ..link
        }
    }
}

fn operator_notifier(operator: &Operator) -> NotifyOperator {
    let operator = operator.clone();
    Box::new(move |code, text| operator.notify(Severity::Warn, code, text))
}

fn daily_reporter(
    ledger: &SqlLedger,
    home: &Home,
    operator: &Operator,
    prices: &PriceBook,
) -> DailyReporter {
    DailyReporter {
        ledger: ledger.clone(),
        home: home.clone(),
        operator: operator.clone(),
        prices: prices.clone(),
        clock: WallClock::Local,
    }
}

/// Where screens run. Only a running swarm has any.
fn ui_runtime(mode: Mode) -> anyhow::Result<UiRuntime> {
    match mode {
        Mode::Live => UiRuntime::own_thread().context("start the screen's thread"),
        Mode::QueueOnly | Mode::Draining => Ok(UiRuntime::shared()),
    }
}

/// This process as one of a fleet, if its database can have one.
fn fleet_of(ledger: &SqlLedger, home: &Home) -> Option<Arc<dyn Fleet>> {
    let facts = ProcessFacts {
        host: zoea_system::machine::host_name(),
        directory: home.directory().display().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
    };
    let fleet: Arc<dyn Fleet> = Arc::new(ledger.fleet(facts)?);
    Some(fleet)
}

fn build_adapters(
    ledger: &SqlLedger,
    models: Arc<Providers>,
    game: McpUpstream,
    home: &Home,
    ui_runtime: UiRuntime,
) -> Adapters {
    let upstream: Arc<dyn Upstream> = Arc::new(CachingUpstream::new(Arc::new(game)));
    let fleet = fleet_of(ledger, home);
    let shared_limits = ledger.shared_limits();
    let shared_limits = shared_limits.map(|limits| Arc::new(limits) as Arc<dyn SharedLimits>);
    let ledger = Arc::new(ledger.clone());
    Adapters {
        ledger: ledger.clone(),
        archive: ledger,
        models,
        upstream,
        clock: Arc::new(MachineClock),
        freeze: freeze_switch(home),
        fleet,
        shared_limits,
        deleted: Arc::new(NoCopies),
        ui_runtime,
    }
}

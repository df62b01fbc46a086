//! The parts of the start, some of which may wait for the disk, and how a request to stop ends them.

use std::time::Duration;

use actors::domain::message::Severity;
use zoea_settings::{
    Environment, LoadedSettings, Settings, SettingsError, TraceSettings, TuiSettings,
};

use super::{Output, OwnServers, RunArgs, Signals};
use crate::host::home::{Home, HomeLock};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::{out, question, screen};
use crate::wiring::{self, OfflineServers, RunningSwarm};

/// How long a part of the start may go on after the program was asked to stop.
const START_GRACE: Duration = Duration::from_secs(2);

/// What the operator is told of the configuration at the start, each with its code.
pub(super) type Remarks = Vec<(&'static str, String)>;

/// The settings of offline play, with what the operator chose for the screen.
pub(super) fn offline_settings(
    offline: &OfflineServers,
    look: Option<TuiSettings>,
    environment: &Environment,
) -> Settings {
    Settings {
        tui: look.unwrap_or_default(),
        traces: TraceSettings::of_environment(environment),
        ..offline.settings().clone()
    }
}

/// Waits for the home's lock; `None` if a signal asks the program to stop before.
pub(super) async fn lock_home(
    home: &Home,
    early: Option<&mut Signals>,
) -> anyhow::Result<Option<HomeLock>> {
    let stop = async {
        match early {
            Some(signals) => signals.stop().await,
            None => std::future::pending().await,
        }
    };
    // Cancel-safe: a lock that was taken is returned at once.
    tokio::select! {
        lock = wiring::lock_home(home, out::note) => Ok(Some(lock?)),
        () = stop => Ok(None),
    }
}

/// Reads the configuration. Its file is the chosen one from then on: if it is gone at a reload, neither the defaults
/// nor another file take its place.
pub(super) fn read_settings(
    global: &mut GlobalArgs,
    home: &Home,
) -> Result<LoadedSettings, SettingsError> {
    let loaded = global.load_settings(home)?;
    if loaded.file.is_some() {
        global.config.clone_from(&loaded.file);
    }
    Ok(loaded)
}

/// Reads the configuration, and what is to be said of it.
pub(super) fn load_settings(
    global: &mut GlobalArgs,
    home: &Home,
) -> anyhow::Result<(Settings, Remarks)> {
    let loaded = read_settings(global, home)?;
    let on_defaults = loaded.describe_defaults();
    let on_defaults = on_defaults.map(|text| ("no_configuration", text));
    let warnings = loaded.other_warnings();
    let warnings = warnings.map(|text| ("configuration", text.clone()));
    let remarks = on_defaults.into_iter().chain(warnings).collect();
    Ok((loaded.settings, remarks))
}

/// Asks what to do in a home that has lost its database: whether what was rescued takes its place, or
/// whether a swarm begins anew.
pub(super) async fn ask_about_lost_database(home: &Home) -> anyhow::Result<()> {
    let Err(gone) = wiring::check_database_is_there(home) else {
        return Ok(());
    };
    let file = home.database();
    let rescued = zoea_ledger::rescued_file(&file);
    let waits = rescued.is_none() && zoea_ledger::check_place(&file).is_err();
    if waits || !question::can_ask() {
        return Err(gone.into());
    }
    out::note(&gone.to_string());
    let question = match &rescued {
        Some(rescued) => format!("Put {} in its place now?", rescued.display()),
        None => "Start again with an empty swarm?".to_string(),
    };
    if !question::ask_to_agree(&question)? {
        anyhow::bail!("nothing was started");
    }
    match rescued {
        Some(rescued) => drop(zoea_ledger::restore(&rescued, &file).await?),
        None => drop(wiring::begin_anew(home).await?),
    }
    Ok(())
}

/// Reports to the operator what matters at start; without a terminal, on stderr as well.
pub(super) fn report_start(
    flight: &RunningSwarm,
    settings: &Settings,
    remarks: Remarks,
    (args, environment): (&RunArgs, &Environment),
) {
    let note = |text: &str| {
        if args.headless {
            out::note(text);
        }
    };
    if !args.headless {
        for text in screen::colour_warnings(&settings.tui, &args.look, environment) {
            flight.notify_operator(Severity::Warn, "colours", &text);
        }
    }
    for (code, text) in remarks {
        flight.notify_operator(Severity::Warn, code, &text);
        note(&text);
    }
    // The swarm tells these itself.
    let notices = [
        wiring::describe_missing_secrets(settings),
        wiring::describe_default_cap(settings),
    ];
    notices.iter().flatten().for_each(|text| note(text));
    let swarm = flight.swarm();
    for text in swarm.ledger().notes() {
        flight.notify_operator(Severity::Warn, "database", text);
        note(text);
    }
}

/// Gives the orders of a first start. Each of them waits until it is stored.
pub(super) async fn give_first_orders(
    args: &RunArgs,
    flight: &RunningSwarm,
    own: &OwnServers,
) -> anyhow::Result<()> {
    if args.needs_mission {
        wiring::give_first_mission(flight.swarm()).await?;
    }
    if let Some(offline) = &own.offline {
        offline.populate(flight.swarm()).await?;
    }
    flight.warn_about_descriptors(own.has_any()).await;
    Ok(())
}

/// Waits until the operator or a signal asks the program to stop.
pub(super) async fn stop_request(face: &Output, signals: &mut Signals) {
    // Cancel-safe: signals stay pending, and a request to quit is remembered.
    match face {
        Output::Lines(_) => signals.stop().await,
        Output::Screen { .. } => tokio::select! {
            () = face.quit() => {}
            () = signals.next_terminal_signal() => {}
        },
    }
}

/// Does a part of the start, and says whether the program was asked to stop meanwhile. A part may
/// wait for a disk that takes no writes, for as long as that lasts. So it has only a moment after
/// such a request; a part that is not done by then is given up. What was acknowledged is stored.
pub(super) async fn start_part<T>(
    part: impl Future<Output = T>,
    stop_request: impl Future<Output = ()>,
) -> (Option<T>, bool) {
    let mut part = std::pin::pin!(part);
    tokio::select! {
        done = &mut part => (Some(done), false),
        () = stop_request => (tokio::time::timeout(START_GRACE, part).await.ok(), true),
    }
}

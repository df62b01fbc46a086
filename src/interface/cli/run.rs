//! `zoea run`: runs the swarm until a signal or the operator stops it.

mod background;
mod farewell;
mod output;
mod own_servers;
mod replacement;
mod signals;
mod starting;

use std::time::{Duration, Instant};

use actors::domain::life::Mode;
use actors::domain::screen::Successor;
use actors::secrets::Secrets;
use clap::{Args, value_parser};
use parking_lot::Mutex;
use tokio::net::TcpListener;
use zoea_settings::bounds::MAX_MYSES;
use zoea_settings::{LoadedSettings, Settings, SettingsError};

use crate::host::home::{Home, HomeLock};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::screen::LookArgs;
use crate::interface::control::ControlServer;
use crate::interface::headless::Format;
use crate::telemetry::logging;
use crate::telemetry::readiness::ServiceManager;
use crate::wiring::{
    self, LaunchOptions, OfflineOptions, OfflineServers, RunningSwarm, SwarmSignal,
};
use farewell::RunBeginning;
use output::Output;
use own_servers::OwnServers;
use signals::interrupted;
use starting::{
    Remarks, give_first_orders, load_settings, offline_settings, report_start, start_part,
    stop_request,
};
use zoea_grammar::units::parse_duration;

pub(super) use signals::Signals;

#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// Play with the simulated game and model inside the program: no key, no network, no configuration.
    #[arg(long)]
    offline: bool,
    /// Run without a terminal; print one line per event on stdout.
    #[arg(long)]
    headless: bool,
    /// Start the idle Myses.
    #[arg(long)]
    start_swarm: bool,
    /// Start the Myses that were running when the program ended.
    #[arg(long)]
    resume: bool,
    /// Stop cleanly after this time.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    r#for: Option<Duration>,
    /// Offline, with an empty home: how many Myses to create [default: 5].
    #[arg(long, value_name = "N",
          value_parser = value_parser!(u32).range(0..=i64::from(MAX_MYSES)))]
    myses: Option<u32>,
    /// Offline: the game's tick [default: 1s].
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    tick: Option<Duration>,
    /// Offline: the seed of the simulated game and model.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// With --headless: print JSON lines.
    #[arg(long, requires = "headless")]
    json: bool,
    #[command(flatten)]
    look: LookArgs,
    /// Leave the terminal's session, so that its end does not end this program.
    #[arg(long, hide = true)]
    detached: bool,
    /// Whether a swarm without a mission gets its first mission; true after setup.
    #[arg(skip)]
    needs_mission: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StopReason {
    /// An operator, a signal or `--for` asked for it.
    Asked,
    /// The operator left for something else, which takes the program's place.
    Replaced(Successor),
    /// The Commander failed.
    Failed,
}

pub(super) async fn run(args: &RunArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let started = Instant::now();
    background::leave_session(args)?;
    // Without a terminal there is no question that a signal must end, and an early one is not lost.
    let mut early = args.headless.then(Signals::listen).transpose()?;
    let outer = global.open_home()?;
    let home = match args.offline {
        true => outer.offline()?,
        false => outer.clone(),
    };
    let Some(lock) = starting::lock_home(&home, early.as_mut()).await? else {
        return Ok(());
    };
    let look = args.offline.then(|| global.load_tui(&outer, &home));
    let look = look.transpose()?;
    let secrets = Secrets::default();
    let log = logging::init(home.log_file(), global.log_level(), secrets.clone())?;
    let mut own = OwnServers::default();
    if args.offline {
        own.offline = Some(OfflineServers::start(&home, args.offline_options()).await?);
    }
    let mut of_run = global.clone();
    let (mut settings, remarks) = match &own.offline {
        Some(offline) => (
            offline_settings(offline, look, &global.environment),
            Remarks::new(),
        ),
        None => load_settings(&mut of_run, &home)?,
    };
    if !args.headless && wiring::server_address(&settings)?.is_none() {
        starting::ask_about_lost_database(&home).await?;
    }
    let mut signals = early.map_or_else(Signals::listen, Ok)?;
    own.start_game(&home, &mut settings, args.offline_options())
        .await?;
    let stopped = run_swarm(
        args,
        lock,
        (&settings, remarks),
        secrets,
        &of_run,
        &own,
        &mut signals,
    )
    .await;
    own.stop().await;
    drop(log);
    let (reason, farewell) = stopped?;
    // A terminal that was closed takes no farewell.
    let _ = farewell.map(|text| out::line(&text));
    leave(reason, args, started.elapsed(), (global, &of_run, &home)).await
}

/// Ends the program, which ran for this long, or lets something take its place.
async fn leave(
    reason: StopReason,
    args: &RunArgs,
    ran: Duration,
    (global, of_run, home): (&GlobalArgs, &GlobalArgs, &Home),
) -> anyhow::Result<()> {
    match reason {
        StopReason::Replaced(Successor::Headless) => {
            background::start(args, ran, (of_run, home)).await
        }
        StopReason::Replaced(Successor::OfflinePlay) => replacement::play_offline(args, global),
        StopReason::Replaced(Successor::Setup) => replacement::set_up(global),
        StopReason::Asked | StopReason::Failed => reason.outcome(home),
    }
}

impl StopReason {
    /// The result of the command.
    fn outcome(self, home: &Home) -> anyhow::Result<()> {
        match self {
            StopReason::Asked | StopReason::Replaced(_) => Ok(()),
            StopReason::Failed => anyhow::bail!(
                "the commander failed; what was acknowledged is kept, see {}",
                home.log_file().display()
            ),
        }
    }
}

/// Starts the swarm, lets it run and ends it. Returns why it ended, and the last words for the operator.
async fn run_swarm(
    args: &RunArgs,
    lock: HomeLock,
    (settings, remarks): (&Settings, Remarks),
    secrets: Secrets,
    global: &GlobalArgs,
    own: &OwnServers,
    signals: &mut Signals,
) -> anyhow::Result<(StopReason, Option<String>)> {
    let options = LaunchOptions {
        resume: args.resume || args.offline || settings.swarm.resume,
        start_idle: args.start_swarm,
        mode: Mode::Live,
        secrets,
    };
    let home = &lock.home().clone();
    // Before the swarm starts: calls that it made would be cut off if the address is taken.
    let listener = ControlServer::bind(settings.control.listen).await?;
    let face = Output::open(args, home, settings, &global.environment).await?;
    let starting = RunningSwarm::start(lock, settings, options, face.observers());
    let ran = match start_part(starting, stop_request(&face, signals)).await {
        (Some(Ok(flight)), was_stopped) => {
            report_start(&flight, settings, remarks, (args, &global.environment));
            let started = (flight, listener, was_stopped);
            let places = (global, home);
            run_started(args, started, &face, places, own, signals).await
        }
        (Some(Err(error)), _) => Err(error),
        (None, _) => Ok((StopReason::Asked, None)),
    };
    let reads = face.close().await;
    ran.map(|(reason, farewell)| (reason, farewell.filter(|_| reads)))
}

/// Opens the control interface of a swarm that has started, lets it run, and ends it in good order,
/// whatever fails meanwhile.
async fn run_started(
    args: &RunArgs,
    (mut flight, listener, was_stopped): (RunningSwarm, TcpListener, bool),
    face: &Output,
    places: (&GlobalArgs, &Home),
    own: &OwnServers,
    signals: &mut Signals,
) -> anyhow::Result<(StopReason, Option<String>)> {
    let (control, mut run_file) = match flight.open_control(listener).await {
        Ok(opened) => opened,
        Err(error) => {
            end_swarm(flight, None, signals).await;
            return Err(error);
        }
    };
    tracing::info!(control = %control.url(), "the swarm runs");
    let started = (&mut flight, was_stopped);
    let ran = tokio::select! {
        ran = run_until_stopped(args, started, face, places, own, signals) => ran,
        never = run_file.keep() => match never {},
    };
    drop(run_file);
    let ledger = flight.swarm().ledger().clone();
    end_swarm(flight, Some(control), signals).await;
    match ledger.loss() {
        Some(loss) => anyhow::bail!(loss),
        None => ran,
    }
}

async fn run_until_stopped(
    args: &RunArgs,
    (flight, was_stopped): (&mut RunningSwarm, bool),
    face: &Output,
    (global, home): (&GlobalArgs, &Home),
    own: &OwnServers,
    signals: &mut Signals,
) -> anyhow::Result<(StopReason, Option<String>)> {
    let began = RunBeginning::of(flight).await;
    let is_stopped = was_stopped || {
        let orders = give_first_orders(args, flight, own);
        let (done, is_stopped) = start_part(orders, stop_request(face, signals)).await;
        done.transpose()?;
        is_stopped
    };
    let manager = ServiceManager::of(&global.environment);
    let beating = manager.ready(flight.swarm());
    let chosen = Mutex::new(global.clone());
    // Offline play has no configuration that could be reloaded.
    let source = || {
        let read = || starting::read_settings(&mut chosen.lock(), home);
        let reads = own.offline.is_none();
        reads.then(|| read().map(|loaded| own.serve(loaded)))
    };
    let stop = match is_stopped {
        true => face.reason_to_quit(),
        false => wait_for_stop(args.r#for, face, (&mut *flight, &manager), signals, source).await,
    };
    tracing::info!(reason = ?stop, "the program closes");
    let mut is_hurried = false;
    let hurried = async {
        signals.stop().await;
        is_hurried = true;
    };
    let farewell = face.farewell(flight, &began, (args, global), hurried).await;
    if is_hurried {
        signals.put_back();
    }
    manager.stopping();
    drop(beating);
    Ok((stop, farewell))
}

/// Ends the swarm in good order. Clients of the control interface learn of it meanwhile.
async fn end_swarm(flight: RunningSwarm, control: Option<ControlServer>, signals: &mut Signals) {
    let closing = async {
        if let Some(control) = control {
            control.stop().await;
        }
    };
    let ending = async { tokio::join!(closing, flight.shutdown()) };
    // Cancel-safe: a second signal ends the program at once. Acknowledged writes are on disk by
    // then.
    tokio::select! {
        ((), ()) = ending => {}
        () = signals.stop() => {}
    }
}

/// Waits for a reason to stop. Without a terminal, SIGHUP reloads the configuration instead of
/// stopping.
async fn wait_for_stop(
    limit: Option<Duration>,
    face: &Output,
    (flight, manager): (&mut RunningSwarm, &ServiceManager),
    signals: &mut Signals,
    source: impl Fn() -> Option<Result<LoadedSettings, SettingsError>>,
) -> StopReason {
    let over = async {
        match limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    let mut over = std::pin::pin!(over);
    loop {
        // Cancel-safe: signals stay pending, and the Commander's end is remembered by its handle.
        let word = tokio::select! {
            () = &mut over => return StopReason::Asked,
            () = face.quit() => return face.reason_to_quit(),
            () = interrupted(&mut signals.interrupt) => return StopReason::Asked,
            _ = signals.terminate.recv() => return StopReason::Asked,
            word = flight.next_signal() => Some(word),
            _ = signals.hangup.recv() => None,
        };
        // A reload may wait for a disk that takes no writes, for as long as that lasts.
        let stop = async {
            tokio::select! {
                () = &mut over => {}
                () = stop_request(face, signals) => {}
            }
        };
        let is_stopped = match (word, face, source()) {
            (Some(SwarmSignal::Ended), _, _) => return StopReason::Failed,
            (Some(SwarmSignal::ReloadAsked(asker)), _, read) => {
                let reload = flight.reload_for(asker, read);
                start_part(reload, stop).await.1
            }
            (None, Output::Screen { .. }, _) => return StopReason::Asked,
            (None, Output::Lines(_), Some(read)) => {
                manager.reloading();
                let reload = flight.reload(read);
                let (_, is_stopped) = start_part(reload, stop).await;
                manager.reloaded();
                is_stopped
            }
            (None, Output::Lines(_), None) => {
                manager.reloading();
                tracing::info!("offline play has no configuration to reload");
                manager.reloaded();
                false
            }
        };
        if is_stopped {
            return face.reason_to_quit();
        }
    }
}

impl RunArgs {
    /// The arguments of a first offline play.
    pub(super) fn offline() -> RunArgs {
        RunArgs {
            offline: true,
            ..RunArgs::default()
        }
    }

    /// The arguments of the first run after setup.
    pub(super) fn after_setup(is_headless: bool) -> RunArgs {
        RunArgs {
            start_swarm: true,
            resume: true,
            headless: is_headless,
            needs_mission: true,
            ..RunArgs::default()
        }
    }

    fn format(&self) -> Format {
        if self.json {
            Format::Json
        } else {
            Format::Text
        }
    }

    fn offline_options(&self) -> OfflineOptions {
        OfflineOptions {
            tick: self.tick.unwrap_or(Duration::from_secs(1)),
            seed: self.seed,
            myses: self.myses.unwrap_or(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::headless::Headless;

    #[tokio::test]
    async fn a_commander_that_dies_ends_the_program_with_an_error() {
        let directory = tempfile::tempdir().expect("a directory");
        let home = Home::open(directory.path().join("home")).expect("a home");
        let options = LaunchOptions {
            resume: false,
            start_idle: false,
            mode: Mode::Live,
            secrets: Secrets::default(),
        };
        let face = Output::Lines(Headless::start(Format::Text).await.expect("an output"));
        let settings = Settings::default();
        let lock = home.lock().expect("the home is free");
        let flight = RunningSwarm::start(lock, &settings, options, face.observers()).await;
        let mut flight = flight.expect("a swarm");
        let mut signals = Signals::listen().expect("signals");
        flight.kill_commander();
        let manager = ServiceManager::of(&zoea_settings::Environment::default());
        let stop = wait_for_stop(None, &face, (&mut flight, &manager), &mut signals, || None).await;
        flight.shutdown().await;
        face.close().await;
        assert_eq!(stop, StopReason::Failed);
        let error = stop.outcome(&home).expect_err("an error");
        assert!(
            error.to_string().contains("the commander failed"),
            "{error}"
        );
        assert!(StopReason::Asked.outcome(&home).is_ok());
    }
}

//! The command line: its commands and options, and the dispatch to each command.

pub mod accounts;
mod answer;
mod as_child;
mod attach;
pub mod books;
pub mod budget;
pub mod db;
pub mod doctor;
pub mod events;
mod examples;
mod exit;
pub mod export;
mod freeze;
mod game_check;
pub mod global;
mod held;
pub mod history;
pub mod import;
pub mod incident;
pub mod init;
mod listing;
pub mod mysis;
mod outcomes;
mod patient;
mod processes;
pub mod prompt;
mod prove;
mod question;
mod read_only;
mod reminders;
pub mod report;
mod routine;
pub mod run;
pub mod samples;
mod screen;
mod selection;
pub mod setup;
mod shell;
mod shown;
#[cfg(feature = "simulators")]
mod simulators;
mod status;
mod swarm_client;
pub mod talk;
mod transient;
mod unfrozen;
mod wait;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use tokio::runtime::Runtime;
use zoea_settings::{Environment, SettingsError};

use crate::interface::control::call::reminders::Remind;
use zoea_system::descriptors;
use zoea_system::out;

use held::HeldCommand;
use listing::ListArgs;
use processes::ProcessOrder;
use read_only::CommandHome;
use reminders::RemindersOrder;

/// The exit status when a command failed.
const EXIT_FAILED: u8 = 1;

/// How long blocking threads may delay the end of the program after its work is done.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The exit status for wrong usage or a wrong configuration. clap uses the same.
const EXIT_WRONG_USAGE: u8 = 2;

/// A terminal command center for swarms of autonomous LLM agents.
#[derive(Debug, Parser)]
#[command(name = "zoea", version)]
struct Cli {
    #[command(flatten)]
    global: global::GlobalArgs,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Run the swarm (the default).
    Run(run::RunArgs),
    /// Show the running program in this terminal; closing it does not stop the swarm.
    Attach(attach::AttachArgs),
    /// Print a page about the running program.
    Status(status::StatusArgs),
    /// Choose a model server, key, model, game and spending cap; test them, write zoea.toml, start.
    Setup(setup::SetupArgs),
    /// Write a commented zoea.toml; an existing file is kept.
    Init,
    /// Check configuration, files, database, providers and tool server.
    Doctor(doctor::DoctorArgs),
    /// List, create, start, stop, delete and configure Myses.
    #[command(subcommand)]
    Mysis(mysis::MysisCommand),
    /// Send Myses a direct message.
    Send(talk::SendArgs),
    /// Give the whole swarm a mission, or a direct message to some.
    Broadcast(talk::BroadcastArgs),
    /// Show or clear the mission.
    #[command(subcommand)]
    Mission(talk::MissionCommand),
    /// Give one Mysis persistent context.
    Note(talk::NoteArgs),
    /// Answer the question that a server asks during a Mysis' call.
    Answer(answer::AnswerArgs),
    /// Start, stop and list routines: steps that the runtime repeats without asking the model.
    #[command(subcommand)]
    Routine(routine::RoutineCommand),
    /// Send a Mysis a message later: after a duration or at a time.
    Remind(Remind),
    /// List the reminders that wait, and cancel one.
    Reminders(ListArgs<RemindersOrder>),
    /// Read a Mysis' conversation.
    Log(history::LogArgs),
    /// Search conversations, literally.
    Search(history::SearchArgs),
    /// List the texts that a model's server refused and zoea leaves out; allow one again.
    Held(ListArgs<HeldCommand>),
    /// List the processes that share a Postgres database, and drain one.
    Processes(ListArgs<ProcessOrder>),
    /// Freeze the swarm: no model call, no tool call and no login begins until it is thawed.
    Freeze,
    /// Thaw the swarm: each Mysis continues where it paused.
    Thaw,
    /// Print what happened in the swarm, and who ordered what.
    Events(events::EventsArgs),
    /// Wait until Myses are in a state; the exit status says what happened.
    Wait(wait::WaitArgs),
    /// Show and check the system prompt and its placeholders.
    Prompt(prompt::PromptArgs),
    /// Print failed calls to servers, as files that the simulated servers can replay.
    #[command(subcommand)]
    Incident(incident::IncidentCommand),
    /// Print tokens and cost by day, Mysis and provider.
    Books(books::BooksArgs),
    /// Raise the cap on what the swarm spends today.
    Budget(budget::BudgetArgs),
    /// Print what Myses have, earn, cost and wait for over time.
    Samples(samples::SamplesArgs),
    /// Report what the swarm did, earned and spent in a day.
    Report(report::ReportArgs),
    /// Check, back up, restore and compact the database.
    #[command(subcommand)]
    Db(db::DbCommand),
    /// List, import and export the game accounts of the pool.
    #[command(subcommand)]
    Accounts(accounts::AccountsCommand),
    /// Import an export of this program, or a Zoea-Nova v12 database.
    Import(import::ImportArgs),
    /// Write conversations as JSON lines, which can be imported again, or as Markdown.
    Export(export::ExportArgs),
    #[cfg(feature = "simulators")]
    #[command(flatten)]
    Simulator(simulators::SimulatorCommand),
    /// Print the completion script for a shell.
    Completions(shell::CompletionsArgs),
    /// Print the manual page of zoea or of one of its commands.
    Man(shell::ManArgs),
    /// Become a command that ends with the program that started it.
    #[command(hide = true)]
    AsChild(as_child::AsChildArgs),
}

/// Runs the command line and returns the exit status.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| out::write_stderr(&format!("{panic}\n"))));
    let mut cli = match parse(&std::env::args_os().collect::<Vec<_>>()) {
        Ok(cli) => cli,
        Err(wrong) => return report_usage_error(&wrong),
    };
    descriptors::raise_limit(descriptors::WANTED_DESCRIPTORS);
    cli.global.environment = Environment::from_process();
    let Err(error) = run_command(cli) else {
        return ExitCode::SUCCESS;
    };
    if let Some(end) = error.downcast_ref::<exit::ExitWith>() {
        match end.is_note {
            true => out::note(&end.to_string()),
            false => out::error(&end.to_string()),
        }
        return ExitCode::from(end.status);
    }
    let (status, lines) = describe_failure(&error);
    for line in lines {
        out::error(&line);
    }
    ExitCode::from(status)
}

/// Parses the command line.
fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut commands = command_line();
    let parsed = commands.try_get_matches_from_mut(arguments);
    let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|wrong| {
        let word = (wrong.kind() == ErrorKind::DisplayHelp).then(|| mistaken_for_help(arguments));
        let Some(word) = word.flatten() else {
            return wrong;
        };
        let text = format!(
            "`{word}` is neither an option nor a request for help; a name or a text that begins with a hyphen \
             stands behind `--`"
        );
        commands.error(ErrorKind::UnknownArgument, text)
    })
}

/// The word for which the help would be printed without being asked for: clap takes `-hauler` for `-h` with more
/// letters, and a script would take the help's exit status for success.
fn mistaken_for_help(arguments: &[OsString]) -> Option<&str> {
    let words = || arguments.iter().skip(1).filter_map(|word| word.to_str());
    let is_asked = words().any(|word| matches!(word, "-h" | "--help" | "help"));
    words().find(|word| !is_asked && word.len() > 2 && word.starts_with("-h"))
}

/// The command line, with examples.
fn command_line() -> clap::Command {
    examples::add_examples(Cli::command())
}

/// Ignores the signal of a file size limit (`ulimit -f`), so that a write beyond the limit fails
/// like one on a full disk instead of ending the program. A child process gets the default handler
/// back.
fn ignore_file_limit_signal() -> std::io::Result<()> {
    let is_received = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, is_received).map(drop)
}

/// Reports an error of clap. An error may quote the command line, which may contain a secret; help
/// quotes nothing.
fn report_usage_error(wrong: &clap::Error) -> ExitCode {
    if wrong.use_stderr() {
        out::write_stderr(&wrong.render().to_string());
        return ExitCode::from(EXIT_WRONG_USAGE);
    }
    // A reader that closed the pipe has read enough.
    let _ = wrong.print();
    ExitCode::SUCCESS
}

fn run_command(cli: Cli) -> anyhow::Result<()> {
    if let Some(CliCommand::AsChild(args)) = &cli.command {
        return as_child::run(args);
    }
    ignore_file_limit_signal()?;
    shown::show_utc(cli.global.utc);
    let mut home = CommandHome::new(cli.global);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    run_and_leave(runtime, async {
        match cli.command {
            Some(command) => dispatch(command, &mut home).await,
            None => setup::offer::run_or_offer(home.for_writing()).await,
        }
    })
}

/// Runs a command. Each says whether it only reads the home.
async fn dispatch(command: CliCommand, home: &mut CommandHome) -> anyhow::Result<()> {
    match command {
        CliCommand::Run(args) => run::run(&args, home.for_writing()).await,
        CliCommand::Attach(args) => attach::run(&args, home.for_writing()).await,
        CliCommand::Status(args) => status::run(&args, home.for_reading()?).await,
        CliCommand::Setup(args) => setup::run(&args, home.for_writing()).await,
        CliCommand::Init => init::run(home.for_writing()),
        CliCommand::Doctor(args) => doctor::run(&args, home.for_writing()).await,
        CliCommand::Mysis(command @ mysis::MysisCommand::List { .. }) => {
            mysis::run(&command, home.for_reading()?).await
        }
        CliCommand::Mysis(command) => mysis::run(&command, home.for_writing()).await,
        CliCommand::Send(args) => talk::send_message(&args, home.for_writing()).await,
        CliCommand::Broadcast(args) => talk::broadcast_mission(&args, home.for_writing()).await,
        CliCommand::Mission(command) => talk::mission(&command, home.for_writing()).await,
        CliCommand::Note(args) => talk::edit_notes(&args, home.for_writing()).await,
        CliCommand::Answer(args) => answer::run(&args, home.for_writing()).await,
        CliCommand::Routine(command @ routine::RoutineCommand::List) => {
            routine::run(&command, home.for_reading()?).await
        }
        CliCommand::Routine(command) => routine::run(&command, home.for_writing()).await,
        CliCommand::Remind(args) => reminders::remind(&args, home.for_writing()).await,
        CliCommand::Reminders(args) if args.only_lists() => args.run(home.for_reading()?).await,
        CliCommand::Reminders(args) => args.run(home.for_writing()).await,
        CliCommand::Log(args) => history::show_log(&args, home.for_reading()?).await,
        CliCommand::Search(args) => history::search_rows(&args, home.for_reading()?).await,
        CliCommand::Held(args) if args.only_lists() => args.run(home.for_reading()?).await,
        CliCommand::Held(args) => args.run(home.for_writing()).await,
        CliCommand::Budget(args) => budget::run(&args, home.for_writing()).await,
        CliCommand::Processes(args) => args.run(home.for_writing()).await,
        CliCommand::Freeze => freeze::freeze(home.for_writing()).await,
        CliCommand::Thaw => freeze::thaw(home.for_writing()).await,
        CliCommand::Events(args) => events::run(&args, home.for_reading()?).await,
        CliCommand::Wait(args) => wait::run(&args, home.for_writing()).await,
        CliCommand::Prompt(args) => prompt::run(&args, home.for_reading()?).await,
        CliCommand::Incident(command) => incident::run(&command, home.for_writing()),
        CliCommand::Books(args) => books::run(&args, home.for_reading()?).await,
        CliCommand::Samples(args) => samples::run(&args, home.for_reading()?).await,
        CliCommand::Report(args) => report::run(&args, home.for_reading()?).await,
        CliCommand::Db(command @ db::DbCommand::Check { .. }) => {
            db::run(&command, home.for_reading()?).await
        }
        CliCommand::Db(command) => db::run(&command, home.for_writing()).await,
        CliCommand::Accounts(command @ accounts::AccountsCommand::List { .. }) => {
            accounts::run(&command, home.for_reading()?).await
        }
        CliCommand::Accounts(command) => accounts::run(&command, home.for_writing()).await,
        CliCommand::Import(args) => import::run(&args, home.for_writing()).await,
        CliCommand::Export(args) => export::run(&args, home.for_reading()?).await,
        #[cfg(feature = "simulators")]
        CliCommand::Simulator(command) => simulators::run(command).await,
        CliCommand::Completions(args) => shell::print_completions(&args, &command_line()),
        CliCommand::Man(args) => shell::print_manual(&args, command_line()),
        CliCommand::AsChild(args) => as_child::run(&args),
    }
}

/// Runs a future to its end. Threads that then still wait for a disk or a pipe are abandoned.
fn run_and_leave<T>(runtime: Runtime, work: impl Future<Output = T>) -> T {
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    done
}

/// The exit status of an error and its message. Each mistake in a configuration gets a line.
fn describe_failure(error: &anyhow::Error) -> (u8, Vec<String>) {
    match error
        .chain()
        .find_map(|cause| cause.downcast_ref::<SettingsError>())
    {
        Some(settings) => (
            EXIT_WRONG_USAGE,
            settings.mistakes.iter().map(ToString::to_string).collect(),
        ),
        None => (EXIT_FAILED, vec![format!("{error:#}")]),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command_line().debug_assert();
    }

    #[test]
    fn a_text_may_begin_with_a_hyphen_and_options_stay_options() {
        for (line, id, text) in [
            (
                "send|beta|-hold your position",
                "text",
                "-hold your position",
            ),
            ("send|beta|-hold|--json", "text", "-hold"),
            ("send|beta|- mine ore|--no-gain", "text", "- mine ore"),
            ("send|beta|--json|-h of it", "text", "-h of it"),
            ("send|beta|--hold your fire", "text", "--hold your fire"),
            ("send|beta|-", "text", "-"),
            ("send|beta|--|-h", "text", "-h"),
            ("send|--all|-hold", "first", "-hold"),
            ("send|-hold|--state|idle", "first", "-hold"),
            (
                "broadcast|-hold your fire|--ends",
                "text",
                "-hold your fire",
            ),
            ("note|beta|-hold", "text", "-hold"),
            ("remind|beta|-hold|--in|2h", "text", "-hold"),
            ("remind|beta|--in|2h|-5 ore", "text", "-5 ore"),
            ("search|-hidden|-i", "text", "-hidden"),
            ("search|--follow", "text", "--follow"),
        ] {
            let words = std::iter::once("zoea").chain(line.split('|'));
            let matches = command_line().try_get_matches_from(words);
            let matches = matches.unwrap_or_else(|wrong| panic!("{line}: {wrong}"));
            let (_, of_command) = matches.subcommand().unwrap();
            let read = of_command.get_one::<String>(id);
            assert_eq!(read.map(String::as_str), Some(text), "{line}");
        }
    }

    #[test]
    fn what_looks_like_an_option_is_neither_an_order_nor_help() {
        for (line, kind) in [
            ("send|beta|-h", ErrorKind::DisplayHelp),
            ("send|beta|-hold|--help", ErrorKind::DisplayHelp),
            ("send|beta|text|-h", ErrorKind::DisplayHelp),
            ("search|-h", ErrorKind::DisplayHelp),
            ("search|-hi", ErrorKind::UnknownArgument),
            ("mysis|start|-hauler", ErrorKind::UnknownArgument),
            ("mysis|create|beta|--role|-hauler", ErrorKind::InvalidValue),
            ("note|beta|--claer", ErrorKind::ValueValidation),
            ("send|--all|--dry-rnu", ErrorKind::ValueValidation),
            ("send|beta|text|--jsno", ErrorKind::UnknownArgument),
        ] {
            let words = std::iter::once("zoea").chain(line.split('|'));
            let words: Vec<OsString> = words.map(OsString::from).collect();
            let wrong = parse(&words).err();
            assert_eq!(wrong.map(|wrong| wrong.kind()), Some(kind), "{line}");
        }
    }

    #[test]
    fn nothing_that_waits_for_the_system_holds_the_program_up() {
        let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
        let (never, stuck) = std::sync::mpsc::channel::<()>();
        let started = std::time::Instant::now();
        let done = run_and_leave(runtime, async {
            let (begun, is_stuck) = tokio::sync::oneshot::channel();
            tokio::task::spawn_blocking(move || {
                let _ = begun.send(());
                stuck.recv()
            });
            is_stuck.await.unwrap();
            7
        });
        assert_eq!(done, 7);
        assert!(started.elapsed() < Duration::from_secs(20));
        drop(never);
    }

    #[test]
    fn a_wrong_configuration_is_wrong_usage_wherever_it_is_found() {
        let error = Environment::default()
            .home_directory(None)
            .context("reload")
            .unwrap_err();
        let line = "environment: HOME is not set; name a directory with --home or ZOEA_HOME";
        assert_eq!(describe_failure(&error), (2, vec![line.to_owned()]));
    }

    #[test]
    fn any_other_failure_is_told_with_its_causes_on_one_line() {
        let error = anyhow::anyhow!("no such file").context("open ledger");
        assert_eq!(
            describe_failure(&error),
            (1, vec!["open ledger: no such file".to_owned()])
        );
    }
}

//! The offer of plain `zoea` at a terminal if the home is empty: setup, offline play or the
//! defaults.

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::run::{self, RunArgs};
use crate::interface::cli::screen::has_terminal;
use zoea_settings::CONFIG_FILE;

use super::SetupArgs;
use super::prompts::{Choice, choose};

/// The choices for an empty home.
#[derive(Clone, Copy)]
enum FirstChoice {
    SetUp,
    TryOffline,
    RunOnDefaults,
}

/// Runs the swarm. If the home is empty and there is a terminal, the operator first chooses what to
/// do.
pub(in crate::interface::cli) async fn run_or_offer(global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_home()?;
    let has_configuration = global.config.is_some()
        || std::path::Path::new(CONFIG_FILE).exists()
        || home.config_file().exists();
    if has_configuration || home.database().exists() || !has_terminal() {
        return run::run(&RunArgs::default(), global).await;
    }
    let choices = vec![
        Choice::new(
            FirstChoice::SetUp,
            "set up: a model server, a game or other tools, a cap on spending",
        ),
        Choice::new(
            FirstChoice::TryOffline,
            "try it offline: no key, no account, no network",
        ),
        Choice::new(
            FirstChoice::RunOnDefaults,
            "start with the defaults: Ollama on this machine, the game SpaceMolt",
        ),
    ];
    match choose(
        "There is no configuration yet. What do you want to do?",
        choices,
        0,
    )? {
        FirstChoice::SetUp => super::run(&SetupArgs::default(), global).await,
        FirstChoice::TryOffline => run::run(&RunArgs::offline(), global).await,
        FirstChoice::RunOnDefaults => run::run(&RunArgs::default(), global).await,
    }
}

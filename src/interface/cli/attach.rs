//! `zoea attach`: attaches this terminal to the program that runs in this home.

use anyhow::Context;
use clap::Args;

use crate::host::home::RunFile;
use crate::interface::attach::client::{self, AttachExit};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::run::Signals;
use crate::interface::cli::screen::{self, LookArgs};
use crate::interface::cli::{out, swarm_client};
use crate::interface::control::client::ControlClient;

#[derive(Debug, Args)]
pub(super) struct AttachArgs {
    #[command(flatten)]
    look: LookArgs,
}

pub(super) async fn run(args: &AttachArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let mut signals = Signals::listen()?;
    let home = global.open_swarm_home()?;
    let Some(running) = RunFile::read(&home) else {
        swarm_client::hint_at_offline(&home);
        anyhow::bail!(
            "no swarm is running in {}; start one with `zoea run --headless`, or name its home with --home",
            home.directory().display()
        );
    };
    screen::require_terminal(&global.environment)?;
    let look = global.load_tui(&home, &home)?;
    for warning in screen::colour_warnings(&look, &args.look, &global.environment) {
        out::note(&warning);
    }
    let options = screen::terminal_options(&home, &look, &args.look, &global.environment);
    let token = home
        .control_token()?
        .context("the running program has no control.token; stop and start it")?;
    let client = ControlClient::connect(&running, &token, |_| {}).await?;
    match client::run_attached(&client, options, signals.next_terminal_signal()).await? {
        AttachExit::Left => {}
        AttachExit::Closing => {
            out::note("the running program is closing and detached this terminal")
        }
    }
    Ok(())
}

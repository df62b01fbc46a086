//! `zoea completions` and `zoea man`: what a shell and `man` show about the command line. Both are
//! made from the command line itself, so that they never differ from it.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::interface::cli::out;

/// The name that the operator types.
const PROGRAM: &str = "zoea";

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell that the completions are for.
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The command whose page is printed, such as `mysis create`; without it, the page of zoea.
    #[arg(conflicts_with = "dir")]
    command: Vec<String>,
    /// Write the pages of zoea and of all its commands as files into this directory instead.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub(super) fn print_completions(args: &CompletionsArgs, commands: &Command) -> anyhow::Result<()> {
    // The generators offer hidden commands, too.
    let offered = commands.get_subcommands();
    let offered = offered.filter(|command| !command.is_hide_set()).cloned();
    let mut offered = Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .args(commands.get_arguments().cloned())
        .subcommands(offered);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut offered, PROGRAM, &mut script);
    Ok(out::pass_on(script.as_slice(), false)?)
}

/// Prints one manual page, or writes all of them.
pub(super) fn print_manual(args: &ManArgs, commands: Command) -> anyhow::Result<()> {
    if let Some(dir) = &args.dir {
        let shown = dir.display();
        std::fs::create_dir_all(dir).with_context(|| format!("create {shown}"))?;
        return clap_mangen::generate_to(commands, dir)
            .with_context(|| format!("write pages to {shown}"));
    }
    let mut page = Vec::new();
    Man::new(find_command(commands, &args.command)?).render(&mut page)?;
    Ok(out::pass_on(page.as_slice(), false)?)
}

/// The command of this name.
fn find_command(mut commands: Command, names: &[String]) -> anyhow::Result<Command> {
    // clap gives commands their full names when it builds them.
    commands.build();
    let mut found = &commands;
    for name in names {
        let Some(next) = found.find_subcommand(name) else {
            bail!(
                "no command is called {:?}; `{PROGRAM} --help` lists them",
                names.join(" ")
            );
        };
        found = next;
    }
    Ok(found.clone())
}

//! `zoea completions` and `zoea man`: what a shell and `man` show about the command line. Both are
//! made from the command line itself, so that they never differ from it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::interface::cli::out;

/// The name that the operator types.
const PROGRAM: &str = "zoea";

/// The options of `zoea completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell that the completions are for.
    shell: Shell,
}

/// The options of `zoea man`.
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
///
/// # Errors
/// Stdout cannot be written.
pub(super) fn print_completions(
    args: &CompletionsArgs,
    mut commands: Command,
) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut commands, PROGRAM, &mut script);
    Ok(out::pass_on(script.as_slice(), false)?)
}

/// Prints one manual page, or writes all of them.
///
/// # Errors
/// There is no such command; the directory or stdout cannot be written.
pub(super) fn print_manual(args: &ManArgs, commands: Command) -> anyhow::Result<()> {
    match &args.dir {
        Some(dir) => write_manual(dir, commands),
        None => {
            let page = render_page(find_command(commands, &args.command)?)?;
            Ok(out::pass_on(page.as_slice(), false)?)
        }
    }
}

fn write_manual(dir: &Path, commands: Command) -> anyhow::Result<()> {
    let shown = dir.display();
    std::fs::create_dir_all(dir).with_context(|| format!("create {shown}"))?;
    clap_mangen::generate_to(commands, dir).with_context(|| format!("write pages to {shown}"))
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

fn render_page(command: Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}

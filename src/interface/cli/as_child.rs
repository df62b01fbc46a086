//! `zoea as-child`: becomes a command that does not outlive the program that started it.

use std::ffi::OsString;

use clap::Args;

use crate::host::child_guard;

#[derive(Debug, Args)]
pub(super) struct AsChildArgs {
    /// The process that starts it.
    parent: u32,
    /// The command.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub(super) fn run(args: &AsChildArgs) -> anyhow::Result<()> {
    child_guard::become_command(args.parent, &args.command)
}

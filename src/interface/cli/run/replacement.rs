//! Puts another command in the place of this program, in the same terminal.
//!
//! The swarm has come to its orderly end before, so that the new program finds the home free.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::RunArgs;
use crate::host::child_guard;
use crate::interface::cli::global::GlobalArgs;

/// Becomes offline play. Returns only if that fails.
pub(super) fn play_offline(args: &RunArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let mut words = vec!["run", "--offline"];
    words.extend(args.look.words());
    become_program(&words, global)
}

/// Becomes setup. Returns only if that fails.
pub(super) fn set_up(global: &GlobalArgs) -> anyhow::Result<()> {
    become_program(&["setup"], global)
}

/// What starts this program again, also after a newer version took the place of its file: then only the link that
/// child processes are guarded by leads to it.
pub(super) fn own_program() -> anyhow::Result<PathBuf> {
    let file = std::env::current_exe().context("find this program")?;
    let link = child_guard::guard().and_then(|words| words.first().map(PathBuf::from));
    Ok(link.filter(|_| !file.exists()).unwrap_or(file))
}

fn become_program(words: &[&str], global: &GlobalArgs) -> anyhow::Result<()> {
    let error = Command::new(own_program()?)
        .args(words)
        .args(global.words())
        .exec();
    Err(error).with_context(|| format!("start zoea {}", words.join(" ")))
}

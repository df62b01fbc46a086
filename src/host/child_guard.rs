//! The guard of child processes: becomes a command that does not outlive the program that started
//! it.
//!
//! The wish to end with one's parent belongs to a process and stays with it when it becomes another
//! program. Only the process itself can make it, so that the program starts a copy of itself in
//! place of the server, which makes the wish and becomes the server.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, parent_id};
use std::process::Command;
use std::sync::Arc;

use anyhow::Context;

/// What starts a command so that it ends with this process, even if this process is killed; `None`
/// where the system has no such means.
pub fn guard() -> Option<Arc<[String]>> {
    // The link holds even after the file was replaced by a newer version.
    let guard = ["/proc/self/exe", "as-child"].map(str::to_string);
    cfg!(target_os = "linux").then(|| guard.into())
}

/// Becomes the command, as a child of the process with this id. Returns only if that fails.
pub fn become_command(parent: u32, command: &[OsString]) -> anyhow::Result<()> {
    end_with_parent()?;
    // The end of a parent that is gone already is not noticed by the system.
    if parent_id() != parent {
        return Ok(());
    }
    let (program, words) = command.split_first().context("there is no command")?;
    let error = Command::new(program).args(words).exec();
    Err(error).with_context(|| format!("start {}", program.display()))
}

#[cfg(target_os = "linux")]
fn end_with_parent() -> anyhow::Result<()> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL)).context("end with the parent")
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() -> anyhow::Result<()> {
    Ok(())
}

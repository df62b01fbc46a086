//! Lets the swarm go on without a terminal, in a process of its own.
//!
//! The swarm of this process has come to its orderly end before, so that the new one takes up the
//! home like any other start, and nothing has to be handed over.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Context;

use crate::host::home::{Home, RunFile};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;

use super::RunArgs;
use super::replacement::own_program;

/// How long the new process may take until it runs.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Leaves the terminal's session in the process that was started for this.
pub(super) fn leave_session(args: &RunArgs) -> anyhow::Result<()> {
    if args.detached {
        rustix::process::setsid().context("leave the terminal's session")?;
    }
    Ok(())
}

/// Starts the swarm again without a terminal, and waits until it runs.
pub(super) async fn start(
    args: &RunArgs,
    ran: Duration,
    (global, home): (&GlobalArgs, &Home),
) -> anyhow::Result<()> {
    let words = home.directory().join("headless.err");
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true).mode(0o600);
    let errors = options
        .open(&words)
        .with_context(|| format!("write {}", words.display()))?;
    let mut child = Command::new(own_program()?)
        .args(arguments(args, ran, global))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .context("start the swarm without a terminal")?;
    let pid = child.id();
    let runs = tokio::time::timeout(START_TIMEOUT, wait_until_it_runs(&mut child, home));
    match runs.await {
        Ok(Ok(())) => Ok(out::line(&format!(
            "the swarm continues without a terminal (pid {pid}): `{}` opens one, `kill {pid}` ends it \
             cleanly",
            global.command("attach", args.offline.then_some(home))
        ))?),
        Ok(Err(status)) => {
            let words = std::fs::read_to_string(&words).unwrap_or_default();
            anyhow::bail!(
                "the swarm does not continue: it ended with {status}: {}",
                out::shorten(&words, 1000)
            )
        }
        Err(_) => anyhow::bail!(
            "the swarm does not run after {START_TIMEOUT:?} (pid {pid}); see {}",
            home.log_file().display()
        ),
    }
}

/// Waits until the process has published its address.
///
/// # Errors
/// It has ended.
async fn wait_until_it_runs(child: &mut Child, home: &Home) -> Result<(), String> {
    loop {
        if RunFile::read(home).is_some_and(|running| running.pid == child.id()) {
            return Ok(());
        }
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => return Err(status.to_string()),
            Err(error) => return Err(error.to_string()),
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// What the new process is started with: the same home, configuration and game, and what is left of
/// the time.
fn arguments(args: &RunArgs, ran: Duration, global: &GlobalArgs) -> Vec<OsString> {
    let first = ["run", "--headless", "--resume", "--detached"];
    let mut words: Vec<OsString> = first.map(OsString::from).to_vec();
    words.extend(args.offline.then(|| OsString::from("--offline")));
    let tick = args
        .tick
        .map(|tick| humantime::format_duration(tick).to_string());
    let left = args
        .r#for
        .map(|limit| limit.saturating_sub(ran).as_secs().max(1));
    for (option, value) in [
        ("--tick", tick.map(|tick| tick.replace(' ', ""))),
        ("--seed", args.seed.map(|seed| seed.to_string())),
        ("--for", left.map(|seconds| format!("{seconds}s"))),
    ] {
        if let Some(value) = value {
            words.extend([option, &value].map(OsString::from));
        }
    }
    words.extend(global.words());
    words
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_new_process_gets_what_the_old_one_had() {
        let args = RunArgs {
            offline: true,
            tick: Some(Duration::from_millis(1_500)),
            seed: Some(7),
            r#for: Some(Duration::from_secs(3_600)),
            ..RunArgs::default()
        };
        let global = GlobalArgs {
            home: Some(PathBuf::from("/tmp/a b")),
            debug: true,
            ..GlobalArgs::default()
        };
        let words = arguments(&args, Duration::from_secs(600), &global);
        assert_eq!(
            words,
            [
                "run",
                "--headless",
                "--resume",
                "--detached",
                "--offline",
                "--tick",
                "1s500ms",
                "--seed",
                "7",
                "--for",
                "3000s",
                "--debug",
                "--home",
                "/tmp/a b",
            ]
        );
    }
}

//! The signals that stop the program, and those that mean nothing to it.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::task::AbortOnDropHandle;

/// The signals that stop the program. Once they are listened for, they do not end it by themselves, so that no question
/// may block it from then on.
pub(in crate::interface::cli) struct Signals {
    pub(super) interrupt: Signal,
    pub(super) terminate: Signal,
    pub(super) hangup: Signal,
    /// Whether a signal that was taken is to count again.
    is_put_back: bool,
    _ignoring: AbortOnDropHandle<()>,
}

impl Signals {
    pub(in crate::interface::cli) fn listen() -> anyhow::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt()).context("listen for SIGINT")?,
            terminate: signal(SignalKind::terminate()).context("listen for SIGTERM")?,
            hangup: signal(SignalKind::hangup()).context("listen for SIGHUP")?,
            is_put_back: false,
            _ignoring: AbortOnDropHandle::new(tokio::spawn(ignore_user_signals(
                signal(SignalKind::user_defined1()).context("listen for SIGUSR1")?,
                signal(SignalKind::user_defined2()).context("listen for SIGUSR2")?,
            ))),
        })
    }

    /// Lets the signal that was taken count for the next one who waits for it, too.
    pub(super) fn put_back(&mut self) {
        self.is_put_back = true;
    }

    /// Waits for the next signal that ends a program which has only a terminal.
    pub(in crate::interface::cli) async fn next_terminal_signal(&mut self) {
        // Cancel-safe: a signal that is not taken stays pending.
        tokio::select! {
            () = interrupted(&mut self.interrupt) => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }

    pub(in crate::interface::cli) async fn stop(&mut self) {
        if self.is_put_back {
            return;
        }
        // Cancel-safe: a signal that is not taken stays pending.
        tokio::select! {
            () = interrupted(&mut self.interrupt) => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Ignores the signals that other programs take for "open the log again", and that would end this one.
async fn ignore_user_signals(mut first: Signal, mut second: Signal) {
    loop {
        // Cancel-safe: a signal that is not taken stays pending.
        let name = tokio::select! {
            _ = first.recv() => "SIGUSR1",
            _ = second.recv() => "SIGUSR2",
        };
        tracing::info!(
            "{name} means nothing to zoea and is ignored; SIGHUP reloads the configuration"
        );
    }
}

/// Waits for Ctrl-C, but for one that is for the editor to which the terminal is lent.
pub(super) async fn interrupted(signal: &mut Signal) {
    loop {
        // Cancel-safe: a signal that is not taken stays pending.
        signal.recv().await;
        if !zoea_tui::is_lent() {
            return;
        }
    }
}

//! The signals that stop the program.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that stop the program. Once they are listened for, they do not end it by themselves, so that no question
/// may block it from then on.
pub(in crate::interface::cli) struct Signals {
    pub(super) interrupt: Signal,
    pub(super) terminate: Signal,
    pub(super) hangup: Signal,
    /// Whether a signal that was taken is to count again.
    is_put_back: bool,
}

impl Signals {
    pub(in crate::interface::cli) fn listen() -> anyhow::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt()).context("listen for SIGINT")?,
            terminate: signal(SignalKind::terminate()).context("listen for SIGTERM")?,
            hangup: signal(SignalKind::hangup()).context("listen for SIGHUP")?,
            is_put_back: false,
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

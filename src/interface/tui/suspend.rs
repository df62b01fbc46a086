//! Suspends the program to the shell, and restores the terminal when it returns.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::dashboard::action::TerminalAction;
use crate::dashboard::input_event::Input;
use rustix::process::{Signal, getpid, getsid, kill_current_process_group};
use signal_hook::consts::{SIGCONT, SIGTSTP};
use signal_hook::iterator::{Handle, Signals};

use crate::drawable::{Drawable, InputSink};
use crate::modes;
use crate::slot::PictureSlot;

/// How long the thread that sent the signal waits for its effect. The process is stopped meanwhile,
/// so nobody notices the wait.
const STOP_SIGNAL_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct JobControl {
    back: mpsc::Receiver<()>,
}

impl JobControl {
    /// Puts the terminal back, stops the process, and takes the terminal over again when the shell
    /// continues it.
    ///
    /// # Errors
    /// There is no shell with job control.
    pub(super) fn suspend_process(&self) -> Result<(), String> {
        let leads_session = getsid(None).is_ok_and(|session| session == getpid());
        if leads_session {
            return Err("there is no shell to go back to".to_string());
        }
        while self.back.try_recv().is_ok() {}
        modes::leave();
        // The whole process group stops, as it does when the terminal sends the signal itself.
        let stopped = kill_current_process_group(Signal::STOP);
        if stopped.is_ok() {
            // Another thread may receive the signal first. This one must not go on before the
            // process stops.
            let _ = self.back.recv_timeout(STOP_SIGNAL_TIMEOUT);
        }
        modes::enter().map_err(|error| format!("the terminal cannot be opened again: {error}"))?;
        stopped.map_err(|error| format!("could not go to the background: {error}"))
    }
}

/// Listens for the signals that stop and continue the process. The handle ends the listener.
pub(super) fn listen<P: Drawable>(
    screen: Arc<PictureSlot<P>>,
    input_sink: Arc<dyn InputSink>,
) -> std::io::Result<(Handle, JobControl)> {
    let mut signals = Signals::new([SIGTSTP, SIGCONT])?;
    let ending = signals.handle();
    let (sender, back) = mpsc::channel();
    std::thread::Builder::new()
        .name("tui-signals".to_string())
        .spawn(move || {
            for signal in &mut signals {
                if signal == SIGTSTP && modes::is_lent() {
                    // It is for the program that has the terminal.
                } else if signal == SIGTSTP {
                    screen.perform(TerminalAction::Suspend);
                } else {
                    // Nobody waits when the program was stopped from outside.
                    let _ = sender.send(());
                    input_sink.input(Input::Resumed);
                }
            }
        })?;
    Ok((ending, JobControl { back }))
}

//! Suspending: going to the background of the shell and coming back with a sane terminal.

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

/// How long the thread that sent the signal waits for it to take effect. The process stands still
/// meanwhile, so that nobody waits for this.
const STOP_SIGNAL_TIMEOUT: Duration = Duration::from_secs(1);

/// The way to the background and back.
pub(super) struct JobControl {
    back: mpsc::Receiver<()>,
}

impl JobControl {
    /// Puts the terminal back, stops, and takes the terminal over again once the shell says so.
    ///
    /// # Errors
    /// There is no shell that could say so.
    pub(super) fn suspend_process(&self) -> Result<(), String> {
        let leads_session = getsid(None).is_ok_and(|session| session == getpid());
        if leads_session {
            return Err("there is no shell to go back to".to_string());
        }
        while self.back.try_recv().is_ok() {}
        modes::leave();
        // The whole group stops, as it does when the terminal itself stops it.
        let stopped = kill_current_process_group(Signal::STOP);
        if stopped.is_ok() {
            // The signal may reach another thread first: this one must not go on before it does.
            let _ = self.back.recv_timeout(STOP_SIGNAL_TIMEOUT);
        }
        modes::enter().map_err(|error| format!("the terminal does not come back: {error}"))?;
        stopped.map_err(|error| format!("could not go to the background: {error}"))
    }
}

/// Listens for being sent to the background, and for being back; the handle ends it.
///
/// # Errors
/// Signals cannot be listened for.
pub(super) fn listen<P: Drawable>(
    screen: Arc<PictureSlot<P>>,
    ear: Arc<dyn InputSink>,
) -> std::io::Result<(Handle, JobControl)> {
    let mut signals = Signals::new([SIGTSTP, SIGCONT])?;
    let ending = signals.handle();
    let (tell, back) = mpsc::channel();
    std::thread::Builder::new()
        .name("tui-signals".to_string())
        .spawn(move || {
            for signal in &mut signals {
                if signal == SIGTSTP {
                    screen.perform(TerminalAction::Suspend);
                } else {
                    // Nobody waits where the program was stopped without being asked.
                    let _ = tell.send(());
                    ear.input(Input::Resumed);
                }
            }
        })?;
    Ok((ending, JobControl { back }))
}

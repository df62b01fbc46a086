//! The terminal: draws the dashboard and passes on what the operator does.
//!
//! One thread owns the output and draws the newest picture, one reads keys and mouse, one watches
//! whether the terminal is still there, and one receives the signals of a shell's job control.
//! [`TerminalGuard::stop`] waits for the first one, for at most `RESTORE_TIMEOUT`.

pub mod dashboard;
pub mod drawable;
pub mod dump;
pub mod painter;
pub mod screen;
pub mod theme;
pub mod view;

mod acts;
mod drawing;
mod editor;
mod input;
mod modes;
mod slot;
mod suspend;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::dashboard::appearance::Appearance;
use crate::dashboard::history::InputHistory;
use crate::dashboard::keys::Keymap;
use crate::dashboard::view_choices::ViewChoices;
use crate::dashboard::{Dashboard, DashboardOptions};
use actors::ui::UiHandle;
use signal_hook::iterator::Handle;

use drawable::{Drawable, InputSink};
use drawing::DrawContext;
use theme::Depth;

pub use dashboard::layout::bounded_size;
pub use modes::is_lent;
pub use screen::{DashboardTerminal, Display};
pub use slot::PictureSlot;
pub use slot::queue_action;

/// How long putting the terminal back may take before it is left as it is. A slow line or a busy machine first
/// ends the picture that it is drawing.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(5);

/// Keeps the entered orders for the next run. Called whenever they grow.
pub type KeepHistory = Box<dyn Fn(&InputHistory) + Send>;

/// Keeps what the operator chose about the views for the next run. Called whenever it changes.
pub type KeepChoices = Box<dyn Fn(&ViewChoices) + Send>;

pub struct TerminalOptions {
    pub appearance: Appearance,
    pub keymap: Keymap,
    pub depth: Depth,
    /// The orders that the operator entered in earlier runs.
    pub history: InputHistory,
    pub keep_history: KeepHistory,
    pub choices: ViewChoices,
    pub keep_choices: KeepChoices,
    pub dumps: PathBuf,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        TerminalOptions {
            appearance: Appearance::default(),
            keymap: Keymap::default(),
            depth: Depth::True,
            history: InputHistory::default(),
            keep_history: Box::new(|_| {}),
            choices: ViewChoices::default(),
            keep_choices: Box::new(|_| {}),
            dumps: PathBuf::from("."),
        }
    }
}

/// The terminal while the screen is up. Dropping it puts the terminal back as it was.
pub struct TerminalGuard {
    ending: Box<dyn Fn() + Send>,
    drawing: Option<JoinHandle<()>>,
    put_back: mpsc::Receiver<()>,
    signals: Handle,
}

/// The columns and rows of the terminal; 80 by 24 if it does not report its size.
pub fn terminal_size() -> (u16, u16) {
    let reported = crossterm::terminal::size().ok();
    reported
        .filter(|(columns, rows)| *columns > 0 && *rows > 0)
        .map_or((80, 24), bounded_size)
}

impl TerminalGuard {
    /// Takes the terminal over. Input goes to the Ui actor that is alive.
    ///
    /// # Errors
    /// There is no terminal, or it refuses a mode.
    pub fn start(
        handle: UiHandle,
        options: TerminalOptions,
    ) -> io::Result<(Arc<dyn Display>, TerminalGuard)> {
        let first = Dashboard::new(DashboardOptions {
            size: crossterm::terminal::size()?,
            appearance: options.appearance,
            keymap: options.keymap.clone(),
            history: options.history.clone(),
            choices: options.choices.clone(),
        });
        let (slot, terminal) = TerminalGuard::show(first, Arc::new(handle), options)?;
        Ok((slot, terminal))
    }

    /// Takes the terminal over and shows the pictures of the slot.
    ///
    /// # Errors
    /// There is no terminal, or it refuses a mode.
    pub fn show<P: Drawable>(
        first: P,
        input_sink: Arc<dyn InputSink>,
        options: TerminalOptions,
    ) -> io::Result<(Arc<PictureSlot<P>>, TerminalGuard)> {
        let slot = Arc::new(PictureSlot::new(first));
        let (signals, background) = suspend::listen(slot.clone(), input_sink.clone())?;
        modes::enter().inspect_err(|_| modes::leave())?;
        put_back_on_panic();
        let (sender, put_back) = mpsc::channel();
        let drawing = {
            let slot = slot.clone();
            let means = DrawContext {
                options,
                input_sink: input_sink.clone(),
                background,
            };
            thread::Builder::new()
                .name("tui-drawing".to_string())
                .spawn(move || {
                    drawing::run(&slot, means);
                    // The receiver is gone when `stop` no longer waits.
                    let _ = sender.send(());
                })?
        };
        // Input from elsewhere than a terminal may end, and the terminal stays.
        if io::stdin().is_terminal() {
            let (watched, sink) = (slot.clone(), input_sink.clone());
            thread::Builder::new()
                .name("tui-hang-up".to_string())
                .spawn(move || input::watch_for_hang_up(&watched, &*sink))?;
        }
        let reader = slot.clone();
        thread::Builder::new()
            .name("tui-input".to_string())
            .spawn(move || input::run(&reader, &*input_sink))?;
        let ending = slot.clone();
        let terminal = TerminalGuard {
            ending: Box::new(move || ending.end()),
            drawing: Some(drawing),
            put_back,
            signals,
        };
        Ok((slot, terminal))
    }

    /// Puts the terminal back as it was. It does not wait for a terminal that no longer reads, and returns whether it
    /// reads: a word to one that does not would be waited for without end.
    pub fn stop(mut self) -> bool {
        self.restore_terminal()
    }

    fn restore_terminal(&mut self) -> bool {
        let Some(drawing) = self.drawing.take() else {
            return true;
        };
        (self.ending)();
        self.signals.close();
        let waited = self.put_back.recv_timeout(RESTORE_TIMEOUT);
        match waited {
            Ok(()) => drop(drawing.join()),
            Err(RecvTimeoutError::Timeout) => modes::leave_input(),
            Err(RecvTimeoutError::Disconnected) => modes::leave(),
        }
        if !thread::panicking() {
            drop(std::panic::take_hook());
        }
        waited != Err(RecvTimeoutError::Timeout)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        self.restore_terminal();
    }
}

/// Puts the terminal back when the main thread panics, because that ends the program. A panic of
/// another thread leaves the screen alone: its supervisor handles it.
fn put_back_on_panic() {
    let ours = thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == ours {
            modes::leave();
            zoea_system::out::write_stderr(&format!("{panic}\n"));
        } else {
            tracing::error!(%panic, "a panic was caught");
        }
    }));
}

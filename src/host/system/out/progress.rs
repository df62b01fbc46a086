//! Progress of long work on stderr, so that nobody wonders whether it goes on.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zoea_text::clean;

use super::note;

/// How often the line on a terminal is drawn again. Shorter work shows nothing.
const REDRAW_INTERVAL: Duration = Duration::from_millis(500);
/// How often a line is added where stderr is a file.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// Work that goes on until this is dropped. On a terminal one line is drawn over and over and goes
/// at the end; elsewhere a line is added each half minute.
#[derive(Debug)]
pub struct Progress {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to tell of some work. `detail` says how far it is; it is called from another thread.
    pub fn start(what: &str, detail: impl Fn() -> String + Send + 'static) -> Progress {
        let (end, ended) = channel();
        let what = clean::one_line(what);
        let thread = std::thread::Builder::new().name("progress".to_string());
        let thread = thread.spawn(move || {
            let is_terminal = std::io::stderr().is_terminal();
            let interval = if is_terminal {
                REDRAW_INTERVAL
            } else {
                LINE_INTERVAL
            };
            let started = Instant::now();
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let detail = clean::one_line(&detail());
                let text = format!("{what}: {} s {detail}", started.elapsed().as_secs());
                match is_terminal {
                    true => draw_over(text.trim_end()),
                    false => note(text.trim_end()),
                }
            }
            if is_terminal && started.elapsed() >= REDRAW_INTERVAL {
                draw_over("");
            }
        });
        // Work goes on without a word where no thread is to be had.
        Progress {
            end: Some(end),
            thread: thread.ok(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been told, and is no reason to fail here.
            let _ = thread.join();
        }
    }
}

/// Writes a text over the present line of the terminal, which may be gone.
fn draw_over(text: &str) {
    let _ = write!(io::stderr(), "\r\u{1b}[2K{text}");
}

//! A terminal with a shell, in which tests operate the real program.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// The longest wait of a test: far more than anything takes, also on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// Whether a terminal is read. While it is not, its output waits.
#[derive(Default)]
struct ScreenReader {
    are_shut: Mutex<bool>,
    changed: Condvar,
}

impl ScreenReader {
    fn shut(&self, are_shut: bool) {
        *self.are_shut.lock().expect("no panic") = are_shut;
        self.changed.notify_all();
    }

    fn wait_until_open(&self) {
        let are_shut = self.are_shut.lock().expect("no panic");
        let opened = self.changed.wait_while(are_shut, |are_shut| *are_shut);
        drop(opened.expect("no panic"));
    }
}

/// A shell in a terminal.
pub(crate) struct Terminal {
    shell: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    eyes: Arc<ScreenReader>,
    screen: vt100::Parser,
    master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Opens a terminal with this size.
    pub(crate) fn open(columns: u16, rows: u16, home: &Path) -> Terminal {
        let pty = native_pty_system()
            .openpty(size(columns, rows))
            .expect("a terminal");
        let mut command = CommandBuilder::new("bash");
        command.args(["--norc", "--noprofile", "-i"]);
        command.cwd(home);
        command.env_clear();
        for (name, value) in [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("LANG", "C.UTF-8"),
            ("PS1", "ready> "),
            ("HISTFILE", ""),
        ] {
            command.env(name, value);
        }
        command.env("HOME", home);
        command.env("ZOEA", env!("CARGO_BIN_EXE_zoea"));
        let shell = pty.slave.spawn_command(command).expect("a shell");
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().expect("its output");
        let (sender, output) = channel();
        let eyes = Arc::new(ScreenReader::default());
        let open_eyes = eyes.clone();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
                open_eyes.wait_until_open();
            }
        });
        let mut terminal = Terminal {
            shell,
            keys: pty.master.take_writer().expect("its keyboard"),
            output,
            eyes,
            screen: vt100::Parser::new(nonzero(rows), nonzero(columns), 0),
            master: pty.master,
        };
        // The shell's own bracketed paste would be mistaken for that of the program.
        terminal.types("bind 'set enable-bracketed-paste off'; clear\r");
        terminal.until("the shell", |screen| {
            !screen.bracketed_paste() && screen.contents().trim_end() == "ready>"
        });
        terminal
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys");
        self.keys.flush().expect("keys");
    }

    /// Stops reading the terminal.
    pub(crate) fn looks_away(&self) {
        self.eyes.shut(true);
    }

    /// Reads the terminal again.
    pub(crate) fn looks_back(&self) {
        self.eyes.shut(false);
    }

    /// Changes the size of the window.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.screen
            .screen_mut()
            .set_size(nonzero(rows), nonzero(columns));
        self.master.resize(size(columns, rows)).expect("a size");
    }

    /// The process that the terminal was opened with: the shell, or what took its place.
    pub(crate) fn process(&self) -> u32 {
        self.shell.process_id().expect("it runs")
    }

    /// Waits until that process has ended in good order.
    pub(crate) fn ends(&mut self) {
        let started = Instant::now();
        loop {
            if let Some(status) = self.shell.try_wait().expect("a process") {
                assert!(status.success(), "{status}:\n{}", self.contents());
                return;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "it goes on:\n{}",
                self.contents()
            );
            self.read();
        }
    }

    /// Reads until the screen meets a condition.
    pub(crate) fn until(&mut self, what: &str, check: impl Fn(&vt100::Screen) -> bool) {
        let started = Instant::now();
        while !check(self.screen.screen()) {
            assert!(
                started.elapsed() < PATIENCE,
                "waited in vain until {what}:\n{}",
                self.contents()
            );
            self.read();
        }
    }

    /// Reads the output that arrives soon.
    fn read(&mut self) {
        if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
            self.screen.process(&bytes);
        }
    }

    /// Reads until the screen contains a text.
    pub(crate) fn sees(&mut self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// Reads until the screen does not contain a text any more.
    pub(crate) fn sees_no(&mut self, text: &str) {
        self.until(text, |screen| !screen.contents().contains(text));
    }

    /// Presses Esc until the screen contains a text. Each press goes one step back.
    pub(crate) fn goes_back_to(&mut self, text: &str) {
        let started = Instant::now();
        while !self.contents().contains(text) {
            assert!(started.elapsed() < PATIENCE, "no way back to {text}");
            self.types("\u{1b}");
            let pressed = Instant::now();
            while pressed.elapsed() < Duration::from_millis(300) && !self.contents().contains(text)
            {
                self.read();
            }
        }
    }

    /// Reads until a line that contains one text contains another one, too.
    pub(crate) fn sees_beside(&mut self, one: &str, other: &str) {
        let what = format!("{one} … {other}");
        self.until(&what, |screen| {
            let contents = screen.contents();
            let mut lines = contents.lines();
            lines.any(|line| line.contains(one) && line.contains(other))
        });
    }

    /// The text on the screen.
    pub(crate) fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// The screen, with its modes.
    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Reads until the shell has the terminal again, and its modes are those of a shell.
    pub(crate) fn comes_back(&mut self) {
        self.until("the shell is back", |screen| {
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
                && screen.contents().trim_end().ends_with("ready>")
        });
        // The output is 2 if the terminal both buffers lines and echoes them.
        self.types("clear; stty -a | tr ' ' '\\n' | grep -cx -e icanon -e echo\r");
        self.until("the terminal is sane", |screen| {
            screen.contents().lines().any(|line| line.trim() == "2")
        });
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.looks_back();
        // The end of the terminal hangs up on the processes that still run in it.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn nonzero(number: u16) -> std::num::NonZeroU16 {
    number.try_into().expect("a screen has a size")
}

//! A terminal with a shell, in which tests operate the real program.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use zoea_rig::terminal_program::{PATIENCE, Program};

/// A shell in a terminal, and what runs in it.
pub(crate) struct Terminal {
    shell: Program,
}

impl Deref for Terminal {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.shell
    }
}

impl DerefMut for Terminal {
    fn deref_mut(&mut self) -> &mut Program {
        &mut self.shell
    }
}

impl Terminal {
    /// Opens a terminal with this size.
    pub(crate) fn open(columns: u16, rows: u16, home: &Path) -> Terminal {
        let mut command = CommandBuilder::new("bash");
        command.args(["--norc", "--noprofile", "-i"]);
        command.env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("PS1", "ready> ");
        command.env("HISTFILE", "");
        command.env("HOME", home);
        command.env("ZOEA", env!("CARGO_BIN_EXE_zoea"));
        let shell = Program::of(command, home, (columns, rows));
        let mut terminal = Terminal { shell };
        // The shell's own bracketed paste would be mistaken for that of the program.
        terminal.types("bind 'set enable-bracketed-paste off'; clear\r");
        terminal.until("the shell", |screen| {
            !screen.bracketed_paste() && screen.contents().trim_end() == "ready>"
        });
        terminal
    }

    /// Reads until the screen meets a condition.
    pub(crate) fn until(&mut self, what: &str, check: impl Fn(&vt100::Screen) -> bool) {
        self.until_screen(what, check);
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
                self.read_for(Duration::from_millis(20));
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

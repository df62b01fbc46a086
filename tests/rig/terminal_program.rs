//! The program under a terminal of its own, and the kernel's figures about it.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::process_figures::ProcessFigures;

/// A terminal's columns and rows.
type Size = (u16, u16);

const SIZE: Size = (120, 40);
/// The longest wait for anything: far more than it takes, also on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// How long output is awaited before a condition is looked at again.
const PAUSE: Duration = Duration::from_millis(20);

/// It ends when this is dropped.
pub struct Program {
    child: Box<dyn Child + Send + Sync>,
    pid: u32,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    is_deaf: Arc<AtomicBool>,
    screen: vt100::Parser,
    kept: Option<Vec<u8>>,
    started: Instant,
    home: PathBuf,
    master: Box<dyn MasterPty + Send>,
}

impl Program {
    pub fn start(home: &Path, arguments: &[&str]) -> Program {
        let home_argument = home.to_string_lossy();
        let mut all = vec!["--home", &home_argument];
        all.extend(arguments);
        Program::open(&crate::program().to_string_lossy(), &all, home, SIZE)
    }

    /// Any program, under a terminal of that many columns and rows.
    pub fn open(program: &str, arguments: &[&str], home: &Path, size: Size) -> Program {
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        Program::of(command, home, size)
    }

    /// The same of a command with an environment of its own, to which the terminal is added.
    pub fn of(mut command: CommandBuilder, home: &Path, size: Size) -> Program {
        let pty = native_pty_system()
            .openpty(pty_size(size))
            .expect("a terminal");
        command.cwd(home);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        // The environment of the tests may turn colours off.
        command.env_remove("NO_COLOR");
        let started = Instant::now();
        let child = pty
            .slave
            .spawn_command(command)
            .expect("the program starts");
        drop(pty.slave);
        let reader = pty.master.try_clone_reader().expect("its output");
        let is_deaf = Arc::new(AtomicBool::new(false));
        let (rows, columns) = screen_size(size);
        Program {
            pid: child.process_id().expect("a process"),
            child,
            keys: pty.master.take_writer().expect("its keyboard"),
            output: pieces(reader, is_deaf.clone()),
            is_deaf,
            screen: vt100::Parser::new(rows, columns, 0),
            kept: None,
            started,
            home: home.to_path_buf(),
            master: pty.master,
        }
    }

    /// Keeps the output that is read from now on: `quit` returns it.
    pub fn keep_output(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// Reads until the screen fulfils a condition. Returns the time since the start.
    pub fn until(&mut self, what: &str, check: impl Fn(&str) -> bool) -> Duration {
        self.read_until(what, |screen| check(&screen.contents()), Program::read_for);
        self.started.elapsed()
    }

    /// The same of the screen with its modes. No piece of the output is passed over, so that nothing is missed that is
    /// shown for a moment only.
    pub fn until_screen(&mut self, what: &str, check: impl Fn(&vt100::Screen) -> bool) {
        self.read_until(what, check, |it, time| {
            it.read_piece(time);
        });
    }

    fn read_until(
        &mut self,
        what: &str,
        check: impl Fn(&vt100::Screen) -> bool,
        read: impl Fn(&mut Program, Duration),
    ) {
        let started = Instant::now();
        while !check(self.screen()) {
            assert!(
                started.elapsed() < PATIENCE,
                "waited in vain until {what}:\n{}",
                self.contents()
            );
            read(self, PAUSE);
        }
    }

    /// The text of the screen.
    pub fn contents(&self) -> String {
        self.screen().contents()
    }

    /// The screen with its modes.
    pub fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Reads the output that comes in this time, until there is no more at the moment.
    pub fn read_for(&mut self, time: Duration) {
        if self.read_piece(time) {
            while self.read_piece(Duration::ZERO) {}
        }
    }

    /// Reads the next piece of the output, if it comes in this time.
    fn read_piece(&mut self, time: Duration) -> bool {
        let Ok(bytes) = self.output.recv_timeout(time) else {
            return false;
        };
        self.screen.process(&bytes);
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(&bytes);
        }
        true
    }

    /// Reads the output for the whole of this time.
    pub fn watch(&mut self, time: Duration) {
        let started = Instant::now();
        while let Some(rest) = time.checked_sub(started.elapsed()) {
            self.read_for(rest);
        }
    }

    /// Presses keys.
    pub fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the keys");
        self.keys.flush().expect("the keys");
    }

    /// Presses a key that moves the selection. Returns the time until it has moved.
    pub fn press_and_wait(&mut self, key: &str) -> Duration {
        let before = self.selected();
        let pressed = Instant::now();
        self.types(key);
        // With at most one row the selection cannot move.
        while self.selected() == before && pressed.elapsed() < Duration::from_millis(500) {
            self.read_for(Duration::from_millis(1));
        }
        pressed.elapsed()
    }

    /// Presses a key. Returns the time until the screen fulfils a condition.
    pub fn press_until(&mut self, key: &str, check: impl Fn(&str) -> bool) -> Duration {
        let pressed = Instant::now();
        self.types(key);
        self.until(&format!("{key:?} has its effect"), check);
        pressed.elapsed()
    }

    /// The line with the mark of the selection.
    fn selected(&self) -> Option<usize> {
        let contents = self.contents();
        contents.lines().position(|line| line.starts_with('▌'))
    }

    /// Changes the size of the window.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let size = screen_size((columns, rows));
        self.screen.screen_mut().set_size(size.0, size.1);
        self.master
            .resize(pty_size((columns, rows)))
            .expect("a size");
    }

    /// Stops reading the program's output, or reads it again.
    pub fn hold_back(&self, is_deaf: bool) {
        self.is_deaf.store(is_deaf, Ordering::Relaxed);
    }

    /// Quits it. Returns what was kept of its output.
    pub fn quit(mut self) -> Vec<u8> {
        let asked = Instant::now();
        while self.child.try_wait().expect("a status").is_none() {
            // The program asks while Myses run; after its end the key has no effect.
            let _ = self.keys.write_all(b"q");
            self.read_for(Duration::from_millis(200));
            let _ = self.keys.write_all(b"y");
            self.read_for(Duration::from_millis(200));
            assert!(asked.elapsed() < PATIENCE, "it does not quit");
        }
        // What it said last may be under way.
        while self.read_piece(Duration::from_millis(200)) {}
        self.kept.take().unwrap_or_default()
    }

    /// Waits until it has ended in good order.
    pub fn ends(&mut self) {
        let status = crate::until("it has ended", || {
            self.read_for(PAUSE);
            self.child.try_wait().expect("a status")
        });
        assert!(status.success(), "{status}:\n{}", self.contents());
    }

    /// Kills it, as a power cut would end it.
    pub fn kill(mut self) {
        let pid = self.pid.to_string();
        let killed = std::process::Command::new("sh")
            .args(["-c", r#"kill -9 "$0""#, &pid])
            .status();
        assert!(killed.expect("kill runs").success());
        self.child.wait().expect("it ends");
    }

    /// When it was started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Its process, also after another program has taken its place in it.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The kernel's figures about it.
    pub fn figures(&self) -> ProcessFigures {
        ProcessFigures::of(self.pid)
    }

    /// The size of the database and its log.
    pub fn database(&self) -> u64 {
        let size =
            |name: &str| std::fs::metadata(self.home.join(name)).map_or(0, |file| file.len());
        size("zoea.db")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.hold_back(false);
        // Only a process that is there: the number of one that has ended may be another's by now.
        if let Ok(None) = self.child.try_wait() {
            // The end of the terminal hangs up on the processes that still run in it.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// What is read from a terminal, piece by piece. While nobody listens, the output waits in the terminal.
fn pieces(mut reader: Box<dyn Read + Send>, is_deaf: Arc<AtomicBool>) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(count) = reader.read(&mut buffer) {
            if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
            while is_deaf.load(Ordering::Relaxed) {
                std::thread::park_timeout(PAUSE);
            }
        }
    });
    output
}

/// Runs a command of the program to its end.
pub fn command(home: &Path, arguments: &[&str]) {
    let done = std::process::Command::new(crate::program())
        .arg("--home")
        .arg(home)
        .args(arguments)
        .current_dir(home)
        .output()
        .expect("the command runs");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn pty_size((cols, rows): Size) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// Rows and columns, as the screen takes them.
fn screen_size((columns, rows): Size) -> (NonZeroU16, NonZeroU16) {
    let nonzero = |number| NonZeroU16::new(number).expect("a screen has a size");
    (nonzero(rows), nonzero(columns))
}

//! The program under a terminal of its own, and the kernel's figures about it.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::process_figures::ProcessFigures;

const ROWS: u16 = 40;
const COLUMNS: u16 = 120;
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Program {
    child: Box<dyn Child + Send + Sync>,
    pid: u32,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    is_deaf: Arc<AtomicBool>,
    screen: vt100::Parser,
    started: Instant,
    home: PathBuf,
    _master: Box<dyn MasterPty + Send>,
}

impl Program {
    pub fn start(home: &Path, arguments: &[&str]) -> Program {
        let home_argument = home.to_string_lossy();
        let mut all = vec!["--home", &home_argument];
        all.extend(arguments);
        Program::open(
            &crate::program().to_string_lossy(),
            &all,
            home,
            (COLUMNS, ROWS),
        )
    }

    /// Any program, under a terminal of that many columns and rows.
    pub fn open(
        program: &str,
        arguments: &[&str],
        home: &Path,
        (columns, rows): (u16, u16),
    ) -> Program {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pty = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(home);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        let started = Instant::now();
        let child = pty
            .slave
            .spawn_command(command)
            .expect("the program starts");
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().expect("its output");
        let (sender, output) = channel();
        let is_deaf = Arc::new(AtomicBool::new(false));
        let deaf = is_deaf.clone();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
                while deaf.load(Ordering::Relaxed) {
                    std::thread::park_timeout(Duration::from_millis(20));
                }
            }
        });
        Program {
            pid: child.process_id().expect("a process"),
            child,
            keys: pty.master.take_writer().expect("its keyboard"),
            output,
            is_deaf,
            screen: vt100::Parser::new(nonzero(rows), nonzero(columns), 0),
            started,
            home: home.to_path_buf(),
            _master: pty.master,
        }
    }

    /// Reads until the screen fulfils a condition. Returns the time since the start.
    pub fn until(&mut self, what: &str, check: impl Fn(&str) -> bool) -> Duration {
        loop {
            if check(&self.screen.screen().contents()) {
                return self.started.elapsed();
            }
            assert!(
                self.started.elapsed() < PATIENCE,
                "waited in vain until {what}:\n{}",
                self.screen.screen().contents()
            );
            self.read_for(Duration::from_millis(20));
        }
    }

    /// The text of the screen.
    #[must_use]
    pub fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads the output of this time.
    pub fn read_for(&mut self, time: Duration) {
        if let Ok(bytes) = self.output.recv_timeout(time) {
            self.screen.process(&bytes);
            while let Ok(bytes) = self.output.try_recv() {
                self.screen.process(&bytes);
            }
        }
    }

    /// Presses a key that moves the selection. Returns the time until it has moved.
    pub fn press_and_wait(&mut self, key: &str) -> Duration {
        let before = self.selected();
        let pressed = Instant::now();
        self.keys.write_all(key.as_bytes()).expect("the key");
        self.keys.flush().expect("the key");
        // With at most one row the selection cannot move.
        while self.selected() == before && pressed.elapsed() < Duration::from_millis(500) {
            self.read_for(Duration::from_millis(1));
        }
        pressed.elapsed()
    }

    /// Stops reading the program's output, or reads it again.
    pub fn hold_back(&self, is_deaf: bool) {
        self.is_deaf.store(is_deaf, Ordering::Relaxed);
    }

    /// Presses a key. Returns the time until the screen fulfils a condition.
    pub fn press_until(&mut self, key: &str, check: impl Fn(&str) -> bool) -> Duration {
        let pressed = Instant::now();
        self.keys.write_all(key.as_bytes()).expect("the key");
        self.keys.flush().expect("the key");
        while !check(&self.screen.screen().contents()) {
            assert!(pressed.elapsed() < PATIENCE, "{key} shows nothing");
            self.read_for(Duration::from_millis(1));
        }
        pressed.elapsed()
    }

    /// The line with the mark of the selection.
    fn selected(&self) -> Option<usize> {
        let contents = self.screen.screen().contents();
        contents.lines().position(|line| line.starts_with('▌'))
    }

    pub fn quit(mut self) {
        let asked = Instant::now();
        while self.child.try_wait().expect("a status").is_none() {
            // The program asks while Myses run; after its end the key has no effect.
            let _ = self.keys.write_all(b"q");
            self.read_for(Duration::from_millis(200));
            let _ = self.keys.write_all(b"y");
            self.read_for(Duration::from_millis(200));
            assert!(asked.elapsed() < PATIENCE, "it does not quit");
        }
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
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
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

fn nonzero(number: u16) -> std::num::NonZeroU16 {
    number.try_into().expect("a screen has a size")
}

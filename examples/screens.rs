//! Screenshots of the real program for the documents: `cargo build && cargo run --example screens`.
//!
//! Runs a swarm offline in a terminal of its own at three sizes, lets the program write its screen
//! to files, and copies these to `docs/screens/`. A path as its argument is another build of the program.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the swarm plays before the first picture: so long that the graphs have a curve.
const PLAY_TIME: Duration = Duration::from_secs(180);

/// The sizes, in columns and rows.
const SIZES: [(u16, u16); 3] = [(80, 20), (120, 40), (200, 60)];

/// The keys of a view, what it shows when it is complete, and its name.
const VIEWS: [(&str, &str, &str); 4] = [
    ("M", " MAP  12 ships", "map"),
    ("$", " the swarm  ", "books"),
    (":search main_belt\r", "SEARCH  main_belt", "search"),
    ("L", " LOG  all events", "log"),
];

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = root.join("target/debug/zoea");
    let named = std::env::args_os().nth(1);
    let program = named.map_or(built, PathBuf::from);
    ensure!(
        program.exists(),
        "{} is not there: `cargo build` makes it",
        program.display()
    );
    let folder = tempfile::tempdir()?;
    let target = root.join("docs/screens");
    std::fs::create_dir_all(&target)?;
    let mut terminal = ProgramTerminal::open(&program, folder.path())?;
    terminal.play()?;
    for size in SIZES {
        terminal.resize(size)?;
        terminal.picture(&target, "dashboard", size)?;
        terminal.keys(":open ceres\r", "following")?;
        terminal.picture(&target, "conversation", size)?;
        terminal.keys("x", "LAST REQUEST")?;
        terminal.picture(&target, "request", size)?;
        terminal.keys("\u{1b}", "following")?;
        terminal.keys("\u{1b}", "STATE")?;
        terminal.keys("g", "your orders")?;
        terminal.keys(" ", "the swarm")?;
        terminal.picture(&target, "graphs", size)?;
        terminal.keys("\u{1b}", "STATE")?;
        for (keys, shows, view) in VIEWS {
            terminal.keys(keys, shows)?;
            terminal.picture(&target, view, size)?;
            terminal.keys("\u{1b}", "STATE")?;
        }
        terminal.keys("?", "The table of Myses")?;
        terminal.picture(&target, "help", size)?;
        terminal.keys("\u{1b}", "STATE")?;
    }
    terminal.quit()
}

/// The program under a terminal.
struct ProgramTerminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    master: Box<dyn MasterPty + Send>,
    pictures: PathBuf,
}

impl ProgramTerminal {
    fn open(program: &Path, folder: &Path) -> anyhow::Result<ProgramTerminal> {
        let (columns, rows) = SIZES[2];
        let pty = native_pty_system().openpty(size(columns, rows))?;
        let mut command = CommandBuilder::new(program);
        command.arg("--home");
        command.arg(folder);
        command.args(["run", "--offline", "--seed", "5", "--tick", "500ms"]);
        command.args(["--myses", "0"]);
        command.cwd(folder);
        for (name, value) in [
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("LANG", "C.UTF-8"),
            ("NO_COLOR", ""),
        ] {
            command.env(name, value);
        }
        let child = pty.slave.spawn_command(command)?;
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader()?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut terminal = ProgramTerminal {
            child,
            keys: pty.master.take_writer()?,
            output,
            screen: vt100::Parser::new(nonzero(rows)?, nonzero(columns)?, 0),
            master: pty.master,
            pictures: folder.join("offline/screens"),
        };
        terminal.until("the swarm", |screen| screen.contains("The swarm is empty"))?;
        Ok(terminal)
    }

    /// Lets a swarm play for a while, and causes some events.
    fn play(&mut self) -> anyhow::Result<()> {
        let names = "alpha bravo ceres drift echo foxglove gamma halcyon iris juno kestrel lumen";
        let mission = "Mine ore at the belt of your home system, sell it where it pays best, and tell each other what you learn.";
        self.keys(&format!(":broadcast {mission}\r"), "Mine ore at the belt")?;
        for name in names.split(' ') {
            self.keys(&format!(":new {name}\r"), name)?;
        }
        self.keys("", "12 running")?;
        self.watch(PLAY_TIME);
        self.keys(":stop juno\r", "1 stopped")?;
        let order = "How much ore is in your hold, and what did you sell it for?";
        self.keys(&format!(":message ceres {order}\r"), "message ceres")?;
        self.watch(Duration::from_secs(8));
        self.keys(":mark echo,iris\r", "2 marked")
    }

    fn watch(&mut self, time: Duration) {
        let started = Instant::now();
        while started.elapsed() < time {
            self.read();
        }
    }

    fn keys(&mut self, keys: &str, shows: &str) -> anyhow::Result<()> {
        self.keys.write_all(keys.as_bytes())?;
        self.keys.flush()?;
        self.until(shows, |screen| screen.contains(shows))
    }

    fn resize(&mut self, (columns, rows): (u16, u16)) -> anyhow::Result<()> {
        self.screen
            .screen_mut()
            .set_size(nonzero(rows)?, nonzero(columns)?);
        self.master.resize(size(columns, rows))?;
        self.watch(Duration::from_millis(500));
        Ok(())
    }

    /// Lets the program write its screen, and keeps the files: the text in every size, the image of
    /// one.
    fn picture(
        &mut self,
        target: &Path,
        view: &str,
        (columns, rows): (u16, u16),
    ) -> anyhow::Result<()> {
        // Earlier messages would cover the screen.
        self.watch(Duration::from_millis(1500));
        self.until("an empty line", |screen| {
            !screen.contains("the screen is saved in")
        })?;
        let before = self.newest(".svg");
        if view == "help" || view == "request" {
            // The keys of each screen differ. The text of the screen shows that it is complete.
            let text = self.screen.screen().contents();
            let lines = text.lines().map(|line| format!("{}\n", line.trim_end()));
            let text: String = lines.collect();
            std::fs::write(target.join(format!("{view}-{columns}x{rows}.txt")), text)?;
            return Ok(());
        }
        self.keys.write_all(b"P")?;
        self.keys.flush()?;
        let started = Instant::now();
        let image = loop {
            let newest = self.newest(".svg");
            if newest != before {
                break newest.context("a picture")?;
            }
            ensure!(
                started.elapsed() < PATIENCE,
                "the program writes no picture"
            );
            self.read();
        };
        self.watch(Duration::from_millis(200));
        let text = image.with_extension("txt");
        // Read and written again, as a copy would keep the program's closed permissions.
        let text = std::fs::read(text)?;
        std::fs::write(target.join(format!("{view}-{columns}x{rows}.txt")), text)?;
        if columns == 120 {
            let image = std::fs::read(image)?;
            std::fs::write(target.join(format!("{view}.svg")), image)?;
        }
        Ok(())
    }

    fn newest(&self, ending: &str) -> Option<PathBuf> {
        let entries = std::fs::read_dir(&self.pictures).ok()?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        paths
            .filter(|path| path.to_string_lossy().ends_with(ending))
            .max()
    }

    fn until(&mut self, what: &str, check: impl Fn(&str) -> bool) -> anyhow::Result<()> {
        let started = Instant::now();
        while !check(&self.screen.screen().contents()) {
            if started.elapsed() > PATIENCE {
                bail!("no {what}:\n{}", self.screen.screen().contents());
            }
            self.read();
        }
        Ok(())
    }

    fn read(&mut self) {
        if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
            self.screen.process(&bytes);
        }
    }

    fn quit(mut self) -> anyhow::Result<()> {
        // An Esc and a letter in the same instant would be one key.
        self.watch(Duration::from_millis(500));
        self.keys("q", "Quit?")?;
        self.keys.write_all(b"y")?;
        self.keys.flush()?;
        while self.child.try_wait()?.is_none() {
            self.read();
        }
        Ok(())
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

fn nonzero(number: u16) -> anyhow::Result<std::num::NonZeroU16> {
    Ok(number.try_into()?)
}

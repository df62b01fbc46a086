//! Screenshots of the real program for the documents: `cargo build && cargo run --example screens`.
//!
//! Runs a swarm offline in a terminal of its own at three sizes, lets the program write its screen
//! to files, and copies these to `docs/screens/`. A path as its argument is another build of the program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::ensure;
use zoea_rig::terminal_program::Program;

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
    let mut album = Album::open(&program, folder.path(), target);
    album.play();
    for (columns, rows) in SIZES {
        album.swarm.resize(columns, rows);
        album.swarm.watch(Duration::from_millis(500));
        album.picture("dashboard");
        album.keys(":open ceres\r", "following");
        album.picture("conversation");
        album.keys("x", "LAST REQUEST");
        album.text("request")?;
        album.keys("\u{1b}", "following");
        album.keys("\u{1b}", "STATE");
        album.keys("g", "your orders");
        album.keys(" ", "the swarm");
        album.picture("graphs");
        album.keys("\u{1b}", "STATE");
        for (keys, shows, view) in VIEWS {
            album.keys(keys, shows);
            album.picture(view);
            album.keys("\u{1b}", "STATE");
        }
        album.keys("?", "The table of Myses");
        album.text("help")?;
        album.keys("\u{1b}", "STATE");
    }
    // An Esc and a letter in the same instant would be one key.
    album.swarm.watch(Duration::from_millis(500));
    album.swarm.quit();
    Ok(())
}

/// The program under a terminal, and where its pictures go.
struct Album {
    swarm: Program,
    written: PathBuf,
    target: PathBuf,
}

impl Album {
    fn open(program: &Path, folder: &Path, target: PathBuf) -> Album {
        let home = folder.to_string_lossy();
        let mut arguments = vec!["--home", &home, "run", "--offline", "--seed", "5"];
        arguments.extend(["--tick", "500ms", "--myses", "0"]);
        let program = program.to_string_lossy();
        let mut swarm = Program::open(&program, &arguments, folder, SIZES[2]);
        swarm.until("the swarm", |screen| screen.contains("The swarm is empty"));
        Album {
            swarm,
            written: folder.join("offline/screens"),
            target,
        }
    }

    /// Lets a swarm play for a while, and causes some events.
    fn play(&mut self) {
        let names = "alpha bravo ceres drift echo foxglove gamma halcyon iris juno kestrel lumen";
        let mission = "Mine ore at the belt of your home system, sell it where it pays best, and tell each other what you learn.";
        self.keys(&format!(":broadcast {mission}\r"), "Mine ore at the belt");
        for name in names.split(' ') {
            self.keys(&format!(":new {name}\r"), name);
        }
        self.keys("", "12 running");
        self.swarm.watch(PLAY_TIME);
        self.keys(":stop juno\r", "1 stopped");
        let order = "How much ore is in your hold, and what did you sell it for?";
        self.keys(&format!(":message ceres {order}\r"), "message ceres");
        self.swarm.watch(Duration::from_secs(8));
        self.keys(":mark echo,iris\r", "2 marked");
    }

    fn keys(&mut self, keys: &str, shows: &str) {
        self.swarm.press_until(keys, |text| text.contains(shows));
    }

    fn picture(&mut self, view: &str) {
        self.swarm.picture(&self.written, &self.target, view);
    }

    /// Keeps the text of a view in which the key of pictures is another's.
    fn text(&mut self, view: &str) -> anyhow::Result<()> {
        self.swarm.settle();
        let text = self.swarm.contents();
        let lines = text.lines().map(|line| format!("{}\n", line.trim_end()));
        let text: String = lines.collect();
        let (rows, columns) = self.swarm.screen().size();
        let file = format!("{view}-{columns}x{rows}.txt");
        std::fs::write(self.target.join(file), text)?;
        Ok(())
    }
}

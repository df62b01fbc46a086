//! A swarm that runs while nothing happens: the top of the screen says so, in every size.

use crate::terminal::Terminal;
use tempfile::TempDir;
use zoea_rig::{Server, zoea};

#[test]
fn the_top_of_the_screen_says_that_calls_are_written_as_text() {
    let folder = TempDir::new().expect("a folder");
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--nonsense", "0", "--fault", "prose-calls"]);
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home).expect("a home");
    let text = format!(
        "[swarm]\nturn_pause = \"50ms\"\n[providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\n\
         [mcp]\nupstream = \"{}\"\nlogins_per_minute = 1000000\n",
        pilot.url, galaxy.url
    );
    std::fs::write(home.join("zoea.toml"), text).expect("a configuration");
    for words in [&["mysis", "create", "alpha"][..], &["broadcast", "Mine."]] {
        let mut command = zoea();
        let done = command.arg("--home").arg(&home).args(words).output();
        assert!(done.expect("the program").status.success(), "{words:?}");
    }
    let mut terminal = Terminal::open(80, 24, folder.path());
    terminal.types("$ZOEA --home home run --start-swarm\r");
    for (columns, rows) in [(80, 24), (60, 15), (120, 40), (80, 24)] {
        terminal.resize(columns, rows);
        terminal.until("the banner at the top", |screen| {
            let contents = screen.contents();
            let top: Vec<&str> = contents.lines().take(usize::from(rows / 3)).collect();
            let top = top
                .join(" ")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            top.starts_with("nothing happens: model pilot of provider pilot writes")
                && top.contains("writes its calls as text: \"This is what I do now: <tool_call>")
                && top.contains("start its server so that it reads")
        });
    }
    terminal.sees("--jinja");
    terminal.types("q");
    terminal.sees("Quit?");
    terminal.types("y");
    terminal.comes_back();
}

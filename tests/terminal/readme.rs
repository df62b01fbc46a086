//! The recipe for a real model in the operator's guide works, here with a simulated model and game.

use tempfile::TempDir;

use crate::terminal::Terminal;
use zoea_rig::{Server, until, zoea};

const GUIDE: &str = include_str!("../../docs/OPERATING.md");
/// The addresses of the servers in the recipe.
const MODEL: &str = "http://127.0.0.1:8080/v1";
const GAME: &str = "http://127.0.0.1:3111/mcp";

/// The text between `from` and `to`, after a heading.
fn between(heading: &str, from: &str, to: &str) -> &'static str {
    let (_, section) = GUIDE.split_once(heading).expect("the section is there");
    let (_, rest) = section.split_once(from).expect("it begins");
    rest.split_once(to).expect("it ends").0
}

#[test]
fn the_recipe_of_the_guide_ends_with_a_swarm_that_plays() {
    let heading = "## With a real model on your own machine";
    let configuration = between(heading, "<<'TOML'\n", "TOML\n");
    let commands = between(heading, "\nTOML\n", "```").trim();
    assert!(commands.contains("--start-swarm"), "{commands}");
    assert!(configuration.contains(MODEL) && configuration.contains(GAME));

    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let folder = TempDir::new().expect("a folder");
    let configuration = configuration
        .replace(MODEL, &pilot.url)
        .replace(GAME, &galaxy.url);
    std::fs::write(folder.path().join("zoea.toml"), configuration).expect("a configuration");

    let mut terminal = Terminal::open(120, 40, folder.path());
    terminal.types("zoea() { \"$ZOEA\" \"$@\"; }\r");
    terminal.types(&format!("{commands}\r"));
    terminal.sees("1 running");
    let says = |words: &[&str]| {
        let mut command = zoea();
        let command = command.current_dir(folder.path());
        let command = command.args(["--home", "./home"]).args(words);
        let said = command.output().expect("the command runs").stdout;
        String::from_utf8_lossy(&said).into_owned()
    };
    until("the mysis has played", || {
        let listed = says(&["mysis", "list", "--json"]);
        let myses: serde_json::Value = serde_json::from_str(&listed).ok()?;
        let alpha = &myses[0];
        assert_eq!(alpha["name"], "alpha");
        (alpha["turns"].as_u64()? > 0).then_some(())
    });
    terminal.types("s");
    until("the stop is recorded", || {
        let events = says(&["events"]);
        events.contains("stopped (by terminal)").then_some(())
    });
}

//! The first minute at the real program, and keys of the operator's own.

use tempfile::TempDir;
use zoea_rig::Server;

use crate::terminal::Terminal;

/// A configuration with a dead model server and a game that answers.
fn configure(folder: &TempDir, game: &str, more: &str) {
    let text = format!(
        "[providers.local]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n\
         [mcp]\nupstream = \"{game}\"\n{more}"
    );
    std::fs::write(folder.path().join("zoea.toml"), text).expect("a file");
}

#[test]
fn an_empty_home_says_what_it_uses_and_goes_over_to_offline_play() {
    let game = Server::galaxy(&[]);
    let folder = TempDir::new().expect("a folder");
    configure(&folder, &game.url, "");
    let mut terminal = Terminal::open(100, 30, folder.path());
    terminal.types("$ZOEA --home home run --theme light\r");
    terminal.sees("The swarm is empty.");
    terminal.sees("http://127.0.0.1:9/v1");
    terminal.sees("✖ no answer");
    terminal.sees("● answers");
    terminal.sees("home");
    terminal.types("o");
    terminal.sees("OFFLINE: simulated game and model");
    terminal.sees("5 running");
    let home = folder.path().join("home");
    assert!(home.join("offline/zoea.db").exists());
    assert!(
        !home.join("run.json").exists(),
        "the first program has ended"
    );
    terminal.types("qy");
    terminal.comes_back();
}

#[test]
fn an_empty_home_goes_over_to_setup() {
    let game = Server::galaxy(&[]);
    let folder = TempDir::new().expect("a folder");
    configure(&folder, &game.url, "");
    let mut terminal = Terminal::open(100, 30, folder.path());
    terminal.types("$ZOEA --home home run\r");
    terminal.sees("The swarm is empty.");
    terminal.types("i");
    terminal.sees("Setting up a swarm in ");
    terminal.sees("Which model server?");
    terminal.types("\u{3}");
    terminal.sees("nothing was written");
    terminal.comes_back();
}

#[test]
fn a_key_of_the_configuration_quits_and_the_usual_one_does_not() {
    let game = Server::galaxy(&[]);
    let folder = TempDir::new().expect("a folder");
    configure(
        &folder,
        &game.url,
        "[tui.keys]\nquit = \"ctrl-q\"\nhelp = \"f2\"\n",
    );
    let mut terminal = Terminal::open(100, 60, folder.path());
    terminal.types("$ZOEA --home home run\r");
    terminal.sees("The swarm is empty.");
    terminal.sees("F2 help");
    terminal.types("q\u{1b}OQ");
    terminal.sees("Ctrl-Q");
    terminal.types("\u{1b}OQ\u{11}");
    terminal.comes_back();
}

#[test]
fn keys_that_collide_are_refused_and_a_weak_colour_is_told() {
    let game = Server::galaxy(&[]);
    let folder = TempDir::new().expect("a folder");
    configure(&folder, &game.url, "[tui.keys]\ngraphs = \"m\"\n");
    let mut terminal = Terminal::open(160, 30, folder.path());
    terminal.types("$ZOEA --home home run\r");
    terminal.sees("tui.keys.graphs is \"m\", which is the key of message as well");
    terminal.comes_back();
    configure(&folder, &game.url, "[tui.colors]\ndim = \"#333333\"\n");
    terminal.types("$ZOEA --home home run\r");
    terminal.sees("The swarm is empty.");
    terminal.types("L");
    terminal.sees("tui.colors.dim: dim on ");
    terminal.types("Lq");
    terminal.comes_back();
}

#[test]
fn a_terminal_that_cannot_place_text_gets_a_sentence() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(100, 30, folder.path());
    terminal.types("TERM=dumb $ZOEA --home home run --offline\r");
    terminal.sees("this terminal cannot place text on its screen (TERM=dumb)");
    terminal.sees("--headless");
    terminal.comes_back();
}

#[test]
fn a_home_that_lost_its_database_is_asked_about_and_begun_anew_only_on_a_yes() {
    let folder = TempDir::new().expect("a folder");
    configure(&folder, "http://127.0.0.1:9/mcp", "");
    let mut command = zoea_rig::zoea();
    let command = command.current_dir(folder.path());
    let listed = command.args(["--home", "home", "mysis", "list"]).output();
    assert!(listed.expect("a command").status.success());
    let database = folder.path().join("home/zoea.db");
    std::fs::remove_file(&database).expect("a database");
    let mut terminal = Terminal::open(100, 30, folder.path());
    terminal.types("$ZOEA --home home run\r");
    terminal.sees("Start again with an empty swarm? [y/N]");
    terminal.types("n\r");
    terminal.sees("zoea did not start");
    assert!(!database.exists());
    terminal.types("clear; $ZOEA --home home run\r");
    terminal.sees("Start again with an empty swarm? [y/N]");
    terminal.types("\u{3}");
    terminal.comes_back();
    assert!(!database.exists());
    terminal.types("clear; $ZOEA --home home run\r");
    terminal.sees("Start again with an empty swarm? [y/N]");
    terminal.types("y\r");
    terminal.sees("The swarm is empty.");
    assert!(database.exists());
    terminal.types("qy");
    terminal.comes_back();
}

#[test]
fn a_start_that_fails_after_the_screen_was_there_gives_the_terminal_back() {
    let folder = TempDir::new().expect("a folder");
    configure(&folder, "http://127.0.0.1:9/mcp", "");
    std::fs::create_dir_all(folder.path().join("home/run.json")).expect("a folder in the way");
    let mut terminal = Terminal::open(200, 30, folder.path());
    terminal.types("$ZOEA --home home run\r");
    terminal.sees("run.json: Is a directory");
    terminal.comes_back();
}

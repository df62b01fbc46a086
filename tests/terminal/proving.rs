//! `zoea doctor --prove` at a terminal: it asks before it spends, and prints its verdict once.

use tempfile::TempDir;

use crate::terminal::Terminal;
use zoea_rig::Server;

/// A terminal whose configuration has this model server.
fn open_for(pilot: &Server, folder: &TempDir) -> Terminal {
    let url = &pilot.url;
    let text = format!("[providers.pilot]\nendpoint = \"{url}\"\nmodel = \"pilot\"\n");
    std::fs::write(folder.path().join("zoea.toml"), text).expect("a configuration");
    Terminal::open(100, 30, folder.path())
}

#[test]
fn whoever_does_not_agree_to_a_proof_spends_nothing() {
    let folder = TempDir::new().expect("a folder");
    let pilot = Server::pilot(&[]);
    let mut terminal = open_for(&pilot, &folder);
    for answer in ["n\r", "\r", "Yes, why not\r"] {
        terminal.types("clear; \"$ZOEA\" doctor --prove\r");
        terminal.sees("Continue? [y/N]");
        terminal.types(answer);
        terminal.sees("not tested");
        terminal.comes_back();
    }
    let stats = format!("http://{}/stats", pilot.address());
    let (_, stats) = zoea_rig::http("GET", &stats, &[], "");
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(stats["requests"], 0, "{stats}");
}

#[test]
fn a_verdict_is_said_once() {
    let folder = TempDir::new().expect("a folder");
    let pilot = Server::pilot(&["--nonsense", "0", "--fault", "prose-calls"]);
    let mut terminal = open_for(&pilot, &folder);
    terminal.types("clear; \"$ZOEA\" doctor --prove; echo \"ended with $?\"\r");
    terminal.sees("Continue? [y/N]");
    terminal.types("y\r");
    terminal.sees("ended with 1");
    let said = terminal.contents().replace('\n', "");
    assert_eq!(said.matches("verdict: cannot play: ").count(), 1, "{said}");
    assert_eq!(said.matches("--jinja").count(), 1, "{said}");
}

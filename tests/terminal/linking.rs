//! The need of a Mysis that the operator logs in: the screen says what to do, in every width.

use crate::terminal::Terminal;
use tempfile::TempDir;
use zoea_rig::{Server, http, zoea};

/// The code on the screen, whole, and not this one.
fn shown_code(screen: &vt100::Screen, seen: &str) -> Option<String> {
    let contents = screen.contents();
    let (_, rest) = contents.split_once(" log in ")?;
    let (_, rest) = rest.split_once("enter ")?;
    let code = rest.split_whitespace().next()?;
    let is_whole = code.len() == 9 && code.as_bytes()[4] == b'-';
    (is_whole && code != seen).then(|| code.to_string())
}

#[test]
fn the_screen_says_what_to_do_and_a_key_asks_for_another_link() {
    let folder = TempDir::new().expect("a folder");
    let galaxy = Server::galaxy(&["--link-interval", "1s"]);
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home).expect("a home");
    let text = format!(
        "[providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\n\
         [mcp]\nupstream = \"{}\"\nlogin = \"link\"\n",
        pilot.url, galaxy.url
    );
    std::fs::write(home.join("zoea.toml"), text).expect("a configuration");
    let mut command = zoea();
    let words = ["mysis", "create", "alpha"];
    let done = command.arg("--home").arg(&home).args(words).output();
    assert!(done.expect("the program").status.success());
    let mut terminal = Terminal::open(120, 40, folder.path());
    terminal.types("$ZOEA --home home run --start-swarm\r");
    let page = galaxy.url.replace("/mcp", "/link");
    terminal.until("what to do, and where", |screen| {
        shown_code(screen, "").is_some() && screen.contents().contains(&format!("at {page} by "))
    });
    terminal.resize(80, 24);
    terminal.until("the code on a narrow screen", |screen| {
        let size = screen.contents();
        size.lines().all(|line| line.chars().count() <= 80) && shown_code(screen, "").is_some()
    });
    let code = shown_code(terminal.screen(), "").expect("a code");
    let form = ["Content-Type: application/x-www-form-urlencoded"];
    let (status, _) = http("POST", &page, &form, &format!("code={code}&answer=deny"));
    assert_eq!(status, 200);
    terminal.sees("denied at the link");
    terminal.types("r");
    terminal.until("another code", |screen| shown_code(screen, &code).is_some());
    terminal.types("q");
    terminal.sees("Quit?");
    terminal.types("y");
    terminal.comes_back();
}

//! The freeze at the screen: one key freezes, nothing can be overlooked, and a thaw asks first.

use crate::terminal::Terminal;
use tempfile::TempDir;
use zoea_rig::zoea;

#[test]
fn one_key_freezes_the_swarm_and_the_whole_screen_says_so() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(120, 40, folder.path());
    terminal.types("$ZOEA --home home run --offline --tick 50ms --seed 5\r");
    terminal.sees("5 running");
    terminal.types("F");
    terminal.until("the frozen screen", |screen| {
        let contents = screen.contents();
        let lines: Vec<&str> = contents.lines().collect();
        let is_held = |line: &&&str| line.contains(" frozen");
        lines[0].trim_start().starts_with("FROZEN: no model call")
            && lines[1].contains(" FROZEN 0:")
            && lines[7..].iter().filter(is_held).count() >= 5
            && !contents.contains("waiting for")
            && !contents.contains("logging in")
    });
    let mut command = zoea();
    let home = folder.path().join("home/offline");
    let status = command.arg("--home").arg(&home).arg("status").output();
    let status = String::from_utf8(status.expect("the program").stdout).expect("text");
    assert!(status.contains("FROZEN since"), "{status}");
    terminal.types("F");
    terminal.sees("Thaw the swarm?");
    terminal.types("n");
    terminal.sees("FROZEN: no model call");
    terminal.types("F");
    terminal.sees("Thaw the swarm?");
    terminal.types("y");
    terminal.until("the thawed screen", |screen| {
        !screen.contents().contains("FROZEN") && screen.contents().contains("5 running")
    });
    terminal.types("q");
    terminal.sees("Quit?");
    terminal.types("y");
    terminal.comes_back();
}

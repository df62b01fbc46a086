//! The map and the timeline at the screen of the real program, from what its own Myses looked at and did.

use crate::terminal::Terminal;
use tempfile::TempDir;

#[test]
fn the_map_and_the_timeline_show_what_the_swarm_saw_and_did() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(120, 40, folder.path());
    terminal.types("$ZOEA --home home run --offline --tick 50ms --seed 5\r");
    terminal.sees("5 running");
    // Each time it opens, the map is read anew: until somebody has looked at a system.
    terminal.types("M");
    terminal.until("a map with lanes", |screen| {
        let contents = screen.contents();
        let has_lanes = contents.chars().any(|sign| ('⠁'..='⣿').contains(&sign));
        contents.contains(" MAP  5 ships in") && has_lanes && contents.contains("●")
    });
    terminal.sees(" seen ");
    terminal.types("\r");
    terminal.sees("; Esc shows all");
    terminal.until("the table of that system", |screen| {
        !screen.contents().contains(" MAP ") && screen.contents().contains("~^")
    });
    // An Esc and the next key in the same instant would be one key.
    terminal.types("\x1b");
    terminal.sees_no("~^");
    terminal.types("\r");
    terminal.until("the timeline below a conversation", |screen| {
        let contents = screen.contents();
        contents.contains("[ ] go") && contents.contains("your orders")
    });
    terminal.types("[");
    terminal.until("the minute that it went to", |screen| {
        !screen.contents().contains("[ ] go") && screen.contents().contains("your orders")
    });
    terminal.types("\x1b");
    terminal.sees("[ ] go");
    terminal.types("q");
    terminal.sees("Quit?");
    terminal.types("y");
    terminal.comes_back();
}

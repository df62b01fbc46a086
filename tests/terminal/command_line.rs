//! What commands print where stdout is a terminal.

use tempfile::TempDir;
use zoea_rig::Home;

use crate::terminal::Terminal;

#[test]
fn on_a_terminal_times_are_local_and_states_have_colours() {
    let home = Home::new();
    home.ok(&["mysis", "create", "alpha"]);
    let piped = home.ok(&["events", "--utc"]);
    let created = piped.lines().find(|line| line.contains("  create "));
    let (time, _) = created
        .and_then(|line| line.split_once("  "))
        .expect(&piped);
    assert!(time.ends_with('Z'), "{piped}");
    // The same moment nine hours to the east.
    let utc = chrono::DateTime::parse_from_rfc3339(time).expect("a time");
    let there = utc + chrono::TimeDelta::hours(9);
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(100, 24, folder.path());
    let at = home.path();
    let at = at.display();
    terminal.types(&format!("TZ=JST-9 \"$ZOEA\" events --home {at}\r"));
    terminal.sees(
        &there
            .format("%Y-%m-%d %H:%M:%S  create          alpha")
            .to_string(),
    );
    terminal.comes_back();

    terminal.types(&format!("\"$ZOEA\" mysis list --home {at}; echo end\r"));
    terminal.until("a heading in bold", |screen| {
        heading_is_bold(screen) == Some(true)
    });
    terminal.types(&format!(
        "clear; NO_COLOR=1 \"$ZOEA\" mysis list --home {at}; echo over\r"
    ));
    terminal.until("a plain heading", |screen| {
        screen.contents().contains("\nover") && heading_is_bold(screen) == Some(false)
    });
}

/// Whether the heading of a table is bold; `None` where there is none.
fn heading_is_bold(screen: &vt100::Screen) -> Option<bool> {
    let contents = screen.contents();
    let row = contents.lines().position(|line| line.starts_with("NAME"))?;
    let cell = screen.cell(u16::try_from(row).ok()?, 0)?;
    Some(cell.bold())
}

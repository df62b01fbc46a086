//! A reload of the configuration by a program that has a terminal.

use std::path::Path;

use tempfile::TempDir;

use crate::terminal::Terminal;

/// Writes a configuration that needs no running servers.
fn configure(folder: &Path, more: &str) {
    let home = folder.join("home");
    std::fs::create_dir_all(&home).expect("a home");
    let text = format!(
        "[swarm]\ndefault_provider = \"none\"\n[providers.none]\n\
         endpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"none\"\n{more}"
    );
    std::fs::write(home.join("zoea.toml"), text).expect("a configuration");
}

#[test]
fn a_reload_says_what_holds_what_waits_and_what_is_wrong() {
    let folder = TempDir::new().expect("a folder");
    configure(folder.path(), "[mcp]\nupstream = \"\"\n");
    let mut terminal = Terminal::open(200, 30, folder.path());
    terminal.types("$ZOEA --home home run\r");
    terminal.sees("The swarm is empty");

    configure(
        folder.path(),
        "[mcp]\nupstream = \"http://127.0.0.1:9/mcp\"\n[budget]\nusd_per_day = 5.0\n\
         [[myses]]\nname = \"nova\"\n",
    );
    terminal.types(":reload\r");
    terminal.sees("the configuration was read again: [budget], [[myses]]");
    terminal.sees("when the program is restarted: mcp.upstream");
    terminal.sees_beside("nova", "idle");

    configure(folder.path(), "[budgit]\nusd_per_day = 5.0\n");
    terminal.types(":reload\r");
    terminal.sees_beside("the configuration is unchanged", "budgit");
    terminal.sees_beside("nova", "idle");

    // `:reload` at an attached terminal has the same effect.
    let mut visitor = Terminal::open(200, 30, folder.path());
    visitor.types("$ZOEA --home home attach\r");
    visitor.sees_beside("nova", "idle");
    configure(folder.path(), "[[myses]]\nname = \"vega\"\n");
    visitor.types(":reload\r");
    visitor.sees("the configuration was read again");
    visitor.sees_beside("vega", "idle");
    terminal.sees_beside("vega", "idle");
    visitor.types("q");
    visitor.comes_back();
    terminal.types("q");
    terminal.comes_back();
}

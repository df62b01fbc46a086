//! The operator's editor, and files that the palette writes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

use crate::attaching::{ATTACH, Service};
use crate::terminal::Terminal;

/// Writes an editor: a script that gets the file as `$1`.
fn editor(folder: &Path, name: &str, script: &str) {
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a script");
}

/// A terminal that is attached with this editor, and has a message to alpha open.
fn writing_with(folder: &Path, editor: &str) -> Terminal {
    let mut terminal = Terminal::open(120, 40, folder);
    terminal.types(&format!("EDITOR='{editor}' {ATTACH}\r"));
    terminal.sees("3 running");
    terminal.types(":open alpha\r");
    terminal.sees_beside(" alpha  ", "following");
    terminal.types("m");
    terminal.sees("MESSAGE");
    terminal
}

#[test]
fn an_editor_changes_the_text_that_is_written_and_the_terminal_is_put_back() {
    let folder = TempDir::new().expect("a folder");
    let _service = Service::start(folder.path());
    // It draws, waits for a line like any program of a terminal, and writes what must not reach a screen.
    editor(
        folder.path(),
        "good.sh",
        "echo IN THE EDITOR; cat \"$1\"; read line; printf ' %s\\r\\nsecond \\033[31mline\\n\\n' \"$line\" >> \"$1\"",
    );
    let mut terminal = writing_with(folder.path(), "./good.sh");
    terminal.types("dig");
    terminal.sees_beside("▸", "dig");
    terminal.types("\u{f}");
    terminal.until("the editor has the terminal", |screen| {
        !screen.alternate_screen() && screen.contents().contains("IN THE EDITOR")
    });
    terminal.types("for gold\r");
    terminal.until("the screen is back", |screen| screen.alternate_screen());
    terminal.sees_beside("▸", "dig for gold");
    terminal.sees("second line");
    terminal.types("\r");
    terminal.sees("YOU");
    terminal.sees("dig for gold");
    let left = fs::read_dir(folder.path().join("home/offline/screens")).expect("a folder");
    assert_eq!(left.count(), 0, "the file is removed");
    terminal.goes_back_to("DOING");
    terminal.types("q");
    terminal.comes_back();
}

#[test]
fn an_editor_that_fails_is_killed_or_is_not_there_changes_nothing() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path());
    for (name, script, keys, printed) in [
        (
            "bad.sh",
            "echo lost > \"$1\"; exit 3",
            "",
            "the editor failed with 3",
        ),
        (
            "killed.sh",
            "echo lost > \"$1\"; kill -9 $$",
            "",
            "the editor was ended by signal 9",
        ),
        // Ctrl-C and Ctrl-Z are the editor's, as long as it has the terminal.
        (
            "waits.sh",
            "echo READY; read line; exit 0",
            "\u{1a}\u{3}",
            "the editor",
        ),
        (
            "long.sh",
            "head -c 2000000 /dev/zero | tr '\\0' x > \"$1\"",
            "",
            "more than 1048576 bytes",
        ),
        (
            "binary.sh",
            "printf '\\377\\376' > \"$1\"",
            "",
            "is not UTF-8",
        ),
        ("nowhere.sh", "", "", "this editor does not exist"),
    ] {
        if !script.is_empty() {
            editor(folder.path(), name, script);
        }
        let mut terminal = writing_with(folder.path(), &format!("./{name}"));
        terminal.types("stay");
        terminal.sees_beside("▸", "stay");
        terminal.types("\u{f}");
        if !keys.is_empty() {
            terminal.until("the editor has the terminal", |screen| {
                !screen.alternate_screen() && screen.contents().contains("READY")
            });
            terminal.types(keys);
        }
        terminal.sees(printed);
        terminal.until("the screen is back", |screen| screen.alternate_screen());
        terminal.sees_beside("▸", "stay");
        terminal.types("\u{3}");
        terminal.sees_no("MESSAGE");
        terminal.goes_back_to("DOING");
        terminal.types("q");
        terminal.comes_back();
        assert!(service.is_at(folder.path()), "{name}");
    }
}

#[test]
fn the_palette_writes_a_report_and_a_backup_and_stops_those_that_match() {
    let folder = TempDir::new().expect("a folder");
    let _service = Service::start(folder.path());
    let mut terminal = Terminal::open(160, 40, folder.path());
    terminal.types(&format!("{ATTACH}\r"));
    terminal.sees("3 running");
    terminal.types(":report 1h\r");
    terminal.sees("the report is in");
    terminal.types(":backup\r");
    terminal.sees("the copy is in");
    let home = folder.path().join("home/offline");
    for (place, end) in [("reports", ".html"), ("exports", ".db")] {
        let mut files = fs::read_dir(home.join(place)).expect("a folder").flatten();
        let found = files.any(|file| file.file_name().to_string_lossy().ends_with(end));
        assert!(found, "{place}");
    }
    terminal.types(":report sunset\r");
    terminal.sees("`sunset` is not a time");
    terminal.types(":stop where state=running, name=al*\r");
    terminal.sees("2 running");
    terminal.types("q");
    terminal.comes_back();
}

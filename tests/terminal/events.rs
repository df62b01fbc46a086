//! The log of events: the same at the program's own terminal, at an attached one, and after a restart.

use tempfile::TempDir;

use crate::terminal::Terminal;

const RUN: &str = "$ZOEA --home home run --offline --tick 100ms --seed 7 --myses 3";

/// The last event of the first run.
const LAST: &str = "stop was refused: mysis already stopped";

/// Whether the log is drawn whole: its last line is in hand, and nothing of the table is left below it.
fn is_drawn(contents: &str, last: &str) -> bool {
    let rows: Vec<&str> = contents.lines().collect();
    let in_hand = rows
        .iter()
        .position(|row| row.starts_with('▌') && row.contains(last));
    let behind = in_hand.and_then(|place| rows.get(place + 1..rows.len().saturating_sub(2)));
    contents.contains("LOG  all events")
        && behind.is_some_and(|rows| rows.iter().all(|row| row.trim().is_empty()))
}

/// The lines of the log that have a time.
fn lines_of_log(terminal: &mut Terminal, last: &str) -> Vec<String> {
    terminal.types("L");
    terminal.until("the log", |screen| is_drawn(&screen.contents(), last));
    let contents = terminal.contents();
    let lines = contents
        .lines()
        .skip_while(|line| !line.contains("LOG  all events"));
    let has_time = |line: &&str| {
        let text = line.trim_start_matches(['▌', ' ']);
        text.len() > 8 && text.as_bytes()[2] == b':' && text.as_bytes()[5] == b':'
    };
    let plain = |line: &str| {
        line.replace('▌', " ")
            .trim_end_matches(['│', '┃', ' '])
            .to_string()
    };
    let lines = lines.filter(has_time).map(plain).collect();
    terminal.goes_back_to("DOING");
    lines
}

#[test]
fn what_happened_is_the_same_here_at_an_attached_terminal_and_after_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(120, 50, folder.path());
    terminal.types(&format!("{RUN}\r"));
    terminal.sees("3 running");
    terminal.types(":message alpha what is in the hold?\r");
    terminal.sees_beside("message alpha", "answered");
    terminal.types("*s");
    terminal.sees("Stop 3 Myses?");
    terminal.types("y");
    terminal.sees("done for 3 of 3");
    terminal.types(":stop alpha\r");
    let here = lines_of_log(&mut terminal, LAST);
    let line_of = |text: &str| {
        let mut lines = here.iter().filter(|line| line.contains(text));
        let line = lines.next().unwrap_or_else(|| panic!("{text}: {here:#?}"));
        assert!(lines.next().is_none(), "{text}: {here:#?}");
        line.clone()
    };
    let message = line_of("a message: what is in the hold?");
    assert!(message.contains("stored · answered"), "{message}");
    assert!(
        line_of("and 1 more stopped").contains("(by terminal)"),
        "{here:#?}"
    );
    assert!(line_of(LAST).contains("alpha"), "{here:#?}");

    let mut attached = Terminal::open(120, 50, folder.path());
    attached.types("$ZOEA --home home/offline attach\r");
    attached.sees("3 stopped");
    assert_eq!(lines_of_log(&mut attached, LAST), here);
    attached.types("q");
    attached.comes_back();

    terminal.types("q");
    terminal.comes_back();
    terminal.types(&format!("clear; {RUN}\r"));
    terminal.sees("3 stopped");
    let mut later = lines_of_log(&mut terminal, "the program started with 3 Myses");
    assert!(later.len() > here.len(), "{later:#?}");
    later.truncate(here.len());
    assert_eq!(later, here);
    terminal.types("q");
    terminal.comes_back();
}

//! A key and a new size of the window that arrive in the same instant: both have their effect.

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::terminal::Terminal;

/// A stopped process finds the signal of the new size and the key at the same time when it goes on.
#[test]
fn a_key_that_arrives_with_a_new_size_is_read_at_once() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    // The program takes the shell's place, so that no shell hears that it was stopped.
    terminal.types("exec $ZOEA --home home run --offline --myses 2 --seed 7\r");
    let program = terminal.pid();
    terminal.sees("? help");
    for round in 0..12 {
        let is_opening = round % 2 == 0;
        let (columns, rows) = if is_opening { (100, 30) } else { (80, 24) };
        signal(program, Signal::STOP);
        terminal.resize(columns, rows);
        terminal.types(if is_opening { "?" } else { "\u{1b}" });
        signal(program, Signal::CONT);
        let hint = if is_opening { "Esc close" } else { "? help" };
        terminal.until(
            &format!("{hint} in the last row, round {round}"),
            |screen| {
                let rows: Vec<String> = screen.rows(0, columns).collect();
                rows.last().is_some_and(|last| last.contains(hint))
            },
        );
    }
    terminal.types("qy");
    terminal.ends();
}

fn signal(program: u32, signal: Signal) {
    let program = i32::try_from(program).ok().and_then(Pid::from_raw);
    kill_process(program.expect("a process"), signal).expect("a signal");
}

//! Output: the one place that writes a command's answer to stdout.

use std::io::{self, ErrorKind, Write};

use serde_json::Value;

/// Writes a line. A reader that went away, as `head` does, is no failure.
///
/// # Errors
/// Stdout cannot be written for another reason.
pub(super) fn line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Tells the person at the prompt something that is no part of the answer.
#[expect(
    clippy::print_stderr,
    reason = "a hint for the person at the prompt; the answer itself goes to stdout"
)]
pub(super) fn note(text: &str) {
    eprintln!("note: {text}");
}

/// Writes a JSON value in one line.
pub(super) fn json(value: &Value) -> io::Result<()> {
    line(&value.to_string())
}

/// Writes a table with aligned columns, the first row as its head.
pub(super) fn table(rows: &[Vec<String>]) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| width(cell)).max().unwrap_or(0)
        })
        .collect();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, widest)| format!("{cell}{}", " ".repeat(widest - width(cell))))
            .collect();
        line(cells.join("  ").trim_end())?;
    }
    Ok(())
}

fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// A text in one line, without what a terminal would take for a command, cut to a length.
pub(super) fn short(text: &str, longest: usize) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(longest + 1)
        .collect();
    if line.chars().count() > longest {
        let cut: String = line.chars().take(longest.saturating_sub(1)).collect();
        return format!("{cut}…");
    }
    line
}

/// A text without what a terminal would take for a command; its lines stay.
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}

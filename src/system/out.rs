//! Output: the one place that writes to stdout and stderr, and the one through which every text goes
//! on its way to a terminal.
//!
//! Names of tools, errors of servers, words of models, arguments that come back in an error: nothing
//! of it is a command to the terminal. Who draws the screen writes its own commands beside texts that
//! were cleaned in the same way.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, StdoutLock, Write};

use actors::domain::clean;
use serde_json::Value;

/// Writes a line, or several. A reader that went away, as `head` does, is no failure.
///
/// # Errors
/// Stdout cannot be written for another reason.
pub fn line(text: &str) -> io::Result<()> {
    let mut lines = Lines::open();
    ignore_broken_pipe(lines.text(text).and_then(|()| lines.flush()))
}

/// Writes a JSON value in one line.
pub fn json(value: &Value) -> io::Result<()> {
    let mut lines = Lines::open();
    let written = lines.json(&value.to_string());
    ignore_broken_pipe(written.and_then(|()| lines.flush()))
}

/// Writes what was made for reading, or as lines of JSON, line by line.
pub fn pass_on(text: impl Read, is_json: bool) -> io::Result<()> {
    let mut lines = Lines::open();
    for line in BufReader::new(text).lines() {
        let line = line?;
        let written = match is_json {
            true => lines.json(&line),
            false => lines.text(&line),
        };
        if written.is_err() {
            return ignore_broken_pipe(written);
        }
    }
    ignore_broken_pipe(lines.flush())
}

/// Many lines, handed over when their writer likes.
pub struct Lines(BufWriter<StdoutLock<'static>>);

impl Lines {
    /// Nobody else writes to stdout as long as they are open.
    pub fn open() -> Lines {
        Lines(BufWriter::new(io::stdout().lock()))
    }

    /// Adds a text for people, and ends its line.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.0, "{}", clean::clean_text(text))
    }

    /// Adds a line of JSON.
    pub fn json(&mut self, json: &str) -> io::Result<()> {
        writeln!(self.0, "{}", clean::clean_json(json))
    }

    /// Hands over what was added.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn ignore_broken_pipe(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Tells the person at the prompt something that is no part of the answer.
pub fn note(text: &str) {
    write_stderr(&format!("note: {text}\n"));
}

/// Tells the person at the prompt what went wrong.
pub fn error(text: &str) {
    write_stderr(&format!("error: {text}\n"));
}

/// Asks the person at the prompt; the answer follows in the same line.
pub fn question(text: &str) {
    write_stderr(text);
}

/// Says on stderr what somebody else put into words, such as a panic or a mistake of the command
/// line.
#[expect(
    clippy::print_stderr,
    reason = "the one place where the person at the prompt is told anything"
)]
pub fn write_stderr(text: &str) {
    eprint!("{}", clean::clean_text(text));
}

/// Writes a table with aligned columns, the first row as its head.
pub fn table(rows: &[Vec<String>]) -> io::Result<()> {
    // What is cleaned later would stand beside its column.
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| clean::one_line(cell)).collect())
        .collect();
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

/// A text in one line, cut to a length.
pub fn shorten(text: &str, longest: usize) -> String {
    let line = clean::one_line(text);
    if line.chars().count() > longest {
        let cut: String = line.chars().take(longest.saturating_sub(1)).collect();
        return format!("{cut}…");
    }
    line
}

/// A text as it is written; its lines stay. For whoever puts something before each.
pub fn clean(text: &str) -> Cow<'_, str> {
    clean::clean_text(text)
}

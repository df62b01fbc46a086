//! Output: the one module that writes to stdout and stderr. Every text for a terminal passes
//! through it.
//!
//! Names of tools, errors of servers, words of models, arguments in an error: none of it may be a
//! command to the terminal. The drawing code writes its own commands beside texts that were cleaned
//! in the same way.

mod progress;
mod table;

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, StdoutLock, Write};

use serde_json::Value;
use zoea_text::clean;

pub use progress::Progress;
pub use table::{Column, Table};

/// Writes one or more lines. A reader that went away, such as `head`, is no failure.
///
/// # Errors
/// Stdout cannot be written for another reason.
pub fn line(text: &str) -> io::Result<()> {
    let mut lines = Lines::open();
    ignore_broken_pipe(lines.text(text).and_then(|()| lines.flush()))
}

pub fn json(value: &Value) -> io::Result<()> {
    let mut lines = Lines::open();
    let written = lines.json(&value.to_string());
    ignore_broken_pipe(written.and_then(|()| lines.flush()))
}

/// Copies text, or lines of JSON, line by line.
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

/// A writer of many lines, which decides itself when to flush.
pub struct Lines(BufWriter<StdoutLock<'static>>);

impl Lines {
    /// Opens the writer. Nobody else can write to stdout until it is dropped.
    pub fn open() -> Lines {
        Lines(BufWriter::new(io::stdout().lock()))
    }

    /// Adds a text for people and a newline.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.whole_line(&clean::clean_text(text))
    }

    pub fn json(&mut self, json: &str) -> io::Result<()> {
        self.whole_line(&clean::clean_json(json))
    }

    /// Adds a line at once, so that one that does not fit leaves no part of itself.
    fn whole_line(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(format!("{text}\n").as_bytes())
    }

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

/// Writes a remark for the person at the prompt to stderr, beside the answer.
pub fn note(text: &str) {
    write_stderr(&format!("note: {text}\n"));
}

pub fn error(text: &str) {
    write_stderr(&format!("error: {text}\n"));
}

/// Asks the person at the prompt. The answer follows in the same line.
pub fn question(text: &str) {
    write_stderr(text);
}

/// Writes to stderr a text that a library made, such as a panic or an error of the command line. A terminal that is
/// gone has nobody to be told, and must not end the program by a panic.
pub fn write_stderr(text: &str) {
    let _ = write!(io::stderr(), "{}", clean::clean_text(text));
}

pub fn shorten(text: &str, longest: usize) -> String {
    let line = clean::one_line(text);
    if line.chars().count() > longest {
        let cut: String = line.chars().take(longest.saturating_sub(1)).collect();
        return format!("{cut}…");
    }
    line
}

/// A text without terminal commands, with its lines. For callers that put something before each
/// line.
pub fn clean(text: &str) -> Cow<'_, str> {
    clean::clean_text(text)
}

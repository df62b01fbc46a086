//! Actions that only a terminal can perform, other than drawing pictures.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratatui::buffer::Buffer;
use zoea_text::clean::{clean_text, one_line};

use crate::dump;

/// The longest text that is copied to the clipboard. Many terminals drop longer OSC 52 sequences.
const MAX_PASTE_BYTES: usize = 70_000;

/// Copies a text to the clipboard with an OSC 52 sequence.
///
/// # Errors
/// The text is longer than `MAX_PASTE_BYTES`, or the terminal is gone.
pub(super) fn copy(out: &mut impl Write, text: &str) -> Result<(), String> {
    if text.len() > MAX_PASTE_BYTES {
        return Err("this text is too long to copy; `:export` writes it to a file".to_string());
    }
    let coded = BASE64_STANDARD.encode(text);
    write!(out, "\u{1b}]52;c;{coded}\u{7}")
        .and_then(|()| out.flush())
        .map_err(|error| error.to_string())
}

pub(super) fn bell(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\x07")?;
    out.flush()
}

/// Shows a desktop notification with an OSC 9 sequence.
pub(super) fn notify(out: &mut impl Write, text: &str) -> io::Result<()> {
    let text = one_line(text);
    write!(out, "\u{1b}]9;{text}\u{7}")?;
    out.flush()
}

/// Writes a picture to a `.txt` and a `.svg` file. Returns the message for the operator.
pub(super) fn write_dump(folder: &Path, name: &str, picture: &Buffer) -> Result<String, String> {
    let text = folder.join(format!("{name}.txt"));
    let image = folder.join(format!("{name}.svg"));
    write(&text, &clean_text(&dump::render_text(picture)))
        .and_then(|()| write(&image, &clean_text(&dump::render_svg(picture))))
        .map_err(|error| format!("the screen could not be saved: {error}"))?;
    Ok(format!(
        "the screen is saved in {}, and as .txt",
        image.display()
    ))
}

/// Writes a text to a `.txt` file. Returns the message for the operator.
pub(super) fn write_out(folder: &Path, name: &str, text: &str) -> Result<String, String> {
    let path = folder.join(format!("{name}.txt"));
    write(&path, &clean_text(text)).map_err(|error| format!("it could not be saved: {error}"))?;
    Ok(format!("it is in {}", path.display()))
}

/// Writes a file, with its folder. Only their owner can read them, because they hold what Myses say.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_is_coded_as_terminals_expect() {
        let mut out = Vec::new();
        assert_eq!(copy(&mut out, "foo"), Ok(()));
        assert_eq!(out, b"\x1b]52;c;Zm9v\x07");
        assert!(copy(&mut out, &"x".repeat(MAX_PASTE_BYTES + 1)).is_err());
    }
}

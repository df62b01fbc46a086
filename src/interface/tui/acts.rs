//! Actions that only a terminal can perform, other than drawing pictures.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

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
    let coded = base64(text.as_bytes());
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
    make(folder)
        .and_then(|()| write(&text, &dump::render_text(picture)))
        .and_then(|()| write(&image, &dump::render_svg(picture)))
        .map_err(|error| format!("the screen could not be saved: {error}"))?;
    Ok(format!(
        "the screen is saved in {}, and as .txt",
        image.display()
    ))
}

/// Writes a text to a `.txt` file. Returns the message for the operator.
pub(super) fn write_out(folder: &Path, name: &str, text: &str) -> Result<String, String> {
    let path = folder.join(format!("{name}.txt"));
    make(folder)
        .and_then(|()| write(&path, text))
        .map_err(|error| format!("it could not be saved: {error}"))?;
    Ok(format!("it is in {}", path.display()))
}

pub(super) fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The file is readable by its owner only, because it holds what Myses say.
fn write(path: &PathBuf, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(clean_text(text).as_bytes())
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut coded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            if place > chunk.len() {
                coded.push('=');
            } else {
                let six = (word >> (18 - 6 * place)) & 63;
                coded.push(char::from(LETTERS[six as usize]));
            }
        }
    }
    coded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_is_coded_as_terminals_expect() {
        let coded = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(coded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
        let mut out = Vec::new();
        assert_eq!(copy(&mut out, "foo"), Ok(()));
        assert_eq!(out, b"\x1b]52;c;Zm9v\x07");
        assert!(copy(&mut out, &"x".repeat(MAX_PASTE_BYTES + 1)).is_err());
    }
}
